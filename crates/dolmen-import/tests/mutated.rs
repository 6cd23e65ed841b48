//! Files of other formats with small changes: an import or an error with a text, soon. See `docs/fuzz.md`.

use change::{reached, texts};

#[path = "../../dolmen/tests/mutated/change.rs"]
mod change;
#[path = "mutated/targets.rs"]
mod targets;

#[test]
fn mjcf() {
    let corpus = texts(&[
        include_str!("models/leg.xml"),
        "<mujoco><worldbody><body><freejoint/><geom type='box' size='1 1 1' mass='2'/></body></worldbody></mujoco>",
        "<mujoco><include file='x.xml'/></mujoco>",
        "<mujoco><worldbody><body><joint type='hinge' axis='0 0 0'/><geom size='-1'/></body></worldbody></mujoco>",
        "<mujoco><asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset><worldbody><geom type='mesh' mesh='m'/></worldbody></mujoco>",
        "<mujoco><asset><hfield name='h' nrow='2' ncol='2' size='1 1 1 1' elevation='0 1 2 3'/></asset></mujoco>",
        "<mujoco><default><geom rgba='a'/></default>",
        "<robot/>",
        "",
    ]);
    let kinds = reached("mjcf", targets::mjcf, &corpus);
    assert!(kinds.len() > 10, "{kinds:#?}");
}

#[test]
fn urdf() {
    let corpus = texts(&[
        include_str!("models/gripper.urdf"),
        "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link></robot>",
        "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='revolute'><parent link='a'/><child link='b'/></joint></robot>",
        "<robot name='r'><link name='a'/><link name='a'/></robot>",
        "<robot name='r'><link name='a'><collision><geometry><mesh filename='package://x/y.stl'/></geometry></collision></link></robot>",
        "<robot name='r'><joint name='j' type='fixed'><parent link='x'/><child link='y'/></joint></robot>",
        "<robot name='r'><link name='a'><collision><geometry><sphere radius='0'/></geometry></collision></link></robot>",
        "<robot",
    ]);
    let kinds = reached("urdf", targets::urdf, &corpus);
    assert!(kinds.len() > 6, "{kinds:#?}");
}

#[test]
fn sdf() {
    let corpus = texts(&[
        include_str!("models/cart.sdf"),
        "<sdf version='1.9'><model name='m'><link name='a'><inertial><mass>1</mass></inertial></link></model></sdf>",
        "<sdf version='1.9'><world name='w'><include><uri>model://x</uri></include></world></sdf>",
        "<sdf version='1.9'><model name='m'><link name='a'><pose relative_to='b'>1 2 3 0 0 0</pose></link></model></sdf>",
        "<sdf version='1.9'><model name='m'><frame name='f' attached_to='f'/></model></sdf>",
        "<sdf version='1.9'><model name='m'><joint name='j' type='ball'><parent>a</parent><child>b</child></joint></model></sdf>",
        "<sdf/>",
    ]);
    let kinds = reached("sdf", targets::sdf, &corpus);
    assert!(kinds.len() > 6, "{kinds:#?}");
}

/// A .glb with this text and these bytes.
fn glb(json: &str, binary: &[u8]) -> Vec<u8> {
    let mut bytes = b"glTF".to_vec();
    bytes.extend(2_u32.to_le_bytes());
    bytes.extend((28 + json.len() as u32 + binary.len() as u32).to_le_bytes());
    for (kind, chunk) in [(0x4E4F_534A_u32, json.as_bytes()), (0x004E_4942, binary)] {
        bytes.extend((chunk.len() as u32).to_le_bytes());
        bytes.extend(kind.to_le_bytes());
        bytes.extend(chunk);
    }
    bytes
}

#[test]
fn gltf() {
    let mut corpus = texts(&[
        include_str!("models/stack.gltf"),
        r#"{"asset":{"version":"2.0"},"nodes":[{"children":[0]}],"scenes":[{"nodes":[0]}],"scene":0}"#,
        r#"{"asset":{"version":"2.0"},"nodes":[{"mesh":0}],"meshes":[{"primitives":[{"attributes":{"POSITION":7}}]}]}"#,
        r#"{"buffers":[{"uri":"data:,;base64,@@","byteLength":4}]}"#,
        r#"{"buffers":[{"uri":"../x.bin","byteLength":4}]}"#,
        "{",
    ]);
    let json = r#"{"asset":{"version":"2.0"},"buffers":[{"byteLength":36}],"bufferViews":[{"buffer":0,"byteLength":36}],"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}],"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"nodes":[{"mesh":0}]}"#;
    corpus.push(glb(json, &[63; 36]));
    let kinds = reached("gltf", targets::gltf, &corpus);
    assert!(kinds.len() > 5, "{kinds:#?}");
}

const PLY: &str = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
                   element face 4\nproperty list uchar int vertex_indices\nend_header\n\
                   0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 0 3 2\n";

/// The same tetrahedron in bytes.
fn binary_ply() -> Vec<u8> {
    let end = PLY.find("0 0 0\n").expect("the body");
    let mut bytes = PLY[..end].replace("ascii", "binary_little_endian").into_bytes();
    let points: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    bytes.extend(points.iter().flatten().flat_map(|x| x.to_le_bytes()));
    for face in [[0_i32, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]] {
        bytes.push(3);
        bytes.extend(face.iter().flat_map(|k| k.to_le_bytes()));
    }
    bytes
}

#[test]
fn ply() {
    let mut corpus = texts(&[
        PLY,
        "ply\nformat ascii 1.0\nelement vertex 99999999999\nproperty float x\nend_header\n",
        "ply\nproperty float x\nend_header\n",
        "ply\nend_header\n",
        "ply\nformat ascii 1.0\nelement face 1\nproperty list int half q\nend_header\n1 2\n",
        "obj\nend_header\n",
    ]);
    corpus.push(binary_ply());
    let kinds = reached("ply", targets::ply, &corpus);
    assert!(kinds.len() > 8, "{kinds:#?}");
}

#[test]
fn off() {
    let corpus = texts(&[
        "OFF\n4 4 6\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 0 3 2\n",
        "OFF\n-1 1 0\n",
        "COFF\n0 0 0\n",
        "OFF\n1 1 0\n0 0 a\n",
        "OFF\n1 1 0\n0 0 0\n1e9 0\n",
        "",
    ]);
    let kinds = reached("off", targets::off, &corpus);
    assert!(kinds.len() > 5, "{kinds:#?}");
}

#[test]
fn dae() {
    let corpus = texts(&[
        include_str!("models/tetrahedron.dae"),
        "<COLLADA/>",
        "<COLLADA><library_geometries/></COLLADA>",
        "x",
    ]);
    let kinds = reached("dae", targets::dae, &corpus);
    assert!(kinds.len() > 3, "{kinds:#?}");
}

#[test]
fn height_fields() {
    // Rows, columns, then the heights: the format of MuJoCo.
    let mut field: Vec<u8> = [2_i32, 3].iter().flat_map(|n| n.to_le_bytes()).collect();
    field.extend([0.0_f32, 1.0, 2.0, 3.0, 4.0, 5.0].iter().flat_map(|h| h.to_le_bytes()));
    let mut picture = Vec::new();
    let mut encoder = png::Encoder::new(&mut picture, 3, 2);
    encoder.set_color(png::ColorType::Grayscale);
    let mut writer = encoder.write_header().expect("a header");
    writer.write_image_data(&[0, 50, 100, 150, 200, 250]).expect("a picture");
    writer.finish().expect("an end");
    let mut endless: Vec<u8> = [i32::MAX, -1].iter().flat_map(|n| n.to_le_bytes()).collect();
    endless.extend([0; 64]);
    let kinds = reached("height_field", targets::height_field, &[field, picture, endless, Vec::new()]);
    assert!(kinds.len() > 2, "{kinds:#?}");
}
