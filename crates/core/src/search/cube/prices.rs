//! What the tests of a box cost, where they cost something.

/// Prices of tests, which depend on what the box was tested for before: the columns that are cut.
///
/// A test of a column, named by its index in the problem, costs a factor times the weight of the box.
pub trait TestPrices: Clone + Sync {
    /// Whether any test costs something.
    const PRICED: bool;

    /// Note a test of a column. Returns whether that changed anything, in which case [`TestPrices::take_back`] must follow.
    fn test(&mut self, column: usize) -> bool;

    /// Undo [`TestPrices::test`].
    fn take_back(&mut self, column: usize);

    /// What a test of a column costs per unit of weight, now.
    fn factor(&self, column: usize) -> i64;
}

/// All tests are free.
#[derive(Clone, Copy, Debug)]
pub struct Free;

impl TestPrices for Free {
    const PRICED: bool = false;

    fn test(&mut self, _column: usize) -> bool {
        false
    }

    fn take_back(&mut self, _column: usize) {}

    fn factor(&self, _column: usize) -> i64 {
        0
    }
}

/// How tests are charged.
#[derive(Clone, Debug)]
pub struct Charging<'a, P> {
    /// The prices with nothing tested yet.
    pub prices: P,
    /// Weight of each row of the problem; empty if all tests are free.
    pub weights: &'a [i64],
    /// Units of price in one unit of cost.
    pub unit: i64,
}

impl Charging<'_, Free> {
    /// All tests are free.
    pub const NOTHING: Self = Self {
        prices: Free,
        weights: &[],
        unit: 1,
    };
}
