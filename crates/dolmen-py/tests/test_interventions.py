"""Motors, pushes, controllers: logged, replayed, restored with the same bits."""

import copy
import pickle
import threading

import numpy as np
import pytest

import dolmen as dm


def arm(motor, gravity=0.0):
    b = dm.WorldBuilder(gravity=(0, 0, gravity))
    b.body("arm", dm.Box(1, 0.1, 0.1), mass=3.0, position=(0.5, 0, 0))
    b.hinge("pivot", "arm", at=(0, 0, 0), axis=(0, 0, 1) if gravity == 0 else (0, 1, 0), motor=motor)
    return b.build()


INERTIA = 3.0 * (1.0 + 0.01) / 12.0 + 3.0 * 0.25


def test_a_torque_that_is_set_acts_from_then_on():
    simulation = dm.Exact(arm(dm.Effort()))
    simulation.advance_to(1.0)
    simulation.motors["pivot"].target = 1.0
    assert simulation.motors["pivot"].target == 1.0
    simulation.advance_to(2.0)
    ((joint, axis, angle, rate),) = simulation.joint_coordinates()
    assert (joint, axis) == ("pivot", "turn-z")
    assert angle == pytest.approx(0.5 / INERTIA, abs=1e-9) and rate == pytest.approx(1.0 / INERTIA, abs=1e-9)
    assert simulation.ledger()["work"] == pytest.approx(0.5 / INERTIA, abs=1e-9)


def test_a_push_is_logged_and_replayed_with_the_same_bits():
    world = dm.load("bouncing-ball")
    simulation = dm.Exact(world)
    simulation.advance_to(0.2)
    simulation.apply("ball", force=(0.1, 0, 0), torque=(0, 0.01, 0), until=0.7)
    simulation.advance_to(2.0)
    assert len(simulation.interventions) == 1 and simulation.positions[0][0] > 0
    again = dm.Exact(world)
    again.replay(simulation.interventions, until=2.0)
    assert (again.state == simulation.state).all()


def test_snapshots_forks_and_pickles_carry_interventions():
    simulation = dm.Exact(arm(dm.Position(kp=20, kd=1, limit=5)))
    simulation.motors["pivot"].target = 0.5
    simulation.advance_to(0.3)
    copies = [simulation.fork(), copy.deepcopy(simulation), pickle.loads(pickle.dumps(simulation))]
    restored = dm.Exact(simulation.world)
    restored.restore(simulation.snapshot())
    for other in [simulation, *copies, restored]:
        other.motors["pivot"].target = -0.5
        other.advance_to(1.0)
        assert (other.state == simulation.state).all()
    # They know nothing of each other.
    copies[0].motors["pivot"].target = 3.0
    copies[0].advance_to(2.0)
    simulation.advance_to(2.0)
    assert not (copies[0].state == simulation.state).all()


def test_a_controller_is_called_at_even_times_and_holds():
    simulation = dm.Exact(arm(dm.Effort()))
    times = []

    def controller(sim):
        times.append(sim.time)
        ((_, _, angle, rate),) = sim.joint_coordinates()
        sim.motors["pivot"].target = -20 * (angle - 0.4) - 8 * rate

    simulation.control(controller, rate=100)
    simulation.advance_to(0.1)
    assert np.allclose(times, np.arange(10) / 100, atol=1e-12)
    run = simulation.record(until=5.0, every=0.5)
    assert len(run) == 11 and len(times) == 500
    assert simulation.joint_coordinates()[0][2] == pytest.approx(0.4, abs=1e-4)
    simulation.control(None)
    simulation.advance_to(5.5)
    assert len(times) == 500


def test_a_recording_under_control_has_all_events_and_broken_laws():
    world = dm.load("bouncing-ball")
    alone = dm.Exact(world).record(until=2.0, every=0.5)
    for make in (dm.Exact, dm.Fixed):
        simulation, inner = make(world), []

        def controller(sim):
            # What it takes, looks at or records itself is there nevertheless.
            sim.take_events()
            if sim.time == 1.0:
                inner.append(sim.record(until=1.02, every=0.01))

        simulation.control(controller, rate=100)
        run = simulation.record(until=2.0, every=0.5)
        assert len(inner) == 1 and len(inner[0]) == 3
        if make is dm.Exact:
            assert [event["t"] for event in run.events] == pytest.approx([event["t"] for event in alone.events], abs=1e-12)
            assert run.table("events").rows == len(alone.events) == 3
        else:
            assert sum(event["kind"] == "collision" for event in run.events) == 3
    # A law that is broken between two samples is a row at its time, before what happens later.
    b = dm.WorldBuilder(gravity=(0, 0, -9.81))
    b.fixed("floor", dm.Plane())
    b.body("brick", dm.Box(0.3, 0.2, 0.1), mass=6, position=(0, 0, 0.4), velocity=(1, 0.3, 0), spin=(1, 2, 3))
    b.contact(restitution=0.3, friction=0.4)
    tumbling = b.build().with_values("laws.residual=1e-300")
    for control in (None, lambda sim: None):
        simulation = dm.Exact(tumbling)
        simulation.control(control, rate=100)
        with pytest.warns(dm.LawWarning):
            table = simulation.record(until=2.0, every=2.0).table("events")
        broken = [k for k, kind in enumerate(table["kind"]) if kind == "violated"]
        assert broken and broken[0] < table.rows - 1 and (np.diff(table["t"]) >= 0).all()


def test_how_time_is_cut_up_changes_no_bit_under_control():
    def run(times):
        simulation = dm.Exact(arm(dm.Effort()))
        simulation.control(lambda sim: setattr(sim.motors["pivot"], "target", np.sin(9 * sim.time)), rate=50)
        for t in times:
            simulation.advance_to(t)
        return simulation.state

    assert (run([1.0]) == run([0.013, 0.5, 0.7001, 1.0])).all()


def test_a_controller_that_raises_shows_its_own_mistake():
    simulation = dm.Exact(arm(dm.Effort()))
    simulation.control(lambda sim: {}["wrong"], rate=10)
    with pytest.raises(KeyError, match="wrong"):
        simulation.advance_to(1.0)
    simulation.control(None)
    simulation.advance_to(1.0)


def test_wrong_interventions_are_refused():
    simulation = dm.Exact(arm(dm.Effort()))
    for wrong, match in [
        (lambda: setattr(simulation.motors["pivot"], "target", float("nan")), "finite"),
        (lambda: simulation.motors["pivo"], "there is no motor"),
        (lambda: simulation.apply("amr", force=(1, 0, 0), until=1), "did you mean"),
        (lambda: simulation.apply("arm", force=(1, 0, 0), until=0), "later time"),
        (lambda: simulation.apply("arm", force=(np.inf, 0, 0), until=1), "force"),
        (lambda: simulation.control(3, rate=10), "function"),
        (lambda: simulation.control(print, rate=0), "rate"),
        (lambda: simulation.replay([{"t": 0.0}], until=1), "no intervention"),
        (lambda: dm.Exact(simulation.world, state=np.zeros((1, 3))), "13"),
        (lambda: dm.Exact(simulation.world, state=np.full((1, 13), np.nan)), "finite"),
        (lambda: dm.Exact(simulation.world, state=np.zeros((3, 13))), "bodies"),
    ]:
        with pytest.raises(dm.InputError, match=match):
            wrong()
    simulation.advance_to(1.0)


def test_a_second_thread_gets_an_error():
    simulation = dm.Exact(dm.load("bouncing-ball"))
    found = []

    def controller(sim):
        thread = threading.Thread(target=lambda: found.append(sim.time))
        thread.start()
        thread.join()

    # A callback has the simulation to itself, also from a thread of its own.
    simulation.control(controller, rate=10)
    simulation.advance_to(0.2)
    assert found == [0.0, 0.1]


def test_a_state_is_where_another_simulation_starts():
    world = arm(dm.Effort(), gravity=-9.81)
    first = dm.Exact(world)
    first.advance_to(0.7)
    second = dm.Exact(world, state=first.state)
    second.advance_to(0.5)
    first.advance_to(1.2)
    assert np.allclose(second.state, first.state, atol=1e-8)
    assert (pickle.loads(pickle.dumps(second)).state == second.state).all()


def test_questions_about_places():
    simulation = dm.Exact(dm.load("bouncing-ball"))
    z = simulation.positions[simulation.world.names.index("ball")][2]
    hit = simulation.ray((0, 0, 10), (0, 0, -1))
    assert hit["body"] == "ball" and hit["distance"] == pytest.approx(10 - z - 0.1)
    assert simulation.ray((5, 5, 1), (0, 0, 1)) is None
    assert simulation.closest_points("ball", "floor")["distance"] == pytest.approx(z - 0.1)
    assert simulation.overlaps() == []
    with pytest.raises(dm.InputError, match="direction"):
        simulation.ray((0, 0, 1), (0, 0, 0))


def test_a_picture_is_made_without_a_display():
    image = dm.render(dm.Exact(dm.load("bouncing-ball")), 160, 120)
    assert image.shape == (120, 160, 3) and image.dtype == np.uint8
    assert len(np.unique(image.reshape(-1, 3), axis=0)) > 10
    with pytest.raises(dm.InputError, match="width"):
        dm.render(dm.Exact(dm.load("bouncing-ball")), 1, 120)


def test_a_picture_is_of_the_present():
    b = dm.WorldBuilder()
    b.body("cart", dm.Box(0.4, 0.4, 0.4), kind="kinematic", position=(-0.5, 0, 0), velocity=(1, 0, 0))
    for name, x in (("left", -2), ("right", 2)):
        b.body(name, dm.Sphere(0.2), mass=1, position=(x, 0, 0))
    called = []

    def field(t, state):
        called.append(t)
        return 0 * state[:, :3]

    for make in (dm.Exact, dm.Fixed):
        simulation = make(b.build(), field=field)
        before = dm.render(simulation, 160, 120)
        simulation.advance_to(1.0)
        called.clear()
        # What follows a course is where it is now, and nothing is simulated to see that.
        assert (dm.render(simulation, 160, 120) != before).any() and not called


def test_rollouts_do_not_depend_on_the_number_of_threads():
    world = arm(dm.Effort())
    start = dm.Exact(world).state
    random = np.random.default_rng(1)
    controls = random.normal(size=(8, 20, 1))
    states = np.repeat(start[None], 8, axis=0)
    one, three = (dm.rollout(world, states, controls, step=0.05, jobs=jobs) for jobs in (1, 3))
    assert (one["states"] == three["states"]).all() and one["errors"] == [None] * 8
    # One of them by hand.
    simulation = dm.Exact(world)
    for i, (target,) in enumerate(controls[3]):
        simulation.motors["pivot"].target = target
        simulation.advance_to((i + 1) * 0.05)
    assert (one["states"][3, -1] == simulation.state).all()
    for wrong in (states[0], states[:, :, :5], np.full_like(states, np.nan)):
        with pytest.raises(dm.InputError):
            dm.rollout(world, wrong, controls, step=0.05)
    with pytest.raises(dm.InputError, match="target for each motor"):
        dm.rollout(world, states, controls[:, :, :0], step=0.05)


def test_no_memory_is_lost_in_many_short_simulations():
    import resource

    world = dm.load("bouncing-ball")

    def short(n):
        for _ in range(n):
            simulation = dm.Exact(world)
            simulation.apply("ball", force=(1, 0, 0), until=1)
            simulation.advance_to(0.01)
            simulation.fork().positions

    short(200)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    short(2000)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # One that is kept would be more than 10 kB each.
    assert after - before < 10_000, f"{after - before} kB"
