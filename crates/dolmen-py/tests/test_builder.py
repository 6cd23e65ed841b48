"""Worlds that are described in Python: the same as a scene file, with the same mistakes."""

import pickle

import numpy as np
import pytest

import dolmen as dm


def pendulum(**motor):
    b = dm.WorldBuilder(gravity=(0, 0, -9.81))
    arm = b.body("arm", dm.Box(0.05, 0.05, 1.0), mass=1.0, position=(0, 0, -0.5))
    b.hinge("pivot", arm, at=(0, 0, 0), axis=(0, 1, 0), **motor)
    return b


def test_a_falling_ball_hits_the_floor_when_galilei_says():
    b = dm.WorldBuilder(gravity=(0, 0, -10))
    ball = b.body("ball", dm.Sphere(0.1), density=1000, position=(0, 0, 5.1))
    b.fixed("floor", dm.Plane())
    b.contact(restitution=0.5)
    simulation = dm.Exact(b.build())
    event = simulation.next_event("collision", until=5)
    assert event["bodies"] == (ball, "floor") and event["t"] == pytest.approx(1.0, abs=1e-12)


def test_every_shape_can_be_built():
    cube = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    triangles = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    shapes = [
        dm.Sphere(0.1),
        dm.Box(1, 2, 3),
        dm.Box((1, 2, 3)),
        dm.Capsule(0.1, 1),
        dm.Cylinder(0.1, 1),
        dm.Cone(0.1, 1),
        dm.Disc(0.3),
        dm.Ellipsoid(1, 2, 3),
        dm.Wedge(1, 2, 3),
        dm.HeightField((2, 1), np.array([[0, 0.1, 0], [0, 0.2, 0]]), scale=0.5),
        dm.Hull(np.array(cube)),
        dm.Mesh(vertices=corners, triangles=triangles),
        dm.Compound([{"shape": dm.Sphere(0.1), "position": (0, 0, 1)}, dm.Box(1, 1, 1)]),
    ]
    b = dm.WorldBuilder()
    for i, shape in enumerate(shapes):
        b.body(f"body {i}", shape, mass=1 + i, position=(10 * i, 0, 0))
    b.body("points", dm.Points([(1.0, (0, 0, 0)), (2.0, (0, 0, 1)), (1.0, (1, 0, 0))]), position=(0, 50, 0))
    world = b.build()
    assert len(world.names) == len(shapes) + 1
    again = dm.loads(world.to_toml())
    assert again.to_toml() == world.to_toml()
    simulation, other = dm.Exact(world), dm.Exact(pickle.loads(pickle.dumps(again)))
    simulation.advance_to(1.0)
    other.advance_to(1.0)
    assert (simulation.state == other.state).all()


def test_joints_motors_forces_and_materials_are_those_of_the_scene_file():
    b = pendulum(motor=dm.Position(kp=50, kd=2, limit=5), limit={"lower": -1, "upper": 1})
    b.material("ice", friction=0.02)
    b.body("sled", dm.Box(1, 1, 0.2), density=500, position=(5, 0, 0), material="ice")
    b.force("push", body="sled", force=(1, 0, 0), until=2)
    world = b.build()
    assert world.motors == [("pivot", "turn-z", "position")]
    for line in ('name = "ice"', 'kind = "push"', "stiffness = 50", "largest = 5", "upper = 1"):
        assert line in world.to_toml(), world.to_toml()


def test_mistakes_are_those_of_the_scene_file():
    b = dm.WorldBuilder()
    b.body("ball", dm.Sphere(-1), density=1000)
    with pytest.raises(dm.SceneError, match=r"world\.json:.*error"):
        b.build()
    b = dm.WorldBuilder()
    b.body("ball", dm.Sphere(1), densty=1000)
    with pytest.raises(dm.SceneError, match="did you mean `density`"):
        b.build()
    with pytest.raises(dm.InputError, match="finite"):
        dm.WorldBuilder().body("ball", dm.Sphere(float("nan")), mass=1)
    with pytest.raises(dm.InputError, match="object"):
        dm.WorldBuilder().body("ball", dm.Sphere(object()), mass=1)


def test_a_scene_is_included_under_a_prefix(tmp_path):
    file = tmp_path / "arm.toml"
    file.write_text(pendulum().build().to_toml())
    b = dm.WorldBuilder(gravity=(0, 0, -9.81))
    b.include(file, prefix="left-")
    b.include(file, prefix="right-")
    # Both arms are in one place.
    b.contact(overlaps="report")
    world = b.build()
    assert world.names == ["left-arm", "right-arm"] and world.joints == ["left-pivot", "right-pivot"]
    dm.Exact(world).advance_to(0.5)


def test_values_of_a_world_are_changed():
    world = dm.load("bouncing-ball").with_values("gravity=[0,0,-1.62]")
    assert world.gravity == (0, 0, -1.62)
    with pytest.raises(dm.SceneError, match="override"):
        world.with_values("body.nobody.mass=1")
