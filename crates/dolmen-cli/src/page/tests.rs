use super::*;
use crate::tables::tests::{PARTICLES, run_like, run_of};

fn page_of(dir: &Path) -> String {
    std::fs::read_to_string(write(&Run::load(dir).unwrap(), &dir.join("page")).unwrap()).unwrap()
}

/// The JSON inside the page, as the script reads it.
fn data_of(html: &str) -> Value {
    let (_, rest) = html.split_once("<script id=\"run\" type=\"application/json\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

/// Names and titles with quotes and tags stay text, in the page and in its data.
#[test]
fn names_cannot_break_out() {
    let names = ["</script><script>alert(1)</script>", "a \"b\" 'c' <!-- & \u{2028}", "plain"];
    let dir = run_like(3, &names, 1.0, true);
    let html = page_of(dir.path());
    assert_eq!((html.matches("<script").count(), html.matches("</script>").count()), (2, 2));
    assert!(!html.contains("alert(1)<") && !html.contains("<!-- &"), "a name stands bare in the page");
    let data = data_of(&html);
    let read: Vec<&str> =
        data["bodies"].as_array().unwrap().iter().map(|b| b["name"].as_str().unwrap()).collect();
    assert_eq!(read, names);
}

/// Nothing is fetched: no address but the name of the SVG language, and a policy that forbids it.
#[test]
fn the_page_is_self_contained() {
    let html = page_of(run_like(3, &["a"], 1.0, true).path());
    let addresses = html.matches("://").count() - html.matches("http://www.w3.org/2000/svg").count();
    assert_eq!(addresses, 0);
    assert!(!html.contains(" src=") && !html.contains("<link") && html.contains("default-src 'none'"));
    assert_eq!(html.matches("<svg").count(), 4);
    assert!(html.contains("<tr><th>status</th><td>done</td></tr>"));
    assert!(SCRIPT.lines().count() < 300, "{} lines of script", SCRIPT.lines().count());
}

/// A long run is thinned to its first, its last and evenly spread moments; a pile to fewer of them.
#[test]
fn long_runs_are_thinned() {
    let html = page_of(run_like(2000, &["a"], 1.0, true).path());
    let frames = data_of(&html)["frames"].as_array().unwrap().clone();
    assert_eq!((frames.len(), frames[0].as_f64(), frames[599].as_f64()), (600, Some(0.0), Some(199.9)));
    assert!(html.contains("600 of 2000 samples are shown."));
    let crowd: Vec<String> = (0..1000).map(|k| format!("body {k}")).collect();
    let crowd: Vec<&str> = crowd.iter().map(String::as_str).collect();
    let data = data_of(&page_of(run_like(200, &crowd, 1.0, true).path()));
    let poses = data["bodies"][999]["poses"].as_array().unwrap().len();
    assert_eq!((data["frames"].as_array().unwrap().len(), poses), (150, 7 * 150));
}

/// A state that is not finite is null; huge and tiny numbers survive to six digits.
#[test]
fn odd_numbers_are_written_as_json() {
    let mut json = String::new();
    push_numbers(
        &mut json,
        [0.0, -0.0, 1.23456789, -1e300, 1.5e-300, f64::NAN, f64::INFINITY, 1e-4, 123456789.0],
    );
    assert_eq!(json, "0,0,1.23457,-1e300,1.5e-300,null,null,0.0001,1.23457e8");
}

/// Particles stand at the moments of the bodies; a particle that is not there yet is null.
#[test]
fn particles_are_matched_by_time() {
    let dir = run_of(
        "0,a,0,0,0,1,0,0,0,0,0,0,0,0,0\n1,a,0,0,0,1,0,0,0,0,0,0,0,0,0\n",
        "0,1,1,0,0,0,0,2,0\n",
        "0,0,0,0,0,0,0\n",
    );
    std::fs::write(dir.path().join("particles.csv"), PARTICLES.to_owned() + "1,dust,0,1,2,3,0,0,0\n")
        .unwrap();
    let data = data_of(&page_of(dir.path()));
    assert_eq!(data["particles"][0]["points"].to_string(), "[null,null,null,1,2,3]");
}

/// Shapes reach the page; one that cannot be drawn is refused with its body's name.
#[test]
fn shapes_are_checked() {
    let dir = run_like(2, &["a", "b"], 1.0, true);
    let put = |text: &str| std::fs::write(dir.path().join("shapes.json"), text).unwrap();
    put(r#"{"a": {"kind": "box", "half": [1, 2, 3]}, "other": {"kind": "sphere", "radius": 1}}"#);
    let data = data_of(&page_of(dir.path()));
    assert_eq!(data["bodies"][0]["shape"]["half"].to_string(), "[1,2,3]");
    assert!(data["bodies"][1]["shape"].is_null());
    for (shape, expected) in [
        (r#"{"kind": "box", "half": [1, 2]}"#, "needs \"half\""),
        (r#"{"kind": "sphere"}"#, "needs \"radius\""),
        (r#"{"kind": "mesh", "vertices": [[0, 0, 0]], "edges": [[0, 1]]}"#, "needs \"edges\""),
        (r#"{"kind": "cone"}"#, "needs \"kind\""),
        ("3", "needs \"kind\""),
    ] {
        put(&format!("{{\"a\": {shape}}}"));
        let error = write(&Run::load(dir.path()).unwrap(), dir.path()).unwrap_err().to_string();
        assert!(error.contains("shapes.json: the shape of \"a\" ") && error.contains(expected), "{error}");
    }
}

/// Events are ticks on the time line: those in view, and of many that fall on one pixel the first.
#[test]
fn events_are_ticks() {
    let dir = run_like(11, &["a"], 1.0, true);
    assert_eq!(data_of(&page_of(dir.path()))["events"].as_array().unwrap().len(), 0);
    let events = "t,kind,normal_impulse,lost\n0,overlap,0,0\n0.25,collision,1,1\n0.25,collision,1,1\n0.2500001,collision,1,1\n0.75,rest,0,0\n1.5,rest,0,0\n";
    std::fs::write(dir.path().join("events.csv"), events).unwrap();
    let html = page_of(dir.path());
    let ticks: Vec<f64> =
        data_of(&html)["events"].as_array().unwrap().iter().map(|t| t.as_f64().unwrap()).collect();
    assert_eq!(ticks, [0.0, 0.25, 0.75]);
    assert!(html.contains("Ticks along the lower edge are events."));
}
