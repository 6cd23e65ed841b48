//! An integrator that the engine does not have: the modified midpoint rule, extrapolated to steps of no length.

/// A state.
pub(crate) type State = Vec<f64>;

/// Rows of the extrapolation: order 2 · 8 in the length of the step.
const ROWS: usize = 8;

/// Halvings of the step in which a root lies.
const HALVINGS: usize = 60;

/// y′ = f(t, y).
pub(crate) struct Equations<F: Fn(f64, &[f64]) -> State>(pub(crate) F);

impl<F: Fn(f64, &[f64]) -> State> Equations<F> {
    /// The modified midpoint rule with n substeps. [Hairer, Nørsett, Wanner, II.9]
    fn midpoint(&self, t: f64, y: &[f64], h: f64, n: usize) -> State {
        let small = h / n as f64;
        let along = |y: &[f64], rate: &[f64], s: f64| -> State {
            y.iter().zip(rate).map(|(y, rate)| y + s * rate).collect()
        };
        let mut before = y.to_vec();
        let mut now = along(y, &(self.0)(t, y), small);
        for k in 1..n {
            let rate = (self.0)(t + small * k as f64, &now);
            let next = along(&before, &rate, 2.0 * small);
            (before, now) = (now, next);
        }
        let rate = (self.0)(t + h, &now);
        let end = along(&before, &rate, small);
        now.iter().zip(&end).map(|(a, b)| 0.5 * (a + b)).collect()
    }

    /// One step: 2, 4, 6 … substeps, and Neville's scheme in the square of their length.
    fn step(&self, t: f64, y: &[f64], h: f64) -> State {
        let mut row: Vec<State> = Vec::new();
        for k in 0..ROWS {
            let mut better = vec![self.midpoint(t, y, h, 2 * (k + 1))];
            for j in 1..=k {
                let ratio = (k + 1) as f64 / (k + 1 - j) as f64;
                let factor = 1.0 / (ratio * ratio - 1.0);
                let next = better[j - 1]
                    .iter()
                    .zip(&row[j - 1])
                    .map(|(new, old)| new + factor * (new - old))
                    .collect();
                better.push(next);
            }
            row = better;
        }
        row.swap_remove(ROWS - 1)
    }

    /// The state at `end`, by even steps.
    pub(crate) fn at(&self, start: f64, y: &[f64], end: f64, steps: usize) -> State {
        let h = (end - start) / steps as f64;
        (0..steps).fold(y.to_vec(), |y, k| self.step(start + h * k as f64, &y, h))
    }

    /// When `guard` first falls to zero, and the state then; searched for step by step.
    pub(crate) fn first_zero(
        &self,
        start: f64,
        y: &[f64],
        h: f64,
        guard: impl Fn(&[f64]) -> f64,
    ) -> (f64, State) {
        let (mut t, mut y) = (start, y.to_vec());
        for _ in 0..100_000 {
            let next = self.step(t, &y, h);
            if guard(&next) <= 0.0 {
                let (mut low, mut high) = (0.0, h);
                for _ in 0..HALVINGS {
                    let middle = 0.5 * (low + high);
                    if guard(&self.step(t, &y, middle)) > 0.0 { low = middle } else { high = middle }
                }
                return (t + high, self.step(t, &y, high));
            }
            (t, y) = (t + h, next);
        }
        panic!("no zero before t = {t}");
    }
}

/// Solves a small system by elimination with the largest pivot.
pub(crate) fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|i, j| a[*i][k].abs().total_cmp(&a[*j][k].abs())).expect("a row");
        a.swap(k, pivot);
        b.swap(k, pivot);
        for i in k + 1..n {
            let factor = a[i][k] / a[k][k];
            for j in k..n {
                a[i][j] -= factor * a[k][j];
            }
            b[i] -= factor * b[k];
        }
    }
    for i in (0..n).rev() {
        let known: f64 = (i + 1..n).map(|j| a[i][j] * b[j]).sum();
        b[i] = (b[i] - known) / a[i][i];
    }
    b
}
