//! Property tests: nothing is lost, and planted structure is found.

use super::*;
use proptest::prelude::*;

fn row_major(columns: &[Vec<u8>], n_rows: usize) -> Vec<u8> {
    (0..n_rows)
        .flat_map(|row| columns.iter().map(move |column| column[row]))
        .collect()
}

fn analyse(columns: &[Vec<u8>], n_rows: usize) -> Structure {
    let cells = row_major(columns, n_rows);
    let n_columns = columns.len();
    let matrix = BinaryMatrix {
        cells: &cells,
        n_rows,
        n_columns,
        layout: Layout::RowMajor,
    };
    let found = group_binary(matrix).unwrap();
    let cells = columns.concat();
    let matrix = BinaryMatrix {
        cells: &cells,
        n_rows,
        n_columns,
        layout: Layout::ColumnMajor,
    };
    assert_eq!(
        found,
        group_binary(matrix).unwrap(),
        "both layouts give the same answer"
    );
    found
}

/// Check that nothing was lost, by definition.
fn check(columns: &[Vec<u8>], n_rows: usize, found: &Structure) {
    assert_eq!(found.codes.len(), found.groups.len() * n_rows);
    let mut kept: Vec<u32> = Vec::new();
    for (index, group) in found.groups.iter().enumerate() {
        let codes = found.codes[index * n_rows..][..n_rows].to_vec();
        let n_splits = group.members.len();
        assert!((1..=MAX_SPLITS).contains(&n_splits));
        let column = crate::table::Column {
            kind: group.kind,
            codes,
            n_codes: group.n_codes,
            n_splits,
        };
        for (split, member) in group.members.iter().enumerate() {
            kept.push(member.column);
            for (row, &code) in column.codes.iter().enumerate() {
                let literal = (columns[member.column as usize][row] == 1) != member.negated;
                assert_eq!(
                    column.is_true(split, code),
                    literal,
                    "group {index}, split {split}, row {row}"
                );
            }
        }
        let used = column
            .codes
            .iter()
            .max()
            .map_or(0, |&code| usize::from(code) + 1);
        assert!(used <= group.n_codes);
        if group.kind == Kind::Nominal {
            assert_eq!(
                used, group.n_codes,
                "a code for other values is there only if needed"
            );
        }
        crate::table::Table::new(n_rows, vec![column]).unwrap();
    }
    kept.sort_unstable();
    let mut all = [kept.clone(), found.dropped.clone()].concat();
    all.sort_unstable();
    assert_eq!(
        all,
        (0..columns.len() as u32).collect::<Vec<_>>(),
        "every column appears once"
    );
    for &dropped in &found.dropped {
        let column = &columns[dropped as usize];
        let complement: Vec<u8> = column.iter().map(|&cell| 1 - cell).collect();
        let constant = !column.contains(&0) || !column.contains(&1);
        let repeats = |&k: &u32| {
            k < dropped && (columns[k as usize] == *column || columns[k as usize] == complement)
        };
        assert!(
            constant || kept.iter().any(repeats),
            "column {dropped} says something new"
        );
    }
}

/// A small linear congruential generator for matrices too large to shrink.
fn numbers(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed;
    move |below| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    }
}

fn shuffle<T>(items: &mut [T], number: &mut impl FnMut(usize) -> usize) {
    for last in (1..items.len()).rev() {
        items.swap(last, number(last + 1));
    }
}

/// A planted column: its values, and the literals that should end up together.
fn plant(
    kind: Kind,
    n_values: usize,
    n_rows: usize,
    number: &mut impl FnMut(usize) -> usize,
) -> Vec<Vec<u8>> {
    let values: Vec<usize> = (0..n_rows).map(|_| number(n_values)).collect();
    let mut columns: Vec<Vec<u8>> = Vec::new();
    for split in 0..n_values - 1 {
        let is_true = |&value: &usize| match kind {
            Kind::Ordered => value <= split,
            Kind::Nominal => value == split,
        };
        columns.push(
            values
                .iter()
                .map(|value| u8::from(is_true(value)))
                .collect(),
        );
    }
    columns
}

proptest! {
    #[test]
    fn any_matrix_is_reproduced(
        (n_rows, columns) in (0usize..140).prop_flat_map(|n_rows| (
            Just(n_rows),
            prop::collection::vec(
                (0u8..=8).prop_flat_map(move |ones| {
                    prop::collection::vec((0u8..8).prop_map(move |n| u8::from(n < ones)), n_rows)
                }),
                0..12,
            ),
        )),
    ) {
        let found = analyse(&columns, n_rows);
        check(&columns, n_rows, &found);
    }

    #[test]
    fn few_rows_with_many_relations_are_reproduced(
        (n_rows, columns) in (1usize..6).prop_flat_map(|n_rows| (
            Just(n_rows), prop::collection::vec(prop::collection::vec(0u8..2, n_rows), 0..20),
        )),
    ) {
        check(&columns, n_rows, &analyse(&columns, n_rows));
    }

    #[test]
    fn rows_may_come_in_any_order(seed: u64, n_rows in 1usize..80) {
        let mut number = numbers(seed);
        let ones: Vec<usize> = (0..15).map(|_| number(9)).collect();
        let mut rows: Vec<Vec<u8>> = (0..n_rows)
            .map(|_| ones.iter().map(|&ones| u8::from(number(8) < ones)).collect())
            .collect();
        let columns = |rows: &[Vec<u8>]| -> Vec<Vec<u8>> {
            (0..15).map(|column| rows.iter().map(|row| row[column]).collect()).collect()
        };
        let first = analyse(&columns(&rows), n_rows);
        shuffle(&mut rows, &mut number);
        let second = analyse(&columns(&rows), n_rows);
        prop_assert_eq!((first.groups, first.dropped), (second.groups, second.dropped));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn planted_structure_is_found(seed: u64, in_order: bool) {
        let mut number = numbers(seed);
        let n_rows = 3000 + number(200);
        let mut columns: Vec<(usize, Vec<u8>)> = Vec::new();
        let kinds: Vec<Kind> = (0..6)
            .map(|_| if number(2) == 0 { Kind::Ordered } else { Kind::Nominal })
            .collect();
        for (origin, &kind) in kinds.iter().enumerate() {
            // At least three splits: two are a chain and a group at once. Few enough values that by chance no two
            // columns are nested or disjoint.
            let n_values = 4 + number(9);
            for mut column in plant(kind, n_values, n_rows, &mut number) {
                if number(4) == 0 {
                    column.iter_mut().for_each(|cell| *cell = 1 - *cell);
                }
                columns.push((origin, column));
            }
        }
        if !in_order {
            shuffle(&mut columns, &mut number);
        }
        let (origins, columns): (Vec<usize>, Vec<Vec<u8>>) = columns.into_iter().unzip();
        let found = analyse(&columns, n_rows);
        check(&columns, n_rows, &found);
        prop_assert!(found.dropped.is_empty());
        prop_assert_eq!(found.groups.len(), kinds.len());
        for group in &found.groups {
            let origin = origins[group.members[0].column as usize];
            prop_assert!(group.members.iter().all(|m| origins[m.column as usize] == origin));
            prop_assert_eq!(group.kind, kinds[origin]);
        }
    }
}

#[test]
fn a_missing_indicator_joins_the_thresholds_negated() {
    // Values 0..=4, 9 = missing (no threshold is true there).
    let values = [0u8, 1, 2, 3, 4, 9, 2, 1];
    let mut columns: Vec<Vec<u8>> = (0..4)
        .map(|t| values.iter().map(|&v| u8::from(v <= t)).collect())
        .collect();
    columns.push(values.iter().map(|&v| u8::from(v == 9)).collect());
    let found = analyse(&columns, values.len());
    assert_eq!(found.groups.len(), 1);
    assert_eq!(found.groups[0].kind, Kind::Ordered);
    let last = found.groups[0].members[4];
    assert_eq!((last.column, last.negated), (4, true));
    assert_eq!(found.codes, [0, 1, 2, 3, 4, 5, 2, 1]);
}

#[test]
fn long_chains_and_groups_are_cut() {
    let n_rows = 700;
    for kind in [Kind::Ordered, Kind::Nominal] {
        let columns: Vec<Vec<u8>> = (0..600)
            .map(|split| {
                let is_true = |row| {
                    if kind == Kind::Ordered {
                        row <= split
                    } else {
                        row == split
                    }
                };
                (0..n_rows).map(|row| u8::from(is_true(row))).collect()
            })
            .collect();
        let found = analyse(&columns, n_rows);
        check(&columns, n_rows, &found);
        let sizes: Vec<usize> = found
            .groups
            .iter()
            .map(|group| group.members.len())
            .collect();
        assert_eq!((sizes.len(), sizes.iter().sum::<usize>()), (3, 600));
        assert!(found.groups.iter().all(|group| group.kind == kind));
    }
}

#[test]
fn a_matrix_large_enough_for_threads() {
    let mut number = numbers(7);
    let n_rows = 5003;
    let columns: Vec<Vec<u8>> = (0..40)
        .flat_map(|origin| {
            let kind = if origin % 2 == 0 {
                Kind::Ordered
            } else {
                Kind::Nominal
            };
            plant(kind, 7, n_rows, &mut number)
        })
        .collect();
    assert!(columns.len() * n_rows > PARALLEL_CELLS);
    let found = analyse(&columns, n_rows);
    check(&columns, n_rows, &found);
    assert_eq!(found.groups.len(), 40);
}

#[test]
fn empty_matrices() {
    assert_eq!(analyse(&[], 3).groups.len(), 0);
    let found = analyse(&[vec![], vec![]], 0);
    assert_eq!((found.groups.len(), found.dropped), (0, vec![0, 1]));
}

#[test]
fn other_values_are_refused_with_their_place() {
    for (layout, place) in [
        (Layout::RowMajor, "row 1, column 0"),
        (Layout::ColumnMajor, "row 1, column 1"),
    ] {
        let mut cells = [0u8; 6];
        cells[3] = 2;
        let matrix = BinaryMatrix {
            cells: &cells,
            n_rows: 2,
            n_columns: 3,
            layout,
        };
        let message = group_binary(matrix).unwrap_err().to_string();
        assert!(
            message.contains(place) && message.contains("holds 2"),
            "{message}"
        );
    }
    let cells = [0u8; 5];
    let matrix = BinaryMatrix {
        cells: &cells,
        n_rows: 2,
        n_columns: 3,
        layout: Layout::RowMajor,
    };
    assert!(
        group_binary(matrix)
            .unwrap_err()
            .to_string()
            .contains("5 cells")
    );
}

#[test]
fn a_threshold_that_fits_the_next_run_stays_with_its_own() {
    let mut number = numbers(3);
    let rows: Vec<(usize, usize)> = (0..2000)
        .map(|_| {
            let first = number(8);
            // Where the first value is largest, so is the second: all thresholds of the second lie in the last of the first.
            (first, if first == 7 { 9 } else { number(10) })
        })
        .collect();
    let mut columns: Vec<Vec<u8>> = (0..7)
        .map(|t| {
            rows.iter()
                .map(|&(first, _)| u8::from(first <= t))
                .collect()
        })
        .collect();
    columns.extend((0..9).map(|t| {
        rows.iter()
            .map(|&(_, second)| u8::from(second <= t))
            .collect()
    }));
    let found = analyse(&columns, rows.len());
    let sizes: Vec<usize> = found
        .groups
        .iter()
        .map(|group| group.members.len())
        .collect();
    assert_eq!(sizes, [7, 9]);
}
