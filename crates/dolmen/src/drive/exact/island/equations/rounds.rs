//! The end of a fixed-point iteration.

use crate::drive::exact::island::tolerances::{MAX_STALLED_ROUNDS, STALLED_ROUNDS};
/// The progress of an iteration: its smallest change, and how many rounds ago that was.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rounds {
    /// Changes up to this mean convergence.
    converged: f64,
    /// Changes up to this may be rounding of what each round solves.
    rounding: f64,
    smallest: f64,
    stalled: u32,
}

impl Rounds {
    /// Ends when a round changes at most `converged`, or when changes stop falling: soon where they are below
    /// `rounding`.
    pub(crate) fn new(converged: f64, rounding: f64) -> Self {
        Self { converged, rounding, smallest: f64::INFINITY, stalled: 0 }
    }

    /// Records the relative change of a round; returns whether it was the last.
    pub(crate) fn is_done(&mut self, change: f64) -> bool {
        if change < self.smallest {
            (self.smallest, self.stalled) = (change, 0);
        } else {
            self.stalled += 1;
        }
        let max_stalled = if self.smallest <= self.rounding { STALLED_ROUNDS } else { MAX_STALLED_ROUNDS };
        change <= self.converged || self.stalled >= max_stalled
    }

    /// Whether it ended with changes above rounding.
    pub(crate) fn has_stalled(&self) -> bool {
        self.smallest > self.rounding
    }
}

#[cfg(test)]
mod tests {
    use super::Rounds;

    /// The number of rounds of x ← share·x, with rounding of either sign.
    fn count(share: f64, rounding: f64) -> usize {
        let mut rounds = Rounds::new(1e-14, 1e-8);
        let (mut x, mut count) = (1.0_f64, 0);
        loop {
            let next = share * x + if count % 2 == 0 { rounding } else { -rounding };
            let change = (next - x).abs();
            (x, count) = (next, count + 1);
            if rounds.is_done(change) || count == 1000 {
                return count;
            }
        }
    }

    /// The slow ones take ln 1e-14 / ln share rounds: they are not taken for rounding.
    #[test]
    fn slow_convergence_is_not_given_up() {
        for (share, wanted) in [(0.01, 7_usize), (0.5, 46), (0.9, 305)] {
            let taken = count(share, 0.0);
            assert!(taken.abs_diff(wanted) <= wanted / 10 + 2, "{share}: {taken} of {wanted}");
        }
    }

    #[test]
    fn rounding_ends_the_iteration() {
        let taken = count(0.01, 1e-11);
        assert!(taken < 12, "{taken} rounds");
    }

    /// An oscillation is given up, and reported as stalled; an iteration that improves now and then is not.
    #[test]
    fn an_oscillation_is_given_up() {
        assert_eq!(count(-1.0, 0.0), 13);
        let mut rounds = Rounds::new(1e-14, 1e-8);
        assert!((0..12).all(|_| !rounds.is_done(1.0)) && !rounds.is_done(0.5) && rounds.has_stalled());
        assert!((0..11).all(|_| !rounds.is_done(0.5)) && rounds.is_done(0.6));
    }
}
