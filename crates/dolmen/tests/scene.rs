//! The scene file: what is accepted, what is refused and how, and that nothing is lost in saving.

#[path = "scene/docs.rs"]
mod docs;
#[path = "scene/expansion.rs"]
mod expansion;
#[path = "scene/joints.rs"]
mod joints;
#[path = "scene/messages.rs"]
mod messages;
#[path = "scene/never_panics.rs"]
mod never_panics;
#[path = "scene/orientation.rs"]
mod orientation;
#[path = "scene/round_trip.rs"]
mod round_trip;
#[path = "scene/schema.rs"]
mod schema;
#[path = "scene/surfaces.rs"]
mod surfaces;

/// What the forces and joints in the documentation act on.
const PRELUDE: &str = r#"
[[body]]
name = "top"
mass = 1
[[body]]
name = "ball"
mass = 1
[[particles]]
name = "cloud"
mass = 1
positions = [[0, 0, 0]]
"#;

/// Compares with the pinned text of this name; run with `INSTA_UPDATE=always` to pin it anew.
fn pinned(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_omit_expression(true);
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| insta::assert_snapshot!(format!("scene_{name}"), text));
}

/// The blocks of `docs/scene.md` in `language`, as whole scenes, with the line at which they begin.
fn examples(language: &str) -> Vec<(usize, String)> {
    let page = include_str!("../../../docs/scene.md");
    let mut blocks = Vec::new();
    let mut open: Option<(usize, String)> = None;
    for (number, line) in page.lines().enumerate() {
        match (&mut open, line) {
            (Some(_), "```") => blocks.extend(open.take().filter(|(start, _)| *start > 0)),
            (Some((_, block)), line) => {
                block.push_str(line);
                block.push('\n');
            }
            // Blocks of other languages are passed over, marked by line 0.
            (None, line) => {
                let language_found = line.strip_prefix("```");
                open = language_found
                    .map(|found| (if found == language { number + 1 } else { 0 }, String::new()));
            }
        }
    }
    let complete = |(line, block): (usize, String)| {
        if language == "json" || block.contains("format = 1") {
            return (line, block);
        }
        let names_bodies = ["[[force]]", "[[joint]]", "[output]"].iter().any(|table| block.contains(table));
        let prelude = if names_bodies { PRELUDE } else { "" };
        (line, format!("format = 1\n{prelude}{block}"))
    };
    blocks.into_iter().map(complete).collect()
}
