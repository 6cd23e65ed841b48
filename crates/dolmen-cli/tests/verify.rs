//! `dolmen verify` as a user meets it: verdicts, exit codes, JSON, mistakes with their places.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

fn dolmen(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dolmen"));
    command.current_dir(folder).args(arguments).output().expect("the command starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A ball thrown up, and a file of expectations beside it.
fn folder_with(expectations: &str) -> TempDir {
    let folder = TempDir::new().expect("a temporary folder");
    let ball = "format = 1\ngravity = [0, 0, -10]\n[run]\nduration = 2\n[[body]]\nname = \"ball\"\nmass = 3\nshape = { kind = \
                \"sphere\", radius = 0.1 }\nvelocity = [1, 0, 10]\n";
    fs::write(folder.path().join("ball.toml"), ball).expect("a file");
    fs::write(folder.path().join("ball.expect.toml"), expectations).expect("a file");
    folder
}

/// The rows of a file of expectations about the ball, and the exit code.
fn rows(expectations: &str) -> (Option<i32>, Vec<Value>) {
    let folder = folder_with(expectations);
    let output = dolmen(folder.path(), &["verify", "ball.expect.toml", "--json"]);
    let rows: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}{}", text(&output.stdout), text(&output.stderr)));
    (output.status.code(), rows.as_array().expect("an array").clone())
}

/// What the command says of a file that it refuses.
fn refusal(expectations: &str) -> String {
    let folder = folder_with(expectations);
    let output = dolmen(folder.path(), &["verify", "ball.expect.toml"]);
    assert_eq!(output.status.code(), Some(2), "{}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stderr)
}

const HEIGHT: &str = "format = 1\n[[expect]]\nquantity = \"position(ball).z\"\ntime = 1\nvalue = \"10*t - 0.5*10*t^2\"\nrelative = 1e-12\n";

/// z = v t − g t²/2, with the laws of the scene after it; all fields and no others.
#[test]
fn rows_have_exactly_their_fields() {
    let (code, rows) = rows(HEIGHT);
    assert_eq!(code, Some(0), "{rows:#?}");
    let fields = ["case", "quantity", "expected", "got", "error", "tolerance", "verdict", "cpu_time"];
    for row in &rows {
        let found: Vec<&String> = row.as_object().expect("an object").keys().collect();
        assert_eq!(found, fields, "{row}");
        assert_eq!(row["verdict"], "pass", "{row}");
        assert!(row["cpu_time"].as_f64().is_some_and(|seconds| seconds >= 0.0), "{row}");
    }
    assert_eq!(
        (&rows[0]["case"], &rows[0]["quantity"]),
        (&"ball".into(), &"position(ball).z at t = 1".into())
    );
    assert_eq!((rows[0]["expected"].as_f64(), rows[0]["got"].as_f64()), (Some(5.0), Some(5.0)));
    let laws: Vec<&str> = rows[1..].iter().filter_map(|row| row["quantity"].as_str()).collect();
    assert_eq!(laws, ["law: finish", "law: energy", "law: repeat", "law: cuts", "law: order"]);
}

/// A number that is wrong by more than its tolerance fails the command, and the table says by how much.
#[test]
fn a_wrong_number_fails() {
    let folder = folder_with(&HEIGHT.replace("10*t -", "10.5*t -"));
    let output = dolmen(folder.path(), &["verify", "ball.toml"]);
    assert_eq!(output.status.code(), Some(3));
    let (table, said) = (text(&output.stdout), text(&output.stderr));
    assert!(table.contains("FAIL") && table.contains("5.0e-1"), "{table}");
    assert!(table.contains("1 failed") && said.contains("1 expectation does not hold"), "{table}{said}");
}

/// What is known not to hold is counted and explained, and fails nothing.
#[test]
fn a_known_failure_is_said_and_not_hidden() {
    let folder =
        folder_with(&(HEIGHT.replace("10*t -", "10.5*t -") + "known = \"the reference is wrong\"\n"));
    let output = dolmen(folder.path(), &["verify", "ball.toml"]);
    let table = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{table}");
    assert!(table.contains("known failure") && table.contains("ball: the reference is wrong"), "{table}");
    assert!(table.contains("0 failed, 1 known failure;"), "{table}");
}

/// A run that stops, an event that is not there and a value that is not a number fail; a bound that holds passes.
#[test]
fn what_cannot_be_had_fails() {
    let (code, rows) = rows(
        "format = 1\n[[expect]]\nquantity = \"event(collision, 1).time\"\nvalue = 1\n[[expect]]\nquantity = \"0/0\"\nbelow = \
         1\n[[expect]]\nquantity = \"largest(position(ball).z)\"\nbelow = 5.0001\n[[expect]]\nquantity = \
         \"length(velocity(ball))\"\nabove = 1000\n",
    );
    assert_eq!(code, Some(3));
    let verdicts: Vec<&str> = rows[..4].iter().filter_map(|row| row["verdict"].as_str()).collect();
    assert_eq!(verdicts, ["fail", "fail", "pass", "fail"], "{rows:#?}");
    assert_eq!(rows[0]["got"], "there were 0 events `collision`, none is number 1");
    assert_eq!(rows[2]["expected"], "≤ 5.0001");
}

/// One run for each value, which overrides and expressions know by name.
#[test]
fn variants_run_once_for_each_value() {
    let (code, rows) = rows(
        "format = 1\n[[variant]]\nname = \"v = {v}\"\neach = { v = [1, 20] }\nset = [\"body.ball.velocity=[0, 0, \
         {v/2}]\"]\n[[variant.expect]]\nquantity = \"velocity(ball)\"\ntime = 2\nvalue = \"[0, 0, v/2 - 20]\"\n",
    );
    assert_eq!(code, Some(0), "{rows:#?}");
    let names: Vec<&str> = rows[..2].iter().filter_map(|row| row["quantity"].as_str()).collect();
    assert_eq!(names, ["v = 1: velocity(ball) at t = 2", "v = 20: velocity(ball) at t = 2"]);
    assert_eq!(rows[1]["got"], serde_json::json!([0.0, 0.0, -10.0]));
}

/// Mistakes of all kinds are shown with line, column and remedy, inside of expressions as well.
#[test]
fn mistakes_are_shown_with_their_place() {
    let cases = [
        ("formt = 1\n", "ball.expect.toml:1:1: error: unknown key `formt`", "did you mean `format`?"),
        (
            "format = 1\n[[expect]]\nquantity = \"positon(ball).z\"\nvalue = 1\n",
            "ball.expect.toml:3:13: error: unknown quantity `positon`",
            "did you mean `position`?",
        ),
        (
            "format = 1\n[[expect]]\nquantity = \"position(bal).z\"\nvalue = 1\n",
            "ball.expect.toml:3:22: error: there is no body `bal`",
            "did you mean `ball`?",
        ),
        (
            "format = 1\n[[expect]]\nquantity = \"t\"\nvalue = \"2*(1 + 3\"\n",
            "ball.expect.toml:4:",
            "expected `)`, the expression ends",
        ),
        (
            "format = 1\n[[expect]]\nquantity = \"t\"\nvalue = 0\n",
            "ball.expect.toml:4:9: error: a relative tolerance of zero allows nothing",
            "add `absolute = …`",
        ),
        (
            "format = 1\n[[expect]]\nquantity = \"t\"\n",
            "exactly one of `value`, `below` and `above` is needed",
            "write `value = …`",
        ),
        (
            "format = 1\nscene = \"bal\"\n[[expect]]\nquantity = \"t\"\nvalue = 1\n",
            "ball.expect.toml:2:9: error: there is no scene `bal`",
            "name a built-in scene, or a file beside this",
        ),
        (
            "format = 1\n[laws]\nknown = { enrgy = \"why\" }\n",
            "there is no law `enrgy`",
            "did you mean `energy`?",
        ),
    ];
    for (expectations, place, help) in cases {
        let said = refusal(expectations);
        assert!(said.contains(place) && said.contains(help), "{expectations}\n{said}");
    }
}

/// Whatever is wrong with a file, it is refused with a place and a remedy, and neither hangs nor crashes.
#[test]
fn bad_files_are_refused_with_a_remedy() {
    const EXPECT: &str = "[[expect]]\nquantity = \"t\"\nvalue = 1\n";
    const VARIANT: &str = "[[variant.expect]]\nquantity = \"t\"\nvalue = 1\n";
    let expecting = |quantity: &str, rest: &str| format!("[[expect]]\nquantity = \"{quantity}\"\n{rest}\n");
    let bad: Vec<(u32, String)> = vec![
        (2, "[[expect]\n".to_owned()),
        (3, "[[expect]]\nquantity = \"t\n".to_owned()),
        (2, "format = 1\n".to_owned() + EXPECT),
        (2, "samples = 0\n".to_owned() + EXPECT),
        (2, "samples = 4000000000\n".to_owned() + EXPECT),
        (2, "until = nan\n".to_owned() + EXPECT),
        (2, "most_steps = -1\n".to_owned() + EXPECT),
        (2, "tags = [1]\n".to_owned() + EXPECT),
        (2, "needs = \"../..\"\n".to_owned() + EXPECT),
        (2, "measure = \"cube-toses\"\n".to_owned() + EXPECT),
        (2, "set = [\"body.bal.mass=3\"]\n".to_owned() + EXPECT),
        (2, "set = [\"body.ball.mass=-1\"]\n".to_owned() + EXPECT),
        (2, "set = [\"body.ball.mass={1+}\"]\n".to_owned() + EXPECT),
        (2, "plot = [\"postion(ball)\"]\n".to_owned() + EXPECT),
        (5, "[precision]\nquantity = \"t\"\nvalue = 1\nset = [\"body.bal.mass=3\"]\n".to_owned() + EXPECT),
        (3, expecting(&"(".repeat(20_000), "value = 1")),
        (3, expecting(&["2"; 5_000].join("^"), "value = 1")),
        (3, expecting(&["1"; 100_000].join("+"), "value = 1")),
        (3, expecting("", "value = 1")),
        (3, expecting("position(ball).q", "value = 1")),
        (3, expecting("event(colision, 1).time", "value = 1")),
        (3, expecting("t*h", "value = 1")),
        (4, expecting("t", "value = [[1]]")),
        (4, expecting("t", "value = true")),
        (4, expecting("t", "time = -1\nvalue = 1")),
        (5, expecting("t", "value = 1\nrelative = -1")),
        (3, "[[variant]]\nname = \"a\"\n".to_owned()),
        (4, "[[variant]]\nname = \"a\"\neach = { h = [] }\n".to_owned() + VARIANT),
        (4, "[[variant]]\nname = \"a\"\neach = { position = [1] }\n".to_owned() + VARIANT),
        (4, "[[variant]]\nname = \"a\"\nset = [\"nonsense\"]\n".to_owned() + VARIANT),
        (4, "[[problem]]\nname = \"p\"\nkind = \"lpc\"\nmatrix = [[1]]\nq = [1]\n".to_owned()),
        (5, "[[problem]]\nname = \"p\"\nkind = \"lcp\"\nmatrix = [[1, 2]]\nq = [1]\n".to_owned()),
    ];
    for (line, text) in bad {
        let said = refusal(&format!("format = 1\n{text}"));
        let shown: String = text.chars().take(200).collect();
        assert!(said.contains(&format!("ball.expect.toml:{line}:")), "line {line} of {shown}\n{said}");
        assert!(said.contains("help: ") || said.contains("expected "), "{shown}\n{said}");
    }
}

/// A bound without end is no bound.
#[test]
fn what_is_expected_is_finite() {
    let (code, rows) = rows("format = 1\n[[expect]]\nquantity = \"t\"\nvalue = \"1/0\"\n");
    assert_eq!(code, Some(3));
    assert_eq!(
        (rows[0]["verdict"].as_str(), rows[0]["got"].as_str()),
        (Some("fail"), Some("what is expected is not finite"))
    );
}

/// A name that means nothing is refused with the nearest that does.
#[test]
fn unknown_names_are_refused_with_a_suggestion() {
    let folder = TempDir::new().expect("a temporary folder");
    let output = dolmen(folder.path(), &["verify", "bouncing-bal"]);
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    assert!(said.contains("`bouncing-bal`") && said.contains("did you mean `bouncing-ball`?"), "{said}");
}

/// Every reference case has an entry, and every built-in scene is in the suite.
#[test]
fn every_case_and_every_scene_is_there() {
    let folder = TempDir::new().expect("a temporary folder");
    let listed = text(&dolmen(folder.path(), &["verify", "--list"]).stdout);
    for number in 1..=37 {
        let id = format!("A{number:02}");
        assert!(
            listed.lines().any(|line| line.split_whitespace().next() == Some(&id)),
            "{id} is missing:\n{listed}"
        );
    }
    let scenes = text(&dolmen(folder.path(), &["scenes"]).stdout);
    let names = scenes.lines().filter_map(|line| line.split_whitespace().next());
    let arguments: Vec<&str> = ["verify", "--list"].into_iter().chain(names).collect();
    let output = dolmen(folder.path(), &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

/// Every built-in scene is expected to give a number, and every file says what that follows from and where it is from.
#[test]
fn every_scene_has_a_number_with_its_source() {
    let scenes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let entries = fs::read_dir(&scenes).expect("the scenes").filter_map(Result::ok);
    let names: Vec<String> = entries
        .filter_map(|entry| Some(entry.file_name().to_str()?.strip_suffix(".toml")?.to_owned()))
        .collect();
    let files: Vec<&String> = names.iter().filter(|name| name.ends_with(".expect")).collect();
    let mut covered: Vec<String> = Vec::new();
    for name in &files {
        let text = fs::read_to_string(scenes.join(format!("{name}.toml"))).expect("a file");
        for key in ["formula", "source"] {
            assert!(text.lines().any(|line| line.starts_with(&format!("{key} = "))), "{name} has no {key}");
        }
        let scene = text.lines().find_map(|line| line.strip_prefix("scene = \"")?.strip_suffix('"'));
        let own = name.strip_suffix(".expect").unwrap_or(name);
        if text.contains("expect]]") {
            covered.push(scene.unwrap_or(own).to_owned());
        }
    }
    for name in names.iter().filter(|name| !name.ends_with(".expect")) {
        assert!(covered.contains(name), "nothing is expected of the scene {name}");
    }
}

/// Cases that need data which are not there are skipped, and say what to give.
#[test]
fn what_needs_data_is_skipped_without_them() {
    let folder = TempDir::new().expect("a temporary folder");
    let output = dolmen(folder.path(), &["verify", "A35"]);
    let table = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{table}");
    assert!(table.contains("6 skipped") && table.contains("give --data DIR"), "{table}");
}

/// The page holds pictures, plots and the rows of its cases, and nothing that has to be fetched.
#[test]
fn the_report_is_one_page() {
    let folder = TempDir::new().expect("a temporary folder");
    // Bodies that move, bodies without shapes, bodies that only rest, problems for solvers.
    let cases = ["A03", "A08", "double-pendulum", "chair", "A32", "A33"];
    let output = dolmen(folder.path(), &[&["verify"], &cases[..], &["--report", "out"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let page = fs::read_to_string(folder.path().join("out/index.html")).expect("the page");
    for piece in [
        "<svg class=\"plot\"",
        "data:image/png;base64,",
        "t∞ = (1 + e)/(1 − e) √(2h/g)",
        "8.57894917873",
        "deudeu",
    ] {
        assert!(page.contains(piece), "{piece} is missing");
    }
    assert!(!page.contains("http://") && !page.contains("https://"), "the page fetches something");
    let sections: Vec<&str> = page.split("<section id=\"case-").skip(1).collect();
    assert!(sections.len() >= cases.len(), "{} sections", sections.len());
    for section in sections {
        let title = section.split("</h2>").next().unwrap_or("");
        let plots = section.matches("<svg class=\"plot\"").count();
        // A strip, or a matrix; the paths of bodies without shapes are a plot, beside that of the energies.
        let is_shown =
            section.contains("<img class=\"strip\"") || section.contains("class=\"matrix\"") || plots > 1;
        assert!(is_shown && plots > 0, "{title} has no picture, or no plot");
        assert!(
            section.contains("class=\"formula\"") && section.contains("<table>"),
            "{title} has no formula, or no table"
        );
    }
}

/// What is expected of a scene may be expected of one that includes another.
#[test]
fn scenes_with_includes_are_verified() {
    let expected = "format = 1\n[[expect]]\nquantity = \"position('x:ball').z\"\ntime = 1\nvalue = \"10*t - 0.5*10*t^2\"\nrelative = 1e-12\n";
    let folder = folder_with(expected);
    let at = folder.path();
    let scene = "format = 1\ngravity = [0, 0, -10]\n[run]\nduration = 2\n[[include]]\nfile = \"ball.toml\"\nname = \"x\"\n";
    fs::write(at.join("two.toml"), scene).expect("a file");
    fs::rename(at.join("ball.expect.toml"), at.join("two.expect.toml")).expect("a name");
    fs::write(at.join("alone.toml"), scene).expect("a file");
    for name in ["two.expect.toml", "alone.toml"] {
        let output = dolmen(at, &["verify", name]);
        assert_eq!(output.status.code(), Some(0), "{name}: {}{}", text(&output.stdout), text(&output.stderr));
    }
}
