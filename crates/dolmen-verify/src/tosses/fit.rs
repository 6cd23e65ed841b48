//! Restitution and friction that fit some tosses best.

use super::data::{HALF_SIDE, Toss};
use super::model::{Errors, Model, Start, errors_of};

/// Acceleration of fall, m/s².
const STANDARD: f64 = 9.81;

/// Rounds of ever smaller steps around the best point of the grid.
const ROUNDS: u32 = 3;

/// Which tosses are fitted to and which are predicted.
#[derive(Debug, Clone)]
pub struct Split<'a> {
    /// Fitted to.
    pub fitted: Vec<&'a Toss>,
    /// Predicted.
    pub predicted: Vec<&'a Toss>,
    /// Where the fitted tosses come to rest: the height of the table, m.
    pub table: f64,
}

impl<'a> Split<'a> {
    /// Every `every`-th toss is fitted to; of the others every `share`-th is predicted.
    pub fn new(tosses: &'a [Toss], every: usize, share: usize) -> Self {
        let fitted: Vec<&Toss> = tosses.iter().step_by(every).collect();
        let others = tosses.iter().enumerate().filter(|(k, _)| k % every != 0).map(|(_, toss)| toss);
        let rests = fitted.iter().filter_map(|toss| toss.rows.last()).map(|row| row.position.z);
        let table = rests.sum::<f64>() / fitted.len() as f64 - HALF_SIDE;
        Self { fitted, predicted: others.step_by(share).collect(), table }
    }
}

/// Where a fit starts.
#[derive(Debug, Clone)]
pub struct Grid {
    /// In [0, 1].
    pub restitutions: Vec<f64>,
    /// Not negative.
    pub frictions: Vec<f64>,
}

/// What a fit found.
#[derive(Debug, Clone)]
pub struct Fit {
    /// The best.
    pub model: Model,
    /// Its mean loss: errors over the toss, of positions in sides of the cube and of rotations in radians.
    pub loss: f64,
    /// The losses over the grid, a row for each restitution.
    pub losses: Vec<Vec<f64>>,
}

/// Fits by a grid, and then by steps of half its spacing and less around its best point.
pub fn fit(tosses: &[&Toss], table: f64, start: Start, grid: &Grid) -> Fit {
    let model = |restitution: f64, friction: f64| Model { restitution, friction, table, gravity: STANDARD };
    let mut best = (model(0.0, 0.0), f64::INFINITY);
    let mut try_one = |restitution: f64, friction: f64| {
        let tried = model(restitution, friction);
        let value = mean_loss(&tried, tosses, start);
        if value < best.1 {
            best = (tried, value);
        }
        (value, best.0)
    };
    let mut losses = Vec::new();
    let mut centre = model(0.0, 0.0);
    for restitution in &grid.restitutions {
        let mut row = Vec::new();
        for friction in &grid.frictions {
            let (value, best) = try_one(*restitution, *friction);
            row.push(value);
            centre = best;
        }
        losses.push(row);
    }
    let spacing = |values: &[f64]| if values.len() > 1 { 0.5 * (values[1] - values[0]) } else { 0.05 };
    let (mut e_step, mut mu_step) = (spacing(&grid.restitutions), spacing(&grid.frictions));
    for _ in 0..ROUNDS {
        let around = centre;
        for (i, k) in [(-1.0, 0.0), (1.0, 0.0), (0.0, -1.0), (0.0, 1.0)] {
            let restitution = (around.restitution + i * e_step).clamp(0.0, 1.0);
            let friction = (around.friction + k * mu_step).max(0.0);
            centre = try_one(restitution, friction).1;
        }
        e_step *= 0.5;
        mu_step *= 0.5;
    }
    Fit { model: best.0, loss: best.1, losses }
}

fn mean_loss(model: &Model, tosses: &[&Toss], start: Start) -> f64 {
    tosses.iter().map(|toss| loss(errors_of(model, toss, start).ok())).sum::<f64>() / tosses.len() as f64
}

/// A toss that cannot be simulated counts as one that is off by a side and a radian.
fn loss(errors: Option<Errors>) -> f64 {
    errors.map_or(2.0, |e| e.position / (2.0 * HALF_SIDE) + e.rotation.to_radians())
}
