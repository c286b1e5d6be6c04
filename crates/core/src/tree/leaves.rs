//! The leaf of a tree that each row of a table ends up in.

use super::TreeNode;
use crate::error::Error;
use crate::table::Kind;

/// A node with its column looked up: the split is true for code `first` and the next `more` ones.
///
/// A leaf leads to itself, so that all rows take the same number of steps: leaving early, like any jump that depends on a code, would
/// be mispredicted half of the time.
struct Step<'a> {
    codes: &'a [u8],
    first: u32,
    more: u32,
    /// Where the split is false, and where it is true.
    children: [u32; 2],
}

/// For each row the index of its leaf in `nodes`, of which the first is the root.
///
/// `columns` holds the kind and the codes of each column, a code per row.
///
/// # Errors
/// [`Error::Parameter`] if there is no root, or a node has a column that does not exist or a child that does not come after it.
/// [`Error::Table`] if a column does not hold `n_rows` codes.
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
    if let Some(column) = columns.iter().position(|(_, codes)| codes.len() != n_rows) {
        return Err(Error::Table(format!(
            "column {column} holds {} codes for {n_rows} rows; give one code per row",
            columns[column].1.len()
        )));
    }
    let mut steps = Vec::with_capacity(nodes.len());
    let mut levels = vec![0; nodes.len()];
    for (index, node) in nodes.iter().enumerate() {
        let step = step(columns, nodes.len(), index, node)?;
        for child in step.children {
            levels[child as usize] = levels[index] + usize::from(child as usize > index);
        }
        steps.push(step);
    }
    let depth = levels.into_iter().max().unwrap_or(0);
    let leaf_of = |row: usize| {
        (0..depth).fold(0, |node: u32, _| {
            let step = &steps[node as usize];
            let code = u32::from(step.codes[row]);
            step.children[usize::from(code.wrapping_sub(step.first) <= step.more)]
        })
    };
    Ok((0..n_rows).map(leaf_of).collect())
}

fn step<'a>(
    columns: &[(Kind, &'a [u8])],
    n_nodes: usize,
    index: usize,
    node: &TreeNode,
) -> Result<Step<'a>, Error> {
    let TreeNode::Branch {
        split,
        inside,
        outside,
    } = *node
    else {
        // Any column will do.
        return Ok(Step {
            codes: columns.first().map_or(&[], |&(_, codes)| codes),
            first: 0,
            more: 0,
            children: [index as u32; 2],
        });
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
    let (first, more) = match kind {
        Kind::Ordered => (0, split.split),
        Kind::Nominal => (split.split, 0),
    };
    Ok(Step {
        codes,
        first,
        more,
        children: [outside, inside],
    })
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
