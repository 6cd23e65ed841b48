//! What the data say by themselves, without a model.

use dolmen::math::{DMat3, DVec3, dvec3};

use super::data::{HALF_SIDE, INTERVAL, Row, Toss};

/// Rows at least for a parabola that tells how fast things fall.
const LEAST_FLIGHT: usize = 12;

/// Rows at least for a straight line through the speed of a slide.
const LEAST_SLIDE: usize = 8;

/// How fast the cube falls, how deep its corners sink, how high it rests, and how it slows down while it slides.
#[derive(Debug, Clone)]
pub struct Facts {
    /// Acceleration of each flight that is long enough to tell, m/s².
    pub falls: Vec<f64>,
    /// How far the lowest corner goes below the table in each toss, m.
    pub dips: Vec<f64>,
    /// Height of the centre at rest by half the side, mean.
    pub rest: f64,
    /// Deceleration by g of each slide on a face.
    pub frictions: Vec<f64>,
}

impl Facts {
    /// Of some tosses; `table` is its height, m.
    pub fn of(tosses: &[Toss], table: f64) -> Self {
        let rests = tosses.iter().filter_map(|toss| toss.rows.last()).map(|row| row.position.z);
        let dip =
            |toss: &Toss| toss.rows.iter().map(|row| table - row.lowest()).fold(f64::NEG_INFINITY, f64::max);
        Self {
            falls: tosses.iter().filter_map(|toss| fall(toss, table)).collect(),
            dips: tosses.iter().map(dip).collect(),
            rest: rests.sum::<f64>() / tosses.len() as f64 / HALF_SIDE,
            frictions: tosses.iter().flat_map(slides).collect(),
        }
    }
}

/// The acceleration of fall by a parabola through the heights in flight, m/s².
fn fall(toss: &Toss, table: f64) -> Option<f64> {
    let flight = toss.flight(table, 0.002);
    if flight < LEAST_FLIGHT {
        return None;
    }
    // Least squares for z = c₀ + c₁ s + c₂ s², s counted in rows from the middle so that the normal equations are tame.
    let middle = 0.5 * (flight - 1) as f64;
    let (mut normal, mut right) = (DMat3::ZERO, DVec3::ZERO);
    for k in 0..flight {
        let s = (k as f64 - middle) / middle;
        let powers = dvec3(1.0, s, s * s);
        normal += DMat3::from_cols(powers * powers.x, powers * powers.y, powers * powers.z);
        right += powers * toss.rows[k].position.z;
    }
    let unit = middle * INTERVAL;
    Some(-2.0 * (normal.inverse() * right).z / (unit * unit))
}

/// Whether the cube lies flat on a face and slides without rotating.
fn is_sliding(row: &Row) -> bool {
    let up = (row.orientation.conjugate() * DVec3::Z).abs().max_element();
    let speed = dvec3(row.velocity.x, row.velocity.y, 0.0).length();
    up > 0.9995 && row.spin_body.length() < 0.6 && speed > 0.08 && row.velocity.z.abs() < 0.05
}

/// The friction of every slide of a toss: its deceleration by g.
fn slides(toss: &Toss) -> Vec<f64> {
    let friction = |rows: &[Row]| {
        let count = rows.len() as f64;
        let speed = |row: &Row| dvec3(row.velocity.x, row.velocity.y, 0.0).length();
        let mean_speed = rows.iter().map(speed).sum::<f64>() / count;
        let middle = 0.5 * (count - 1.0);
        let (mut tt, mut tv) = (0.0, 0.0);
        for (k, row) in rows.iter().enumerate() {
            let t = INTERVAL * (k as f64 - middle);
            tt += t * t;
            tv += t * (speed(row) - mean_speed);
        }
        -tv / tt / 9.81
    };
    let pieces = toss.rows.split(|row| !is_sliding(row));
    pieces.filter(|piece| piece.len() >= LEAST_SLIDE).map(friction).collect()
}
