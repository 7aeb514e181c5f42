"""The list of servo models that a node holds: one of each joint, and one for all others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from servo_inv.servo_model import ServoModel
from stride_base.errors import ConfigError, RefusedError


class ModelList:
    """Servo models by joint; a changed list is a new one.

    Args:
        models: At most one of each joint.
        default: Model of all joints that are not listed, whatever its name; None: they have none.

    Raises:
        ConfigError: two models of one joint.
    """

    def __init__(
        self, models: Iterable[ServoModel] = (), default: ServoModel | None = None
    ) -> None:
        self.default = default
        self._models: dict[str, ServoModel] = {}
        for model in models:
            if model.name in self._models:
                raise ConfigError(
                    "servo models", "", "name", model.name, "one model of each joint, not two"
                )
            self._models[model.name] = model

    def __iter__(self) -> Iterator[ServoModel]:
        return iter(self._models.values())

    def __len__(self) -> int:
        return len(self._models)

    def __contains__(self, name: str) -> bool:
        return name in self._models

    def of(self, name: str) -> ServoModel | None:
        """The model of a joint: its own, else the default, else None."""
        if name in self._models:
            return self._models[name]
        return replace(self.default, name=name) if self.default else None

    def with_model(self, model: ServoModel) -> ModelList:
        """This list with `model` in place of the one of its name, or added."""
        others = {**self._models, model.name: model}
        return ModelList(others.values(), self.default)

    def chosen(self, names: Sequence[str], source: str) -> list[ServoModel]:
        """The models of `names`; without names those of all joints that are listed.

        Args:
            names: Joints.
            source: Where the list comes from, for messages.

        Raises:
            RefusedError: none, or not of each of `names`.
        """
        if not names and not len(self):
            raise RefusedError(f"{source} lists no joints: say which ones its model is for")
        found = {name: self.of(name) for name in names or self._models}
        without = [name for name, model in found.items() if model is None]
        if without:
            raise RefusedError(f"{source} has no model of {', '.join(without)}")
        return [model for model in found.values() if model]

    def missing(self, names: Iterable[str]) -> tuple[str, ...]:
        """Those of `names` that have no model."""
        return tuple(name for name in names if name not in self._models and not self.default)

    def unused(self, names: Iterable[str]) -> tuple[str, ...]:
        """Joints that have a model and are not among `names`."""
        known = set(names)
        return tuple(name for name in self._models if name not in known)
