//! The leaf of a tree that each row of a table ends up in.

use super::TreeNode;
use crate::error::Error;
use crate::table::Kind;

/// A branching node with its column looked up.
struct Step<'a> {
    codes: &'a [u8],
    kind: Kind,
    split: u32,
    inside: u32,
    outside: u32,
}

/// For each row the index of its leaf in `nodes`, of which the first is the root.
///
/// `columns` holds the kind and the codes of each column, a code per row.
///
/// # Errors
/// [`Error::Parameter`] if there is no root, or a node has a column that does not exist or a child that does not come after it.
/// [`Error::Table`] if such a column holds fewer than `n_rows` codes.
pub fn find_leaves(
    columns: &[(Kind, &[u8])],
    n_rows: usize,
    nodes: &[TreeNode],
) -> Result<Vec<u32>, Error> {
    if nodes.is_empty() {
        return Err(Error::Parameter(
            "the tree has no nodes; the first one is its root".into(),
        ));
    }
    let steps = nodes
        .iter()
        .enumerate()
        .map(|(index, node)| step(columns, n_rows, nodes.len(), index, node))
        .collect::<Result<Vec<_>, _>>()?;
    let leaf_of = |row: usize| {
        let mut node = 0;
        while let Some(step) = &steps[node as usize] {
            let code = u32::from(step.codes[row]);
            let is_true = match step.kind {
                Kind::Ordered => code <= step.split,
                Kind::Nominal => code == step.split,
            };
            node = if is_true { step.inside } else { step.outside };
        }
        node
    };
    Ok((0..n_rows).map(leaf_of).collect())
}

/// The step at a node; `None` for a leaf.
fn step<'a>(
    columns: &[(Kind, &'a [u8])],
    n_rows: usize,
    n_nodes: usize,
    index: usize,
    node: &TreeNode,
) -> Result<Option<Step<'a>>, Error> {
    let TreeNode::Branch {
        split,
        inside,
        outside,
    } = *node
    else {
        return Ok(None);
    };
    for child in [inside, outside] {
        if child as usize <= index || child as usize >= n_nodes {
            return Err(Error::Parameter(format!(
                "node {index} of the tree has child {child}; children come after their parent and before {n_nodes}"
            )));
        }
    }
    let Some(&(kind, codes)) = columns.get(split.column as usize) else {
        return Err(Error::Parameter(format!(
            "node {index} of the tree splits on column {}; there are {} columns, counted from 0",
            split.column,
            columns.len()
        )));
    };
    let Some(codes) = codes.get(..n_rows) else {
        return Err(Error::Table(format!(
            "column {} holds {} codes for {n_rows} rows; give one code per row",
            split.column,
            codes.len()
        )));
    };
    Ok(Some(Step {
        codes,
        kind,
        split: split.split,
        inside,
        outside,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::SplitRef;

    fn branch(column: u32, split: u32, inside: u32, outside: u32) -> TreeNode {
        TreeNode::Branch {
            split: SplitRef { column, split },
            inside,
            outside,
        }
    }

    const LEAF: TreeNode = TreeNode::Leaf { label: 0 };

    #[test]
    fn every_row_ends_in_its_leaf() {
        let (ages, cities) = ([0, 1, 2, 3, 3], [2, 0, 1, 1, 2]);
        let columns = [(Kind::Ordered, &ages[..]), (Kind::Nominal, &cities[..])];
        let nodes = [branch(0, 1, 1, 2), LEAF, branch(1, 2, 4, 3), LEAF, LEAF];
        assert_eq!(find_leaves(&columns, 5, &nodes).unwrap(), [1, 1, 3, 3, 4]);
        assert_eq!(find_leaves(&[], 2, &[LEAF]).unwrap(), [0, 0]);
    }

    #[test]
    fn what_is_no_tree_is_refused() {
        let columns = [(Kind::Ordered, &[0, 1][..])];
        let refused = |n_rows, nodes: &[TreeNode]| {
            find_leaves(&columns, n_rows, nodes)
                .unwrap_err()
                .to_string()
        };
        assert!(refused(2, &[]).contains("no nodes"));
        assert!(refused(2, &[branch(0, 0, 0, 1), LEAF]).contains("child 0"));
        assert!(refused(2, &[branch(0, 0, 1, 2), LEAF]).contains("child 2"));
        assert!(refused(2, &[branch(1, 0, 1, 2), LEAF, LEAF]).contains("1 columns"));
        assert!(refused(3, &[branch(0, 0, 1, 2), LEAF, LEAF]).contains("2 codes"));
    }
}
