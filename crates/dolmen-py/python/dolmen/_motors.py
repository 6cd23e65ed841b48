"""Motors of a simulation: targets that are set on the way."""

from collections.abc import Iterator, Mapping

from dolmen._errors import InputError
from dolmen._numbers import number


class Motor:
    """A motor in a joint; what its target is of depends on its kind: position, velocity or force."""

    __slots__ = ("_simulation", "axis", "joint", "kind")

    def __init__(self, simulation, joint, axis, kind):
        self._simulation, self.joint, self.axis, self.kind = simulation, joint, axis, kind

    @property
    def target(self):
        """The target now: m or rad, m/s or rad/s, N or N·m."""
        return self._simulation._target(self.joint, self.axis)

    @target.setter
    def target(self, value):
        self._simulation._set_target(self.joint, number(value, "target"), self.axis)

    def __repr__(self):
        return f"<dolmen.Motor {self.joint!r} on {self.axis}: {self.kind} {self.target}>"


class Motors(Mapping):
    """Motors by joint; where a joint has several, by (joint, axis)."""

    def __init__(self, simulation):
        self._simulation = simulation
        motors = simulation.world.motors
        joints = [joint for joint, _, _ in motors]
        self._motors = {}
        for joint, axis, kind in motors:
            key = joint if joints.count(joint) == 1 else (joint, axis)
            self._motors[key] = (joint, axis, kind)

    def __getitem__(self, key) -> Motor:
        if key not in self._motors:
            known = ", ".join(repr(key) for key in self._motors) or "none"
            raise InputError(f"there is no motor {key!r}; there are: {known}")
        return Motor(self._simulation, *self._motors[key])

    def __contains__(self, key) -> bool:
        return key in self._motors

    def get(self, key, default=None):
        """The motor, or `default` if there is none."""
        return self[key] if key in self._motors else default

    def __iter__(self) -> Iterator:
        return iter(self._motors)

    def __len__(self) -> int:
        return len(self._motors)
