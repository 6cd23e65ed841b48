//! The page of the commands is made from the program.

use std::path::Path;
use std::process::Command;

/// What the program says of itself.
fn help(words: &[&str]) -> String {
    let output =
        Command::new(env!("CARGO_BIN_EXE_dolmen")).args(words).arg("--help").output().expect("it starts");
    assert!(output.status.success(), "{words:?}");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    // Optional words of the usage are aligned with blanks at the ends of lines.
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

/// The names under "Commands:"; what is further in goes on with a description.
fn commands(help: &str) -> Vec<String> {
    let list = help.split("Commands:\n").nth(1).expect("a list of commands");
    let lines = list.lines().take_while(|line| line.starts_with("  "));
    let names =
        lines.filter(|line| !line.starts_with("   ")).filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

fn page() -> String {
    let whole = help(&[]);
    let mut page = format!(
        "# Every command\n\nThis page is what `dolmen --help` and the `--help` of every command print.\n\n```text\n{}\n```\n",
        whole.trim_end()
    );
    for name in commands(&whole) {
        let text = help(&[&name]);
        page.extend(["\n## `dolmen ", &name, "`\n\n```text\n", text.trim_end(), "\n```\n"]);
    }
    page
}

/// Run with `UPDATE_COMMANDS=1` to write it anew.
#[test]
fn the_page_of_the_commands_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/commands.md");
    let current = page();
    if std::env::var_os("UPDATE_COMMANDS").is_some() {
        std::fs::write(&path, &current).expect("a page");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == current, "docs/commands.md is old: run the test with UPDATE_COMMANDS=1");
    assert!(commands(&help(&[])).len() >= 10);
}
