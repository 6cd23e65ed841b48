"""Gymnasium environments from scenes."""

import os
from collections.abc import Callable, Sequence
from typing import Any, Literal

import gymnasium
import numpy as np
from dolmen import Driver, World
from numpy.typing import ArrayLike, NDArray

_Array = NDArray[np.float64]

LEG: float
FOOT: float
STIFFNESS: float
DAMPING: float

def observe_joints(simulation: Driver) -> _Array: ...
def observe_bodies(simulation: Driver) -> _Array: ...
def observe_contacts(simulation: Driver) -> _Array: ...
def observe_hopper(simulation: Driver) -> _Array: ...

class SceneEnv(gymnasium.Env[_Array, _Array]):
    world: World
    simulation: Driver | None
    def __init__(
        self,
        scene: World | str | os.PathLike[str],
        *,
        rate: float = 50.0,
        low: ArrayLike = -1.0,
        high: ArrayLike = 1.0,
        observe: Callable[[Driver], ArrayLike] = ...,
        reward: Callable[[Driver, _Array], float] | None = None,
        terminated: Callable[[Driver], bool] | None = None,
        duration: float = 10.0,
        start: Callable[[World, np.random.Generator], ArrayLike | None] | None = None,
        driver: Callable[..., Driver] = ...,
        tolerance: float | None = 1e-8,
        render_mode: Literal["rgb_array"] | None = None,
        width: int = 320,
        height: int = 240,
    ) -> None: ...
    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[_Array, dict[str, Any]]: ...
    def step(self, action: ArrayLike) -> tuple[_Array, float, bool, bool, dict[str, Any]]: ...
    def render(self) -> NDArray[np.uint8] | None: ...  # type: ignore[override]

class VectorEnv(gymnasium.vector.VectorEnv[_Array, _Array, _Array]):
    envs: list[SceneEnv]
    def __init__(self, make: Callable[[], SceneEnv], count: int, *, jobs: int | None = None) -> None: ...
    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[_Array, dict[str, Any]]: ...
    def step(  # type: ignore[override]
        self, actions: ArrayLike
    ) -> tuple[_Array, _Array, NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]: ...
    def render(self) -> tuple[NDArray[np.uint8] | None, ...] | None: ...  # type: ignore[override]
    def close_extras(self, **kwargs: Any) -> None: ...

def pendulum(**settings: Any) -> SceneEnv: ...
def swing_up(observation: ArrayLike) -> _Array: ...
def gripper(**settings: Any) -> SceneEnv: ...
def grip_and_lift(step: int) -> _Array: ...
def hopper(**settings: Any) -> SceneEnv: ...
def hop(observation: ArrayLike, speed: float = 0.9, gains: Sequence[float] | _Array = (0.09, 0.1, 75.0)) -> _Array: ...
