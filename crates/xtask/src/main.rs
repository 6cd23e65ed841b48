//! The project’s own chores: `cargo xtask demo` and `cargo xtask test`.
fn main() {}
