"""What goes wrong is said: arrays, callbacks, closed and forked simulations, two threads, a Ray that is not there."""

import _thread
import os
import subprocess
import sys
import threading
import time
import traceback

import numpy as np
import pytest

import dolmen as dm


def ball():
    b = dm.WorldBuilder(gravity=(0, 0, -9.81))
    b.body("ball", dm.Sphere(0.1), density=900, position=(0, 0, 1.3))
    b.fixed("floor", dm.Plane())
    b.contact(restitution=0.7)
    return b.build()


@pytest.mark.parametrize("make", [dm.Exact, dm.Fixed])
def test_states_of_a_wrong_shape_or_with_numbers_that_are_none(make):
    world = ball()
    good = np.array(make(world).state)
    for state in (good[:1], good[:, :12], np.zeros((3, 13))):
        with pytest.raises(dm.InputError, match="state"):
            make(world, state=state)
    bad = good.copy()
    bad[0, 2] = np.nan
    with pytest.raises(dm.InputError, match="finite"):
        make(world, state=bad)
    with pytest.raises((TypeError, ValueError)):
        make(world, state="here")


def test_arrays_are_read_into_ones_that_are_given():
    sim = dm.Exact(ball())
    out = np.zeros((2, 3))
    assert sim.read("positions", out=out) is out and (out == sim.positions).all()
    assert not sim.positions.flags.writeable
    frozen = np.zeros((2, 3))
    frozen.flags.writeable = False
    for wrong in (np.zeros((3, 3)), np.zeros((2, 3), np.float32), np.zeros(6), frozen, [0.0], "x"):
        with pytest.raises(dm.InputError, match=r"float64 and shape \(2, 3\)"):
            sim.read("positions", out=wrong)
    with pytest.raises(dm.InputError, match="positions, orientations"):
        sim.read("masses")


@pytest.mark.parametrize("make", [dm.Exact, dm.Fixed])
def test_a_closed_simulation_says_so(make):
    with make(ball()) as sim:
        sim.advance_to(0.1)
    for use in (lambda: sim.advance_to(1), lambda: sim.positions, lambda: sim.fork(), lambda: sim.time, lambda: sim.ledger()):
        with pytest.raises(dm.Error, match="closed"):
            use()
    assert "not usable" in repr(sim)
    sim.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_simulation_goes_on_in_a_process_that_was_forked():
    program = """
import os
import dolmen as dm
sim = dm.Exact(dm.load("bouncing-ball"))
sim.advance_to(0.3)
child = os.fork()
sim.advance_to(2.0)
if child == 0:
    os._exit(0 if sim.time == 2.0 else 1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_a_second_thread_is_told():
    sim = dm.Exact(ball(), field=lambda t, state: time.sleep(0.02) or 0 * state[:, :3])
    started = threading.Thread(target=lambda: sim.advance_to(0.2))
    started.start()
    # So that it is the first.
    time.sleep(0.05)
    seen = []
    while started.is_alive() and not seen:
        try:
            sim.positions
        except dm.Error as error:
            seen.append(str(error))
    started.join()
    assert seen and "another thread" in seen[0]


@pytest.mark.parametrize("make", [dm.Exact, dm.Fixed])
def test_what_a_callback_raises_comes_out_with_its_traceback(make):
    def faulty(sim):
        raise ZeroDivisionError("of the controller")

    sim = make(ball())
    sim.control(faulty, rate=10)
    with pytest.raises(ZeroDivisionError, match="of the controller") as caught:
        sim.advance_to(1.0)
    assert "faulty" in "".join(traceback.format_tb(caught.tb))

    def field(t, state):
        if t > 0.2:
            raise KeyError("of the field")
        return np.zeros((2, 3))

    with pytest.raises(KeyError, match="of the field") as caught:
        make(ball(), field=field).advance_to(1.0)
    assert "field" in "".join(traceback.format_tb(caught.tb))


def test_fields_of_a_wrong_shape_are_refused():
    for given, text in (
        (np.zeros((1, 3)), "shape"),
        (np.zeros((2, 4)), "shape"),
        (0.0, "shape"),
        (np.full((2, 3), np.nan), "finite"),
    ):
        with pytest.raises(dm.InputError, match=text):
            dm.Exact(ball(), field=lambda t, state, given=given: given).advance_to(0.5)
    with pytest.raises(dm.InputError, match="function"):
        dm.Exact(ball(), field=3)
    with pytest.raises((TypeError, ValueError)):
        dm.Exact(ball(), field=lambda t, state: "far").advance_to(0.5)


@pytest.mark.parametrize("make", [dm.Exact, dm.Fixed])
def test_a_field_acts_as_the_force_that_it_is(make):
    # Gravity of its own, twice that of the world upside down.
    world = ball()
    mass = 900 * 4 / 3 * np.pi * 0.1**3
    sim = make(world, field=lambda t, state: np.array([[0, 0, 2 * 9.81 * mass, 0, 0.01, 0], [0] * 6]))
    sim.advance_to(0.6)
    assert abs(sim.positions[0][2] - (1.3 + 0.5 * 9.81 * 0.36)) < (1e-9 if make is dm.Exact else 2e-2)
    assert sim.spins[0][1] > 0
    work = 2 * 9.81 * mass * (sim.positions[0][2] - 1.3)
    assert abs(sim.ledger()["work"] - work) < 0.05 * work
    fork = sim.fork()
    fork.advance_to(0.9)
    sim.advance_to(0.9)
    assert (fork.state == sim.state).all()


def looping(sim):
    while True:
        pass


@pytest.mark.parametrize("make", [dm.Exact, dm.Fixed])
def test_callbacks_that_loop_end_with_their_timeout(make):
    sim = make(ball())
    sim.control(looping, rate=10)
    began = time.monotonic()
    with pytest.raises(dm.TimeoutError, match="timeout"):
        sim.advance_to(1.0, timeout=0.3)
    with pytest.raises(TimeoutError):
        # Where there is a floor, the start looks ahead.
        sim = make(ball(), field=lambda t, state: looping(None) if t > 0.1 else state[:, :3] * 0, timeout=0.3)
        sim.record(0.5, 0.1, timeout=0.3)
    assert time.monotonic() - began < 10
    for wrong in (0.0, -1.0, float("nan")):
        with pytest.raises(dm.InputError, match="timeout"):
            make(ball()).advance_to(1.0, timeout=wrong)


@pytest.mark.parametrize("inside", ["controller", "field"])
def test_callbacks_that_loop_end_with_a_signal(inside):
    timer = threading.Timer(0.5, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        if inside == "field":
            sim = dm.Exact(ball(), field=lambda t, state: looping(None) if t > 0.1 else 0 * state[:, :3])
        else:
            sim = dm.Exact(ball())
            sim.control(looping, rate=20)
        sim.advance_to(1.0)
    timer.join()


def test_arguments_that_are_something_else_are_named():
    sim = dm.Exact(ball())
    how = dict(vary={"contact.restitution": [0.5]}, measure={"z": "position(ball).z"}, until=0.1)
    for call, text in (
        (lambda: dm.render(sim.world), "World is no simulation"),
        (lambda: dm.render(sim, "wide", 10), "width = 'wide'"),
        (lambda: dm.render(sim, 10, float("nan")), "height = nan"),
        (lambda: dm.show(sim), "Exact is no run"),
        (lambda: dm.Fixed(sim.world, substeps=-1), "substeps = -1"),
        (lambda: dm.Fixed(sim.world, threads=-1), "threads = -1"),
        (lambda: sim.apply("ball", force=(0, 0), until=1), "force of 2 numbers"),
        (lambda: sim.apply("ball", torque="up", until=1), "torque is of type"),
        (lambda: sim.ray((0, 0), (0, 0, 1)), "origin of 2 numbers"),
        (lambda: sim.ray((0, 0, 1), 1.0), "direction of 0 dimensions"),
        (lambda: sim.jacobian("ball", point=(0, 1)), "point of 2 numbers"),
        (lambda: dm.sweep(ball(), **{**how, "vary": {"contact.restitution": 0.5}}), "give a list of values"),
        (lambda: dm.sweep(ball(), **{**how, "vary": {3: [0.5]}}), "3 is no key"),
        (lambda: dm.sweep(ball(), **{**how, "vary": 3}), "vary: give a dictionary"),
        (lambda: dm.sweep(ball(), **{**how, "vary": [1, 2]}), "vary: give a dictionary"),
        (lambda: dm.sweep(ball(), **{**how, "measure": {3: "kinetic"}}), "3 is no name of a column"),
        (lambda: dm.sweep(ball(), **how, random=0), "random = 0: give at least one"),
        (lambda: dm.sweep(ball(), **how, random=3, seed=-1), "seed = -1: give at least zero"),
        (lambda: dm.sweep(ball(), **how, samples=0), "samples = 0"),
        (lambda: dm.sweep(ball(), **how, jobs="all"), "jobs = 'all'"),
        (lambda: dm.sweep(ball(), **{**how, "until": "end"}), "until = 'end'"),
        (lambda: dm.Range("a", 1), "start = 'a'"),
        (lambda: dm.rollout(ball(), np.zeros((1, 2, 13)), np.zeros((1, 1, 0)), step="x"), "step = 'x'"),
    ):
        with pytest.raises(dm.InputError, match=text):
            call()


def test_a_missing_ray_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(dm.Error, match=r"pip install 'dolmen\[ray\]'"):
        dm.sweep(ball(), vary={"contact.restitution": [0.1, 0.2]}, measure={"z": "position(ball).z"}, until=0.1, on="ray")


def test_a_missing_gymnasium_is_named():
    program = "import sys; sys.modules['gymnasium'] = None; import dolmen.gym"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "pip install 'dolmen[gym]'" in done.stderr
