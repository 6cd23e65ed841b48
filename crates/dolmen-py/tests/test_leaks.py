"""Simulations that are gone leave no memory behind."""

import gc
import os
import resource
import sys
import weakref

import numpy as np
import pytest

import dolmen as dm

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is read from /proc")

# What fragments of the heap may take, MB: none of it grows with the number of simulations.
SLACK = 24.0


def memory():
    """Resident, MB."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 1e6


def short(world, arm, k):
    """Something of everything."""
    sim = dm.Exact(world)
    if k % 4 == 0:
        sim.advance_to(0.01)
    elif k % 4 == 1:
        sim.fork().positions
    elif k % 4 == 2:
        sim.record(until=0.01, every=0.01)
    else:
        other = dm.Exact(arm)
        other.motors["pivot"].target = 0.1
        other.apply("arm", force=(0, 0, 1), until=1)
        other.control(lambda s: None)
        other.advance_to(0.001)
        with dm.Fixed(world) as fixed:
            fixed.advance_to(0.01)


def test_a_controller_that_knows_its_simulation_is_collected_with_it():
    class Kept:
        pass

    for make in (dm.Exact, dm.Fixed):
        sim, kept = make(dm.load("bouncing-ball")), Kept()
        there = weakref.ref(kept)
        sim.control(lambda _, sim=sim, kept=kept: sim.time)
        sim.advance_to(0.1)
        del sim, kept
        gc.collect()
        assert there() is None


def test_a_field_that_knows_its_simulation_is_collected_with_it():
    class Rig:
        def __init__(self, make):
            self.sim = make(dm.load("bouncing-ball"), field=self.force)
            # Several simulations have one field.
            self.fork = self.sim.fork()

        def force(self, t, state):
            return 0.1 * state[:, :3]

    for make in (dm.Exact, dm.Fixed):
        rig = Rig(make)
        rig.sim.advance_to(0.1)
        there = weakref.ref(rig)
        fork = rig.fork
        del rig
        gc.collect()
        # A fork that is kept keeps its field, with all that it knows.
        fork.advance_to(0.2)
        assert there() is not None
        del fork
        gc.collect()
        assert there() is None


@pytest.mark.parametrize("count", [2_000, pytest.param(1_000_000, marks=pytest.mark.long)])
def test_short_simulations_leave_no_memory_behind(count):
    count = int(os.environ.get("DOLMEN_LEAK_COUNT", count)) if count > 2_000 else count
    b = dm.WorldBuilder(gravity=(0, 0, -9.81))
    b.body("arm", dm.Box(1, 0.1, 0.1), mass=3.0, position=(0.5, 0, 0))
    b.hinge("pivot", "arm", at=(0, 0, 0), axis=(0, 1, 0), motor=dm.Position(kp=80, kd=8))
    world, arm = dm.load("bouncing-ball"), b.build()
    for k in range(1000):
        short(world, arm, k)
    before = memory()
    for k in range(count):
        short(world, arm, k)
    grown = memory() - before
    assert np.isfinite(grown) and grown < SLACK, f"{grown:.1f} MB after {count} simulations"
