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
    let viewer = Viewer::new().world("my world", world).draw(move |simulation, canvas| {
        let centre = simulation.pose(ball).position;
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
