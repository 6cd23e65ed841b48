//! The page as it was built, carried inside the library.

/// The three files of the built page.
#[derive(Debug, Clone, Copy)]
pub struct Page {
    /// The document; it names the other two.
    pub html: &'static str,
    /// One module with everything in it.
    pub script: &'static str,
    /// One style sheet.
    pub style: &'static str,
}

/// The page, if it was there when this library was built.
pub static PAGE: Option<Page> = include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// What is served in place of a page that was not built.
pub(crate) const NOT_BUILT: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Dolmen</title>\
    <body style=\"font:16px/1.5 sans-serif;max-width:40em;margin:4em auto;padding:0 1em\">\
    <h1>The page was not built</h1><p>The server runs, but this program was compiled without its page. Build both with \
    <code>cargo xtask page</code> (it needs Node.js and npm), then build the program again.</p></body></html>";
