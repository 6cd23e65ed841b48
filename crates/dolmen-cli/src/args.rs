//! Arguments as typed.

use std::net::IpAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::query::{Pair, Point, Ray};
use crate::version;

/// The same for every command.
const EXIT_CODES: &str = "Exit codes: 0 done, 1 it could not go on or was interrupted, 2 the input is wrong, 3 a law was broken or a \
                          verification failed.";

/// Rigid bodies in contact, exactly.
#[derive(Debug, Parser)]
#[command(
    name = "dolmen",
    version,
    long_version = version::long(),
    about,
    propagate_version = true,
    after_help = EXIT_CODES
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Simulate a scene and write its tables
    Run(RunOptions),
    /// Look for mistakes in a scene and show what it holds
    Check(SceneOptions),
    /// Print a scene without repeats, templates, includes and expressions: all that they stand for
    Expand(ExpandOptions),
    /// List the built-in scenes, or print one
    Scenes {
        /// Print the text of this scene
        name: Option<String>,
    },
    /// Run scenes whose answers are known, and see whether they come out
    Verify(VerifyOptions),
    /// Simulate many variants of a scene and write one table of what was measured
    #[command(
        after_help = "Exit codes: 0 all variants done, 1 some could not go on, 2 the input is wrong, 3 some broke a law."
    )]
    Sweep(SweepOptions),
    /// Set fixed steps beside the exact driver on one scene: errors over time, and the longest step that is good enough
    #[command(
        after_help = "Exit codes: 0 done, 1 a run could not go on, 2 the input is wrong, 3 no step meets the tolerance."
    )]
    Compare(CompareOptions),
    /// Ask a scene at an instant: rays, nearest bodies, overlaps, triangles that meet, bounding volumes
    Query(QueryOptions),
    /// Show a scene or a run in the browser: live, with time to go back and forth in
    View(ViewOptions),
    /// Write a run as one file: a page, an animated glTF, a picture that stands or moves, or tables; a scene as MJCF or URDF
    Export(ExportOptions),
    /// Draw the figures of a run (SVG and PNG) and a page to look at it, or those of a sweep
    Plot {
        /// The folder of the run or the sweep
        run: PathBuf,
        /// Where to write the figures [default: the folder of the run]
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
    /// Make a scene of a robot or a mesh: MJCF, URDF, SDFormat, glTF, OBJ, STL, PLY, DAE, OFF
    #[command(
        after_help = "What the scene cannot say is listed at the end. Exit codes: 0 done, 2 the input is wrong."
    )]
    Import(ImportOptions),
    /// Print the JSON Schema of scene files, for editors
    Schema,
    /// Print the manual page, or write those of all commands into a folder
    Man {
        /// Write dolmen.1, dolmen-run.1 and so on into this folder
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
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
    pub(crate) scene: PathBuf,
    /// Change a value of the scene, e.g. --set body.top.mass=2 or --set gravity=[0,0,-1.62]
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// Let the scene name files outside its folder
    #[arg(long)]
    pub(crate) allow_outside: bool,
}

/// What to ask of which scene.
#[derive(Debug, Args)]
pub(crate) struct QueryOptions {
    #[command(flatten)]
    pub(crate) scene: SceneOptions,
    /// The instant, s; bodies are where the driver of the scene has them then
    #[arg(long, value_name = "S", default_value_t = 0.0, allow_hyphen_values = true)]
    pub(crate) at: f64,
    /// Where a ray passes surfaces: origin and direction
    #[arg(long, value_name = "X,Y,Z:X,Y,Z", allow_hyphen_values = true)]
    pub(crate) ray: Vec<Ray>,
    /// What is nearest to a point
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    pub(crate) nearest: Vec<Point>,
    /// Which bodies a point is in
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    pub(crate) contains: Vec<Point>,
    /// How far apart two bodies are, and where
    #[arg(long, value_name = "A,B")]
    pub(crate) closest: Vec<Pair>,
    /// Which triangles of two bodies' surfaces meet, and how; round surfaces are divided
    #[arg(long, value_name = "A,B")]
    pub(crate) triangles: Vec<Pair>,
    /// Which pairs that may collide overlap, and how deep
    #[arg(long)]
    pub(crate) overlaps: bool,
    /// How large the bounding volumes of all bodies are: box in the world, ball, oriented box, poly-cube
    #[arg(long)]
    pub(crate) volumes: bool,
}

/// Which scene, and as what.
#[derive(Debug, Args)]
pub(crate) struct ExpandOptions {
    #[command(flatten)]
    pub(crate) scene: SceneOptions,
    /// Print JSON instead of TOML
    #[arg(long)]
    pub(crate) json: bool,
}

/// What to simulate, for how long, and where to put it.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of the command")]
pub(crate) struct RunOptions {
    /// A scene file, or the name of a built-in scene (see `dolmen scenes`)
    #[arg(required_unless_present = "resume")]
    scene: Option<PathBuf>,
    /// Change a value of the scene, e.g. --set body.top.mass=2 or --set gravity=[0,0,-1.62]
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// Let the scene name files outside its folder
    #[arg(long)]
    pub(crate) allow_outside: bool,
    /// What takes the scene through time: `exact`, `fixed` or `intro` [default: the scene's, or exact]
    #[arg(long, value_name = "DRIVER", conflicts_with = "resume")]
    driver: Option<String>,
    /// The step of the driver `fixed`, s, also as a fraction such as 1/240
    #[arg(long, value_name = "S", conflicts_with = "resume")]
    step: Option<String>,
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
    /// Also write the problem that was solved at the event of this number (column `group` of events.csv) to explain-EVENT.md:
    /// matrix, loads, cones, forces, modes and residual
    #[arg(long, value_name = "EVENT", conflicts_with = "resume")]
    pub(crate) explain: Option<u64>,
    /// Show no progress
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

impl RunOptions {
    /// A run of a scene with changed values into a folder, with nothing shown.
    pub(crate) fn quiet(scene: &SceneOptions, set: Vec<String>, duration: f64, out: PathBuf) -> Self {
        Self {
            scene: Some(scene.scene.clone()),
            set,
            sampling: SamplingOptions { duration: Some(duration), ..SamplingOptions::default() },
            out: Some(out),
            overwrite: true,
            also: Vec::new(),
            checkpoint: Some(CheckpointInterval::Off),
            resume: None,
            profile: false,
            allow_outside: scene.allow_outside,
            driver: None,
            step: None,
            explain: None,
            quiet: true,
        }
    }

    /// Which scene.
    pub(crate) fn scene(&self) -> SceneOptions {
        // After the others, as values that a scene could have: the same checks, and the run's scene says them.
        let mut set = self.set.clone();
        set.extend(self.driver.as_ref().map(|driver| format!("run.driver={driver:?}")));
        set.extend(self.step.as_ref().map(|step| format!("run.step={step:?}")));
        SceneOptions { scene: self.scene.clone().unwrap_or_default(), set, allow_outside: self.allow_outside }
    }
}

/// What takes a scene through time, in the place of what it says itself.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct DriverOptions {
    /// What takes the scene through time: `exact`, `fixed` or `intro` [default: the scene's, or exact]
    #[arg(long, value_name = "DRIVER")]
    driver: Option<String>,
    /// The step of the driver `fixed`, s, also as a fraction such as 1/240
    #[arg(long, value_name = "S")]
    step: Option<String>,
}

impl DriverOptions {
    /// As values that a scene could have: the same checks.
    pub(crate) fn overrides(&self) -> Vec<String> {
        let driver = self.driver.as_ref().map(|driver| format!("run.driver={driver:?}"));
        driver.into_iter().chain(self.step.as_ref().map(|step| format!("run.step={step:?}"))).collect()
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

/// What varies, what is measured, and where to put it.
#[derive(Debug, Args)]
pub(crate) struct SweepOptions {
    #[command(flatten)]
    pub(crate) scene: SceneOptions,
    /// Vary a value: KEY=FIRST:LAST:COUNT, KEY=VALUE,VALUE,… or, for samples, KEY=FROM:TO; with `:log` at the end evenly in
    /// logarithms. Several make a grid
    #[arg(long, value_name = "KEY=VALUES")]
    pub(crate) vary: Vec<String>,
    /// Measure a quantity at the end, in the words of expectations: 'position(ball).x', or with a name: x='position(ball).x'
    #[arg(long, value_name = "EXPRESSION", required = true)]
    pub(crate) measure: Vec<String>,
    /// Simulated time, s [default: the scene's duration]
    #[arg(long, value_name = "S")]
    pub(crate) time: Option<f64>,
    /// Take this many independent samples instead of a grid
    #[arg(long, value_name = "N", conflicts_with = "latin")]
    pub(crate) random: Option<usize>,
    /// Take this many samples of a Latin hypercube instead of a grid
    #[arg(long, value_name = "N")]
    pub(crate) latin: Option<usize>,
    /// Which samples: another number, other samples
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Take keys (first line) and their values (a variant a line) from a CSV file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["vary", "random", "latin"])]
    pub(crate) parameters: Option<PathBuf>,
    /// Samples for quantities that gather over them, such as largest(…)
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) samples: u32,
    /// Work on this many variants at a time [default: one for each processor]
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<usize>,
    /// Folder for the table; new, empty, or that of the same sweep, which goes on
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Keep the run of this variant, too, in DIR/runs
    #[arg(long, value_name = "N", value_delimiter = ',')]
    pub(crate) keep: Vec<usize>,
    /// Show no progress
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// What is compared, and what is good enough.
#[derive(Debug, Args)]
pub(crate) struct CompareOptions {
    #[command(flatten)]
    pub(crate) scene: SceneOptions,
    /// Steps of the fixed driver, s, also as fractions
    #[arg(long, value_name = "S", value_delimiter = ',', default_value = "1/60,1/120,1/240,1/480")]
    pub(crate) steps: Vec<String>,
    /// Simulated time, s [default: the scene's duration]
    #[arg(long = "for", value_name = "S")]
    pub(crate) duration: Option<f64>,
    /// Times at which both are looked at, at least; they are multiples of the longest step
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) samples: u64,
    /// Errors that are good enough, each as KIND=VALUE with the kinds position (m), velocity (m/s), energy (J) and time (s)
    #[arg(long, value_name = "KIND=VALUE", value_delimiter = ',')]
    pub(crate) tolerance: Vec<String>,
    /// Write compare.csv, compare.json and the figure errors (SVG and PNG) into this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

/// What to show, and where.
#[derive(Debug, Args)]
pub(crate) struct ViewOptions {
    /// A scene file, the name of a built-in scene, or the folder of a run [default: a built-in scene]
    #[arg(value_name = "SCENE|RUN")]
    pub(crate) target: Option<PathBuf>,
    /// Change a value of the scene, e.g. --set gravity=[0,0,-1.62]
    #[arg(long, value_name = "KEY=VALUE", requires = "target")]
    pub(crate) set: Vec<String>,
    #[command(flatten)]
    pub(crate) driver: DriverOptions,
    /// Show this one at the same time beside the first, to compare the two: a scene or the folder of a run, as it is
    #[arg(long, value_name = "SCENE|RUN", requires = "target")]
    pub(crate) beside: Option<PathBuf>,
    /// Let the scene name files outside its folder
    #[arg(long)]
    pub(crate) allow_outside: bool,
    /// Only print the address
    #[arg(long)]
    pub(crate) no_open: bool,
    /// Listen at this port [default: any that is free]
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    pub(crate) port: u16,
    /// Listen at this address of the machine; one that other machines reach needs --insecure as well
    /// [default: 127.0.0.1, this machine only]
    #[arg(long, value_name = "IP")]
    pub(crate) host: Option<IpAddr>,
    /// Let other machines in, unencrypted: everyone with the address that is printed can look and command
    #[arg(long, requires = "host")]
    pub(crate) insecure: bool,
}

/// What to import, and how.
#[derive(Debug, Args)]
pub(crate) struct ImportOptions {
    /// The file
    pub(crate) file: PathBuf,
    /// Write the scene here [default: print it]
    #[arg(long, value_name = "SCENE")]
    pub(crate) out: Option<PathBuf>,
    /// How meshes are taken [default: as the format means them]
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) meshes: Option<MeshOption>,
    /// The most convex parts of a mesh, with --meshes parts
    #[arg(long, value_name = "N", default_value_t = 16)]
    pub(crate) parts: usize,
    /// A folder in which packages of package:// are, and from which files may be read
    #[arg(long, value_name = "DIR")]
    pub(crate) package_path: Vec<PathBuf>,
    /// Let the file name files outside its folder and its packages
    #[arg(long)]
    pub(crate) allow_outside: bool,
    /// Start from this key frame, by name or number
    #[arg(long, value_name = "KEY")]
    pub(crate) keyframe: Option<String>,
    /// Let the root of a URDF move freely; else it is fixed to the world
    #[arg(long)]
    pub(crate) free_base: bool,
    /// Leave these out
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) without: Vec<ImportPart>,
    /// Write where the links and joints of the file are in the scene, as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) names: Option<PathBuf>,
}

/// How meshes are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MeshOption {
    /// As they are, mended where that is safe
    Exact,
    /// Their convex hulls
    Hull,
    /// Several convex parts each
    Parts,
    /// The boxes around them
    Box,
}

/// What an import can leave out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ImportPart {
    /// Collisions
    Contacts,
    /// Limits of joints
    Limits,
    /// What drives joints
    Actuators,
}

/// What to export, as what, and where to.
#[derive(Debug, Args)]
pub(crate) struct ExportOptions {
    /// The folder of a run; or a scene, which is simulated
    #[arg(value_name = "RUN|SCENE")]
    pub(crate) target: PathBuf,
    /// The format
    #[arg(long, value_enum)]
    pub(crate) to: ExportFormat,
    #[command(flatten)]
    pub(crate) driver: DriverOptions,
    /// The file to write, or the folder for tables [default: NAME.html, NAME.glb, NAME.png, NAME.apng; tables stay in the run]
    #[arg(long, value_name = "PATH")]
    pub(crate) out: Option<PathBuf>,
    /// Simulated time, s [default: the scene's duration]
    #[arg(long = "for", value_name = "S")]
    pub(crate) duration: Option<f64>,
    /// The instant of a picture, s; several make a strip [default: the last]
    #[arg(long, value_name = "S", conflicts_with = "frames")]
    pub(crate) at: Vec<f64>,
    /// Pictures in a strip, or that move, evenly from start to end [default that move: 20 a second, at most 100]
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
    /// Pictures that move, as an animated PNG: it plays wherever pictures are shown
    Apng,
    /// The tables of the run as CSV
    Csv,
    /// The tables of the run as Apache Parquet
    Parquet,
    /// The scene as MJCF, for MuJoCo
    Mjcf,
    /// The scene as URDF, for ROS
    Urdf,
}

/// A format of tables besides CSV.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableFormat {
    /// Apache Parquet
    Parquet,
}
