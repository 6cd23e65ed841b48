"""Rigid bodies, simulated exactly."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, Self, TypedDict, final

import numpy as np
from numpy.typing import NDArray

from dolmen._errors import Error as Error
from dolmen._errors import ImportNote as ImportNote
from dolmen._errors import InputError as InputError
from dolmen._errors import LawError as LawError
from dolmen._errors import LawWarning as LawWarning
from dolmen._errors import SceneError as SceneError
from dolmen._errors import TimeoutError as TimeoutError
from dolmen._errors import UnsupportedError as UnsupportedError

__version__: str

_Vector = tuple[float, float, float]
_Array = NDArray[np.float64]
_Numbers = Sequence[float] | NDArray[Any]
_Kind = Literal[
    "collision",
    "settled",
    "rest",
    "slide",
    "break",
    "roll",
    "rolled",
    "spin",
    "spun",
    "overlap",
    "time-step",
    "indeterminate",
]

class _Event(TypedDict):
    t: float
    kind: _Kind
    bodies: tuple[str, str]
    group: int
    point: _Vector
    normal: _Vector
    approach: float
    separation: float
    impulse: float
    friction: _Vector
    lost: float
    law: str
    rounds: int
    note: str

class _JointEvent(TypedDict):
    t: float
    kind: Literal["struck", "settled", "active", "released", "saturated", "friction", "jammed"]
    joint: str
    axis: str | None
    approach: float
    separation: float
    impulse: float
    lost: float

class _ContactForce(TypedDict):
    bodies: tuple[str, str]
    point: _Vector
    normal: _Vector
    normal_force: float
    friction: _Vector
    moment: _Vector
    mode: Literal["stick", "slide", "roll"]
    residual: float
    is_unique: bool
    status: str

class _JointForce(TypedDict):
    joint: str
    point: _Vector
    force: _Vector
    torque: _Vector
    is_unique: bool

class _Ledger(TypedDict):
    kinetic: float
    potential: float
    work: float
    collisions: float
    friction: float
    closing: float
    total: float
    lost: float

@final
class World:
    """A description of what is simulated; it never changes."""

    @property
    def names(self) -> list[str]: ...
    @property
    def joints(self) -> list[str]: ...
    @property
    def particle_sets(self) -> list[str]: ...
    @property
    def gravity(self) -> _Vector: ...
    @property
    def title(self) -> str | None: ...
    @property
    def duration(self) -> float | None: ...
    @property
    def motors(self) -> list[tuple[str, str, Literal["position", "velocity", "force"]]]: ...
    @property
    def source(self) -> tuple[str, str]: ...
    @property
    def text_read(self) -> str: ...
    def to_toml(self) -> str: ...
    def with_values(self, *values: str) -> World: ...

class Shape:
    """Geometry of a body, m; round shapes stand along z."""

class Sphere(Shape):
    def __init__(self, radius: float) -> None: ...

class Box(Shape):
    def __init__(self, x: float | _Numbers, y: float | None = None, z: float | None = None) -> None: ...

class Capsule(Shape):
    def __init__(self, radius: float, length: float) -> None: ...

class Cylinder(Shape):
    def __init__(self, radius: float, length: float) -> None: ...

class Cone(Shape):
    def __init__(self, radius: float, height: float) -> None: ...

class Disc(Shape):
    def __init__(self, radius: float) -> None: ...

class Ellipsoid(Shape):
    def __init__(self, x: float | _Numbers, y: float | None = None, z: float | None = None) -> None: ...

class Wedge(Shape):
    def __init__(self, x: float | _Numbers, y: float | None = None, z: float | None = None) -> None: ...

class Hull(Shape):
    def __init__(self, points: Sequence[_Numbers] | NDArray[Any]) -> None: ...

class Mesh(Shape):
    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        vertices: Sequence[_Numbers] | NDArray[Any] | None = None,
        triangles: Sequence[Sequence[int]] | NDArray[Any] | None = None,
        scale: float | None = None,
        flip: bool | None = None,
    ) -> None: ...

class HeightField(Shape):
    def __init__(
        self,
        size: _Numbers,
        heights: Sequence[_Numbers] | NDArray[Any] | None = None,
        *,
        path: str | os.PathLike[str] | None = None,
        scale: float | None = None,
        base: float | None = None,
    ) -> None: ...

class Compound(Shape):
    def __init__(self, parts: Sequence[Shape | dict[str, Any]]) -> None: ...

class Points(Shape):
    def __init__(self, points: Sequence[tuple[float, _Numbers]]) -> None: ...

class Plane(Shape):
    def __init__(
        self,
        normal: _Numbers = (0, 0, 1),
        offset: float | None = None,
        *,
        point: _Numbers | None = None,
        sides: Literal["front", "both"] | None = None,
        extent: dict[str, Any] | None = None,
    ) -> None: ...

_Course = float | dict[str, Any]

class _Drive: ...

class Position(_Drive):
    def __init__(
        self,
        kp: float,
        kd: float = 0.0,
        limit: float | None = None,
        target: _Course = 0.0,
        axis: str | None = None,
    ) -> None: ...

class Velocity(_Drive):
    def __init__(self, target: _Course = 0.0, limit: float | None = None, axis: str | None = None) -> None: ...

class Effort(_Drive):
    def __init__(self, target: _Course = 0.0, axis: str | None = None) -> None: ...

class Motion(_Drive):
    def __init__(self, target: _Course = 0.0, axis: str | None = None) -> None: ...

class WorldBuilder:
    """Bodies, joints, forces and settings, in any order; `build` makes a world of them."""

    def __init__(
        self,
        *,
        gravity: _Numbers = (0.0, 0.0, 0.0),
        title: str | None = None,
        base: str | os.PathLike[str] = ".",
    ) -> None: ...
    def body(
        self,
        name: str,
        shape: Shape | None = None,
        *,
        kind: Literal["dynamic", "fixed", "kinematic"] | None = None,
        density: float | dict[str, Any] | None = None,
        mass: float | None = None,
        position: _Numbers | None = None,
        **values: Any,
    ) -> str: ...
    def fixed(self, name: str, shape: Shape | None = None, **values: Any) -> str: ...
    def material(self, name: str, **values: Any) -> None: ...
    def contact(self, **values: Any) -> None: ...
    def accuracy(self, **values: Any) -> None: ...
    def duration(self, seconds: float) -> None: ...
    def particles(self, name: str, **values: Any) -> str: ...
    def force(self, kind: str, **values: Any) -> None: ...
    def joint(
        self,
        name: str,
        kind: str,
        a: str | None = None,
        b: str | None = None,
        *,
        motor: _Drive | Sequence[_Drive] | None = None,
        limit: dict[str, Any] | Sequence[dict[str, Any]] | None = None,
        spring: dict[str, Any] | Sequence[dict[str, Any]] | None = None,
        friction: dict[str, Any] | Sequence[dict[str, Any]] | None = None,
        **values: Any,
    ) -> str: ...
    def hinge(self, name: str, a: str | None, b: str | None = None, **values: Any) -> str: ...
    def slider(self, name: str, a: str | None, b: str | None = None, **values: Any) -> str: ...
    def ball(self, name: str, a: str | None, b: str | None = None, **values: Any) -> str: ...
    def weld(self, name: str, a: str | None, b: str | None = None, **values: Any) -> str: ...
    def rod(self, name: str, a: str | None, b: str | None = None, **values: Any) -> str: ...
    def sensor(self, name: str, kind: str, **values: Any) -> str: ...
    def include(self, path: str | os.PathLike[str], prefix: str = "") -> None: ...
    def build(self) -> World: ...

class _Hit(TypedDict):
    body: str
    distance: float
    point: _Vector
    normal: _Vector

class _Closest(TypedDict):
    distance: float
    points: tuple[_Vector, _Vector]
    normal: _Vector

class _Motor:
    joint: str
    axis: str
    kind: Literal["position", "velocity", "force"]
    target: float

class _Steps(TypedDict):
    step: float
    substeps: int
    precision: Literal["f32", "f64"]
    threads: int
    sleep: bool
    stiff: bool

class _Statistics(TypedDict):
    steps: int
    worst_overlap: float
    worst_joint_error: float
    energy_drift: float
    asleep: int

_Rows = Literal["positions", "orientations", "velocities", "spins", "state"]

class Driver:
    """A world on its way through time: what all drivers do."""

    @property
    def world(self) -> World: ...
    @property
    def strict(self) -> bool: ...
    @property
    def time(self) -> float: ...
    def advance_to(self, t: float, *, timeout: float | None = None) -> None: ...
    def next_event(
        self, kind: _Kind | None = None, *, until: float, timeout: float | None = None
    ) -> _Event | None: ...
    def record(
        self, until: float, every: float, tables: list[str] | None = None, *, timeout: float | None = None
    ) -> Run: ...
    def control(self, function: Callable[[Any], object] | None, rate: float = 100.0) -> None: ...
    @property
    def motors(self) -> Mapping[str | tuple[str, str], _Motor]: ...
    def apply(self, body: str, *, force: _Numbers | None = None, torque: _Numbers | None = None, until: float) -> None: ...
    @property
    def interventions(self) -> list[dict[str, Any]]: ...
    def replay(self, interventions: Sequence[dict[str, Any]], until: float) -> None: ...
    def joint_coordinates(self) -> list[tuple[str, str, float, float]]: ...
    @property
    def coordinates(self) -> list[tuple[str, str]]: ...
    @property
    def rates(self) -> _Array: ...
    def jacobian(self, body: str, point: _Numbers | None = None) -> _Array: ...
    def mass_matrix(self) -> _Array: ...
    def inverse_dynamics(self, accelerations: _Numbers, forces: NDArray[Any] | None = None) -> _Array: ...
    @property
    def state(self) -> _Array: ...
    def read(self, what: _Rows, *, out: _Array | None = None) -> _Array: ...
    def ray(self, origin: _Numbers, direction: _Numbers, reach: float = ...) -> _Hit | None: ...
    def closest_points(self, a: str, b: str) -> _Closest: ...
    def overlaps(self) -> list[tuple[str, str, float]]: ...
    @property
    def events(self) -> list[_Event]: ...
    def take_events(self) -> list[_Event]: ...
    @property
    def joint_events(self) -> list[_JointEvent]: ...
    def take_joint_events(self) -> list[_JointEvent]: ...
    @property
    def positions(self) -> _Array: ...
    @property
    def orientations(self) -> _Array: ...
    @property
    def velocities(self) -> _Array: ...
    @property
    def spins(self) -> _Array: ...
    def particles(self, name: str) -> tuple[_Array, _Array]: ...
    def contact_forces(self) -> list[_ContactForce]: ...
    def joint_forces(self) -> list[_JointForce]: ...
    def ledger(self) -> _Ledger: ...
    def snapshot(self) -> bytes: ...
    def restore(self, snapshot: bytes) -> None: ...
    def fork(self) -> Self: ...
    def close(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *raised: object) -> None: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: object) -> Self: ...

_Field = Callable[[float, _Array], Any]
_State = NDArray[Any] | Sequence[Sequence[float]]

@final
class Exact(Driver):
    """Every event at its instant."""

    def __new__(
        cls,
        world: World,
        tolerance: float | None = None,
        *,
        strict: bool = False,
        state: _State | None = None,
        field: _Field | None = None,
        timeout: float | None = None,
    ) -> Self: ...

@final
class Fixed(Driver):
    """Steps of one length."""

    def __new__(
        cls,
        world: World,
        step: float | None = None,
        *,
        substeps: int | None = None,
        precision: Literal["f32", "f64"] | None = None,
        threads: int | None = None,
        sleep: bool | None = None,
        stiff: bool | None = None,
        strict: bool = False,
        state: _State | None = None,
        field: _Field | None = None,
        timeout: float | None = None,
    ) -> Self: ...
    @property
    def settings(self) -> _Steps: ...
    def statistics(self) -> _Statistics: ...

@final
class Run:
    """Samples of a simulation, with all events between them."""

    @property
    def names(self) -> list[str]: ...
    def states(self) -> dict[str, _Array]: ...
    def energy(self) -> dict[str, _Array]: ...
    @property
    def events(self) -> list[_Event]: ...
    @property
    def tables(self) -> list[str]: ...
    @property
    def world(self) -> World: ...
    def table(self, name: str) -> Table: ...
    def save(self, folder: str | os.PathLike[str]) -> None: ...
    def __len__(self) -> int: ...

class Table(Mapping[str, Any]):
    """Columns by name: arrays of numbers and lists of texts; pyarrow, polars and pandas take it over."""

    def __init__(self, columns: Mapping[str, Any]) -> None: ...
    def __getitem__(self, name: str) -> Any: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...
    @property
    def rows(self) -> int: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

class Range:
    """Numbers between two, for samples of a sweep."""

    start: float
    stop: float
    log: bool
    def __init__(self, start: float, stop: float, *, log: bool = False) -> None: ...

def sweep(
    scene: World | str | os.PathLike[str],
    *,
    vary: Mapping[str, Iterable[Any] | str | Range] | Sequence[Mapping[str, Any]],
    measure: Mapping[str, str | Callable[[Exact], float]],
    until: float | None = None,
    out: str | os.PathLike[str] | None = None,
    resume: bool = True,
    jobs: int | None = None,
    samples: int = 100,
    random: int | None = None,
    latin: int | None = None,
    seed: int = 0,
    on: Literal["ray"] | None = None,
    progress: bool | None = None,
) -> Table: ...

class _Rolled(TypedDict):
    states: _Array
    errors: list[str | None]

def rollout(
    world: World,
    states: Any,
    controls: Any,
    *,
    step: float,
    jobs: int | None = None,
    driver: Callable[[World], Driver] = ...,
) -> _Rolled: ...
def render(simulation: Driver, width: int = 640, height: int = 480) -> NDArray[np.uint8]: ...

class Page:
    """The viewer's replay of a run."""

    def save(self, path: str | os.PathLike[str]) -> None: ...

def show(run: Run) -> Page: ...

def load(scene: str | os.PathLike[str], /) -> World: ...
def loads(text: str, /, name: str = "scene.toml", base: str | os.PathLike[str] | None = None) -> World: ...
def scenes() -> list[str]: ...
