//! `dolmen sweep`: the table against closed forms, any number of jobs, a process that is killed, wrong input, figures.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use dolmen_sweep::{Column, Table, read};
use tempfile::TempDir;

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dolmen"));
    command.args(arguments);
    command
}

fn dolmen(arguments: &[&str]) -> Output {
    command(arguments).output().expect("the command starts")
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn numbers(table: &Table, name: &str) -> Vec<f64> {
    match table.column(name) {
        Some(Column::Number(numbers)) => numbers.clone(),
        other => panic!("{name}: {other:?}"),
    }
}

/// Everything but the time that it took.
fn without_cpu(folder: &Path) -> String {
    let mut table = read(folder).expect("a table");
    table.columns.retain(|(name, _)| name != "cpu");
    // Shown with all digits, where NaN equals itself.
    format!("{table:?}")
}

const SLIDING: &str = r#"
format = 1
gravity = [0, 0, -9.81]
[contact]
friction = 0.3
[run]
duration = 2.0
[[body]]
name = "block"
shape = { kind = "box", size = [0.2, 0.2, 0.1] }
mass = 1
position = [0, 0, 0.05]
velocity = [2, 0, 0]
[[body]]
name = "floor"
kind = "fixed"
shape = { kind = "plane", normal = [0, 0, 1] }
"#;

fn sliding(folder: &TempDir) -> String {
    let file = folder.path().join("sliding.toml");
    fs::write(&file, SLIDING).expect("a file");
    file.display().to_string()
}

/// A block that slides to rest goes v²/(2μg): over a grid of both. The last key changes fastest.
#[test]
fn a_grid_gives_the_closed_form() {
    let folder = TempDir::new().unwrap();
    let (scene, out) = (sliding(&folder), folder.path().join("out"));
    let shown = out.display().to_string();
    let output = dolmen(&[
        "sweep",
        &scene,
        "--vary",
        "contact.friction=0.2:0.8:4",
        "--vary",
        "body.block.velocity=[1,0,0],[2,0,0]",
        "--measure",
        "x=position(block).x",
        "--measure",
        "largest(kinetic)",
        "--quiet",
        "--out",
        &shown,
        "--keep",
        "3",
    ]);
    assert!(output.status.success(), "{}", said(&output));
    let table = read(&out).unwrap();
    let (friction, speed) = (numbers(&table, "contact.friction"), numbers(&table, "body.block.velocity.x"));
    assert_eq!(speed, [1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0]);
    for (i, x) in numbers(&table, "x").iter().enumerate() {
        let wanted = speed[i] * speed[i] / (2.0 * friction[i] * 9.81);
        assert!((x - wanted).abs() < 1e-9, "variant {i}: {x} for {wanted}");
        assert!((numbers(&table, "largest(kinetic)")[i] - 0.5 * speed[i] * speed[i]).abs() < 1e-12);
    }
    assert!(out.join("runs/000003/states.csv").is_file());
    let output = dolmen(&["plot", &shown]);
    assert!(output.status.success(), "{}", said(&output));
    for figure in ["curve", "heat", "scatter"] {
        assert!(
            out.join(format!("{figure}.svg")).is_file() && out.join(format!("{figure}.png")).is_file(),
            "{figure}"
        );
    }
}

/// One job and three give the same table, of samples too; another seed gives others.
#[test]
fn any_number_of_jobs_gives_the_same_table() {
    let folder = TempDir::new().unwrap();
    let scene = sliding(&folder);
    let run = |name: &str, design: &str, seed: &str, jobs: &str| {
        let out = folder.path().join(name);
        let output = dolmen(&[
            "sweep",
            &scene,
            "--vary",
            "contact.friction=0.1:0.9:log",
            "--vary",
            "body.block.mass=1:3",
            design,
            "300",
            "--seed",
            seed,
            "--measure",
            "position(block).x",
            "--time",
            "0.5",
            "--jobs",
            jobs,
            "--quiet",
            "--out",
            &out.display().to_string(),
        ]);
        assert!(output.status.success(), "{}", said(&output));
        without_cpu(&out)
    };
    let latin = run("a", "--latin", "7", "1");
    assert_eq!(latin, run("b", "--latin", "7", "3"));
    assert_ne!(latin, run("c", "--latin", "8", "3"));
    assert_eq!(run("d", "--random", "7", "1"), run("e", "--random", "7", "3"));
    // In each of 300 equal stretches of the mass one sample.
    let mut masses = numbers(&read(&folder.path().join("a")).unwrap(), "body.block.mass");
    masses.sort_by(f64::total_cmp);
    for (i, mass) in (0..).zip(masses) {
        assert!(
            (mass - 1.0) / 2.0 * 300.0 >= f64::from(i) && (mass - 1.0) / 2.0 * 300.0 < f64::from(i + 1),
            "{mass}"
        );
    }
}

/// Killed in the middle, twice, the same command goes on: nothing is lost, nothing is there twice, and the table is that of a run
/// that was left alone.
#[cfg(unix)]
#[test]
fn a_killed_sweep_goes_on() {
    let folder = TempDir::new().unwrap();
    let scene = sliding(&folder);
    let out = folder.path().join("killed");
    let arguments = |out: &Path| {
        let words = [
            "sweep",
            &scene,
            "--vary",
            "contact.friction=0.1:0.9:2000",
            "--measure",
            "position(block).x",
            "--jobs",
            "2",
            "--quiet",
            "--out",
        ];
        words
            .iter()
            .map(|word| (*word).to_owned())
            .chain([out.display().to_string()])
            .collect::<Vec<String>>()
    };
    let parts = || {
        fs::read_dir(&out).map_or(0, |entries| {
            entries.flatten().filter(|entry| entry.path().extension().is_some_and(|e| e == "parquet")).count()
        })
    };
    for least in [3, 30] {
        let mut child = command(&[]);
        let mut child =
            child.args(arguments(&out)).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let started = Instant::now();
        while parts() < least && started.elapsed() < Duration::from_mins(1) {
            sleep(Duration::from_millis(2));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(parts() >= least, "{} parts", parts());
    }
    let half = parts();
    let output = command(&[]).args(arguments(&out)).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    assert!(half < parts(), "it was done before it was killed: {half} parts");
    let alone = folder.path().join("alone");
    assert!(command(&[]).args(arguments(&alone)).output().unwrap().status.success());
    assert_eq!(without_cpu(&out), without_cpu(&alone));
    let left: Vec<_> = fs::read_dir(&out).unwrap().flatten().map(|entry| entry.path()).collect();
    assert!(left.iter().all(|file| file.extension().is_none_or(|e| e != "unfinished")), "{left:?}");
}

/// Values from a file; those that make no scene are rows with their reason and stop nobody: exit code 1.
#[test]
fn a_variant_that_fails_is_a_row() {
    let folder = TempDir::new().unwrap();
    let (scene, file, out) = (sliding(&folder), folder.path().join("values.csv"), folder.path().join("out"));
    fs::write(&file, "body.block.mass,contact.friction\n1,0.2\n-1,0.2\n2,0.4\n").unwrap();
    let (file, shown) = (file.display().to_string(), out.display().to_string());
    let arguments = [
        "sweep",
        &scene,
        "--parameters",
        &file,
        "--measure",
        "position(block).x",
        "--quiet",
        "--out",
        &shown,
    ];
    let output = dolmen(&arguments);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(said(&output).contains("3 variants: 2 done, 1 refused") && said(&output).contains("variant 1: "));
    let table = read(&out).unwrap();
    let (Some(Column::Text(status)), Some(Column::Text(reason))) =
        (table.column("status"), table.column("reason"))
    else {
        panic!("no status")
    };
    assert_eq!(status, &["done", "refused", "done"]);
    assert!(reason[1].contains("mass") && reason[0].is_empty(), "{reason:?}");
    assert!(numbers(&table, "position(block).x")[1].is_nan());
    // The same again finds all done, and says the same.
    let again = dolmen(&arguments);
    assert_eq!((again.status.code(), said(&again)), (Some(1), said(&output)));
}

/// Wrong input is refused at once, with a remedy: exit code 2, and no folder is made.
#[test]
fn wrong_input_is_refused() {
    let folder = TempDir::new().unwrap();
    let (scene, out) = (sliding(&folder), folder.path().join("out"));
    let shown = out.display().to_string();
    let measure = ["--measure", "position(block).x"];
    for (given, needle) in [
        (vec!["--vary", "contact.frction=0:1:3", measure[0], measure[1]], "did you mean `friction`?"),
        (vec!["--vary", "body.blok.mass=1,2", measure[0], measure[1]], "did you mean"),
        (vec!["--vary", "contact.friction=0:1", measure[0], measure[1]], "--random"),
        (
            vec!["--vary", "contact.friction=0:1:3", "--measure", "position(blok).x"],
            "there is no body `blok`",
        ),
        (vec!["--vary", "contact.friction=0:1:3", "--measure", "position(block)"], "is no number"),
        (vec!["--vary", "contact.friction=0:1:3", "--measure", "posit(block)"], "unknown quantity"),
        (vec!["--vary", "contact.friction=0:1:3", "--measure", "status=kinetic"], "already a column"),
        (vec!["--vary", "contact.friction=0:1:3", measure[0], measure[1], "--time", "nan"], "finite"),
        (vec!["--vary", "contact.friction=0:1:3", measure[0], measure[1], "--jobs", "0"], "at least one"),
        (
            vec![
                "--vary",
                "contact.friction=0:1:9999999",
                "--vary",
                "body.block.mass=1:2:9",
                measure[0],
                measure[1],
            ],
            "at most",
        ),
        (vec![measure[0], measure[1]], "nothing varies"),
    ] {
        let output = dolmen(&[&["sweep", &scene, "--quiet", "--out", &shown], &given[..]].concat());
        assert_eq!(output.status.code(), Some(2), "{given:?}: {}", said(&output));
        assert!(said(&output).contains(needle), "{given:?}: {}", said(&output));
        assert!(!out.exists(), "{given:?}");
    }
    fs::create_dir(&out).unwrap();
    fs::write(out.join("mine.txt"), "keep").unwrap();
    let right = [
        "sweep",
        &scene,
        "--quiet",
        "--out",
        &shown,
        "--vary",
        "contact.friction=0:1:3",
        measure[0],
        measure[1],
    ];
    assert_eq!(dolmen(&right).status.code(), Some(2));
    fs::remove_file(out.join("mine.txt")).unwrap();
    assert!(dolmen(&right).status.success());
    let other = dolmen(&[&right[..], &["--time", "1"]].concat());
    assert!(
        other.status.code() == Some(2) && said(&other).contains("holds another sweep"),
        "{}",
        said(&other)
    );
}

/// A scene that includes another file, and a robot, is swept like any: keys reach what is included.
#[test]
fn scenes_with_includes_are_swept() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    fs::write(at.join("part.toml"), SLIDING).expect("a file");
    let robot = "<robot name='r'><link name='b'><inertial><mass value='2'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>\
                 </inertial></link></robot>";
    fs::write(at.join("robot.urdf"), robot).expect("a file");
    let text = "format = 1\ngravity = [0, 0, -10]\n[run]\nduration = 1\n[[include]]\nfile = \"part.toml\"\nname = \"p\"\n\
                [[include]]\nfile = \"robot.urdf\"\nname = \"r\"\nfree_base = true\n";
    fs::write(at.join("scene.toml"), text).expect("a file");
    let (scene, out) = (at.join("scene.toml").display().to_string(), at.join("out").display().to_string());
    let vary = "gravity=[0,0,-10],[0,0,-4]";
    let measure = "z=position('r:b').z";
    let output = dolmen(&[
        "sweep",
        &scene,
        "--vary",
        vary,
        "--measure",
        measure,
        "--keep",
        "1",
        "--quiet",
        "--out",
        &out,
    ]);
    assert!(output.status.success(), "{}", said(&output));
    let table = read(&at.join("out")).unwrap();
    for (found, g) in numbers(&table, "z").iter().zip([10.0, 4.0]) {
        assert!((found + 0.5 * g).abs() < 1e-12, "{found} under {g}");
    }
    assert!(at.join("out/runs/000001/states.csv").is_file());
}
