//! What takes expectations, one function a door; used by the test `mutated` and by `fuzz/`.

use dolmen_verify::{Library, Quantity};

type Said = Option<String>;

const SCENES: &[(&str, &str)] = &[(
    "ball",
    "format = 1\ngravity = [0, 0, -10]\n[run]\nduration = 1\n[[body]]\nname = \"ball\"\nmass = 1\nshape = { kind = \"sphere\", radius = 1 }\n",
)];

/// A file of expectations.
pub(crate) fn expectations(bytes: &[u8]) -> Said {
    let folder = std::env::temp_dir().join(format!("dolmen-expect-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("ball.expect.toml");
    std::fs::write(&file, bytes).expect("a file");
    std::fs::write(folder.join("ball.toml"), SCENES[0].1).expect("a file");
    let library = Library { scenes: SCENES, expectations: &[] };
    let error = library.choose(&[file.to_string_lossy().into_owned()], false).err()?.to_string();
    assert!(!error.trim().is_empty(), "an error without a text");
    error.lines().next().map(str::to_owned)
}

/// A quantity of a run, as expectations and sweeps name it.
pub(crate) fn quantity(bytes: &[u8]) -> Said {
    let text = std::str::from_utf8(bytes).ok()?;
    Quantity::parse(text).err().and_then(|error| error.lines().next().map(str::to_owned))
}
