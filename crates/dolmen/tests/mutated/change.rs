//! Random changes of small files, and what becomes of them at a door: an answer or an error with a text, soon.
//!
//! Also used by the tests of the other packages. With `DOLMEN_CORPUS=DIR` the files are written there, as the first ones of a fuzzer.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// What came of bytes: the first line of the error, or none.
pub(crate) type Said = Option<String>;

/// Changes that are tried of each file.
const CHANGES: u32 = 300;

/// How long one file may take; the machine may have other things to do.
const LONGEST: Duration = Duration::from_secs(20);

/// A linear congruential generator [Knuth, TAOCP 2, 3.3.4]: the same changes everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32
    }
}

/// What numbers and words are replaced by.
const STRANGE: [&str; 24] = [
    "0",
    "-0.0",
    "1e308",
    "-1e308",
    "1e-320",
    "nan",
    "inf",
    "-inf",
    "18446744073709551616",
    "-1",
    "1e400",
    "0x7f",
    "\"\"",
    "[]",
    "{}",
    "[[[[[[[[",
    "\u{0}",
    "\u{feff}",
    "é",
    "\\",
    "true",
    "a.b.c.d.e.f",
    "# ",
    "\r\n",
];

fn index(random: &mut Random, count: usize) -> usize {
    if count == 0 { 0 } else { random.next() as usize % count }
}

/// One to four changes: bits, cuts, doubled parts, parts of another file, strange words.
fn changed(random: &mut Random, bytes: &[u8], other: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=index(random, 4) {
        let (a, b) = (index(random, bytes.len() + 1), index(random, bytes.len() + 1));
        let (a, b) = (a.min(b), a.max(b));
        match random.next() % 7 {
            0 if a < bytes.len() => bytes[a] ^= 1 << (random.next() % 8),
            1 => bytes.truncate(a),
            2 => {
                bytes.drain(a..b.min(a + 40));
            }
            3 => {
                let part = bytes[a..b.min(a + 200)].to_vec();
                bytes.splice(a..a, part);
            }
            4 => {
                let (from, to) = (index(random, other.len() + 1), index(random, other.len() + 1));
                let part = other[from.min(to)..from.max(to).min(from.min(to) + 200)].to_vec();
                bytes.splice(a..a, part);
            }
            _ => {
                // A whole word or number, if one begins here.
                let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b".-+_".contains(byte);
                let start = (a..bytes.len()).find(|i| is_part(&bytes[*i])).unwrap_or(bytes.len());
                let end = (start..bytes.len()).find(|i| !is_part(&bytes[*i])).unwrap_or(bytes.len());
                let word = STRANGE[index(random, STRANGE.len())].bytes();
                bytes.splice(start..end, word);
            }
        }
    }
    bytes
}

/// Tries all files and their changes; the errors that were reached, without names and numbers.
pub(crate) fn reached(name: &str, door: fn(&[u8]) -> Said, corpus: &[Vec<u8>]) -> BTreeSet<String> {
    write_corpus(name, corpus);
    // Other changes for every door.
    let mut random = Random(name.bytes().fold(7, |seed, byte| 31 * seed + u64::from(byte)));
    let mut kinds = BTreeSet::new();
    let mut accepted = 0;
    for (i, file) in corpus.iter().enumerate() {
        for k in 0..=CHANGES {
            let other = &corpus[index(&mut random, corpus.len())];
            let bytes = if k == 0 { file.clone() } else { changed(&mut random, file, other) };
            let begun = Instant::now();
            let said = door(&bytes);
            let took = begun.elapsed();
            assert!(
                took < LONGEST,
                "{name}: file {i}, change {k} took {took:?}: {}",
                String::from_utf8_lossy(&bytes)
            );
            match said {
                Some(error) => {
                    let kind =
                        error.split_whitespace().filter(|word| word.chars().all(|c| c.is_ascii_lowercase()));
                    kinds.insert(kind.collect::<Vec<_>>().join(" "));
                }
                None => accepted += 1,
            }
        }
    }
    assert!(accepted > 0, "no file is accepted");
    kinds
}

/// The first files of a fuzzer.
fn write_corpus(name: &str, corpus: &[Vec<u8>]) {
    let Some(folder) = std::env::var_os("DOLMEN_CORPUS") else { return };
    let folder = std::path::Path::new(&folder).join(name);
    std::fs::create_dir_all(&folder).expect("a folder for the corpus");
    for (i, file) in corpus.iter().enumerate() {
        std::fs::write(folder.join(format!("{i:03}")), file).expect("a file of the corpus");
    }
}

pub(crate) fn texts(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}
