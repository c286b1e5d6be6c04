//! Scores a decision tree on raw rows, independently of the search.
