//! What takes bytes of other formats, one function a door; used by the test `mutated` and by `fuzz/`.

use dolmen_import::{Meshes, Options, import_bytes};

type Said = Option<String>;

/// Where nothing else is to be found.
const NOWHERE: &str = "/nonexistent/file";

fn door(ending: &str, bytes: &[u8], meshes: Meshes) -> Said {
    let options = Options { meshes, ..Options::default() };
    let error = import_bytes(&format!("{NOWHERE}.{ending}"), bytes, &options).err()?;
    let text = error.to_string();
    assert!(
        !error.message.trim().is_empty() && text.contains(": error: "),
        "an error without a text: {text}"
    );
    text.lines().next().map(str::to_owned)
}

/// MJCF.
pub(crate) fn mjcf(bytes: &[u8]) -> Said {
    door("xml", bytes, Meshes::Auto)
}

/// URDF.
pub(crate) fn urdf(bytes: &[u8]) -> Said {
    door("urdf", bytes, Meshes::Auto)
}

/// SDFormat.
pub(crate) fn sdf(bytes: &[u8]) -> Said {
    door("sdf", bytes, Meshes::Auto)
}

/// glTF, as text or binary.
pub(crate) fn gltf(bytes: &[u8]) -> Said {
    door("gltf", bytes, Meshes::Auto)
}

/// A mesh as PLY, text or binary.
pub(crate) fn ply(bytes: &[u8]) -> Said {
    door("ply", bytes, Meshes::Exact)
}

/// A mesh as OFF.
pub(crate) fn off(bytes: &[u8]) -> Said {
    door("off", bytes, Meshes::Exact)
}

/// A mesh as COLLADA.
pub(crate) fn dae(bytes: &[u8]) -> Said {
    door("dae", bytes, Meshes::Exact)
}

/// A height field that MJCF names: MuJoCo's own format, or PNG.
pub(crate) fn height_field(bytes: &[u8]) -> Said {
    const MODEL: &str = "<mujoco><asset><hfield name='f' file='field' size='1 1 0.5 0.1'/></asset>\
                         <worldbody><geom type='hfield' hfield='f'/><body><freejoint/><geom size='0.1'/></body></worldbody></mujoco>";
    let folder = std::env::temp_dir().join(format!("dolmen-field-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("field"), bytes).expect("a file");
    let name = folder.join("model.xml");
    let error = import_bytes(&name.to_string_lossy(), MODEL.as_bytes(), &Options::default()).err()?;
    error.to_string().lines().next().map(|line| line.replace(&*name.to_string_lossy(), ""))
}
