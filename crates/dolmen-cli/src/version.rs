//! What `dolmen --version` says: number, features and for which machine it was built.

use std::sync::LazyLock;

use crate::built_in;

/// The number, and below it what this build can do.
pub(crate) fn long() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        let page = if dolmen_view::PAGE.is_some() {
            "with its page"
        } else {
            "without its page (`view` and `export --to html`)"
        };
        format!(
            "{}\ndrivers: exact, fixed, intro\nviewer: {page}\nbuilt-in scenes: {}\nscene format: 1\nbuilt for: {} {}",
            env!("CARGO_PKG_VERSION"),
            built_in::all().len(),
            std::env::consts::ARCH,
            std::env::consts::OS,
        )
    });
    &TEXT
}
