"""Fixed steps: the same methods as the exact driver, its answers in the limit, and a clear word where there is none."""

import copy
import pickle

import numpy as np
import pytest

import dolmen as dm


def falling(**contact):
    b = dm.WorldBuilder(gravity=(0, 0, -9.81))
    b.body("ball", dm.Sphere(0.13), density=700, position=(0.2, 0, 1.7), velocity=(0.4, 0, 0))
    b.fixed("floor", dm.Plane())
    b.contact(**contact)
    return b.build()


def arm():
    b = dm.WorldBuilder(gravity=(0, 0, -9.81))
    b.body("arm", dm.Box(1, 0.1, 0.1), mass=3.0, position=(0.5, 0, 0))
    b.hinge("pivot", "arm", at=(0, 0, 0), axis=(0, 1, 0), motor=dm.Position(kp=80, kd=8))
    return b.build()


def test_it_is_a_driver_that_falls_as_bodies_do():
    world = falling()
    sim = dm.Fixed(world, step=1 / 240)
    assert isinstance(sim, dm.Driver) and sim.settings["step"] == 1 / 240 and sim.settings["precision"] == "f32"
    sim.advance_to(0.37)
    # Semi-implicit sub-steps of h: z falls short by g t h / 2.
    h = 1 / 240 / 8
    fallen = 1.7 - 0.5 * 9.81 * 0.37**2
    assert abs(sim.positions[0][2] - fallen) < 9.81 * 0.37 * h
    assert abs(sim.positions[0][0] - (0.2 + 0.4 * 0.37)) < 1e-5
    assert sim.time == 0.37 and sim.statistics()["steps"] == 89


def test_smaller_steps_come_nearer_to_the_exact_driver():
    world = falling(restitution=0.6)
    exact = dm.Exact(world)
    exact.advance_to(1.5)
    errors = []
    for step in (1 / 100, 1 / 400, 1 / 1600):
        sim = dm.Fixed(world, step, precision="f64")
        sim.advance_to(1.5)
        errors.append(np.abs(sim.positions - exact.positions).max())
    assert errors[0] > errors[1] > errors[2] and errors[2] < 2e-3, errors


def test_targets_pushes_and_controllers_act_and_are_done_again():
    world = arm()
    sim, exact = dm.Fixed(world, 1 / 1000, precision="f64"), dm.Exact(world)
    for driver in (sim, exact):
        driver.motors["pivot"].target = 0.3
        driver.apply("arm", force=(0, 0, 4.5), until=0.31)
        driver.control(lambda s: s.apply("arm", torque=(0, 0.1, 0), until=s.time + 0.05), rate=20)
        driver.advance_to(0.8)
    assert np.abs(sim.positions - exact.positions).max() < 2e-3
    assert len(sim.interventions) == len(exact.interventions) == 18
    again = dm.Fixed(world, 1 / 1000, precision="f64")
    again.replay(sim.interventions, until=0.8)
    assert (again.state == sim.state).all()
    with pytest.raises(dm.InputError, match="no joint|motor"):
        sim._set_target("nothing", 1.0)


def test_runs_are_recorded_saved_and_pickled(tmp_path):
    sim = dm.Fixed(falling(restitution=0.5), 1 / 240)
    run = sim.record(until=1.0, every=0.1, tables=["states", "energy"])
    assert len(run) == 11 and run.states()["positions"].shape == (11, 2, 3)
    copy_of_it = pickle.loads(pickle.dumps(run))
    run.save(tmp_path / "a")
    copy_of_it.save(tmp_path / "b")
    for name in ("states.csv", "energy.csv"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    try:
        assert "replay" in dm.show(run)._text
    except dm.Error as error:
        # The page of the viewer is made by npm.
        assert "without its page" in str(error)
    assert dm.render(sim, 32, 24).shape == (24, 32, 3)


def test_forks_go_on_with_the_same_bits():
    sim = dm.Fixed(falling(restitution=0.5), 1 / 240)
    sim.advance_to(0.7)
    fork, other = sim.fork(), copy.deepcopy(sim)
    for one in (sim, fork, other):
        one.advance_to(1.3)
    assert type(fork) is dm.Fixed and (sim.state == fork.state).all() and (sim.state == other.state).all()


@pytest.mark.parametrize(
    "ask",
    [
        lambda s: s.joint_events,
        lambda s: s.take_joint_events(),
        lambda s: s.record(until=1, every=0.1, tables=["joint-events"]),
    ],
)
def test_what_it_has_not_is_said(ask):
    with pytest.raises(dm.UnsupportedError, match="fixed steps .* dolmen.Exact"):
        ask(dm.Fixed(falling()))


def test_settings_out_of_range_are_refused():
    for how in ({"step": 0.0}, {"step": float("nan")}, {"step": 2.0}, {"substeps": 0}, {"precision": "f16"}):
        with pytest.raises(dm.InputError, match="step|precision"):
            dm.Fixed(falling(), **how)
    with pytest.raises(dm.InputError, match="particles"):
        b = dm.WorldBuilder()
        b.particles("dust", positions=[[0, 0, 0]], mass=1.0)
        dm.Fixed(b.build())
    sim = dm.Fixed(falling())
    sim.advance_to(0.5)
    for t in (0.4, float("nan"), float("inf")):
        with pytest.raises(dm.InputError, match="cannot go"):
            sim.advance_to(t)
