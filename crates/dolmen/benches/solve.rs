//! Cost of one solve against the number of contacts, beside Clarabel on the frictionless problem.
//!
//! `cargo bench -p dolmen --bench solve` prints a table; times are the least of several rounds, and those of both solvers
//! are taken in turn, so that a loaded machine slows both alike.

#[path = "../tests/solve/rival.rs"]
mod rival;
#[path = "../tests/solve/structures.rs"]
mod structures;

use dolmen::solve::sparse::{Choice, SparseScratch, solve_contacts};
use dolmen::solve::{Outcome, Status};
use std::time::Instant;
use structures::Structure;

/// Seconds of `work`, and what it returns.
fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let value = work();
    (start.elapsed().as_secs_f64(), value)
}

/// One cold solve: nothing is known of the pattern or the forces.
fn cold(s: &Structure, choice: Choice) -> (f64, Outcome) {
    let mut r = vec![0.0; s.problem().unknowns()];
    timed(|| solve_contacts(&s.problem(), choice, &mut r, &mut SparseScratch::default()))
}

/// A solve that starts from the forces of the last, with its pattern.
fn warm(s: &Structure) -> (f64, Outcome) {
    let (mut r, mut scratch) = (vec![0.0; s.problem().unknowns()], SparseScratch::default());
    solve_contacts(&s.problem(), Choice::AsFound, &mut r, &mut scratch);
    // One part in a thousand more weight: forces are near, not there.
    let mut heavier = s.clone();
    for c in &mut heavier.contacts {
        c.free = c.free.map(|q| 1.001 * q);
    }
    timed(|| solve_contacts(&heavier.problem(), Choice::AsFound, &mut r, &mut scratch))
}

fn least(best: &mut f64, (time, outcome): (f64, Outcome)) -> Outcome {
    *best = best.min(time);
    outcome
}

fn row(name: &str, make: impl Fn(f64) -> Structure) {
    let (rough, smooth) = (make(0.6), make(0.0));
    let contacts = rough.contacts.len();
    let rounds = (20_000 / contacts.max(1)).clamp(3, 50);
    let mut times = [f64::INFINITY; 5];
    let mut outcomes = Vec::new();
    let mut theirs = 0.0;
    for _ in 0..rounds {
        outcomes = vec![
            least(&mut times[0], cold(&rough, Choice::AsFound)),
            least(&mut times[1], cold(&rough, Choice::LeastNorm)),
            least(&mut times[2], warm(&rough)),
            least(&mut times[3], cold(&smooth, Choice::AsFound)),
        ];
        let (time, residual) = timed(|| rival::solve(&smooth).1);
        times[4] = times[4].min(time);
        theirs = residual;
    }
    let us = |t: f64| 1e6 * t / contacts as f64;
    let failed = outcomes.iter().filter(|o| o.status != Status::Solved).count();
    println!(
        "| {name} | {contacts} | {:.2} | {:.2} | {:.2} | {:.1e} | {:.2} | {:.1e} | {:.2} | {theirs:.1e} | {:.1} |{}",
        us(times[0]),
        us(times[1]),
        us(times[2]),
        outcomes[0].residual.max(outcomes[1].residual).max(outcomes[2].residual),
        us(times[3]),
        outcomes[3].residual,
        us(times[4]),
        times[4] / times[3],
        if failed > 0 { format!(" {failed} not solved: {outcomes:?}") } else { String::new() },
    );
}

fn main() {
    println!("µs for each contact, least of several rounds; residuals without unit\n");
    println!(
        "| structure | contacts | friction, as found | friction, least norm | friction, warm | residual | smooth | residual | Clarabel, smooth | residual | ratio |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for count in [2, 8, 25, 80, 250, 800, 2500] {
        row("column", |mu| structures::column(count, mu, |_| 1.0));
    }
    for side in [1, 2, 4, 7, 12, 21, 36] {
        row("wall", |mu| structures::wall(side, side, mu));
    }
    for side in [2, 3, 4, 6, 9, 13] {
        row("pile", |mu| structures::pile(side, mu));
    }
    row("pyramid", |mu| structures::pyramid(40, mu));
}
