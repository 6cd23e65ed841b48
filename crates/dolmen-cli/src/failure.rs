//! How a command ends when it does not do what was asked.

use std::fmt;
use std::process::ExitCode;

/// Why a command failed; its text is what the user reads.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The input is wrong: exit code 2.
    Input(String),
    /// The simulation could not go on, or its results could not be kept: exit code 1.
    Stopped(String),
    /// The run went to its end and broke a law on the way, or a verification failed: exit code 3.
    Violated(String),
}

impl Failure {
    /// The input is wrong.
    pub(crate) fn input(text: impl Into<String>) -> Self {
        Self::Input(text.into())
    }

    /// The work could not be finished.
    pub(crate) fn stopped(text: impl Into<String>) -> Self {
        Self::Stopped(text.into())
    }

    /// A law was broken, or what was to hold does not.
    pub(crate) fn violated(text: impl Into<String>) -> Self {
        Self::Violated(text.into())
    }

    /// What the user reads.
    pub(crate) fn into_text(self) -> String {
        let (Self::Input(text) | Self::Stopped(text) | Self::Violated(text)) = self;
        text
    }

    /// 2 for wrong input, 3 for results that break a law, 1 for anything else that went wrong on the way.
    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Self::Input(_) => ExitCode::from(2),
            Self::Stopped(_) => ExitCode::from(1),
            Self::Violated(_) => ExitCode::from(3),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (Self::Input(text) | Self::Stopped(text) | Self::Violated(text)) = self;
        // Scene errors bring their own heading, with file, line and column.
        if text.contains(": error: ") || text.starts_with("violated: ") {
            f.write_str(text.trim_end())
        } else {
            write!(f, "error: {text}")
        }
    }
}
