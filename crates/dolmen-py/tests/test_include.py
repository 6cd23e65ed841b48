"""Robots of other formats, loaded and included."""

import pickle

import numpy as np
import pytest

import dolmen as dm

URDF = """<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial><origin xyz="0 0 0.25"/><mass value="1.2"/><inertia ixx="0.03" iyy="0.03" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0 0 0.25"/><geometry><box size="0.05 0.05 0.5"/></geometry></collision>
  </link>
  <joint name="shoulder" type="continuous">
    <parent link="base"/><child link="upper"/><origin xyz="0 0 1"/><axis xyz="0 1 0"/>
  </joint>
</robot>"""


def test_a_urdf_is_loaded_and_included_twice(tmp_path):
    file = tmp_path / "robot.urdf"
    file.write_text(URDF)
    world = dm.load(file)
    assert "upper" in world.names and "shoulder" in world.joints
    b = dm.WorldBuilder(gravity=(0, 0, -9.81))
    b.body("ball", dm.Sphere(0.1), density=1000, position=(3, 0, 1))
    b.include(file, prefix="r/")
    built = b.build()
    assert "r/upper" in built.names and "r/shoulder" in built.joints
    assert built.to_toml() == dm.loads(built.to_toml()).to_toml()
    for sim in (dm.Exact(built), dm.Fixed(built, 1 / 500)):
        # About the shoulder: I = 0.03 + m l².
        assert np.allclose(sim.mass_matrix()[0, 0], 0.03 + 1.2 * 0.25**2)


def test_what_a_scene_cannot_say_is_a_warning(tmp_path):
    file = tmp_path / "robot.urdf"
    file.write_text(URDF.replace("</robot>", "<transmission name='t'/></robot>"))
    with pytest.warns(dm.ImportNote, match="transmission"):
        dm.load(file)


def test_a_robot_that_is_broken_names_its_place(tmp_path):
    file = tmp_path / "robot.urdf"
    file.write_text(URDF.replace('link="upper"/><origin', 'link="nobody"/><origin'))
    with pytest.raises(dm.SceneError, match="nobody"):
        dm.WorldBuilder().include(file)


def test_names_that_are_words_of_the_format_stay_apart(tmp_path):
    b = dm.WorldBuilder()
    b.body("z", dm.Box(0.1, 0.1, 0.1), mass=1)
    b.slider("hinge", "z", axis=(0, 0, 1), motor=dm.Velocity(axis="z"))
    file = tmp_path / "odd.toml"
    file.write_text(b.build().to_toml())
    c = dm.WorldBuilder()
    c.include(file, prefix="p-")
    assert c.build().motors == [("p-hinge", "z", "velocity")]


def test_meshes_beside_an_included_scene_are_found(tmp_path):
    (tmp_path / "parts").mkdir()
    corners = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    faces = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)]
    text = "".join(f"v {x} {y} {z}\n" for x, y, z in corners) + "".join(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in faces)
    (tmp_path / "parts" / "cube.obj").write_text(text)
    b = dm.WorldBuilder(base=tmp_path / "parts")
    b.body("cube", dm.Mesh("cube.obj"), mass=1)
    (tmp_path / "parts" / "cube.toml").write_text(b.build().to_toml())
    c = dm.WorldBuilder(base=tmp_path)
    c.include(tmp_path / "parts" / "cube.toml")
    assert c.build().names == ["cube"]
    with pytest.raises(dm.InputError, match="outside"):
        (tmp_path / "else").mkdir()
        dm.WorldBuilder(base=tmp_path / "else").include(tmp_path / "parts" / "cube.toml")


def test_every_reference_goes_with_the_prefix(tmp_path):
    b = dm.WorldBuilder()
    b.body("sun", dm.Sphere(0.1), mass=1)
    b.body("moon", dm.Sphere(0.1), mass=1, position=(1, 0, 0))
    b.hinge("pin", "moon", at=(1, 0, 0.5), axis=(0, 1, 0))
    b.force("attract", to="sun", bodies=["moon"], strength=1)
    b.force("nbody", members=["moon", "sun"], constant=1)
    b.sensor("angle", "joint", joint="pin")
    b.sensor("touch", "contact", bodies=["mo*"], **{"from": ["sun"]})
    file = tmp_path / "sky.toml"
    file.write_text(b.build().to_toml())
    c = dm.WorldBuilder()
    # A body of the same name here must not be taken for that of the file.
    c.body("sun", dm.Sphere(0.1), mass=1, position=(0, 9, 0))
    c.body("moon", dm.Sphere(0.1), mass=1, position=(9, 0, 0))
    c.include(file, prefix="p-")
    text = c.build().to_toml()
    for line in ('to = "p-sun"', '"p-moon", "p-sun"', 'joint = "p-pin"', '"p-mo*"', 'from = ["p-sun"]', 'name = "p-angle"'):
        assert line in text, text


def test_scenes_include_scenes_and_robots(tmp_path):
    (tmp_path / "robot.urdf").write_text(URDF.replace("</robot>", "<transmission name='t'/></robot>"))
    (tmp_path / "part.toml").write_text('format = 1\n[[body]]\nname = "ball"\nmass = 1\nshape = { kind = "sphere", radius = 0.1 }\n')
    text = """format = 1
gravity = [0, 0, -9.81]
[[include]]
file = "part.toml"
name = "p"
position = [3, 0, 0]
[[include]]
file = "robot.urdf"
name = "r"
"""
    (tmp_path / "scene.toml").write_text(text)
    with pytest.warns(dm.ImportNote, match="transmission"):
        world = dm.load(tmp_path / "scene.toml")
    assert {"p:ball", "r:upper"} <= set(world.names)
    again = pickle.loads(pickle.dumps(world))
    assert again.to_toml() == world.to_toml()
    assert world.with_values("body.p:ball.mass=2").names == world.names
    table = dm.sweep(tmp_path / "scene.toml", vary={"gravity": [[0, 0, -1], [0, 0, -2]]}, measure={"z": "position('p:ball').z"}, until=1.0, out=tmp_path / "out")
    assert np.allclose(sorted(table["z"]), [-1.0, -0.5])
