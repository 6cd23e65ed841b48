//! The page of `dolmen view` and exported files in a real browser.

use std::path::Path;
use std::process::Command;

/// Playwright's tests pass: see `crates/dolmen-view/page/tests/browser.mjs`.
#[test]
#[ignore = "needs Node.js, the installed packages of the page and Chromium: `cargo xtask test` sees to that"]
fn the_page_works_in_a_browser() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../dolmen-view/page");
    let mut node = Command::new("node");
    let status =
        node.arg("tests/browser.mjs").current_dir(page).env("DOLMEN", env!("CARGO_BIN_EXE_dolmen")).status();
    assert!(status.expect("node starts").success(), "a browser test failed; its report is above");
}
