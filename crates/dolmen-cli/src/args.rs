//! Arguments as typed.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

/// Rigid bodies in contact, exactly.
#[derive(Debug, Parser)]
#[command(name = "dolmen", version, about, propagate_version = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Simulate a scene and write its tables
    #[command(after_help = "Exit codes: 0 done, 1 the simulation could not go on, 2 the input is wrong.")]
    Run(RunOptions),
    /// Look for mistakes in a scene and show what it holds
    Check(SceneOptions),
    /// List the built-in scenes, or print one
    Scenes {
        /// Print the text of this scene
        name: Option<String>,
    },
    /// Draw the figures of a run (SVG and PNG) and a page to look at it
    Plot {
        /// The folder of the run
        run: PathBuf,
        /// Where to write the figures [default: the folder of the run]
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
    /// Print the JSON Schema of scene files, for editors
    Schema,
    /// Print completions for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
}

/// Which scene.
#[derive(Debug, Args)]
pub(crate) struct SceneOptions {
    /// A scene file, or the name of a built-in scene (see `dolmen scenes`)
    pub(crate) scene: String,
    /// Change a value of the scene, e.g. --set body.top.mass=2 or --set gravity=[0,0,-1.62]
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
}

/// What to simulate, for how long, and where to put it.
#[derive(Debug, Args)]
pub(crate) struct RunOptions {
    #[command(flatten)]
    pub(crate) scene: SceneOptions,
    /// Simulated time, s [default: the scene's duration]
    #[arg(long = "for", value_name = "S")]
    pub(crate) duration: Option<f64>,
    /// Number of samples, evenly spaced, both ends included [default: the scene's, or 101]
    #[arg(long, value_name = "N", conflicts_with = "every")]
    pub(crate) samples: Option<u64>,
    /// Time between samples, s
    #[arg(long, value_name = "S")]
    pub(crate) every: Option<f64>,
    /// Folder for the results; must be empty or new [default: runs/SCENE, numbered if taken]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Write into the folder even if it holds another run
    #[arg(long, requires = "out")]
    pub(crate) overwrite: bool,
    /// Write the tables also as this
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) also: Vec<TableFormat>,
    /// Show no progress
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// A format of tables besides CSV.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableFormat {
    /// Apache Parquet
    Parquet,
}
