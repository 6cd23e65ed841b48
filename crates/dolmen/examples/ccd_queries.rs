//! Prints false negatives, false positives and time of straight-line collision queries with known answers.
//!
//! `cargo run --release -p dolmen --example ccd_queries -- FOLDER`

#[path = "../tests/linear_ccd/queries.rs"]
mod queries;

use dolmen::triangle::linear_ccd::{Answer, Moving, SettledBy};
use queries::{Figures, Query};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

const ROUNDS: u32 = 200;

fn main() -> ExitCode {
    let Some(folder) = std::env::args().nth(1) else {
        eprintln!("give the folder of the queries: cargo run --release --example ccd_queries -- FOLDER");
        return ExitCode::FAILURE;
    };
    let files = match queries::read_folder(Path::new(&folder)) {
        Ok(files) => files,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    println!(
        "{:16} {:>7} {:>5} {:>15} {:>15} {:>5} {:>9} {:>8} {:>9}",
        "file",
        "queries",
        "hits",
        "false negatives",
        "false positives",
        "boxes",
        "intervals",
        "integers",
        "µs/query"
    );
    for (name, queries) in files {
        let answers: Vec<_> = queries.iter().map(|(query, _)| query.ask()).collect();
        let wrong = |truth: bool| {
            let pairs = queries.iter().zip(&answers);
            pairs.filter(|((_, hits), answer)| *hits == truth && answer.meeting.is_some() != truth).count()
        };
        let settled = |by: SettledBy| answers.iter().filter(|a| a.settled_by == by).count();
        let start = Instant::now();
        for _ in 0..ROUNDS {
            for (query, _) in &queries {
                std::hint::black_box(query.ask());
            }
        }
        let time = start.elapsed().as_secs_f64() / f64::from(ROUNDS) / queries.len() as f64;
        println!(
            "{name:16} {:>7} {:>5} {:>15} {:>15} {:>5} {:>9} {:>8} {:>9.2}",
            queries.len(),
            queries.iter().filter(|(_, hits)| *hits).count(),
            wrong(true),
            wrong(false),
            settled(SettledBy::Boxes),
            settled(SettledBy::Intervals),
            settled(SettledBy::Integers),
            1e6 * time
        );
    }
    random_motions();
    ExitCode::SUCCESS
}

/// Points of the unit cube that go anywhere in it: what rounded arithmetic settles, and how fast.
fn random_motions() {
    let mut state = 1_u64;
    let mut number = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    for (name, figures) in [("vertex-face", Figures::VertexFace), ("edge-edge", Figures::EdgeEdge)] {
        let mut point = || [number(), number(), number()].into();
        let queries: Vec<Query> = (0..20_000)
            .map(|_| Query { figures, points: [0; 4].map(|_| Moving { start: point(), end: point() }) })
            .collect();
        let start = Instant::now();
        let answers: Vec<_> = queries.iter().map(Query::ask).collect();
        let time = start.elapsed().as_secs_f64() / queries.len() as f64;
        let count = |f: &dyn Fn(&Answer) -> bool| answers.iter().filter(|a| f(a)).count();
        println!(
            "{} random {name} motions: {} hits, {} by boxes, {} by integers, {:.2} µs/query",
            queries.len(),
            count(&|a| a.meeting.is_some()),
            count(&|a| a.settled_by == SettledBy::Boxes),
            count(&|a| a.settled_by == SettledBy::Integers),
            1e6 * time
        );
    }
}
