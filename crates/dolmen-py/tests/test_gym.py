"""Environments: the checker of Gymnasium, controllers that solve them, bits of vector environments."""

from functools import partial

import numpy as np
import pytest

import dolmen as dm

gymnasium = pytest.importorskip("gymnasium")
import dolmen.gym  # noqa: E402


@pytest.mark.parametrize("make", [dolmen.gym.pendulum, dolmen.gym.hopper, dolmen.gym.gripper])
def test_the_checker_of_gymnasium_passes(make):
    from gymnasium.utils.env_checker import check_env

    check_env(make(render_mode="rgb_array", width=64, height=48))


def some_and_all(some):
    """A few seeds always, twenty with `--long`."""
    return pytest.mark.parametrize("seeds", [range(some), pytest.param(range(some, 20), marks=pytest.mark.long)])


@some_and_all(3)
def test_the_pendulum_is_swung_up_and_held(seeds):
    env = dolmen.gym.pendulum()
    for seed in seeds:
        observation, _ = env.reset(seed=seed)
        held = 0
        for _ in range(2000):
            observation, _, ended, truncated, info = env.step(dolmen.gym.swing_up(observation))
            assert not ended, info
            off = abs(np.arctan2(-observation[0], -observation[1]))
            held = held + 1 if off <= 0.1 else 0
            if held == 500 or truncated:
                break
        assert held == 500, f"seed {seed}: held for {held / 100} s"


@some_and_all(1)
def test_the_gripper_lifts_its_box(seeds):
    env = dolmen.gym.gripper()
    for seed in seeds:
        env.reset(seed=seed)
        held = 0
        for step in range(250):
            _, lifted, ended, _, info = env.step(dolmen.gym.grip_and_lift(step))
            assert not ended, info
            held = held + 1 if lifted >= 0.1 else 0
        assert held >= 100, f"seed {seed}: 0.1 m up for {held / 50} s"


@some_and_all(1)
def test_the_hopper_goes_on_one_leg_upright(seeds):
    env = dolmen.gym.hopper()
    for seed in seeds:
        observation, _ = env.reset(seed=seed)
        start, truncated = observation[0], False
        while not truncated:
            observation, _, ended, truncated, info = env.step(dolmen.gym.hop(observation))
            # Ended means fallen, or pitched by more than 0.5 rad.
            assert not ended, (seed, observation, info)
        assert env.simulation.time == 10.0
        assert observation[0] - start >= 0.5 * 10.0, f"seed {seed}: {observation[0] - start} m in 10 s"


def test_fixed_steps_drive_an_environment():
    env = dolmen.gym.hopper(duration=2.0, driver=partial(dm.Fixed, step=1 / 400))
    observation, _ = env.reset(seed=4)
    truncated = False
    while not truncated:
        observation, _, ended, truncated, info = env.step(dolmen.gym.hop(observation))
        assert not ended, info
    assert isinstance(env.simulation, dm.Fixed) and observation[0] > 0.5


def test_contacts_are_observed():
    b = dm.WorldBuilder(gravity=(0, 0, -9.81))
    b.body("box", dm.Box(0.2, 0.2, 0.2), mass=3.0, position=(0, 0, 0.1))
    b.fixed("floor", dm.Plane())
    b.body("cart", dm.Box(0.1, 0.1, 0.1), mass=1.0, position=(0, 2, 1))
    b.slider("rail", "cart", at=(0, 2, 1), axis=(1, 0, 0), motor=dm.Effort())
    env = dolmen.gym.SceneEnv(b.build(), observe=dolmen.gym.observe_contacts)
    env.reset(seed=0)
    seen = env.step([0.0])[0]
    forces = dict(zip(env.world.names, seen.reshape(-1, 3), strict=True))
    assert np.allclose(forces["box"], [0, 0, 3 * 9.81]) and np.allclose(forces["floor"], [0, 0, -3 * 9.81])
    assert (forces["cart"] == 0).all()


def test_a_vector_environment_has_the_bits_of_single_ones():
    def run(jobs):
        envs = dolmen.gym.VectorEnv(lambda: dolmen.gym.pendulum(duration=0.05), 3, jobs=jobs)
        assert envs.metadata["autoreset_mode"] is gymnasium.vector.AutoresetMode.NEXT_STEP
        seen = [envs.reset(seed=5)[0]]
        for k in range(8):
            observation, rewards, _, truncated, _ = envs.step(np.full((3, 1), 0.1 * k))
            seen.append(observation)
            # Five steps, then a step that begins anew.
            assert truncated.all() == (k == 4) and (rewards != 0).all() == (k != 5)
        envs.close()
        return np.array(seen)

    one, two = run(1), run(2)
    assert (one == two).all()
    env = dolmen.gym.pendulum(duration=0.05)
    assert (env.reset(seed=6)[0] == one[0, 1]).all()
    assert (env.step(np.array([0.0]))[0] == one[1, 1]).all()


def test_a_vector_environment_shows_its_present_and_says_what_ended_it():
    b = dm.WorldBuilder(gravity=(0, 0, -9.81))
    b.body("cart", dm.Box(0.4, 0.2, 0.2), mass=2.0)
    b.slider("rail", "cart", at=(0, 0, 0), axis=(1, 0, 0), motor=dm.Effort())
    world = b.build()
    made = []

    def make():
        made.append(None)
        # The second cannot go on to 0.1 s, where its field has no numbers.
        last = len(made) == 2
        driver = partial(dm.Exact, field=lambda t, state: np.full((1, 3), np.nan if last and t > 0.1 else 0.0))
        return dolmen.gym.SceneEnv(world, driver=driver, render_mode="rgb_array", width=48, height=32)

    envs = gymnasium.wrappers.vector.RecordEpisodeStatistics(dolmen.gym.VectorEnv(make, 2, jobs=2))
    envs.reset(seed=0)
    for _ in range(8):
        *_, ended, _, info = envs.step(np.zeros((2, 1)))
        if ended.any():
            break
    assert list(ended) == [False, True] and list(info["_error"]) == [False, True]
    assert "not finite" in info["error"][1] and info["episode"]["l"][1] >= 1
    assert [image.shape for image in envs.render()] == [(32, 48, 3)] * 2
    envs.close()
    for wrong in (0, -1, "two"):
        with pytest.raises(dm.InputError, match="count"):
            dolmen.gym.VectorEnv(dolmen.gym.pendulum, wrong)


def test_any_scene_with_motors_is_an_environment():
    b = dm.WorldBuilder(gravity=(0, 0, -9.81))
    cart = b.body("cart", dm.Box(0.4, 0.2, 0.2), mass=2.0, position=(0, 0, 0))
    b.slider("rail", cart, at=(0, 0, 0), axis=(1, 0, 0), motor=dm.Velocity(limit=50))
    env = dolmen.gym.SceneEnv(b.build(), terminated=lambda sim: sim.positions[0][0] > 0.5, rate=10)
    env.reset(seed=0)
    ended = [env.step([1.0])[2] for _ in range(7)]
    assert ended == [False] * 5 + [True] * 2
    with pytest.raises(dm.InputError, match="finite"):
        env.step([float("nan")])
    with pytest.raises(dm.InputError, match="no motors"):
        dolmen.gym.SceneEnv("bouncing-ball")
    with pytest.raises(dm.Error, match="reset"):
        dolmen.gym.SceneEnv(b.build()).step([0.0])
