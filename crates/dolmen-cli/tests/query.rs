//! `dolmen query`: answers that follow from the scene by hand.

use std::fs;
use std::process::Command;

use tempfile::TempDir;

/// A box of 1 m that falls from 8 m for 1 s, a ball beside it, two crossed tetrahedra, and a floor.
const SCENE: &str = "format = 1\ngravity = [0, 0, -10]\n\
    [[body]]\nname = \"floor\"\nkind = \"fixed\"\nshape = { kind = \"plane\", normal = [0, 0, 1] }\n\
    [[body]]\nname = \"box\"\nmass = 1\nshape = { kind = \"box\", size = [1, 1, 1] }\nposition = [0, 0, 8]\n\
    [[body]]\nname = \"ball\"\nkind = \"fixed\"\nshape = { kind = \"sphere\", radius = 0.25 }\nposition = [3, 0, 3]\n\
    [[body]]\nname = \"wall\"\nkind = \"fixed\"\nshape = { kind = \"box\", size = [2, 2, 2] }\nposition = [20, 0, 3]\n\
    [[body]]\nname = \"post\"\nkind = \"fixed\"\nshape = { kind = \"box\", size = [1, 1, 6] }\nposition = [20, 0, 3]\n";

fn asked(arguments: &[&str]) -> (Option<i32>, String) {
    let folder = TempDir::new().expect("a temporary folder");
    fs::write(folder.path().join("scene.toml"), SCENE).expect("a scene");
    let mut command = Command::new(env!("CARGO_BIN_EXE_dolmen"));
    let output = command.current_dir(folder.path()).args(["query", "scene.toml"]).args(arguments).output();
    let output = output.expect("the command starts");
    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.code(), said)
}

/// Bodies are where they are at the instant: the box has fallen 5 m.
#[test]
fn questions_are_answered_at_the_instant() {
    let (code, said) = asked(&["--ray", "0,0,9:0,0,-2", "--nearest", "2,0,3", "--at", "1"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("5.5 m: into box at (0, 0, 3.5), normal (0, 0, 1)"), "{said}");
    assert!(said.contains("6.5 m: out of box at (0, 0, 2.5)"), "{said}");
    assert!(said.contains("9 m: through floor") || said.contains("9 m: into floor"), "{said}");
    assert!(said.contains("nearest to (2, 0, 3): ball, separation 0.75 m, at (2.75, 0, 3)"), "{said}");
    let (_, said) =
        asked(&["--contains", "0,0,8.1", "--contains", "0,0,5", "--closest", "box,ball", "--at", "0"]);
    assert!(said.contains("(0, 0, 8.1) is in box") && said.contains("(0, 0, 5) is in no body"), "{said}");
    // From the edge (0.5, y, 7.5) to the centre of the ball: 2.5 across, 4.5 up.
    let distance = (2.5_f64 * 2.5 + 4.5 * 4.5).sqrt() - 0.25;
    assert!(said.contains(&format!("{distance:.9}")), "{said}");
}

/// The post goes through the top and the bottom of the wall, and lies in none of its side faces.
#[test]
fn triangles_that_meet_and_volumes_are_told() {
    let (code, said) = asked(&["--triangles", "wall,post", "--volumes", "--overlaps"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("of wall (12) and post (12) that meet"), "{said}");
    assert!(said.contains("pierce") && !said.contains("0 pairs of triangles"), "{said}");
    // Fixed bodies do not collide; the floor has no end; the ball around a cube of 2 m has the radius √3.
    assert!(said.contains("0 pairs that may collide and overlap\n  broad phase brute-force: "), "{said}");
    let swept = asked(&["--overlaps", "--set", "detection.broad_phase=sort-and-sweep"]).1;
    assert!(swept.contains("  broad phase sort-and-sweep: "), "{swept}");
    assert!(said.contains("it has no end"), "{said}");
    let wall = said.lines().find(|line| line.starts_with("wall ")).expect("a line");
    let sizes: Vec<f64> =
        wall.split_whitespace().skip(1).take(3).map(|word| word.parse().expect("m³")).collect();
    assert!(
        (sizes[0] - 8.0).abs() < 0.1 && (sizes[1] - 21.8).abs() < 0.1 && (sizes[2] - 8.0).abs() < 0.1,
        "{wall}"
    );
}

/// Each with its remedy.
#[test]
fn what_cannot_be_asked_is_refused() {
    for (arguments, remedy) in [
        (&["--ray", "0,0:1,0,0"][..], "0,0,5:0,0,-1"),
        (&["--ray", "0,0,0:0,0,0"], "a length other than 0"),
        (&["--nearest", "0,0,NaN"], "three finite numbers"),
        (&["--closest", "box"], "two bodies"),
        (&["--closest", "box,nobody"], "dolmen check"),
        (&["--triangles", "box,floor"], "no end"),
        (&["--at", "-1", "--overlaps"], "0 s or later"),
        (&[], "--help"),
    ] {
        let (code, said) = asked(arguments);
        assert!(code == Some(2) && said.contains(remedy), "{arguments:?}: {code:?} {said}");
    }
}
