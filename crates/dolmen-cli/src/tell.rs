//! Messages on the standard error stream.

/// As `eprintln!`, and a stream that is closed or full is no panic: the exit code still says how it went.
macro_rules! tell {
    ($($part:tt)*) => {{
        use std::io::Write;
        let _ = writeln!(std::io::stderr(), $($part)*);
    }};
}

pub(crate) use tell;
