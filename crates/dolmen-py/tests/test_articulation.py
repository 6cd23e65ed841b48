"""Jacobians, mass matrix and inverse dynamics, against closed forms, finite differences and the driver itself."""

import numpy as np
import pytest

import dolmen as dm


def robot(free=False, base=None):
    """Three links in space, no two axes parallel, with a slider and a ball joint in it."""
    b = dm.WorldBuilder(gravity=(0.3, -0.2, -9.81))
    # They pass through each other.
    how = {"collides_with": []}
    if free:
        how |= dict(spin=(0.1, 0.2, -0.3), velocity=(0.2, 0.1, 0))
    b.body("one", dm.Box(0.3, 0.2, 0.6), mass=2.0, position=(0, 0, 0.3), **how)
    b.body("two", dm.Box(0.5, 0.1, 0.2), mass=1.3, position=(0.4, 0, 0.6), **how)
    b.body("three", dm.Capsule(0.05, 0.3), mass=0.7, position=(0.7, 0.1, 0.6), **how)
    if not free:
        b.hinge("a", "one", base, at=(0, 0, 0), axis=(0.1, 0.2, 1), motor=dm.Effort())
    b.slider("b", "two", "one", at=(0.2, 0, 0.6), axis=(1, 0.3, 0.2), motor=dm.Effort())
    b.hinge("c", "three", "two", at=(0.6, 0, 0.6), axis=(0.2, 1, 0.4), motor=dm.Effort())
    return b


def moving(free=False):
    sim = dm.Exact(robot(free).build())
    for joint, torque in (("a", 1.5), ("b", -2.2), ("c", 0.7)):
        if joint in sim.motors:
            sim.motors[joint].target = torque
    sim.advance_to(0.43)
    return sim


@pytest.mark.parametrize("free", [False, True])
def test_the_jacobian_gives_the_velocities_of_bodies_and_of_their_points(free):
    sim = moving(free)
    names = [joint for joint, _ in sim.coordinates]
    assert names == (["b", "c"] + ["one"] * 6 if free else ["a", "b", "c"])
    rates = dict(((joint, axis), rate) for joint, axis, _, rate in sim.joint_coordinates())
    found = dict(zip(sim.coordinates, sim.rates, strict=True))
    assert all(abs(found[key] - rate) < 1e-12 for key, rate in rates.items())
    for rank, name in enumerate(sim.world.names):
        twist = sim.jacobian(name) @ sim.rates
        assert np.allclose(twist, np.r_[sim.velocities[rank], sim.spins[rank]], atol=1e-11)
        point = sim.positions[rank] + [0.1, -0.2, 0.3]
        moved = sim.velocities[rank] + np.cross(sim.spins[rank], [0.1, -0.2, 0.3])
        assert np.allclose((sim.jacobian(name, point) @ sim.rates)[:3], moved, atol=1e-11)


@pytest.mark.parametrize("free", [False, True])
def test_the_mass_matrix_gives_the_kinetic_energy(free):
    sim = moving(free)
    m, u = sim.mass_matrix(), sim.rates
    assert (m == m.T).all() and np.linalg.eigvalsh(m).min() > 0
    assert abs(0.5 * u @ m @ u - sim.ledger()["kinetic"]) < 1e-11


def accelerations(sim, h=1e-4):
    """Of the coordinates, from how their rates go on."""
    rates = [sim.rates]
    fork = sim.fork()
    for k in (1, 2):
        fork.advance_to(sim.time + k * h)
        rates.append(fork.rates)
    return (-3 * rates[0] + 4 * rates[1] - rates[2]) / (2 * h)


@pytest.mark.parametrize("free", [False, True])
def test_inverse_dynamics_gives_back_the_torques_of_the_motors(free):
    sim = moving(free)
    found = sim.inverse_dynamics(accelerations(sim))
    wanted = [-2.2, 0.7] + [0.0] * 6 if free else [1.5, -2.2, 0.7]
    # The difference quotient: of second order in 1e-4 s.
    assert np.abs(found - wanted).max() < 1e-3, found


def test_a_force_on_a_body_is_taken_into_account():
    sim = moving()
    forces = np.zeros((3, 6))
    forces[1] = 1.0, -2.0, 0.5, 0.1, 0.2, -0.3
    sim.apply(sim.world.names[1], force=forces[1, :3], torque=forces[1, 3:], until=9.0)
    found = sim.inverse_dynamics(accelerations(sim), forces)
    assert np.abs(found - [1.5, -2.2, 0.7]).max() < 1e-4, found


def test_a_pendulum_has_its_closed_form():
    b = dm.WorldBuilder(gravity=(0, 0, -9.81))
    b.body("arm", dm.Box(0.8, 0.1, 0.1), mass=2.5, position=(0.4, 0, 0))
    b.hinge("pivot", "arm", at=(0, 0, 0), axis=(0, 1, 0))
    sim = dm.Exact(b.build())
    inertia = 2.5 * (0.8**2 + 0.1**2) / 12 + 2.5 * 0.16
    assert np.allclose(sim.mass_matrix(), [[inertia]], rtol=1e-14)
    # Level: the weight turns it by m g l / 2 about y.
    assert np.allclose(sim.inverse_dynamics([0.0]), [-2.5 * 9.81 * 0.4])


def test_a_moving_base_is_known():
    b = robot(base="cart")
    b.body("cart", dm.Box(0.1, 0.1, 0.1), kind="kinematic", collides_with=[], position=(0, 0, -2), motion={"kind": "oscillate", "amplitude": [0.5, 0, 0], "frequency": 0.7})
    sim = dm.Exact(b.build())
    sim.advance_to(0.37)
    assert np.abs(sim.inverse_dynamics(accelerations(sim))).max() < 1e-4


def test_a_ball_joint_has_three_rates():
    b = dm.WorldBuilder(gravity=(0, 0, -9.81))
    b.body("arm", dm.Box(0.8, 0.1, 0.2), mass=2.5, position=(0.4, 0, 0))
    b.ball("socket", "arm", at=(0, 0, 0))
    sim = dm.Exact(b.build())
    sim.advance_to(0.6)
    assert [axis for _, axis in sim.coordinates] == ["spin-x", "spin-y", "spin-z"]
    assert np.allclose(sim.rates, sim.spins[0]) and np.abs(sim.inverse_dynamics(accelerations(sim))).max() < 1e-4


def test_what_cannot_be_asked_is_said():
    sim = moving()
    with pytest.raises(dm.InputError, match="3 finite"):
        sim.inverse_dynamics([0.0, 1.0])
    with pytest.raises(dm.InputError, match="3 finite"):
        sim.inverse_dynamics([0.0, 1.0, float("nan")])
    with pytest.raises(dm.InputError, match="forces"):
        sim.inverse_dynamics([0.0] * 3, np.zeros((2, 3)))
    with pytest.raises(dm.InputError, match="no body"):
        sim.jacobian("four")
    b = robot()
    b.ball("loop", "three", at=(0.7, 0.1, 0.6))
    with pytest.raises(dm.InputError, match="loop"):
        dm.Exact(b.build()).mass_matrix()


def test_fixed_steps_have_the_same_matrices():
    world = robot().build()
    assert np.allclose(dm.Fixed(world).mass_matrix(), dm.Exact(world).mass_matrix())
