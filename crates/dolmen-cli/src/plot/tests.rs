use super::*;
use crate::tables::tests::{PARTICLES, run_like, run_of};
use std::fmt::Write as _;

/// Checks that the tags of an SVG nest and that no number in it is NaN or infinite.
fn assert_sound(svg: &str) {
    let mut open: Vec<&str> = Vec::new();
    for piece in svg.split('<').skip(1) {
        let (tag, text) = piece.split_once('>').unwrap_or_else(|| panic!("a tag without an end: {piece}"));
        let name = tag.split_whitespace().next().unwrap_or_default();
        if let Some(closed) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(closed), "tags do not nest");
        } else if !tag.ends_with('/') {
            open.push(name);
        }
        let is_number_bad = |s: &str| s.contains("NaN") || s.contains("inf");
        assert!(!is_number_bad(tag), "a number that is none in <{tag}>");
        assert_eq!(
            text.matches('&').count(),
            text.matches(';').count().min(text.matches('&').count()),
            "{text}"
        );
    }
    assert!(open.is_empty(), "tags left open: {open:?}");
}

/// Writes the figures; each file is there, each SVG is sound and each PNG has its signature. Returns the SVGs.
fn sound_figures(dir: &Path) -> Vec<(String, String)> {
    let out = dir.join("figures");
    let files = figures(&Run::load(dir).unwrap(), &out).unwrap();
    let mut svgs = Vec::new();
    for pair in files.chunks(2) {
        let svg = std::fs::read_to_string(&pair[0]).unwrap();
        assert_sound(&svg);
        let png = std::fs::read(&pair[1]).unwrap();
        assert_eq!(png[..8], *b"\x89PNG\r\n\x1a\n");
        assert!(png.len() > 5_000, "{} has {} bytes", pair[1].display(), png.len());
        svgs.push((pair[0].file_stem().unwrap().to_string_lossy().into_owned(), svg));
    }
    svgs
}

fn names(svgs: &[(String, String)]) -> Vec<&str> {
    svgs.iter().map(|(name, _)| name.as_str()).collect()
}

/// A plain run has four figures with labels, units and names.
#[test]
fn a_plain_run_has_four_labelled_figures() {
    let dir = run_like(50, &["box", "ball"], 1.0, true);
    let svgs = sound_figures(dir.path());
    assert_eq!(names(&svgs), ["energy", "momentum", "trajectories", "spin"]);
    let labels = [
        vec![
            "Energy: A &lt;title&gt; &amp;",
            ">energy (J)<",
            ">|imbalance| (J)<",
            ">t (s)<",
            ">kinetic<",
            ">work<",
        ],
        vec![">linear momentum (N·s)<", ">angular momentum (N·m·s)<", ">px<", ">Lz<"],
        vec![">x (m)<", ">z (m)<", ">box<", ">ball<"],
        vec![">ball: ω (rad/s)<", ">ωx<"],
    ];
    for ((name, svg), labels) in svgs.iter().zip(labels) {
        for label in labels {
            assert!(svg.contains(label), "{name} has no {label}");
        }
    }
}

/// One sample, nothing that moves, subnormal and huge values: each figure is sound.
#[test]
fn odd_runs_have_sound_figures() {
    for (samples, size, moving) in [
        (1, 1.0, true),
        (30, 1.0, false),
        (30, 0.0, true),
        (30, 1e-300, true),
        (30, 1e-320, true),
        (30, 1e300, true),
    ] {
        let dir = run_like(samples, &["a</title>", "\"b\" & $c$"], size, moving);
        let svgs = sound_figures(dir.path());
        assert_eq!(svgs.len(), 4, "{samples} samples of size {size:e}");
        if size == 1e300 {
            assert!(svgs[0].1.contains(">energy (10³⁰⁰ J)<"), "{}", svgs[0].1);
        }
    }
}

/// Values at both ends of f64, whose difference overflows, and states that became NaN.
#[test]
fn extremes_and_nan_have_sound_figures() {
    let row = |t: f64, x: f64| format!("{t},a,{x:e},{x},0,1,0,0,0,0,0,0,{x},0,0\n");
    let states: String = [1.7e308, -1.7e308, f64::NAN, f64::INFINITY, 1.0].map(|x| row(0.0, x)).concat();
    let dir = run_of(&states, "0,1.7e308,-1.7e308,NaN,0,NaN,inf,inf,-inf\n", "0,1e308,-1e308,NaN,0,0,0\n");
    let svgs = sound_figures(dir.path());
    assert!(svgs[2].1.contains("4 values that are NaN or infinite are not drawn"), "{}", &svgs[2].1[..900]);
}

/// Where orientations drift there is a figure of the largest of all bodies, on a logarithmic axis beside one rounding.
#[test]
fn drifting_orientations_have_a_figure() {
    let dir = run_of("", "0,1,1,0,0,0,0,2,0\n1,1,1,0,0,0,0,2,0\n", "0,0,0,0,0,0,0\n");
    let write = |drifts: [f64; 4]| {
        let mut table = "t,body,kinetic,rotational,px,py,pz,lx,ly,lz,drift\n".to_owned();
        for (k, drift) in drifts.iter().enumerate() {
            let body = if k % 2 == 0 { "box" } else { "top" };
            writeln!(table, "{},{body},0,0,0,0,0,0,0,0,{drift:e}", k / 2).unwrap();
        }
        std::fs::write(dir.path().join("bodies.csv"), table).unwrap();
        sound_figures(dir.path())
    };
    assert!(!names(&write([0.0; 4])).contains(&"drift"), "nothing drifts");
    let svgs = write([0.0, 0.0, 3e-6, 2.5e-4]);
    let (_, svg) = svgs.iter().find(|(name, _)| name == "drift").expect("a figure");
    for label in [">drift (1)<", ">largest<", "at most 2.50·10⁻⁴ at t = 1.00 s"] {
        assert!(svg.contains(label), "no {label}\n{svg}");
    }
    write([0.0, 0.0, f64::NAN, 1.0]);
}

/// Exact zeros, which have no logarithm, are rings, and a ledger of zeros alone is a flat line.
#[test]
fn exact_zeros_of_the_ledger_are_shown() {
    let mixed = run_of("", "0,1,1,0,0,0,0,2,0\n1,1,1,0,0,0,0,2,1e-9\n2,1,1,0,0,0,0,2,0\n", "0,0,0,0,0,0,0\n");
    let svg = &sound_figures(mixed.path())[0].1;
    assert_eq!(svg.matches("<circle").count(), 3, "two rings and the lone value\n{svg}");
    assert!(svg.contains("rings: exactly 0 (2 of 3 samples)"), "{svg}");
    let zeros = run_of("", "0,1,1,0,0,0,0,2,0\n1,1,1,0,0,0,0,2,0\n", "0,0,0,0,0,0,0\n");
    assert!(sound_figures(zeros.path())[0].1.contains("imbalance exactly 0 at 2 of 2 samples"));
}

/// A run of particles alone has no spin, with or without an empty table of states.
#[test]
fn particles_alone_have_trajectories() {
    let dir = run_of("", "0,1,1,0,0,0,0,2,0\n", "0,0,0,0,0,0,0\n");
    let mut table = PARTICLES.to_owned();
    for k in 0..60 {
        writeln!(table, "{},dust,{},{k},1,2,0,0,0", k / 20, k % 20).unwrap();
    }
    std::fs::write(dir.path().join("particles.csv"), table).unwrap();
    assert_eq!(names(&sound_figures(dir.path())), ["energy", "momentum", "trajectories"]);
    std::fs::remove_file(dir.path().join("states.csv")).unwrap();
    let svgs = sound_figures(dir.path());
    assert!(svgs[2].1.contains(">dust #0<") && svgs[2].1.contains(">… and 12 more<"), "{}", svgs[2].1);
}

/// Of a thousand bodies eight have a name, the figure says how many are drawn, and the files stay small.
#[test]
fn a_crowd_is_limited_and_says_so() {
    let crowd: Vec<String> = (0..1000).map(|k| format!("body {k}")).collect();
    let crowd: Vec<&str> = crowd.iter().map(String::as_str).collect();
    let dir = run_like(600, &crowd, 1.0, true);
    let svgs = sound_figures(dir.path());
    let (trajectories, spin) = (&svgs[2].1, &svgs[3].1);
    assert!(trajectories.contains(">… and 992 more<"));
    assert!(trajectories.contains("48 of 1000 tracks drawn; named: the 8 that move farthest"));
    assert!(trajectories.contains("bodies: one in 2 of 600 samples"));
    assert!(spin.contains("shown: 4 of 1000 bodies"), "{}", &spin[..900]);
    assert!(svgs.iter().all(|(_, svg)| svg.len() < 2_000_000));
}

/// Tables with headers only are refused, and so is a place that cannot be written to.
#[test]
fn a_run_without_samples_is_refused() {
    let dir = run_of("", "", "");
    let error = figures(&Run::load(dir.path()).unwrap(), dir.path()).unwrap_err().to_string();
    assert!(error.contains("no samples"), "{error}");
    let dir = run_like(2, &["a"], 1.0, true);
    let error =
        figures(&Run::load(dir.path()).unwrap(), &dir.path().join("energy.csv")).unwrap_err().to_string();
    assert!(error.contains("energy.csv") && error.contains("check that"), "{error}");
}

/// What was lost is a curve of the ledger, where anything was.
#[test]
fn losses_are_drawn_where_there_are_any() {
    let lossy = run_of("", "0,1,1,0,0,0,0,2,0\n1,0.5,1,0,0.5,0,1e-12,1.5,0\n", "0,0,0,0,0,0,0\n");
    let svg = &sound_figures(lossy.path())[0].1;
    assert!(svg.contains(">lost in collisions<"), "{svg}");
    assert!(!svg.contains(">lost to friction<") && !svg.contains(">lost in closing<"), "{svg}");
}

/// Events are dots, rings where nothing was struck; forces have gaps where contacts have; both figures only with tables.
#[test]
fn events_and_forces_are_drawn() {
    let dir = run_like(5, &["ball"], 1.0, true);
    let put = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    put(
        "events.csv",
        "t,kind,normal_impulse,lost\n0.1,collision,2.5,1\n0.2,collision,1e-9,NaN\n0.3,rest,0,0\n",
    );
    put(
        "forces.csv",
        "t,body_a,body_b,feature_a,feature_b,normal_force\n0,ball,floor,surface 0,face 0,9\n0.4,ball,floor,surface 0,face 0,9.81\n",
    );
    let svgs = sound_figures(dir.path());
    assert_eq!(names(&svgs), ["energy", "momentum", "trajectories", "spin", "events", "forces"]);
    let (events, forces) = (&svgs[4].1, &svgs[5].1);
    for label in [">normal impulse (N·s)<", ">collision<", ">rest<", "3 events; rings: exactly 0; 1 values"]
    {
        assert!(events.contains(label), "no {label} in {events}");
    }
    assert!(forces.contains(">normal force (N)<") && forces.contains(">ball – floor<"), "{forces}");
    assert_eq!(forces.matches("<circle").count(), 2, "two samples with nothing between\n{forces}");
    put("events.csv", "t,kind,normal_impulse,lost\n0.3,rest,0,0\n");
    put("forces.csv", "t,body_a,body_b,feature_a,feature_b,normal_force\n");
    assert_eq!(names(&sound_figures(dir.path())).len(), 5, "no forces, and events without impulses");
}
