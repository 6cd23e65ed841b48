"""Control steps a second, beside the package `mujoco`, on the same MJCF at the same control rate, with errors beside speed.

    pip install mujoco && python crates/dolmen-py/bench/mujoco_steps.py

Everything runs on one core, from Python, one simulation at a time. The reference of the errors is the exact driver at a tolerance of
1e-12: where bodies touch, MuJoCo's contacts are soft by design, and its distance from rigid ones is a difference of models.
"""

import tempfile
import time
import warnings
from pathlib import Path

import mujoco
import numpy as np

import dolmen as dm

RATE = 50.0
# The best of so many runs is told: others share their time with whatever else the machine does.
RUNS = 7

ARM = """<mujoco model="arm">
  <compiler angle="radian"/>
  <option gravity="0 0 -9.81" timestep="{step}" integrator="{integrator}"/>
  <worldbody>
    <body name="upper" pos="0 0 2">
      <joint name="shoulder" type="hinge" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.04" density="1000" contype="0" conaffinity="0"/>
      <body name="lower" pos="0.5 0 0">
        <joint name="elbow" type="hinge" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.03" density="1000" contype="0" conaffinity="0"/>
      </body>
    </body>
  </worldbody>
  <actuator><motor name="s" joint="shoulder"/><motor name="e" joint="elbow"/></actuator>
</mujoco>"""

SLED = """<mujoco model="sled">
  <compiler angle="radian"/>
  <option gravity="0 0 -9.81" timestep="{step}" integrator="{integrator}"/>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 0.1" friction="0.3 0 0"/>
    <body name="box" pos="0 0 0.1">
      <joint name="x" type="slide" axis="1 0 0"/>
      <joint name="z" type="slide" axis="0 0 1"/>
      <joint name="pitch" type="hinge" axis="0 1 0"/>
      <geom type="box" size="0.2 0.2 0.1" density="200" friction="0.3 0 0"/>
    </body>
  </worldbody>
  <actuator><motor name="p" joint="x"/></actuator>
</mujoco>"""

# Model, body whose place is compared, targets of the motors at a time in the order of the actuators, seconds.
CASES = {
    "arm, no contact": (ARM, "lower", lambda t: {"shoulder": 3 * np.sin(3 * t), "elbow": -1.5 * np.sin(5 * t)}, 2.0),
    "sled, a box pulled over the floor": (SLED, "box", lambda t: {"x": 35.0 if t < 1.0 else -10.0}, 2.0),
}


def ours(world, make, targets, seconds):
    """Places at the end, and control steps a second."""
    sim = make(world)
    # Several coordinates between two bodies are one joint here, of another name.
    motors = sim.motors if len(sim.motors) > 1 else dict.fromkeys(targets(0), *sim.motors.values())
    count = round(seconds * RATE)
    began = time.perf_counter()
    for k in range(count):
        for joint, target in targets(k / RATE).items():
            motors[joint].target = target
        sim.advance_to((k + 1) / RATE)
    return sim, count / (time.perf_counter() - began)


def theirs(text, targets, seconds):
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    inner, count = round(1 / RATE / model.opt.timestep), round(seconds * RATE)
    began = time.perf_counter()
    for k in range(count):
        data.ctrl[:] = list(targets(k / RATE).values())
        mujoco.mj_step(model, data, nstep=inner)
    rate = count / (time.perf_counter() - began)
    mujoco.mj_forward(model, data)
    return model, data, rate


def main():
    # At loose tolerances joints drift by more than the law of the scene allows, which the errors show; notes are of the import.
    warnings.simplefilter("ignore")
    print(f"mujoco {mujoco.__version__}, dolmen {dm.__version__}, control at {RATE:g} Hz")
    for name, (text, body, targets, seconds) in CASES.items():
        print(f"\n{name}, {seconds:g} s of simulated time")
        print(f"{'driver':<34}{'steps a second':>16}{'error of position, m':>24}")
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "model.xml"
            file.write_text(text.format(step=0.002, integrator="Euler"))
            world = dm.load(file)
        row = world.names.index(body)
        reference, _ = ours(world, lambda w: dm.Exact(w, tolerance=1e-12), targets, seconds)
        wanted = reference.positions[row]

        def line(label, rate, place, wanted=wanted):
            print(f"{label:<34}{rate:>16,.0f}{np.abs(place - wanted).max():>24.1e}")

        for label, make in (
            ("dolmen Exact, tolerance 1e-9", lambda w: dm.Exact(w, tolerance=1e-9)),
            ("dolmen Exact, tolerance 1e-6", lambda w: dm.Exact(w, tolerance=1e-6)),
            ("dolmen Fixed, 1/60 s", lambda w: dm.Fixed(w, 1 / 60)),
            ("dolmen Fixed, 1/240 s", lambda w: dm.Fixed(w, 1 / 240)),
        ):
            runs = [ours(world, make, targets, seconds) for _ in range(RUNS)]
            line(label, max(rate for _, rate in runs), runs[0][0].positions[row])
        for step, integrator in ((0.002, "Euler"), (0.002, "RK4"), (0.0005, "Euler"), (0.0005, "RK4")):
            runs = [theirs(text.format(step=step, integrator=integrator), targets, seconds) for _ in range(RUNS)]
            model, data, _ = runs[0]
            line(f"mujoco {integrator}, {step:g} s", max(rate for _, _, rate in runs), data.xipos[model.body(body).id])


if __name__ == "__main__":
    main()
