#![no_main]

#[allow(dead_code)]
#[path = "../../crates/dolmen/tests/mutated/targets.rs"]
mod targets;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    targets::csv(bytes);
});
