use super::*;
use std::fmt::Write as _;

pub(crate) const STATES: &str = "t,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n";
pub(crate) const PARTICLES: &str = "t,set,index,x,y,z,vx,vy,vz\n";
pub(crate) const ENERGY: &str = "t,kinetic,potential,work,collisions,friction,closing,total,error\n";
pub(crate) const MOMENTUM: &str = "t,px,py,pz,lx,ly,lz\n";

/// A run directory of the given tables, each its header and what is below it.
pub(crate) fn run_of(states: &str, energy: &str, momentum: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let put = |name: &str, text: String| std::fs::write(dir.path().join(name), text).unwrap();
    put(
        "summary.json",
        r#"{"scene": "s", "title": "A <title> & \"more\"", "status": "done", "t_end": 1}"#.to_owned(),
    );
    put("states.csv", STATES.to_owned() + states);
    put("energy.csv", ENERGY.to_owned() + energy);
    put("momentum.csv", MOMENTUM.to_owned() + momentum);
    dir
}

/// `samples` samples of bodies with values of about `size`, which move when `moving`.
pub(crate) fn run_like(samples: usize, names: &[&str], size: f64, moving: bool) -> tempfile::TempDir {
    let (mut states, mut energy, mut momentum) = (String::new(), String::new(), String::new());
    for i in 0..samples {
        let s = if moving { i as f64 * 0.1 } else { 0.0 };
        let t = i as f64 * 0.1;
        for (k, name) in names.iter().enumerate() {
            let [x, y, w] = [(s + k as f64) * size, (1.0 - s) * size, (k as f64 - s) * size];
            let name = name.replace('"', "\"\"");
            writeln!(states, "{t},\"{name}\",{x:e},{y:e},0,1,0,0,0,0,0,0,{w:e},0,{x:e}").unwrap();
        }
        let (e, error) = (s * size, if i % 3 == 0 { 0.0 } else { s * size * 1e-9 });
        writeln!(energy, "{t},{e:e},{size:e},0,0,0,0,{size:e},{error:e}").unwrap();
        writeln!(momentum, "{t},{e:e},0,{size:e},0,{e:e},0").unwrap();
    }
    run_of(&states, &energy, &momentum)
}

fn part(dir: &Path, name: &str) -> TablePart {
    TablePart::from(dir.join(name).as_path())
}

fn error_of(dir: &Path) -> String {
    Run::load(dir).unwrap_err().to_string()
}

/// What was written is what is read, names with commas and quotes included.
#[test]
fn a_run_is_read_as_it_was_written() {
    let dir = run_of(
        "0,\"a, \"\"b\"\"\",1,2,3,1,0,0,0,4,5,6,7,8,9\n0,c,5e-324,-0,1e300,1,0,0,0,0,0,0,0,0,0\n",
        "0,1,2,3,6,7,8,4,5\n",
        "0,1,2,3,4,5,6\n",
    );
    let run = Run::load(dir.path()).unwrap();
    let names: Vec<&str> = run.bodies.all.iter().map(|t| t.name.as_str()).collect();
    assert_eq!(names, ["a, \"b\"", "c"]);
    let (a, c) = (run.bodies.all[0].samples[0], run.bodies.all[1].samples[0]);
    assert_eq!((a.x, a.q, a.w), ([1.0, 2.0, 3.0], [1.0, 0.0, 0.0, 0.0], [7.0, 8.0, 9.0]));
    assert_eq!(c.x, [5e-324, 0.0, 1e300]);
    let e = run.energy[0];
    assert_eq!((e.work, e.collisions, e.friction, e.closing, e.error), (3.0, 6.0, 7.0, 8.0, 5.0));
    assert_eq!(run.momentum[0].l, [4.0, 5.0, 6.0]);
    assert_eq!((run.events.total, run.forces.total), (0, 0), "tables that are not there are empty");
    assert_eq!(run.title(), "A <title> & \"more\"");
}

/// Columns are found by name: a table may have more of them, in another order.
#[test]
fn columns_are_found_by_name() {
    let dir = run_of("", "", "");
    std::fs::write(
        dir.path().join("energy.csv"),
        "extra,closing,friction,collisions,error,total,work,potential,kinetic,t\n9,8,7,6,5,4,3,2,1,0\n",
    )
    .unwrap();
    let e = Run::load(dir.path()).unwrap().energy[0];
    assert_eq!((e.t, e.kinetic, e.potential, e.work, e.total, e.error), (0.0, 1.0, 2.0, 3.0, 4.0, 5.0));
}

/// Two samples at one time, before and after a collision, stay two.
#[test]
fn an_event_has_two_samples_at_one_time() {
    let row = |t: &str, body: &str, x: &str| format!("{t},{body},{x},0,0,1,0,0,0,0,0,0,0,0,0\n");
    let states: String = [
        ("0", "a", "1"),
        ("0", "b", "2"),
        ("1", "a", "3"),
        ("1", "b", "4"),
        ("1", "a", "5"),
        ("1", "b", "6"),
    ]
    .map(|(t, body, x)| row(t, body, x))
    .concat();
    let run = Run::load(run_of(&states, "", "").path()).unwrap();
    assert_eq!(run.bodies.frames, [(0, 0.0), (1, 1.0), (2, 1.0)]);
    let x: Vec<f64> = run.bodies.all[1].samples.iter().map(|s| s.x[0]).collect();
    assert_eq!(x, [2.0, 4.0, 6.0]);
}

/// Thinning keeps the first and the last sample, evenly spaced ones between, and not more rows than asked for.
#[test]
fn a_long_table_is_thinned_evenly() {
    let dir = run_like(1001, &["a", "b", "c"], 1.0, true);
    let tracks = read_tracks(&part(dir.path(), "states.csv"), &STATE_COLUMNS, 300, state_row).unwrap();
    let numbers: Vec<u64> = tracks.frames.iter().map(|f| f.0).collect();
    assert_eq!((numbers[0], numbers[numbers.len() - 1], tracks.frames_total), (0, 1000, 1001));
    assert!(numbers[..numbers.len() - 1].windows(2).all(|w| w[1] - w[0] == tracks.stride), "{numbers:?}");
    let rows: usize = tracks.all.iter().map(|t| t.samples.len()).sum();
    assert!((100..=303).contains(&rows), "{rows} rows, stride {}", tracks.stride);
}

/// Every refusal names the file, the line and what to do.
#[test]
fn refusals_name_file_line_and_remedy() {
    let dir = run_of("", "", "");
    assert!(error_of(&dir.path().join("none")).contains("is not a directory; give the directory"));
    let put = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    let cases = [
        (
            "0,1,2,3,0,0,0,4,5\n1,1,x,3,0,0,0,4,5\n",
            "energy.csv, line 3, column potential: \"x\" is not a number; correct it",
        ),
        (
            "0,1,2,3,0,0,0,4,5\n1,1,2\n",
            "energy.csv, line 3: 3 fields where the header has 9; delete the line",
        ),
        ("1,1,2,3,0,0,0,4,5\n0,1,2,3,0,0,0,4,5\n", "energy.csv, line 3: t = 0 s comes after t = 1 s"),
        ("NaN,1,2,3,0,0,0,4,5\n", "energy.csv, line 2, column t: \"NaN\" is not a finite time"),
        ("0,\"1,2,3,4,5\n", "energy.csv, line 2: 2 fields"),
    ];
    for (rows, expected) in cases {
        put("energy.csv", &(ENERGY.to_owned() + rows));
        let error = error_of(dir.path());
        assert!(error.contains(expected), "{rows:?} gives {error}");
    }
    put("energy.csv", "t,kinetic\n");
    assert!(
        error_of(dir.path())
            .contains("energy.csv, line 1: no column \"potential\" (the header has t,kinetic)")
    );
    put("energy.csv", "");
    assert!(error_of(dir.path()).contains("no column \"t\" (the header has nothing)"));
    let bytes = [ENERGY.as_bytes(), b"0,\xFF,1,1,1,1,1,1,1\n"].concat();
    std::fs::write(dir.path().join("energy.csv"), bytes).unwrap();
    assert!(error_of(dir.path()).contains("energy.csv, line 2"), "{}", error_of(dir.path()));
    std::fs::remove_file(dir.path().join("energy.csv")).unwrap();
    assert!(error_of(dir.path()).contains("energy.csv: "), "{}", error_of(dir.path()));
    put("summary.json", "[1]");
    assert!(error_of(dir.path()).contains("summary.json: not a JSON object"));
    put("summary.json", "{");
    assert!(error_of(dir.path()).contains("summary.json: EOF while parsing"), "{}", error_of(dir.path()));
    std::fs::remove_file(dir.path().join("summary.json")).unwrap();
    assert!(error_of(dir.path()).contains("is not a run: it has no summary.json"));
}

/// Of a table of events that is too long every 2ᵏ-th is kept; all are counted, and every kind is known.
#[test]
fn a_long_table_of_events_is_thinned() {
    let dir = run_of("", "", "");
    let mut text = "t,kind,body_a,normal_impulse,lost\n".to_owned();
    for i in 0..1000 {
        let kind = if i == 7 { "rest" } else { "collision" };
        writeln!(text, "{i},{kind},a,{i},0.5").unwrap();
    }
    std::fs::write(dir.path().join("events.csv"), text).unwrap();
    let file = part(dir.path(), "events.csv");
    let events = Events::load_up_to(&file, 100).unwrap();
    assert_eq!((events.total, events.kinds.join(",").as_str()), (1000, "collision,rest"));
    assert!((50..=100).contains(&events.all.len()), "{} kept", events.all.len());
    for (k, event) in events.all.iter().enumerate() {
        assert_eq!(event.t, (k as u64 * events.stride) as f64, "evenly, from the first");
        assert_eq!((event.impulse, event.lost), (event.t, 0.5));
    }
    assert_eq!(Events::load(&file).unwrap().all.len(), 1000);
}

/// Of many contacts the eight with the largest forces are kept, as they come; features name those that share a pair.
#[test]
fn the_largest_contact_forces_are_kept() {
    let dir = run_of("", "", "");
    let mut text = "t,body_a,body_b,feature_a,feature_b,normal_force\n".to_owned();
    for t in 0..3 {
        for k in 0..20 {
            writeln!(text, "{t},box,floor,vertex {k},face 0,{}", (k * 7) % 20).unwrap();
        }
        writeln!(text, "{t},ball,floor,surface 0,face 0,{}", 100 * (t + 1)).unwrap();
    }
    std::fs::write(dir.path().join("forces.csv"), text).unwrap();
    let forces = Run::load(dir.path()).unwrap().forces;
    assert_eq!((forces.total, forces.curves.len()), (21, 8));
    let ball = &forces.curves[7];
    assert_eq!(
        (ball.name.as_str(), &ball.points[..]),
        ("ball – floor", &[(0.0, 100.0), (1.0, 200.0), (2.0, 300.0)][..])
    );
    let least = forces.curves.iter().map(|c| c.points[0].1).fold(f64::INFINITY, f64::min);
    assert_eq!(least, 13.0, "the seven largest of 0 … 19 and the ball");
    assert_eq!(forces.curves[0].name, "box – floor: vertex 2 – face 0");
}

/// A run whose process was killed: tables of different lengths, and a line that is cut. `lost` bytes are missing at the end of
/// energy.csv, of which the last three rows have 18 each.
fn killed(lost: usize) -> tempfile::TempDir {
    let body = |t: u32, name: &str| format!("{t},{name},1,2,3,1,0,0,0,0,0,0,0,0,0\n");
    let states: String = (0..4).flat_map(|t| [body(t, "a"), body(t, "\"b\nc\"")]).collect();
    let energy = [0, 1, 2, 3].map(|t| format!("{t},1,2,0,0,0,0,3,0\n")).concat();
    let momentum = [0, 1, 2, 3].map(|t| format!("{t},0,0,0,0,0,0\n")).concat();
    let dir = run_of(&states, &energy[..energy.len() - lost], &momentum);
    std::fs::write(dir.path().join("summary.json"), r#"{"scene": "s", "status": "running"}"#).unwrap();
    let events = "t,kind,normal_impulse,lost\n0.5,collision,1,1\n2,collision,1,1\n2.5,collision,1,1\n";
    std::fs::write(dir.path().join("events.csv"), events).unwrap();
    dir
}

/// Wherever a table is cut, all are read up to the last sample that is whole in each; nothing on disk changes.
#[test]
fn tables_of_different_lengths_end_with_their_last_common_sample() {
    let row = "3,1,2,0,0,0,0,3,0\n".len();
    for lost in 0..4 * row {
        let dir = killed(lost);
        let before = std::fs::read(dir.path().join("energy.csv")).unwrap();
        let samples = 4 - lost.div_ceil(row);
        if samples == 0 {
            assert!(error_of(dir.path()).contains("has no whole sample yet; run its scene again"));
            continue;
        }
        let run = Run::load(dir.path()).unwrap();
        let lengths = (run.energy.len(), run.momentum.len(), run.bodies.frames.len());
        assert_eq!(lengths, (samples, samples, samples), "{lost} bytes lost");
        let t = (samples - 1) as f64;
        assert!(run.events.all.iter().all(|event| event.t <= t), "{lost} bytes lost");
        assert_eq!(run.events.total, [0, 1, 2, 3][samples - 1]);
        let note = run.note.unwrap();
        assert!(
            note.contains(&format!(
                "did not finish (status running): showing what was written up to t = {t} s"
            ))
        );
        let is_cut = lost % row != 0;
        assert_eq!(note.contains("the last line of energy.csv is cut and left out"), is_cut, "{note}");
        assert_eq!(std::fs::read(dir.path().join("energy.csv")).unwrap(), before);
    }
}

/// A table that its scene thins does not hold the others up: it is read as far as the last sample that is whole in these.
#[test]
fn a_thinned_table_does_not_hold_others_up() {
    let dir = killed(0);
    let body = |t: u32| format!("{t},a,1,2,3,1,0,0,0,0,0,0,0,0,0\n");
    std::fs::write(dir.path().join("states.csv"), STATES.to_owned() + &[0, 2].map(body).concat()).unwrap();
    let counted = |summary: &str| {
        std::fs::write(dir.path().join("summary.json"), summary).unwrap();
        let run = Run::load(dir.path()).unwrap();
        (run.energy.len(), run.bodies.frames.len())
    };
    let thinned = r#"{"scene": "s", "status": "running", "thinned": ["states.csv"]}"#;
    assert_eq!(counted(thinned), (4, 2));
    assert_eq!(
        counted(r#"{"scene": "s", "status": "running"}"#),
        (2, 2),
        "one row a sample, of which two are there"
    );
    std::fs::remove_file(dir.path().join("states.csv")).unwrap();
    assert_eq!(counted(thinned), (4, 0), "left out");
}

/// Where the last table is cut inside a name with a line break, the row is not whole either.
#[test]
fn a_cut_inside_a_name_is_found() {
    let dir = killed(0);
    let file = dir.path().join("states.csv");
    let text = std::fs::read_to_string(&file).unwrap();
    for cut in 1..40 {
        std::fs::write(&file, &text[..text.len() - cut]).unwrap();
        let run = Run::load(dir.path()).unwrap();
        assert_eq!((run.bodies.frames.len(), run.energy.len()), (3, 3), "{cut} bytes cut");
    }
}

/// A run that ended by itself, of which a line was cut later: read up to there, with a note. An empty table has no samples.
#[test]
fn a_cut_line_is_left_out_of_any_run() {
    let dir = killed(5);
    std::fs::write(dir.path().join("summary.json"), r#"{"scene": "s", "status": "done", "t_end": 3}"#)
        .unwrap();
    let run = Run::load(dir.path()).unwrap();
    assert_eq!(run.energy.len(), 3);
    let note = run.note.unwrap();
    assert!(
        note.contains("are cut: showing what was written up to t = 2 s; the last line of energy.csv"),
        "{note}"
    );
    let whole = Run::load(run_like(3, &["a"], 1.0, true).path()).unwrap();
    assert_eq!(whole.note, None);
}

/// Killed before anything was computed, whatever was there: a clear message.
#[test]
fn a_run_that_hardly_began_says_so() {
    let dir = killed(0);
    for name in ["energy.csv", "momentum.csv", "states.csv", "events.csv"] {
        std::fs::write(dir.path().join(name), "").unwrap();
        assert!(error_of(dir.path()).contains("did not finish (status running) and has no whole sample yet"));
        std::fs::remove_file(dir.path().join(name)).unwrap();
        assert!(error_of(dir.path()).contains("did not finish (status running) and has no whole sample yet"));
    }
}
