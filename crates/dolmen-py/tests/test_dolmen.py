"""The package against closed forms, itself, and what it must refuse."""

import copy
import math
import pickle
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import dolmen

FALL = """
format = 1
gravity = [0, 0, -10]
[[body]]
name = "ball"
shape = { kind = "sphere", radius = 0.1 }
mass = 1.0
position = [1, 2, 5]
velocity = [3, 0, 0]
"""

# The bouncing ball of Siconos: height 1 above contact, g = 9.81, restitution 0.9.
BOUNCE = """
format = 1
gravity = [0, 0, -9.81]
[contact]
restitution = 0.9
[[body]]
name = "ball"
shape = { kind = "sphere", radius = 0.1 }
mass = 1.0
position = [0, 0, 1.1]
[[body]]
name = "floor"
kind = "fixed"
shape = { kind = "plane", normal = [0, 0, 1] }
"""


def bits(simulation):
    """Everything that moves, to the last bit."""
    arrays = simulation.positions, simulation.orientations, simulation.velocities, simulation.spins
    return simulation.time, *(array.tobytes() for array in arrays)


def bounce():
    return dolmen.Exact(dolmen.loads(BOUNCE))


def test_a_ball_falls_as_its_closed_form():
    simulation = dolmen.Exact(dolmen.loads(FALL))
    simulation.advance_to(2.0)
    assert simulation.time == 2.0
    assert simulation.world.names == ["ball"]
    np.testing.assert_allclose(simulation.positions, [[7.0, 2.0, -15.0]], rtol=1e-15)
    np.testing.assert_allclose(simulation.velocities, [[3.0, 0.0, -20.0]], rtol=1e-15)
    np.testing.assert_array_equal(simulation.orientations, [[1.0, 0.0, 0.0, 0.0]])
    np.testing.assert_array_equal(simulation.spins, [[0.0, 0.0, 0.0]])


def test_the_first_impact_is_at_its_instant():
    simulation = bounce()
    event = simulation.next_event("collision", until=1.0)
    assert event["t"] == simulation.time == pytest.approx(0.45152364098573, abs=5e-15)
    assert event["bodies"] == ("ball", "floor")
    assert event["separation"] == pytest.approx(0.9 * math.sqrt(2 * 9.81), rel=1e-14)
    # ½ m v² (1 − e²)
    assert simulation.ledger()["collisions"] == pytest.approx(9.81 * (1 - 0.81), rel=1e-13)
    assert simulation.events == [event]


def test_there_may_be_no_next_event():
    simulation = bounce()
    assert simulation.next_event(until=0.4) is None
    assert simulation.time == 0.4
    assert simulation.next_event("slide", until=0.6) is None
    assert [event["kind"] for event in simulation.take_events()] == ["collision"]
    assert simulation.events == []


def test_a_ball_at_rest_carries_its_weight():
    simulation = dolmen.Exact(dolmen.loads(BOUNCE.replace("1.1", "0.1")))
    simulation.advance_to(1.0)
    (force,) = simulation.contact_forces()
    assert force["normal_force"] == pytest.approx(9.81, rel=1e-12)
    assert force["mode"] == "stick" or force["friction"] == (0.0, 0.0, 0.0)


def test_how_time_is_cut_up_changes_no_bit():
    one, many = bounce(), bounce()
    one.advance_to(2.0)
    for k in range(1, 201):
        many.advance_to(k / 100)
    assert bits(one) == bits(many)


def test_a_snapshot_goes_on_with_the_same_bits():
    simulation = bounce()
    simulation.advance_to(1.0)
    snapshot = simulation.snapshot()
    forked, copied = simulation.fork(), copy.deepcopy(simulation)
    pickled = pickle.loads(pickle.dumps(simulation))
    simulation.advance_to(2.0)
    expected = bits(simulation)
    simulation.restore(snapshot)
    assert simulation.time == 1.0
    for other in (simulation, forked, copied, pickled):
        other.advance_to(2.0)
        assert bits(other) == expected


def test_a_world_survives_pickle_and_its_own_text():
    world = dolmen.load("bouncing-ball")
    runs = []
    for other in (world, pickle.loads(pickle.dumps(world)), dolmen.loads(world.to_toml())):
        simulation = dolmen.Exact(other)
        simulation.advance_to(1.5)
        runs.append(bits(simulation))
    assert runs[0] == runs[1] == runs[2]


@pytest.mark.parametrize("name", dolmen.scenes())
def test_every_built_in_scene_loads(name):
    world = dolmen.load(name)
    assert dolmen.loads(world.to_toml()).names == world.names


def test_a_file_is_read_with_what_it_names(tmp_path):
    (tmp_path / "ball.toml").write_text(FALL)
    world = dolmen.load(tmp_path / "ball.toml")
    assert world.names == ["ball"]
    assert world.gravity == (0.0, 0.0, -10.0)
    assert dolmen.load(str(tmp_path / "ball.toml")).to_toml() == world.to_toml()


def test_mistakes_of_a_scene_have_their_place():
    with pytest.raises(dolmen.SceneError, match=r"ball.toml:3:1: error: unknown key `mas`"):
        dolmen.loads("format = 1\n[[body]]\nmas = 1.0\n", name="ball.toml")
    with pytest.raises(dolmen.SceneError, match="did you mean the built-in scene"):
        dolmen.load(dolmen.scenes()[0] + "x")
    with pytest.raises(dolmen.SceneError, match="overlap at the start"):
        dolmen.Exact(dolmen.loads(BOUNCE.replace("1.1", "0.05")))
    assert issubclass(dolmen.SceneError, ValueError) and issubclass(dolmen.SceneError, dolmen.Error)


@pytest.mark.parametrize("t", [math.nan, math.inf, -math.inf, 0.5])
def test_times_that_are_not_ahead_are_refused(t):
    simulation = bounce()
    simulation.advance_to(1.0)
    before = bits(simulation)
    with pytest.raises(dolmen.InputError, match="must be finite and not before the present"):
        simulation.advance_to(t)
    with pytest.raises(dolmen.InputError):
        simulation.next_event(until=t)
    with pytest.raises(dolmen.InputError):
        simulation.record(until=t, every=0.1)
    assert bits(simulation) == before
    simulation.advance_to(1.5)


@pytest.mark.parametrize("every", [0.0, -1.0, math.nan, math.inf, 1e-300])
def test_samples_need_a_positive_interval(every):
    with pytest.raises(dolmen.InputError):
        bounce().record(until=1.0, every=every)


@pytest.mark.parametrize("tolerance", [0.0, -1e-9, math.nan, math.inf])
def test_tolerances_are_positive(tolerance):
    with pytest.raises(dolmen.InputError, match="tolerance"):
        dolmen.Exact(dolmen.loads(FALL), tolerance)


def test_a_tolerance_takes_the_place_of_the_scene():
    simulation = dolmen.Exact(dolmen.loads(FALL), tolerance=1e-7)
    assert "tolerance = 1e-7" in simulation.world.to_toml().replace("1e-07", "1e-7")


def test_other_snapshots_are_refused():
    simulation = bounce()
    before = bits(simulation)
    foreign = dolmen.Exact(dolmen.loads(FALL)).snapshot()
    own = simulation.snapshot()
    for snapshot, text in [(foreign, "another world"), (b"", "not a snapshot"), (own[:-1], "damaged"), (own[:20], "not a snapshot|damaged")]:
        with pytest.raises(dolmen.InputError, match=text):
            simulation.restore(snapshot)
    assert bits(simulation) == before


def test_unknown_kinds_and_sets_are_refused():
    with pytest.raises(dolmen.InputError, match="collision, settled"):
        bounce().next_event("colision", until=1.0)
    with pytest.raises(dolmen.InputError, match="particle_sets"):
        bounce().particles("dust")


def test_arguments_of_other_types_are_refused():
    for wrong in (None, "1", [1.0]):
        with pytest.raises(TypeError):
            bounce().advance_to(wrong)
    with pytest.raises(TypeError):
        dolmen.Exact(BOUNCE)


def test_arrays_are_fresh_and_cannot_be_written():
    simulation = bounce()
    before = simulation.positions
    assert before.shape == (2, 3) and before.dtype == np.float64
    assert simulation.orientations.shape == (2, 4)
    with pytest.raises(ValueError, match="read-only"):
        before[0, 2] = 7.0
    simulation.advance_to(0.1)
    assert before[0, 2] == 1.1
    states = simulation.record(until=0.2, every=0.05).states()
    assert not any(array.flags.writeable for array in states.values())


def test_a_world_cannot_be_changed():
    world = dolmen.loads(FALL)
    with pytest.raises(AttributeError):
        world.gravity = (0, 0, 0)


def test_a_run_has_all_samples_and_events(tmp_path):
    simulation = bounce()
    run = simulation.record(until=1.0, every=0.3)
    states = run.states()
    assert len(run) == 5
    np.testing.assert_allclose(states["t"], [0.0, 0.3, 0.6, 0.9, 1.0], rtol=1e-15)
    assert states["positions"].shape == (5, 2, 3)
    np.testing.assert_array_equal(states["positions"][-1], simulation.positions)
    assert run.energy()["total"][0] == pytest.approx(9.81 * 1.1)
    assert [event["kind"] for event in run.events] == ["collision"]
    run.save(tmp_path / "run")
    lines = (tmp_path / "run" / "states.csv").read_text().splitlines()
    assert lines[0].startswith("t,body,x,y,z,qw") and len(lines) == 1 + 5 * 2
    with pytest.raises(dolmen.InputError, match="not empty"):
        run.save(tmp_path / "run")


def test_a_run_with_particles_that_touch_survives_a_pickle():
    run = dolmen.Exact(dolmen.load("particle-on-a-floor")).record(until=0.1, every=0.05)
    again = pickle.loads(pickle.dumps(run))
    assert len(again) == len(run) and list(again.table("particles")["x"]) == list(run.table("particles")["x"])


def long_scene():
    """Balls that collide for hours."""
    return dolmen.load("box-of-hard-spheres")


def test_a_second_thread_is_refused_and_reading_goes_on_elsewhere():
    simulation = dolmen.Exact(long_scene())
    snapshot = simulation.snapshot()
    other = dolmen.Exact(long_scene())
    refused = []

    def go():
        # Whoever looks has it for a moment.
        while is_refused(lambda: simulation.advance_to(5.0)):
            pass

    def is_refused(use):
        try:
            use()
        except dolmen.Error as error:
            refused.append(str(error))
            return True
        return False

    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(go)
        while not future.done():
            is_refused(lambda: simulation.time)
            # The interpreter is free: another simulation can be read meanwhile.
            assert other.time == 0.0
            time.sleep(0.001)
        future.result()
    assert simulation.time == 5.0 and snapshot
    assert refused and all("another thread" in text for text in refused)


def test_an_interrupt_ends_a_long_advance_that_can_go_on():
    import _thread

    simulation = dolmen.Exact(long_scene())
    timer = threading.Timer(0.3, _thread.interrupt_main)
    timer.start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        simulation.advance_to(1e6)
    assert time.monotonic() - start < 5.0
    reached = simulation.time
    assert 0.0 < reached < 1e6
    simulation.advance_to(reached + 0.01)
    straight = dolmen.Exact(long_scene())
    straight.advance_to(reached + 0.01)
    assert bits(simulation) == bits(straight)


# Euler steps of a hundredth of a second do not keep the energy of a spring.
BROKEN = """
format = 1
[integrator]
method = "euler"
step = 0.01
[[body]]
name = "ball"
shape = { kind = "sphere", radius = 0.1 }
mass = 1.0
position = [1, 0, 0]
[[force]]
kind = "spring"
a = { body = "ball" }
b = { point = [0, 0, 0] }
stiffness = 10.0
length = 0.5
"""


def test_a_broken_law_is_a_warning_or_an_error():
    world = dolmen.loads(BROKEN)
    with pytest.warns(dolmen.LawWarning, match="energy does not add up"):
        dolmen.Exact(world).advance_to(5.0)
    with pytest.raises(dolmen.LawError, match="energy does not add up"):
        dolmen.Exact(world, strict=True).advance_to(5.0)
    # A single short call is compared with the start.
    with pytest.raises(dolmen.LawError, match="energy does not add up"):
        dolmen.Exact(world, strict=True).advance_to(0.1)
    table = dolmen.sweep(world, vary={"integrator.step": [0.01]}, measure={"x": "position(ball).x"}, until=0.1)
    assert table["status"] == ["violated"] and "energy" in table["reason"][0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bounce().advance_to(1.0)


def test_sensors_are_a_table_of_both_drivers():
    b = dolmen.WorldBuilder(gravity=(0, 0, -9.5))
    b.fixed("floor", dolmen.Plane())
    b.body("box", dolmen.Box(0.4, 0.4, 0.4), mass=2, position=(0, 0, 0.2))
    b.sensor("imu", "imu", body="box")
    b.sensor("foot", "contact", bodies=["box"])
    world = b.build()
    for simulation in (dolmen.Exact(world), dolmen.Fixed(world, step=1 / 1000)):
        run = simulation.record(until=1.0, every=0.25)
        for table in (run.table("sensors"), pickle.loads(pickle.dumps(run)).table("sensors")):
            assert table["imu.az"][-1] == pytest.approx(9.5, abs=0.01)
            assert table["foot.fz"][-1] == pytest.approx(19.0, abs=0.02)
            assert len(table["t"]) == 5
