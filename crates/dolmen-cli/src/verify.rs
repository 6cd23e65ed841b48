//! `dolmen verify`: scenes with known answers, and the laws of all of them.

use std::fmt::Write;
use std::time::Instant;

use dolmen_verify::{Case, Options, Totals, report, table};

use crate::args::VerifyOptions;
use crate::built_in;
use crate::failure::Failure;
use crate::tell::tell;

/// Runs the cases and prints what became of them; fails if one does not hold.
pub(crate) fn verify(options: &VerifyOptions) -> Result<(), Failure> {
    let cases = built_in::library()
        .choose(&options.names, options.long)
        .map_err(|error| Failure::input(error.to_string()))?;
    if options.list {
        return crate::print(&list(&cases));
    }
    if let Some(data) = options.data.as_ref().filter(|data| !data.is_dir()) {
        return Err(Failure::input(format!("--data {}: there is no such folder", data.display())));
    }
    let how = Options { data: options.data.clone(), threads: None };
    let started = Instant::now();
    let outcomes = dolmen_verify::verify(cases, &how);
    let seconds = started.elapsed().as_secs_f64();
    if options.json {
        crate::print(&format!("{:#}\n", table::json(&outcomes)))?;
    } else {
        crate::print(&table::text(&outcomes, seconds))?;
    }
    if let Some(folder) = &options.report {
        let page =
            report::write(&outcomes, folder, &how).map_err(|error| Failure::stopped(error.to_string()))?;
        // The JSON stays alone on its stream.
        tell!("{}", page.display());
    }
    match Totals::of(&outcomes).failed {
        0 => Ok(()),
        1 => Err(Failure::violated("1 expectation does not hold".to_owned())),
        failed => Err(Failure::violated(format!("{failed} expectations do not hold"))),
    }
}

fn list(cases: &[Case]) -> String {
    let width = cases.iter().map(|case| case.id.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for case in cases {
        let tags = if case.tags.is_empty() { String::new() } else { format!("  [{}]", case.tags.join(", ")) };
        let _ = writeln!(text, "{:width$}  {}{tags}", case.id, case.title);
    }
    text
}
