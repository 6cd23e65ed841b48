"""Imported models against MuJoCo, Pinocchio and Drake.

    python referee.py DOLMEN [mjcf|urdf|sdf ...]

needs `pip install mujoco gymnasium pin numpy` and `pip install --no-deps dm_control example-robot-data drake`; models come from
these packages. A row a model; the exit code is 1 if one is beyond its bound: 1e-9 for mass properties, axes and forward kinematics
(relative to the model's size), 1e-6 for poses over the first second of a fall against RK4 at 1e-4 s.
"""

import importlib.util
import os
import pathlib
import sys
import tempfile

BOUNDS = {"mass": 1e-9, "centre": 1e-9, "inertia": 1e-9, "axes": 1e-9, "kinematics": 1e-9, "fall": 1e-6}


def package(name):
    return pathlib.Path(importlib.util.find_spec(name).submodule_search_locations[0])


def mjcf_models():
    for name in ["ant", "half_cheetah", "hopper", "humanoid", "inverted_double_pendulum", "pusher_v5", "reacher", "swimmer",
                 "walker2d_v5"]:
        yield package("gymnasium") / "envs/mujoco/assets" / f"{name}.xml"
    for name in ["acrobot", "cartpole", "cheetah", "finger", "fish", "humanoid", "humanoid_CMU", "manipulator", "quadruped",
                 "stacker", "walker"]:
        yield package("dm_control") / "suite" / f"{name}.xml"


def urdf_models():
    robots = package("cmeel").parent / "cmeel.prefix/share/example-robot-data/robots"
    for name in ["panda_description/urdf/panda.urdf", "ur_description/urdf/ur5_robot.urdf", "ur_description/urdf/ur5_gripper.urdf",
                 "talos_data/robots/talos_reduced.urdf", "anymal_b_simple_description/robots/anymal.urdf",
                 "double_pendulum_description/urdf/double_pendulum.urdf", "tiago_description/robots/tiago.urdf",
                 "romeo_description/urdf/romeo.urdf", "a1_description/urdf/a1.urdf", "icub_description/robots/icub.urdf"]:
        yield robots / name


def sdf_models():
    share = package("pydrake") / "share/drake"
    for name in ["examples/acrobot/Acrobot.sdf", "examples/multibody/cart_pole/cart_pole.sdf",
                 "examples/planar_gripper/planar_gripper.sdf", "examples/planar_gripper/planar_brick.sdf",
                 "examples/kuka_iiwa_arm/models/desk/transcendesk55inch.sdf", "examples/quadrotor/warehouse.sdf"]:
        yield share / name


def main():
    dolmen, formats = os.path.abspath(sys.argv[1]), sys.argv[2:] or ["mjcf", "urdf", "sdf"]
    os.chdir(tempfile.gettempdir())  # MuJoCo writes its log where it is started
    failed = 0
    for name in formats:
        module = __import__(name)
        for file in globals()[f"{name}_models"]():
            if not file.exists():
                print(f"{name:5} {file.stem:28} is not in the package")
                continue
            with tempfile.TemporaryDirectory() as folder:
                try:
                    worst = module.check(dolmen, file, folder)
                except Exception as error:  # noqa: BLE001: one model must not hide the others
                    print(f"{name:5} {file.stem:28} FAILED {type(error).__name__}: {str(error)[:300]}")
                    failed += 1
                    continue
            beyond = [key for key, bound in BOUNDS.items() if worst.get(key, 0.0) > bound]
            failed += bool(beyond)
            row = " ".join(f"{key} {worst[key]:.0e}" for key in BOUNDS if key in worst)
            counts = f"{worst['bodies']} bodies {worst['joints']} joints {worst['notes']} notes"
            print(f"{name:5} {file.stem:28} {row} {counts} {'BEYOND ' + ' '.join(beyond) if beyond else 'ok'}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
