//! How large scenes may be: the time and the memory of each stage.
//!
//! `cargo run --release -p dolmen --example sizes -- repeat 1000000` reads and builds so many spheres that a `repeat` makes;
//! `literal N` the same written out; `rest N` starts them on a floor in the exact driver and simulates ten seconds;
//! `hull N` builds a body of N points on a sphere and starts it.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use dolmen::drive::exact::Simulation;
use dolmen::scene::Document;
use dolmen::world::World;

#[path = "support/uniform.rs"]
mod uniform;

/// Seconds on the clock, and the most memory so far.
struct Stages {
    begun: Instant,
    processor: f64,
}

#[cfg(not(target_os = "linux"))]
fn processor_seconds() -> f64 {
    f64::NAN
}

#[cfg(target_os = "linux")]
fn processor_seconds() -> f64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    now.tv_sec as f64 + 1e-9 * now.tv_nsec as f64
}

/// The most memory that the process had, MB; zero where the system does not tell.
fn most_memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kilobytes.unwrap_or(0.0) * 1.024e-3
}

impl Stages {
    fn begin() -> Self {
        Self { begun: Instant::now(), processor: processor_seconds() }
    }

    /// Prints what a stage took, and begins the next.
    fn end(&mut self, stage: &str) {
        let (clock, processor) = (self.begun.elapsed().as_secs_f64(), processor_seconds() - self.processor);
        println!("{stage:8} {clock:7.2} s, processor {processor:7.2} s, at most {:6.0} MB", most_memory());
        *self = Self::begin();
    }
}

const HEAD: &str = "format = 1\ngravity = [0, 0, -9.81]\n[run]\nduration = 10\n\
                    [[body]]\nname = \"floor\"\nkind = \"fixed\"\nshape = { kind = \"plane\", normal = [0, 0, 1] }\n";

/// Spheres in a square on the floor, 5 cm apart.
fn repeated(count: usize) -> String {
    let side = (count as f64).sqrt().ceil() as usize;
    format!(
        "{HEAD}[[body]]\nrepeat = {count}\nname = \"b{{i}}\"\nmass = 1\nshape = {{ kind = \"sphere\", radius = 0.1 }}\n\
         position = [\"= 0.25*(i % {side})\", \"= 0.25*floor(i/{side})\", 0.1]\n"
    )
}

fn literal(count: usize) -> String {
    let side = (count as f64).sqrt().ceil() as usize;
    let mut text = HEAD.to_owned();
    for i in 0..count {
        let (x, y) = (0.25 * (i % side) as f64, 0.25 * (i / side) as f64);
        let _ = write!(
            text,
            "[[body]]\nname = \"b{i}\"\nmass = 1\nshape = {{ kind = \"sphere\", radius = 0.1 }}\nposition = [{x}, {y}, 0.1]\n"
        );
    }
    text
}

fn hull(count: usize) -> String {
    let mut random = uniform::Uniform(1);
    let mut text = format!(
        "{HEAD}[[body]]\nname = \"hull\"\nmass = 1\nposition = [0, 0, 2]\nshape.kind = \"hull\"\nshape.points = [\n"
    );
    for _ in 0..count {
        let p = random.vector().normalize_or(dolmen::math::DVec3::X);
        let _ = writeln!(text, "[{:e}, {:e}, {:e}],", p.x, p.y, p.z);
    }
    text + "]\n"
}

/// The world of a scene file. The document is dropped: what it is for has been done.
fn world(file: &Path, stages: &mut Stages) -> World {
    let document = Document::load(file).unwrap_or_else(|errors| panic!("{errors}"));
    stages.end("read");
    let world = document.build(Path::new(".")).unwrap_or_else(|errors| panic!("{errors}"));
    stages.end("build");
    world
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let what = arguments.get(1).map_or("", String::as_str);
    let count = arguments.get(2).and_then(|count| count.parse().ok()).unwrap_or(1_000_000);
    let text = match what {
        "repeat" | "rest" => repeated(count),
        "literal" => literal(count),
        "hull" => hull(count),
        _ => {
            eprintln!("give one of repeat, literal, rest, hull, and a number");
            return;
        }
    };
    // The text is of a file, and not in the memory of this process.
    let file: PathBuf = std::env::temp_dir().join(format!("dolmen-sizes-{}.toml", std::process::id()));
    println!("{what}, {count}: a text of {:.1} MB", 1e-6 * text.len() as f64);
    std::fs::write(&file, &text).expect("a file in the folder for temporary ones");
    drop(text);
    let mut stages = Stages::begin();
    let world = world(&file, &mut stages);
    let _ = std::fs::remove_file(&file);
    if matches!(what, "rest" | "hull") {
        let mut simulation = Simulation::new(world).unwrap_or_else(|stop| panic!("{stop}"));
        stages.end("start");
        if what == "rest" {
            simulation.advance(10.0).unwrap_or_else(|stop| panic!("{stop}"));
            stages.end("10 s");
        }
    }
}
