//! Sets of columns that become one coded column.

use super::bits::{BitColumns, Relation, intersects};
use super::{Literal, MAX_SPLITS};

/// Literals each nested in the next.
#[derive(Clone, Default)]
pub(super) struct Chain {
    /// Ascending by inclusion.
    pub(super) literals: Vec<Literal>,
}

impl Chain {
    /// Add a column, or leave the chain as it is and say no.
    pub(super) fn add(&mut self, column: u32, columns: &BitColumns) -> bool {
        let Some(&known) = self.literals.last() else {
            self.literals.push(Literal {
                column,
                negated: false,
            });
            return true;
        };
        let negated = match columns.relation(known.column, column) {
            Relation::Inside | Relation::Around => known.negated,
            Relation::Disjoint | Relation::Covering => !known.negated,
            Relation::Unrelated => return false,
        };
        let new = Literal { column, negated };
        let count = columns.count(new);
        let place = self
            .literals
            .partition_point(|&literal| columns.count(literal) < count);
        let fits_below = place == 0 || nested(self.literals[place - 1], new, columns);
        let fits = fits_below
            && self
                .literals
                .get(place)
                .is_none_or(|&above| nested(new, above, columns));
        if fits {
            self.literals.insert(place, new);
        }
        fits
    }

    /// Take a column out again.
    pub(super) fn remove(&mut self, column: u32) {
        self.literals.retain(|literal| literal.column != column);
    }

    /// Whether all columns of `other` fit in, and the chain of both if so.
    fn join(&self, other: &Self, columns: &BitColumns) -> Option<Self> {
        let mut joined = self.clone();
        other
            .literals
            .iter()
            .all(|literal| joined.add(literal.column, columns))
            .then_some(joined)
    }

    /// Of the two ways to read the chain, take the one with fewer negations, or with its first column as it is.
    fn orient(&mut self) {
        let negated = self
            .literals
            .iter()
            .filter(|literal| literal.negated)
            .count();
        let first = self.literals.iter().min_by_key(|literal| literal.column);
        let first_negated = first.is_some_and(|literal| literal.negated);
        if (2 * negated, first_negated) > (self.literals.len(), false) {
            self.literals.reverse();
            self.literals
                .iter_mut()
                .for_each(|literal| literal.negated ^= true);
        }
    }
}

/// Whether the first literal is nowhere true without the second.
fn nested(inner: Literal, outer: Literal, columns: &BitColumns) -> bool {
    let wanted = match (inner.negated, outer.negated) {
        (false, false) => Relation::Inside,
        (true, true) => Relation::Around,
        (false, true) => Relation::Disjoint,
        (true, false) => Relation::Covering,
    };
    columns.relation(inner.column, outer.column) == wanted
}

/// Literals of which at most one is true in each row.
#[derive(Clone, Default)]
pub(super) struct Exclusive {
    pub(super) literals: Vec<Literal>,
    /// Rows where one of the literals is true.
    rows: Vec<u64>,
}

impl Exclusive {
    /// Add a column, or leave the group as it is and say no.
    pub(super) fn add(&mut self, column: u32, columns: &BitColumns) -> bool {
        let signs = match self.literals[..] {
            [] => Some((false, false)),
            // A single column may still be negated.
            [only] => match columns.relation(only.column, column) {
                Relation::Inside => Some((false, true)),
                Relation::Around => Some((true, false)),
                Relation::Disjoint => Some((false, false)),
                Relation::Covering => Some((true, true)),
                Relation::Unrelated => None,
            },
            [first, ..] => [false, true]
                .into_iter()
                .find(|&negated| {
                    let flip = if negated { u64::MAX } else { 0 };
                    !intersects(columns.column(column), flip, &self.rows)
                })
                .map(|negated| (first.negated, negated)),
        };
        let Some((first_negated, negated)) = signs else {
            return false;
        };
        if let [only] = &mut self.literals[..]
            && only.negated != first_negated
        {
            only.negated = first_negated;
            self.rows = columns.literal(*only);
        }
        let new = Literal { column, negated };
        self.literals.push(new);
        self.include(&columns.literal(new));
        true
    }

    /// Take a column out again.
    pub(super) fn remove(&mut self, column: u32, columns: &BitColumns) {
        if let Some(index) = self
            .literals
            .iter()
            .position(|literal| literal.column == column)
        {
            let gone = columns.literal(self.literals.remove(index));
            self.rows
                .iter_mut()
                .zip(gone)
                .for_each(|(rows, gone)| *rows &= !gone);
        }
    }

    /// Whether all columns of `other` fit in, and the group of both if so.
    fn join(&self, other: &Self, columns: &BitColumns) -> Option<Self> {
        let (large, small) = if self.literals.len() < other.literals.len() {
            (other, self)
        } else {
            (self, other)
        };
        if let [only] = small.literals[..] {
            let mut joined = large.clone();
            return joined.add(only.column, columns).then_some(joined);
        }
        if intersects(&small.rows, 0, &large.rows) {
            return None;
        }
        let mut joined = large.clone();
        joined.literals.extend(&small.literals);
        joined.include(&small.rows);
        Some(joined)
    }

    fn include(&mut self, rows: &[u64]) {
        if self.rows.is_empty() {
            self.rows = rows.to_vec();
        } else {
            self.rows
                .iter_mut()
                .zip(rows)
                .for_each(|(mine, new)| *mine |= new);
        }
    }
}

/// Columns that fit in one coded column, as a chain, as an exclusive group, or (one or two of them) as either.
pub(super) struct Union {
    chain: Option<Chain>,
    exclusive: Option<Exclusive>,
}

/// The reading of a union that was settled on.
pub(super) enum Reading<'a> {
    /// As a chain; the literals ascend.
    Chain(&'a [Literal]),
    /// As an exclusive group; the literals are in column order.
    Exclusive(&'a [Literal]),
}

impl Union {
    /// Make a union of columns known to fit.
    pub(super) fn of(members: &[u32], columns: &BitColumns) -> Self {
        let mut chain = Chain::default();
        let is_chain = members.iter().all(|&column| chain.add(column, columns));
        let mut exclusive = Exclusive::default();
        // Three columns are never both.
        let try_exclusive = members.len() < 3 || !is_chain;
        let is_exclusive =
            try_exclusive && members.iter().all(|&column| exclusive.add(column, columns));
        Self {
            chain: is_chain.then_some(chain),
            exclusive: is_exclusive.then_some(exclusive),
        }
    }

    /// The union of two, if there is one.
    pub(super) fn join(&self, other: &Self, columns: &BitColumns) -> Option<Self> {
        if self.len() + other.len() > MAX_SPLITS || !self.may_join(other, columns) {
            return None;
        }
        let chain = match (&self.chain, &other.chain) {
            (Some(mine), Some(other)) => mine.join(other, columns),
            _ => None,
        };
        let is_long_chain = chain.is_some() && self.len() + other.len() > 2;
        let exclusive = match (&self.exclusive, &other.exclusive) {
            (Some(mine), Some(other)) if !is_long_chain => mine.join(other, columns),
            _ => None,
        };
        (chain.is_some() || exclusive.is_some()).then_some(Self { chain, exclusive })
    }

    /// Whether a column of each are related, as any two columns of a union are. Most attempts end here.
    fn may_join(&self, other: &Self, columns: &BitColumns) -> bool {
        match (self.literals(), other.literals()) {
            ([mine, ..], [other, ..]) => {
                columns.relation(mine.column, other.column) != Relation::Unrelated
            }
            _ => false,
        }
    }

    /// Number of columns.
    pub(super) fn len(&self) -> usize {
        self.literals().len()
    }

    /// The smallest column.
    pub(super) fn first_column(&self) -> u32 {
        self.literals()
            .iter()
            .map(|literal| literal.column)
            .min()
            .unwrap_or(u32::MAX)
    }

    /// Settle order and signs, and read the union: as a chain if it is one.
    pub(super) fn settle(&mut self) -> Reading<'_> {
        match (&mut self.chain, &mut self.exclusive) {
            (Some(chain), _) => {
                chain.orient();
                Reading::Chain(&chain.literals)
            }
            (None, Some(exclusive)) => {
                exclusive.literals.sort_by_key(|literal| literal.column);
                Reading::Exclusive(&exclusive.literals)
            }
            (None, None) => Reading::Exclusive(&[]),
        }
    }

    fn literals(&self) -> &[Literal] {
        match (&self.chain, &self.exclusive) {
            (Some(chain), _) => &chain.literals,
            (None, Some(exclusive)) => &exclusive.literals,
            (None, None) => &[],
        }
    }
}
