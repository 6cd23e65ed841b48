//! Files of other formats that a scene includes. Who reads them is for the caller to say: the engine knows only scenes.

use std::path::Path;

/// What a scene asks of a file of another format.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ImportRequest {
    /// Whether files outside the folder of the model and of its packages may be read.
    pub allow_outside: bool,
    /// Whether the root of a robot moves freely where its file does not say so.
    pub free_base: bool,
}

/// A file of another format as a scene.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImportedText {
    /// The scene, as TOML.
    pub toml: String,
    /// What the file says and the scene does not, a line each.
    pub notes: Vec<String>,
}

/// Reads a file of another format; none for a file that it does not know, else the scene or why there is none.
pub type Importer = fn(&Path, &ImportRequest) -> Option<Result<ImportedText, String>>;
