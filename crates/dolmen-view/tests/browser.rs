//! A program's own world in a real browser, with what the program draws into it.

mod common;

use std::path::Path;
use std::process::Command;

use dolmen::prelude::*;
use dolmen_view::{ORANGE, Viewer};

/// A point, a line and a label of the program are on the page, and the label tells the height ½ g t² below the start.
#[test]
#[ignore = "needs Node.js, the installed packages of the page and Chromium: `cargo xtask test` sees to that"]
fn what_a_program_draws_is_seen() {
    let world = common::ball_over_floor();
    let ball = world.find_body("ball").expect("it was named so");
    let viewer = Viewer::new().world("my world", world).draw(move |session, canvas| {
        let centre = session.pose(ball).position;
        canvas.point(centre, ORANGE);
        canvas.line(centre, DVec3::new(centre.x, centre.y, 0.0), ORANGE);
        canvas.label(centre, format!("{:.6} m", centre.z), ORANGE);
    });
    let showing = viewer.start().expect("it starts");
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("page");
    let mut node = Command::new("node");
    let status = node.arg("tests/drawn.mjs").arg(showing.url()).current_dir(page).status();
    assert!(status.expect("node starts").success(), "the browser test failed; its report is above");
}

/// A box that falls onto a floor while no error of forces is allowed.
const BROKEN: &str = "format = 1\ngravity = [0, 0, -9.81]\n[laws]\nforces = 1e-300\n[contact]\nfriction = 0.4\n[[body]]\nname = \"floor\"\n\
                      kind = \"fixed\"\nshape = { kind = \"plane\", normal = [0, 0, 1] }\n[[body]]\nname = \"box\"\ndensity = 1000\n\
                      position = [0, 0, 0.5]\nvelocity = [0.1, 0.2, 0]\nspin = [1, 2, 3]\nshape = { kind = \"box\", size = [0.1, 0.2, 0.3] }\n";

/// A law that is broken is told in a banner, and stays there.
#[test]
#[ignore = "needs Node.js, the installed packages of the page and Chromium: `cargo xtask test` sees to that"]
fn a_broken_law_is_seen() {
    let document = dolmen::scene::Document::parse("scene.toml", BROKEN).expect("a sound scene");
    let world = document.build(Path::new(".")).expect("a world");
    let showing = Viewer::new().world("broken", world).start().expect("it starts");
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("page");
    let mut node = Command::new("node");
    let status = node.arg("tests/violated.mjs").arg(showing.url()).current_dir(page).status();
    assert!(status.expect("node starts").success(), "the browser test failed; its report is above");
}
