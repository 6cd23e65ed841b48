//! Rounds in which something is fitted to what it causes: when they are over.

/// So many rounds in a row that come no nearer are in vain where changes are small, and so many however large they are: then
/// what is solved in each round has several answers, and there may be none that fits itself.
const VAIN: u32 = 2;
const VAIN_AT_LARGE: u32 = 12;

/// What is left to tell from rounds so far: how little one has changed, and how many since then.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rounds {
    /// The change that is none.
    settled: f64,
    /// The change from which on it may be rounding of what is solved in each round.
    rounded: f64,
    least: f64,
    vain: u32,
}

impl Rounds {
    /// Over when a round changes no more than `settled`, or when changes become no less: soon where they are below `rounded`.
    pub(crate) fn new(settled: f64, rounded: f64) -> Self {
        Self { settled, rounded, least: f64::INFINITY, vain: 0 }
    }

    /// Takes note of what a round has changed, as a share of what there is; whether it was the last.
    pub(crate) fn are_over(&mut self, change: f64) -> bool {
        if change < self.least {
            (self.least, self.vain) = (change, 0);
        } else {
            self.vain += 1;
        }
        let vain = if self.least <= self.rounded { VAIN } else { VAIN_AT_LARGE };
        change <= self.settled || self.vain >= vain
    }

    /// Whether they ended in changes that are more than rounding.
    pub(crate) fn were_in_vain(&self) -> bool {
        self.least > self.rounded
    }
}

#[cfg(test)]
mod tests {
    use super::Rounds;

    /// How many rounds x ← share·x, with rounding of either sign, take.
    fn count(share: f64, rounding: f64) -> usize {
        let mut rounds = Rounds::new(1e-14, 1e-8);
        let (mut x, mut count) = (1.0_f64, 0);
        loop {
            let next = share * x + if count % 2 == 0 { rounding } else { -rounding };
            let change = (next - x).abs();
            (x, count) = (next, count + 1);
            if rounds.are_over(change) || count == 1000 {
                return count;
            }
        }
    }

    /// The slower ones take ln 1e-14 / ln share rounds to the end: they are not taken for rounding.
    #[test]
    fn rounds_that_come_nearer_go_on_however_slowly() {
        for (share, wanted) in [(0.01, 7_usize), (0.5, 46), (0.9, 305)] {
            let taken = count(share, 0.0);
            assert!(taken.abs_diff(wanted) <= wanted / 10 + 2, "{share}: {taken} of {wanted}");
        }
    }

    #[test]
    fn rounds_that_only_round_are_over() {
        let taken = count(0.01, 1e-11);
        assert!(taken < 12, "{taken} rounds");
    }

    /// What moves to and fro for ever is given up, and one can tell; what comes nearer now and then is not.
    #[test]
    fn rounds_that_come_no_nearer_are_given_up() {
        assert_eq!(count(-1.0, 0.0), 13);
        let mut rounds = Rounds::new(1e-14, 1e-8);
        assert!((0..12).all(|_| !rounds.are_over(1.0)) && !rounds.are_over(0.5) && rounds.were_in_vain());
        assert!((0..11).all(|_| !rounds.are_over(0.5)) && rounds.are_over(0.6));
    }
}
