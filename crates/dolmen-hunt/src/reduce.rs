//! Shrinks a scene as long as it keeps its finding.
//!
//! Delta debugging on the TOML: elements of lists are dropped in halves, then one by one (Zeller and Hildebrandt's ddmin), with
//! what refers to them; then keys and sections; the duration is shortened; numbers lose digits. All of it is repeated until
//! nothing helps.

use toml::{Table, Value};

/// Whether a scene still has the finding.
pub type Oracle<'o> = dyn FnMut(&str) -> bool + 'o;

/// Lists at the top of a scene, those first that take most with them.
const LISTS: [&str; 7] = ["sensor", "body", "joint", "force", "particles", "material", "material_pair"];

/// Keys that are never dropped: a scene is none without them.
const NEEDED: [&str; 4] = ["format", "run", "name", "duration"];

/// Durations are tried in these shares.
const SHARES: [f64; 4] = [0.1, 0.5, 0.8, 0.95];

/// What happens at once needs no time, and a scene of 1e-300 s helps nobody.
const SHORTEST: f64 = 1e-2;

/// The smallest scene found for which `oracle` holds; the scene itself if the oracle does not hold for it.
pub fn reduce(text: &str, oracle: &mut Oracle<'_>) -> String {
    let Ok(mut scene) = text.parse::<Table>() else { return text.to_owned() };
    if !oracle(&written(&scene)) {
        return text.to_owned();
    }
    scene.remove("title");
    loop {
        let before = written(&scene);
        for list in LISTS {
            drop_elements(&mut scene, list, oracle);
        }
        shorten(&mut scene, oracle);
        drop_keys(&mut scene, oracle);
        round(&mut scene, oracle);
        if written(&scene) == before {
            return before;
        }
    }
}

/// A scene as text.
fn written(scene: &Table) -> String {
    toml::to_string(scene).unwrap_or_default()
}

/// Takes a change if the finding stays.
fn attempt(scene: &mut Table, oracle: &mut Oracle<'_>, change: impl FnOnce(&mut Table)) -> bool {
    let mut changed = scene.clone();
    change(&mut changed);
    let is_kept = changed != *scene && oracle(&written(&changed));
    if is_kept {
        *scene = changed;
    }
    is_kept
}

fn length(scene: &Table, list: &str) -> usize {
    scene.get(list).and_then(Value::as_array).map_or(0, Vec::len)
}

/// Drops as many elements of a list as possible, large pieces first.
fn drop_elements(scene: &mut Table, list: &str, oracle: &mut Oracle<'_>) {
    let mut piece = length(scene, list).div_ceil(2);
    while piece > 0 {
        let mut begin = 0;
        while begin < length(scene, list) {
            let end = (begin + piece).min(length(scene, list));
            if !attempt(scene, oracle, |scene| remove(scene, list, begin, end)) {
                begin = end;
            }
        }
        piece = if piece == 1 { 0 } else { piece.div_ceil(2).min(piece - 1) };
    }
}

/// Removes elements, and what refers to them.
fn remove(scene: &mut Table, list: &str, begin: usize, end: usize) {
    let Some(Value::Array(elements)) = scene.get_mut(list) else { return };
    let gone: Vec<String> = elements
        .drain(begin..end)
        .filter_map(|element| element.get("name").and_then(Value::as_str).map(str::to_owned))
        .collect();
    if elements.is_empty() {
        scene.remove(list);
    }
    let names = |value: &Value| value.as_str().is_some_and(|name| gone.iter().any(|other| other == name));
    if list == "material" {
        for body in lists(scene, "body") {
            body.retain(|key, value| key != "material" || !names(value));
        }
    }
    let refers = |element: &Value| refers(element, &names);
    let orphans: Vec<(&str, Vec<usize>)> = ["joint", "force", "material_pair"]
        .into_iter()
        .filter(|other| *other != list || *other == "joint")
        .map(|other| {
            let elements = scene.get(other).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            (other, (0..elements.len()).filter(|k| refers(&elements[*k])).collect())
        })
        .collect();
    for (other, places) in orphans {
        for place in places.into_iter().rev() {
            remove(scene, other, place, place + 1);
        }
    }
}

fn lists<'s>(scene: &'s mut Table, list: &str) -> impl Iterator<Item = &'s mut Table> {
    let elements = scene.get_mut(list).and_then(Value::as_array_mut).map_or(&mut [][..], Vec::as_mut_slice);
    elements.iter_mut().filter_map(Value::as_table_mut)
}

/// Whether an element names something, other than itself and its kind.
fn refers(element: &Value, names: &dyn Fn(&Value) -> bool) -> bool {
    match element {
        Value::Table(table) => table.iter().any(|(key, value)| {
            !["name", "kind", "material"].contains(&key.as_str()) && refers(value, names)
        }),
        Value::Array(list) => list.iter().any(|value| refers(value, names)),
        value => names(value),
    }
}

fn shorten(scene: &mut Table, oracle: &mut Oracle<'_>) {
    let duration = |scene: &Table| scene.get("run")?.get("duration")?.as_float();
    let least = duration(scene).unwrap_or(0.0) * SHORTEST;
    while let Some(now) = duration(scene).filter(|now| *now > least) {
        let is_shorter = SHARES.iter().any(|share| {
            let shorter = digits(now * share, 3);
            attempt(scene, oracle, |scene| {
                if let Some(Value::Table(run)) = scene.get_mut("run") {
                    run.insert("duration".to_owned(), Value::Float(shorter));
                }
            })
        });
        if !is_shorter {
            return;
        }
    }
}

/// A place in the tree: keys, and places in lists.
type Path = Vec<Step>;

#[derive(Debug, Clone, PartialEq)]
enum Step {
    Key(String),
    Place(usize),
}

/// Paths of everything that might be dropped, deeper ones last.
fn paths(value: &Value, at: &Path, found: &mut Vec<Path>) {
    let mut add = |step: Step, inner: &Value, is_dropped: bool| {
        let mut path = at.clone();
        path.push(step);
        if is_dropped {
            found.push(path.clone());
        }
        paths(inner, &path, found);
    };
    match value {
        Value::Table(table) => {
            for (key, inner) in table {
                let is_list = LISTS.contains(&key.as_str()) && at.is_empty();
                add(Step::Key(key.clone()), inner, !is_list && !NEEDED.contains(&key.as_str()));
            }
        }
        // Numbers of a vector stay together; parts, points and what acts in a joint need not.
        Value::Array(list) if list.iter().any(|inner| inner.is_table() || inner.is_array()) => {
            for (k, inner) in list.iter().enumerate().rev() {
                add(Step::Place(k), inner, at.len() > 1);
            }
        }
        _ => {}
    }
}

fn get_mut<'v>(value: &'v mut Value, path: &[Step]) -> Option<&'v mut Value> {
    path.iter().try_fold(value, |value, step| match step {
        Step::Key(key) => value.as_table_mut()?.get_mut(key),
        Step::Place(place) => value.as_array_mut()?.get_mut(*place),
    })
}

fn drop_keys(scene: &mut Table, oracle: &mut Oracle<'_>) {
    let mut all = Vec::new();
    paths(&Value::Table(scene.clone()), &Vec::new(), &mut all);
    for path in all {
        let Some((last, parent)) = path.split_last() else { continue };
        attempt(scene, oracle, |scene| {
            let mut whole = Value::Table(std::mem::take(scene));
            match (get_mut(&mut whole, parent), last) {
                (Some(Value::Table(table)), Step::Key(key)) => drop(table.remove(key)),
                (Some(Value::Array(list)), Step::Place(place)) if *place < list.len() => {
                    drop(list.remove(*place));
                }
                _ => {}
            }
            if let Value::Table(table) = whole {
                *scene = table;
            }
        });
    }
}

/// Numbers with fewer digits: all at once, then one value after the other.
fn round(scene: &mut Table, oracle: &mut Oracle<'_>) {
    for count in [2, 3, 4, 6] {
        let is_kept = attempt(scene, oracle, |scene| {
            for (_, value) in scene.iter_mut() {
                shorten_numbers(value, count);
            }
        });
        if is_kept {
            return;
        }
    }
}

fn shorten_numbers(value: &mut Value, count: usize) {
    match value {
        Value::Float(x) => *x = digits(*x, count),
        Value::Array(list) => list.iter_mut().for_each(|value| shorten_numbers(value, count)),
        Value::Table(table) => table.iter_mut().for_each(|(_, value)| shorten_numbers(value, count)),
        _ => {}
    }
}

fn digits(x: f64, count: usize) -> f64 {
    format!("{x:.*e}", count.saturating_sub(1)).parse().unwrap_or(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCENE: &str = r#"
format = 1
title = "many"
gravity = [0.0, 0.0, -9.81]
[run]
duration = 2.0
samples = 9
[accuracy]
tolerance = 1e-8
[[material]]
name = "ash"
friction = 0.123456
[[body]]
name = "a"
mass = 1.0
material = "ash"
[[body]]
name = "b"
mass = 1.23456789
shape = { kind = "compound", parts = [{ shape = { kind = "sphere", radius = 1.0 } }, { shape = { kind = "box", size = [1.0, 1.0, 1.0] } }] }
velocity = [1.0, 2.0, 3.0]
[[body]]
name = "c"
mass = 1.0
[[joint]]
name = "j"
kind = "hinge"
a = "a"
b = "b"
[[joint]]
name = "k"
kind = "hinge"
a = "c"
[[joint]]
name = "g"
kind = "gear"
joints = ["j", "k"]
[[force]]
kind = "drag"
bodies = ["a"]
"#;

    /// The finding needs body b with its box, and a duration of more than half a second.
    #[test]
    fn only_what_the_finding_needs_is_left() {
        let mut asked = 0;
        let mut oracle = |text: &str| {
            asked += 1;
            let scene: Table = text.parse().expect("candidates are TOML");
            let duration = scene["run"]["duration"].as_float().unwrap_or(0.0);
            let bodies = scene.get("body").and_then(Value::as_array).cloned().unwrap_or_default();
            // Nothing may refer to what is gone.
            let names: Vec<&str> = bodies.iter().filter_map(|body| body["name"].as_str()).collect();
            for joint in scene.get("joint").and_then(Value::as_array).into_iter().flatten() {
                for key in ["a", "b"] {
                    assert!(
                        joint.get(key).is_none_or(|name| names.contains(&name.as_str().unwrap_or(""))),
                        "{text}"
                    );
                }
            }
            let has_box =
                |body: &Value| body["name"].as_str() == Some("b") && body.to_string().contains("box");
            duration > 0.5 && bodies.iter().any(has_box)
        };
        let reduced = reduce(SCENE, &mut oracle);
        let scene: Table = reduced.parse().expect("TOML");
        assert_eq!(scene["body"].as_array().map(Vec::len), Some(1), "{reduced}");
        for gone in ["joint", "force", "material", "accuracy", "gravity", "title"] {
            assert!(!scene.contains_key(gone), "{gone} is left:\n{reduced}");
        }
        assert!(!reduced.contains("sphere") && !reduced.contains("velocity"), "{reduced}");
        assert!(scene["run"]["duration"].as_float().is_some_and(|t| t < 0.65), "{reduced}");
        assert!(asked < 200, "{asked} candidates");
    }

    /// A scene without the finding is left alone.
    #[test]
    fn without_the_finding_nothing_is_dropped() {
        assert_eq!(reduce(SCENE, &mut |_| false), SCENE);
    }
}
