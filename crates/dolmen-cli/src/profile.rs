//! `dolmen run --profile`: where the time of a run goes, stage by stage.

use std::fmt::Write;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Instant;

use dolmen::drive::exact::Profile;

/// The file in the folder of a run.
pub(crate) const NAME: &str = "profile.csv";

/// Nanoseconds since this was first asked.
pub(crate) fn nanoseconds() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    u64::try_from(START.get_or_init(Instant::now).elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// Stage, how often it was entered, seconds, and share of all stages.
fn rows(profile: &Profile) -> Vec<(&'static str, u64, f64, f64)> {
    let total: u64 = profile.costs().map(|(_, cost)| cost.ticks).sum();
    let row = |(stage, cost): (dolmen::drive::exact::Stage, dolmen::drive::exact::StageCost)| {
        let share = cost.ticks as f64 / total.max(1) as f64;
        (stage.name(), cost.count, cost.ticks as f64 * 1e-9, share)
    };
    profile.costs().map(row).collect()
}

/// Writes the table into the folder of a run.
pub(crate) fn write(profile: &Profile, folder: &Path) -> io::Result<()> {
    let mut text = String::from("stage,count,seconds,share\n");
    for (stage, count, seconds, share) in rows(profile) {
        let _ = writeln!(text, "{stage},{count},{seconds:.9},{share:.6}");
    }
    fs::write(folder.join(NAME), text)
}

/// The same for a terminal.
pub(crate) fn table(profile: &Profile) -> String {
    let mut text = format!("{:<10} {:>12} {:>12} {:>7}\n", "stage", "count", "seconds", "share");
    for (stage, count, seconds, share) in rows(profile) {
        let _ = writeln!(text, "{stage:<10} {count:>12} {seconds:>12.6} {:>6.1} %", 100.0 * share);
    }
    text
}
