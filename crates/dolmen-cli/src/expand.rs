//! `dolmen expand`: the flat scene.

use crate::args::ExpandOptions;
use crate::built_in;
use crate::failure::Failure;

/// Prints the scene as it is simulated: every copy by itself, every number as a number.
pub(crate) fn expand(options: &ExpandOptions) -> Result<(), Failure> {
    let found = built_in::find(&options.scene)?;
    let scene = found.document.scene();
    crate::print(&if options.json { scene.to_json() } else { scene.to_toml() })
}
