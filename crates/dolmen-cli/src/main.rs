//! The `dolmen` command.
fn main() {}
