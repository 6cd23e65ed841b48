"""Gymnasium environments from scenes: actions are targets of motors, observations are joints, poses and contacts.

>>> import dolmen.gym
>>> env = dolmen.gym.pendulum()
>>> observation, info = env.reset(seed=1)
"""

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import dolmen
from dolmen._errors import Error, InputError
from dolmen._numbers import whole

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode
    from gymnasium.vector.utils import batch_space
except ImportError as error:
    raise ImportError("dolmen.gym needs Gymnasium: pip install 'dolmen[gym]'") from error


def observe_joints(simulation):
    """sin and cos of angles (coordinates of what slides), and all rates, in the order of `joint_coordinates`."""
    places, rates = [], []
    for _, axis, place, rate in simulation.joint_coordinates():
        places += [np.sin(place), np.cos(place)] if axis.startswith("turn") else [place]
        rates.append(rate)
    return np.array(places + rates)


def observe_bodies(simulation):
    """The motion of all bodies: rows of `Exact.state`, one after the other."""
    return simulation.state.ravel()


def observe_contacts(simulation):
    """The sum of contact forces on each body, N: x, y and z of one after the other."""
    names = simulation.world.names
    sums = np.zeros((len(names), 3))
    for contact in simulation.contact_forces():
        a, b = (names.index(name) for name in contact["bodies"])
        force = contact["normal_force"] * np.array(contact["normal"]) + contact["friction"]
        sums[a] += force
        sums[b] -= force
    return sums.ravel()


class SceneEnv(gymnasium.Env):
    """An environment of any scene.

    An action is a target for each motor of the world, between `low` and `high`; it is held for 1 / `rate` seconds. `observe`,
    `reward` and `terminated` are functions of the simulation (a reward of the simulation and the action); an episode is truncated
    after `duration` seconds. `start(world, random)` gives the state from which an episode begins: an array as `Exact.state`, or
    None for that of the scene. `driver` makes the simulation, such as `functools.partial(dolmen.Fixed, step=1/500)`;
    `tolerance` is that of the exact one. A motion that cannot go on ends the episode, with the reason in `info["error"]`.
    """

    def __init__(
        self,
        scene,
        *,
        rate=50.0,
        low=-1.0,
        high=1.0,
        observe=observe_joints,
        reward=None,
        terminated=None,
        duration=10.0,
        start=None,
        driver=dolmen.Exact,
        tolerance=1e-8,
        render_mode=None,
        width=320,
        height=240,
    ):
        self.metadata = {"render_modes": ["rgb_array"], "render_fps": int(round(rate))}
        if render_mode not in (None, "rgb_array"):
            raise InputError(f"render_mode = {render_mode!r}: give 'rgb_array' or None")
        world = scene if isinstance(scene, dolmen.World) else dolmen.load(scene)
        # A policy asks for less than the default of the engine.
        self.world = world if tolerance is None else world.with_values(f"accuracy.tolerance={float(tolerance)!r}")
        motors = self.world.motors
        if not motors:
            raise InputError("the world has no motors that take targets: there are no actions")
        self.render_mode = render_mode
        self._rate, self._steps = float(rate), int(round(duration * rate))
        self._observe, self._reward, self._terminated = observe, reward, terminated
        self._start, self._driver, self._size = start, driver, (width, height)
        shape = (len(motors),)
        low, high = (np.broadcast_to(np.asarray(bound, np.float64), shape).copy() for bound in (low, high))
        self.action_space = spaces.Box(low, high, dtype=np.float64)
        seen = np.asarray(observe(driver(self.world)), np.float64)
        self.observation_space = spaces.Box(-np.inf, np.inf, seen.shape, np.float64)
        self._keys = [(joint, axis) for joint, axis, _ in motors]
        self.simulation = None

    def _seen(self):
        return np.asarray(self._observe(self.simulation), np.float64)

    def reset(self, *, seed=None, options=None):
        """Begins an episode."""
        super().reset(seed=seed)
        state = None if self._start is None else self._start(self.world, self.np_random)
        self.simulation = self._driver(self.world, state=state)
        # What touches at the start is settled before anybody looks.
        self.simulation.advance_to(0.0)
        self._step = 0
        return self._seen(), {}

    def step(self, action):
        """Holds the targets for one period."""
        if self.simulation is None:
            raise Error("call reset() before step()")
        action = np.asarray(action, np.float64)
        if action.shape != self.action_space.shape or not np.isfinite(action).all():
            raise InputError(f"action {action!r}: give {self.action_space.shape[0]} finite numbers")
        action = np.clip(action, self.action_space.low, self.action_space.high)
        info = {}
        try:
            for (joint, axis), target in zip(self._keys, action, strict=True):
                self.simulation._set_target(joint, float(target), axis)
            self._step += 1
            self.simulation.advance_to(self._step / self._rate)
            # Events of an episode would only take memory.
            self.simulation._forget()
        except Error as error:
            info["error"] = str(error)
        reward = 0.0 if self._reward is None else float(self._reward(self.simulation, action))
        ended = bool(info) or (self._terminated is not None and bool(self._terminated(self.simulation)))
        return self._seen(), reward, ended, self._step >= self._steps, info

    def render(self):
        """An image of the present, if `render_mode` is "rgb_array"."""
        if self.render_mode is None or self.simulation is None:
            return None
        return np.array(dolmen.render(self.simulation, *self._size))


class VectorEnv(gymnasium.vector.VectorEnv):
    """Many environments at once, on all cores; same bits for any number of threads.

    `metadata["autoreset_mode"]` is NEXT_STEP: an environment that ended begins anew at the next step, whose action for it is not
    used and whose reward is zero.
    """

    def __init__(self, make, count, *, jobs=None):
        self.envs = [make() for _ in range(whole(count, "count", 1))]
        first = self.envs[0]
        self.num_envs = count
        self.metadata = {**first.metadata, "autoreset_mode": AutoresetMode.NEXT_STEP}
        self.single_action_space, self.single_observation_space = first.action_space, first.observation_space
        self.action_space = batch_space(first.action_space, count)
        self.observation_space = batch_space(first.observation_space, count)
        self.render_mode = first.render_mode
        self._ended = np.zeros(count, bool)
        # The engine lets go of the interpreter while it works.
        self._pool = ThreadPoolExecutor(os.cpu_count() if jobs is None else whole(jobs, "jobs", 1))

    def reset(self, *, seed=None, options=None):
        """Begins all episodes; seed s gives seeds s, s + 1, …"""
        seeds = [None if seed is None else seed + i for i in range(self.num_envs)] if np.ndim(seed) == 0 else seed
        seen = list(self._pool.map(lambda pair: pair[0].reset(seed=pair[1])[0], zip(self.envs, seeds, strict=True)))
        self._ended[:] = False
        return np.stack(seen), {}

    def step(self, actions):
        """One period of all."""

        def one(i):
            if self._ended[i]:
                return self.envs[i].reset()[0], 0.0, False, False, {}
            return self.envs[i].step(actions[i])

        seen, rewards, ended, truncated, infos = zip(*self._pool.map(one, range(self.num_envs)), strict=True)
        self._ended = np.array(ended) | np.array(truncated)
        together = {}
        for i, info in enumerate(infos):
            together = self._add_info(together, info, i)
        return np.stack(seen), np.array(rewards), np.array(ended), np.array(truncated), together

    def render(self):
        """Images of the present of all, if `render_mode` is "rgb_array"."""
        return None if self.render_mode is None else tuple(self._pool.map(lambda env: env.render(), self.envs))

    def close_extras(self, **kwargs):
        """Ends the threads."""
        self._pool.shutdown()


def _pendulum_world():
    b = dolmen.WorldBuilder(gravity=(0, 0, -9.81), title="Pendulum with a motor that is too weak to lift it")
    arm = b.body("arm", dolmen.Box(0.05, 0.05, 1.0), mass=1.0, position=(0, 0, -0.5))
    b.hinge("pivot", arm, at=(0, 0, 0), axis=(0, 1, 0), motor=dolmen.Effort())
    return b.build()


def _turned(world, angle, rate):
    """The pendulum turned by an angle from hanging, about y."""
    row = np.zeros((1, 13))
    row[0, :3] = -0.5 * np.sin(angle), 0, -0.5 * np.cos(angle)
    row[0, 3:7] = np.cos(angle / 2), 0, np.sin(angle / 2), 0
    row[0, 7:10] = -0.5 * np.cos(angle) * rate, 0, 0.5 * np.sin(angle) * rate
    row[0, 11] = rate
    return row


def pendulum(**settings):
    """A pendulum to be swung up and held: torque up to 2 N·m, of the 4.9 N·m that its weight takes at the side.

    Observations: sine and cosine of the angle from hanging, and its rate.
    """

    def start(world, random):
        return _turned(world, random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3))

    def reward(simulation, action):
        (_, _, angle, rate), *_ = simulation.joint_coordinates()
        up = np.pi - abs(angle)
        return -(up**2) - 0.1 * rate**2 - 0.001 * float(action[0]) ** 2

    how = {"rate": 100.0, "low": -2.0, "high": 2.0, "reward": reward, "start": start, "duration": 20.0}
    return SceneEnv(_pendulum_world(), **{**how, **settings})


def swing_up(observation):
    """A controller of `pendulum`: energy first [Åström, Furuta 2000], then state feedback near the top."""
    sine, cosine, rate = observation
    inertia, weight = 1.0 * (1.0 + 0.05**2) / 12 + 0.25, 9.81 * 0.5
    angle_from_top = np.arctan2(-sine, -cosine)
    if abs(angle_from_top) < 0.3 and abs(rate) < 2.5:
        return np.array([-(15.0 * angle_from_top + 4.0 * rate)])
    missing = weight - (0.5 * inertia * rate**2 - weight * cosine)
    # From rest, any direction will do.
    return np.array([2.0 * np.sign(missing) * (np.sign(rate) or 1.0)])


def _gripper_world():
    b = dolmen.WorldBuilder(gravity=(0, 0, -9.81), title="A gripper over a box")
    b.fixed("floor", dolmen.Plane(sides="front"))
    b.body("box", dolmen.Box(0.08, 0.08, 0.08), mass=0.3, position=(0, 0, 0.04))
    b.body("palm", dolmen.Box(0.05, 0.3, 0.04), mass=1.0, position=(0, 0, 0.2), collides_with=[])
    b.slider("lift", "palm", at=(0, 0, 0.2), axis=(0, 0, 1), motor=dolmen.Position(kp=400, kd=60, limit=80))
    for side, y in (("left", 0.08), ("right", -0.08)):
        finger = b.body(side, dolmen.Box(0.06, 0.02, 0.1), mass=0.2, position=(0, y, 0.08))
        b.slider(f"{side} slide", finger, "palm", at=(0, y, 0.15), axis=(0, -np.sign(y), 0), motor=dolmen.Effort())
    b.contact(friction=0.8)
    return b.build()


def gripper(**settings):
    """A gripper that is to lift a box: targets of the fingers (N, closing) and of the lift (m)."""

    def start(world, random):
        state = np.array(dolmen.Exact(world).state)
        row = world.names.index("box")
        state[row, :2] = random.uniform(-0.01, 0.01, 2)
        return state

    def reward(simulation, action):
        return simulation.positions[simulation.world.names.index("box")][2] - 0.04

    # Motors are in the order of their joints: left slide, lift, right slide.
    how = {"rate": 50.0, "low": [-20, 0, -20], "high": [20, 0.3, 20], "reward": reward, "start": start, "duration": 5.0}
    return SceneEnv(_gripper_world(), observe=observe_bodies, **{**how, **settings})


def grip_and_lift(step):
    """A controller of `gripper`: closes for half a second, then lifts by 0.2 m within a second and a half."""
    return np.array([15.0, 0.2 * np.clip((step - 25) / 75, 0, 1), 15.0])


# Of the hopper: the leg at rest (m), its foot (m), and the spring in it (N/m, N·s/m).
LEG, FOOT = 0.5, 0.04
STIFFNESS, DAMPING = 3000.0, 15.0


def _hopper_world():
    b = dolmen.WorldBuilder(gravity=(0, 0, -9.81), title="A hopper on one leg")
    b.fixed("floor", dolmen.Plane(sides="front"))
    hip = LEG + FOOT
    b.body("torso", dolmen.Box(0.6, 0.2, 0.2), mass=10.0, position=(0, 0, hip), collides_with=[])
    b.body("thigh", dolmen.Cylinder(0.03, 0.25), mass=0.3, position=(0, 0, hip - 0.125), collides_with=[])
    b.body("foot", dolmen.Sphere(FOOT), mass=0.1, position=(0, 0, FOOT))
    # The plane in which it hops.
    b.joint("plane", "planar", "torso", at=(0, 0, hip), axis=(0, -1, 0), across=(1, 0, 0))
    b.hinge("hip", "thigh", "torso", at=(0, 0, hip), axis=(0, 1, 0), motor=dolmen.Effort())
    spring = {"stiffness": STIFFNESS, "damping": DAMPING}
    b.slider("leg", "foot", "thigh", at=(0, 0, FOOT), axis=(0, 0, -1), spring=spring, motor=dolmen.Effort())
    b.contact(friction=1.0, restitution=0.0)
    return b.build()


def observe_hopper(simulation):
    """Of the torso: x, height, pitch, and their rates; angle and rate of the hip, stretch and rate of the leg; height of the foot."""
    names = simulation.world.names
    torso, foot = names.index("torso"), names.index("foot")
    x, v, q = simulation.positions, simulation.velocities, simulation.orientations[torso]
    pitch = 2 * np.arctan2(q[2], q[0])
    coordinates = {joint: (place, rate) for joint, _, place, rate in simulation.joint_coordinates() if joint != "plane"}
    return np.array(
        [
            x[torso][0],
            x[torso][2],
            (pitch + np.pi) % (2 * np.pi) - np.pi,
            v[torso][0],
            v[torso][2],
            simulation.spins[torso][1],
            *coordinates["hip"],
            *coordinates["leg"],
            x[foot][2] - FOOT,
        ]
    )


def hopper(**settings):
    """A hopper on one leg with a spring in it, in a plane: a torque at the hip (up to 60 N·m) and a force along the leg (up to 400 N).

    An episode ends when the torso is below 0.3 m or pitched by more than 0.5 rad.
    """

    def start(world, random):
        state = np.array(dolmen.Exact(world).state)
        hip = LEG + FOOT
        moving = [world.names.index(name) for name in ("torso", "thigh", "foot")]
        pitch, height, speed = random.uniform(-0.05, 0.05), random.uniform(0.05, 0.15), random.uniform(-0.2, 0.2)
        for row in moving:
            arm = state[row, 2] - hip
            state[row, 0], state[row, 2] = np.sin(pitch) * arm, hip + height + np.cos(pitch) * arm
            state[row, 3:7] = np.cos(pitch / 2), 0, np.sin(pitch / 2), 0
            state[row, 7] = speed
        return state

    def reward(simulation, action):
        seen = observe_hopper(simulation)
        return min(seen[3], 1.0) - seen[2] ** 2 - 1e-5 * float(np.square(action).sum())

    def fallen(simulation):
        seen = observe_hopper(simulation)
        return seen[1] < 0.3 or abs(seen[2]) > 0.5

    how = {"rate": 200.0, "low": [-60, -400], "high": [60, 400], "duration": 10.0, "tolerance": 1e-10}
    how.update(observe=observe_hopper, reward=reward, terminated=fallen, start=start)
    return SceneEnv(_hopper_world(), **{**how, **settings})


def hop(observation, speed=0.9, gains=(0.09, 0.1, 75.0)):
    """A controller of `hopper` in three parts [Raibert 1986]: in flight the foot is placed for the speed, in stance the hip levels the
    torso and the leg pushes while it stretches.

    `gains` are half the time of a stance (s), what a missing speed adds to the place of the foot (s), and the push (N).
    """
    _, _, pitch, vx, _, pitch_rate, hip, hip_rate, stretch, stretch_rate, height = observation
    half, more, push = gains
    if height < 1e-3:
        torque = 150.0 * pitch + 15.0 * pitch_rate
        return np.array([torque, push if stretch_rate > 0 else 0.0])
    # The foot lies ahead where its angle about y is negative.
    ahead = np.clip(half * vx + more * (vx - speed), -0.3, 0.3)
    angle = -np.arcsin(ahead / (LEG + stretch)) - pitch
    return np.array([30.0 * (angle - hip) - 2.0 * hip_rate, 0.0])
