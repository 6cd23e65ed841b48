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
    let tracks = read_tracks(&dir.path().join("states.csv"), &STATE_COLUMNS, 300, state_row).unwrap();
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
        ("0,1,2,3,0,0,0,4,5\n1,1,2,3,0,0,0,4,0.12", "energy.csv, line 3: the file ends without a line break"),
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
    let file = dir.path().join("events.csv");
    std::fs::write(&file, text).unwrap();
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
