"""Both drivers under one protocol: events, forces, snapshots and runs; in combinations with controllers, fields and threads."""

import copy
import functools
import pickle
import subprocess
import threading

import numpy as np
import pytest

import dolmen as dm
from test_parity import command

fixed = functools.partial(dm.Fixed, step=1 / 400, precision="f64")
both = pytest.mark.parametrize("make", [dm.Exact, fixed], ids=["exact", "fixed"])


def balls(*places, restitution=0.0):
    b = dm.WorldBuilder(gravity=(0, 0, -9.81))
    for k, (x, z) in enumerate(places):
        b.body(f"ball {k}", dm.Sphere(0.1), mass=1.7, position=(x, 0, z))
    b.fixed("floor", dm.Plane())
    b.contact(restitution=restitution)
    return b.build()


def arm():
    b = dm.WorldBuilder(gravity=(0, 0, -9.81))
    b.body("arm", dm.Box(1, 0.1, 0.1), mass=3.0, position=(0.5, 0, 0))
    b.hinge("pivot", "arm", at=(0, 0, 0), axis=(0, 1, 0), motor=dm.Position(kp=80, kd=8))
    return b.build()


def drag(t, state):
    """A field that pickle finds by its name."""
    return -0.4 * state[:, 7:10]


@both
def test_events_of_one_instant_are_all_given(make):
    # Two balls of one height, one that is lower.
    sim = make(balls((0, 0.6), (1, 0.6), (2, 0.3), restitution=0.5))
    first = sim.next_event("collision", until=1)
    assert first["bodies"] == ("ball 2", "floor") and abs(first["t"] - np.sqrt(0.4 / 9.81)) < 4e-3
    seen = [sim.next_event("collision", until=1) for _ in range(3)]
    pairs = [event for event in seen if abs(event["t"] - np.sqrt(1.0 / 9.81)) < 4e-3]
    assert sorted(event["bodies"][0] for event in pairs) == ["ball 0", "ball 1"], seen
    assert sim.events[0] == first and [e for e in sim.events if e["kind"] == "collision"] == [first, *seen]
    assert len(sim.take_events()) >= 4 and sim.events == []
    # What was passed on the way is not given any more.
    sim.advance_to(1.2)
    count = len(sim.events)
    assert count > 0 and sim.next_event("collision", until=1.2) is None and len(sim.events) == count


@both
def test_contacts_and_joints_tell_their_forces(make):
    sim = make(balls((0, 0.1), (1, 0.1)))
    sim.advance_to(1.0)
    forces = sim.contact_forces()
    assert sorted(force["bodies"][0] for force in forces) == ["ball 0", "ball 1"]
    assert all(abs(force["normal_force"] - 1.7 * 9.81) < 1e-6 * 1.7 * 9.81 for force in forces), forces
    sim = make(arm())
    sim.motors["pivot"].target = 0.2
    sim.advance_to(6.0)
    (force,) = sim.joint_forces()
    assert force["joint"] == "pivot" and abs(abs(force["force"][2]) - 3 * 9.81) < 1e-3, force


@both
def test_snapshots_and_pickles_go_on_with_the_same_bits(make):
    sim = make(balls((0, 0.6), (0.15, 1.1), restitution=0.6), field=drag)
    sim.apply("ball 1", force=(0.3, 0, 0), torque=(0, 0.01, 0), until=0.8)
    sim.advance_to(0.431)
    sim.apply("ball 0", force=(0, 0.2, 0), until=0.9)
    sim.advance_to(0.5)
    snapshot = sim.snapshot()
    others = [sim.fork(), copy.copy(sim), copy.deepcopy(sim), pickle.loads(pickle.dumps(sim))]
    sim.advance_to(1.5)
    others.append(make(sim.world, field=drag))
    others[-1].restore(snapshot)
    for other in others:
        assert type(other) is type(sim) and other.time == 0.5 and len(other.interventions) == 2
        other.advance_to(1.5)
        assert (other.state == sim.state).all() and other.ledger() == sim.ledger()
    sim.restore(snapshot)
    assert sim.time == 0.5
    sim.close()
    with pytest.raises(dm.Error, match="closed"):
        sim.restore(snapshot)


def test_settings_of_fixed_steps_survive_a_pickle():
    sim = dm.Fixed(arm(), step=1 / 333, substeps=5, precision="f64", threads=2, sleep=True, stiff=True, strict=True)
    again = pickle.loads(pickle.dumps(sim))
    assert again.settings == sim.settings == {
        "step": 1 / 333, "substeps": 5, "precision": "f64", "threads": 2, "sleep": True, "stiff": True
    }
    assert again.strict


def test_a_snapshot_of_another_driver_is_refused():
    world = balls((0, 1.0))
    exact, steps = dm.Exact(world), dm.Fixed(world)
    for one, other in ((exact, steps), (steps, exact)):
        before = one.state
        with pytest.raises(dm.InputError, match="not a snapshot of a simulation by this driver"):
            one.restore(other.snapshot())
        with pytest.raises(dm.InputError, match="another world"):
            one.restore(type(one)(balls((0, 2.0))).snapshot())
        assert (one.state == before).all()


def test_the_tables_of_fixed_steps_are_those_of_the_command(tmp_path):
    program = command()
    if program is None:
        pytest.skip("there is no command to compare with; name it in DOLMEN")
    for world, name in ((balls((0, 0.4), (0.1, 0.7), restitution=0.5), "balls"), (arm(), "arm")):
        scene, theirs, ours = tmp_path / f"{name}.toml", tmp_path / f"{name}-theirs", tmp_path / f"{name}-ours"
        scene.write_text(world.to_toml())
        how = ["--driver", "fixed", "--step", "1/240", "--for", "0.7", "--every", "0.05", "--quiet", "--out", str(theirs)]
        subprocess.run([program, "run", str(scene), *how], check=True, capture_output=True)
        run = dm.Fixed(dm.load(scene), 1 / 240).record(until=0.7, every=0.05)
        run.save(ours)
        tables = {file.name for file in theirs.glob("*.csv")} - {"shapes.csv", "profile.csv"}
        assert tables == {file.name for file in ours.iterdir()}
        for file in ours.iterdir():
            assert file.read_bytes() == (theirs / file.name).read_bytes(), f"{name}: {file.name}"
    assert dm.Fixed(balls((0, 0.4))).record(until=0.7, every=0.1, tables=["contacts"]).events


def test_bounds_of_fixed_steps_are_warnings_or_errors():
    world = dm.loads(balls((0, 1.0)).to_toml() + "\n[run]\nduration = 1\ndriver = \"fixed\"\nbounds = { overlap = 1e-9 }\n")
    with pytest.warns(dm.LawWarning, match="bodies overlap") as heard:
        sim = dm.Fixed(world, 1 / 60)
        sim.advance_to(0.6)
        sim.advance_to(0.8)
    assert len(heard) == 1
    with pytest.raises(dm.LawError, match="shorter step"):
        dm.Fixed(world, 1 / 60, strict=True).advance_to(0.6)


@both
def test_a_controller_forks_pickles_and_looks(make):
    sim = make(arm())
    kept = []

    def controller(s):
        s.motors["pivot"].target = 0.3 * np.sin(5 * s.time)
        if not kept and s.time > 0.3:
            kept.extend([s.fork(), pickle.loads(pickle.dumps(s)), s.snapshot()])

    sim.control(controller, rate=50)
    sim.advance_to(0.4)
    fork, pickled, snapshot = kept
    restored = make(sim.world)
    restored.restore(snapshot)
    for other in (fork, pickled, restored):
        # They are without the controller until they get it.
        assert 0.3 < other.time < 0.35
        other.control(controller, rate=50)
        other.advance_to(0.4)
        # The call of this instant comes again: it changes nothing but where the integrator begins a span.
        assert (other.state == fork.state).all() and np.allclose(other.state, sim.state, rtol=0, atol=1e-9)


def test_what_a_field_may_not_do_is_said():
    sims = []

    def field(t, state):
        if sims:
            pickle.dumps(sims[0])
        return 0 * state[:, :3]

    sims.append(dm.Exact(balls((0, 1.0)), field=field))
    with pytest.raises(dm.Error, match="in use"):
        sims[0].advance_to(0.2)


def test_what_a_field_raises_while_something_is_read_comes_out():
    wrong = []

    def field(t, state):
        if wrong:
            raise KeyError("of the field")
        return 0 * state[:, :3]

    sim = dm.Exact(balls((0, 0.1)), field=field)
    sim.advance_to(0.1)
    wrong.append(True)
    with pytest.raises(KeyError, match="of the field"):
        sim.contact_forces()
    wrong.clear()
    assert len(sim.contact_forces()) == 1


@both
def test_two_threads_have_their_own_simulations(make):
    world = balls((0, 0.6), (0.05, 0.9), (0.1, 1.3), restitution=0.7)
    alone = make(world)
    alone.advance_to(1.0)
    sims = [make(world) for _ in range(4)]
    threads = [threading.Thread(target=sim.advance_to, args=(1.0,)) for sim in sims]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((sim.state == alone.state).all() for sim in sims)


@both
def test_arrays_of_numbers_may_lie_in_any_way(make):
    # Places that single precision has as well.
    world = balls((0, 1.0), (1, 0.75))
    good = np.array(make(world).state)
    good[0, :3] = 0.25, 0.5, 1.25
    wanted = make(world, state=good).state
    wide = np.zeros((6, 26))
    wide[::2, ::2] = good
    backwards = np.ascontiguousarray(good[::-1, ::-1])[::-1, ::-1]
    for given in (good.tolist(), np.asfortranarray(good), wide[::2, ::2], backwards, good.astype(np.float32), good.astype(">f8")):
        assert (make(world, state=given).state == wanted).all()
    for wrong in (good.astype(complex), good.astype(str), good.astype(object), good > 0, "x", [[1, 2], [3]]):
        with pytest.raises(dm.InputError, match="state"):
            make(world, state=wrong)
    with pytest.raises(dm.InputError, match="state of 1 dimensions"):
        make(world, state=good[0])
    sim, out = make(world), np.zeros((6, 6))
    assert (sim.read("positions", out=out[::2, ::-2]) == sim.positions).all() and (out[1::2] == 0).all()


@both
def test_an_empty_world_and_one_body_go_through_time(make):
    empty = dm.WorldBuilder().build()
    sim = make(empty)
    sim.advance_to(1.0)
    assert sim.positions.shape == (0, 3) and sim.state.shape == (0, 13) and sim.contact_forces() == []
    assert sim.next_event(until=2.0) is None and sim.time == 2.0 and sim.overlaps() == []
    run = sim.record(until=3.0, every=0.5)
    assert len(run) == 3 and run.states()["positions"].shape == (3, 0, 3)
    assert pickle.loads(pickle.dumps(sim)).time == 3.0 and sim.mass_matrix().shape == (0, 0)
    b = dm.WorldBuilder()
    b.body("alone", dm.Sphere(0.1), mass=1, velocity=(1, 0, 0))
    sim = make(b.build())
    sim.advance_to(2.0)
    assert np.allclose(sim.positions, [[2, 0, 0]], rtol=1e-6) and sim.joint_coordinates() == []


@both
def test_names_of_any_alphabet_come_back(make, tmp_path):
    b = dm.WorldBuilder(gravity=(0, 0, -9.81))
    names = ["мяч", "球", "Kügelchen", "a b"]
    for k, name in enumerate(names):
        b.body(name, dm.Sphere(0.1), mass=1, position=(k, 0, 0.3))
    b.fixed("Boden", dm.Plane())
    world = b.build()
    assert sorted(world.names) == sorted([*names, "Boden"]) and dm.loads(world.to_toml()).names == world.names
    run = make(world).record(until=0.5, every=0.1)
    assert {name for event in run.events for name in event["bodies"]} == {*names, "Boden"}
    assert run.table("states")["body"][:5] == world.names
    run.save(tmp_path / "läufe")
    assert "球" in (tmp_path / "läufe" / "states.csv").read_text(encoding="utf-8")
    with pytest.raises(dm.InputError, match="мяч"):
        make(world).apply("мяс", force=(0, 0, 1), until=1)


def test_many_bodies_are_read_at_once():
    b = dm.WorldBuilder(gravity=(0, 0, -9.81))
    for k in range(10_000):
        b.body(f"b{k}", dm.Sphere(0.1), mass=1, position=(k % 100, k // 100, 1.0 + 0.001 * (k % 7)))
    world = b.build()
    for sim in (dm.Exact(world), dm.Fixed(world, precision="f64")):
        sim.advance_to(0.1)
        fallen = sim.positions[:, 2] - [1.0 + 0.001 * (int(name[1:]) % 7) for name in world.names]
        assert sim.state.shape == (10_000, 13) and np.allclose(fallen, -0.5 * 9.81 * 0.01, atol=2e-3)


def test_a_rollout_in_fixed_steps_is_that_of_its_simulations():
    world = arm()
    states = np.repeat(dm.Exact(world).state[None], 5, axis=0).astype(np.float32)
    controls = np.random.default_rng(2).normal(size=(6, 5, 1)).transpose(1, 0, 2)
    one, three = (dm.rollout(world, states, controls, step=0.05, jobs=jobs, driver=fixed) for jobs in (1, 3))
    assert (one["states"] == three["states"]).all() and one["errors"] == [None] * 5
    sim = fixed(world, state=states[3])
    for i, (target,) in enumerate(controls[3]):
        sim.motors["pivot"].target = target
        sim.advance_to((i + 1) * 0.05)
    assert (one["states"][3, -1] == sim.state).all()
    for wrong in (dict(jobs=0), dict(driver=lambda world: 3), dict(driver=functools.partial(dm.Exact, field=drag)), dict(step=0.0)):
        with pytest.raises(dm.InputError):
            dm.rollout(world, states, controls, **{"step": 0.05, **wrong})


@both
def test_absurd_arguments_are_refused(make):
    sim = make(arm())
    for rate in (1e300, float("inf"), float("nan"), -1.0):
        with pytest.raises(dm.InputError, match="rate"):
            sim.control(print, rate=rate)
    for size in ((0, 10), (10**9, 10**9), (-1, 5)):
        with pytest.raises(dm.InputError, match="width|height"):
            dm.render(sim, *size)
    for wrong in ("x", [1], np.zeros((2, 2)), np.nan):
        with pytest.raises((TypeError, ValueError)):
            sim.apply("arm", force=wrong, until=1)
    with pytest.raises(dm.InputError):
        sim.inverse_dynamics("x")
    with pytest.raises(dm.InputError):
        sim.inverse_dynamics([0.0], forces=[["x"] * 3])
    with pytest.raises((TypeError, ValueError)):
        sim.jacobian("arm", point=("a", 0, 0))
    with pytest.raises((TypeError, ValueError)):
        sim.replay([{"t": "now", "joint": "pivot", "axis": None, "target": 1}], until=1)
    sim.advance_to(0.1)
