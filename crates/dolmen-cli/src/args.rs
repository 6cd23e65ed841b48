//! Arguments as typed.

use std::net::IpAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

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
    /// Run scenes whose answers are known, and see whether they come out
    #[command(after_help = "Exit codes: 0 all as expected, 1 something is not, 2 the input is wrong.")]
    Verify(VerifyOptions),
    /// Show a scene or a run in the browser: live, with time to go back and forth in
    View(ViewOptions),
    /// Write a run as one file: a page, an animated glTF, a picture, or tables
    Export(ExportOptions),
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
    /// A scene file, or the name of a built-in scene (see `dolmen scenes`)
    #[arg(required_unless_present = "resume")]
    scene: Option<String>,
    /// Change a value of the scene, e.g. --set body.top.mass=2 or --set gravity=[0,0,-1.62]
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    #[command(flatten)]
    pub(crate) sampling: SamplingOptions,
    /// Folder for the results; must be empty or new [default: runs/SCENE, numbered if taken]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Write into the folder even if it holds another run, which stays until the new one has begun
    #[arg(long, requires = "out")]
    pub(crate) overwrite: bool,
    /// Write the tables also as this
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) also: Vec<TableFormat>,
    /// Time between two checkpoints on the wall, s; 0 for as many as possible, `off` for none [default: 30]
    #[arg(long, value_name = "S")]
    pub(crate) checkpoint: Option<CheckpointInterval>,
    /// Go on with the run in this folder, which was killed or interrupted
    #[arg(long, value_name = "DIR",
          conflicts_with_all = ["scene", "set", "duration", "samples", "every", "out", "overwrite"])]
    pub(crate) resume: Option<PathBuf>,
    /// Show how often each stage of the driver was entered and how long it took, and write it to profile.csv
    #[arg(long)]
    pub(crate) profile: bool,
    /// Show no progress
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

impl RunOptions {
    /// Which scene.
    pub(crate) fn scene(&self) -> SceneOptions {
        SceneOptions { scene: self.scene.clone().unwrap_or_default(), set: self.set.clone() }
    }
}

/// For how long, and when to take samples.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct SamplingOptions {
    /// Simulated time, s [default: the scene's duration]
    #[arg(long = "for", value_name = "S")]
    pub(crate) duration: Option<f64>,
    /// Number of samples, evenly spaced, both ends included [default: the scene's, or 101]
    #[arg(long, value_name = "N", conflicts_with = "every")]
    pub(crate) samples: Option<u64>,
    /// Time between samples, s
    #[arg(long, value_name = "S")]
    pub(crate) every: Option<f64>,
}

/// How often a checkpoint is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CheckpointInterval {
    /// After this time on the wall; zero for whenever the run pauses.
    Every(Duration),
    /// Never.
    Off,
}

impl FromStr for CheckpointInterval {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "off" || text == "none" {
            return Ok(Self::Off);
        }
        let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let refused = || "give a number of seconds, zero or more, or `off`".to_owned();
        seconds.map(Self::Every).ok_or_else(refused)
    }
}

/// What to verify, and how to tell.
#[derive(Debug, Args)]
pub(crate) struct VerifyOptions {
    /// Cases (A03), scenes, tags, or files: scenes and NAME.expect.toml [default: all]
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// Print the rows as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Write a page with pictures, formulas, plots and the table into this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) report: Option<PathBuf>,
    /// Also what takes long: hours of simulated time, mass ratios, random scenes
    #[arg(long)]
    pub(crate) long: bool,
    /// Where recorded data are, for cases that need them
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Only list the cases
    #[arg(long)]
    pub(crate) list: bool,
}

/// What to show, and where.
#[derive(Debug, Args)]
pub(crate) struct ViewOptions {
    /// A scene file, the name of a built-in scene, or the folder of a run [default: a built-in scene]
    #[arg(value_name = "SCENE|RUN")]
    pub(crate) target: Option<String>,
    /// Change a value of the scene, e.g. --set gravity=[0,0,-1.62]
    #[arg(long, value_name = "KEY=VALUE", requires = "target")]
    pub(crate) set: Vec<String>,
    /// Only print the address
    #[arg(long)]
    pub(crate) no_open: bool,
    /// Listen at this port [default: any that is free]
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    pub(crate) port: u16,
    /// Listen at this address of the machine, also to others; whoever has the address printed can look and command
    /// [default: 127.0.0.1, this machine only]
    #[arg(long, value_name = "IP")]
    pub(crate) host: Option<IpAddr>,
}

/// What to export, as what, and where to.
#[derive(Debug, Args)]
pub(crate) struct ExportOptions {
    /// The folder of a run; or a scene, which is simulated
    #[arg(value_name = "RUN|SCENE")]
    pub(crate) target: String,
    /// The format
    #[arg(long, value_enum)]
    pub(crate) to: ExportFormat,
    /// The file to write, or the folder for tables [default: NAME.html, NAME.glb, NAME.png; tables stay in the run]
    #[arg(long, value_name = "PATH")]
    pub(crate) out: Option<PathBuf>,
    /// Simulated time, s [default: the scene's duration]
    #[arg(long = "for", value_name = "S")]
    pub(crate) duration: Option<f64>,
    /// The instant of a picture, s; several make a strip [default: the last]
    #[arg(long, value_name = "S", conflicts_with = "frames")]
    pub(crate) at: Vec<f64>,
    /// Pictures in a strip, evenly from start to end
    #[arg(long, value_name = "N")]
    pub(crate) frames: Option<usize>,
    /// Width of a picture, px
    #[arg(long, value_name = "PX", default_value_t = 960)]
    pub(crate) width: usize,
    /// Height of a picture, px
    #[arg(long, value_name = "PX", default_value_t = 640)]
    pub(crate) height: usize,
}

/// What a run can be written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// A page that opens from disk, with the same viewer
    Html,
    /// An animated glTF 2.0, binary
    Glb,
    /// A picture or a strip of pictures
    Png,
    /// The tables of the run as CSV
    Csv,
    /// The tables of the run as Apache Parquet
    Parquet,
}

/// A format of tables besides CSV.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableFormat {
    /// Apache Parquet
    Parquet,
}
