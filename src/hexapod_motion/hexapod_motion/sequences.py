"""Sequences: tables of points and paths, read from YAML (seed, section "Urutan").

A sequence has three blocks of iterations: prepare [0, main_begin), main [main_begin, finalize_begin)
and finalize [finalize_begin, total). Its list says which sequences may follow.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path as FilePath
from typing import Any

from hexapod_motion.arrays import FloatArray, frozen
from hexapod_motion.documents import load_document, load_schema
from hexapod_motion.trajectories import PATH_NAMES, Path
from stride_base.errors import ConfigError
from stride_base.strict_json import FileError

#: The request to stop, which lists may contain and no sequence is called.
NONE = "NONE"
#: The sequence that lays the robot on the floor; everything begins with it.
HOME = "DOWN"

_SCHEMA = load_schema("sequences_schema.json")


class Posture(Enum):
    """What carries the robot between two sequences."""

    FLOOR = "floor"
    STANDING = "standing"


class Block(Enum):
    """Part of a sequence."""

    PREPARE = "prepare"
    MAIN = "main"
    FINALIZE = "finalize"


@dataclass(frozen=True, eq=False)
class Iteration:
    """One move of all limbs.

    Args:
        points: (6, 3) the table's points, mm.
        paths: Six paths.
        n: Steps at 150 Hz; the move has n + 1 frames.
    """

    points: FloatArray
    paths: tuple[Path, ...]
    n: int


@dataclass(frozen=True, eq=False)
class Sequence:
    """A sequence.

    Args:
        name: Its name.
        file: Where it was read from, for messages.
        looped: Whether main repeats until something else is wanted.
        main_begin, finalize_begin: First iteration of main, and the one after its last.
        iterations: All iterations.
        starts: Postures in which it may start.
        ends: Posture in which it ends.
        available: What may follow; NONE where it may be stopped.
        accepts: Findings of the pre-flight check that are meant to be so: kind -> farthest value.
    """

    name: str
    file: str
    looped: bool
    main_begin: int
    finalize_begin: int
    iterations: tuple[Iteration, ...]
    starts: frozenset[Posture]
    ends: Posture
    available: tuple[str, ...]
    accepts: Mapping[str, float] = field(default_factory=dict)

    def block(self, iteration: int) -> Block:
        """The block that iteration number `iteration` belongs to."""
        if iteration < self.main_begin:
            return Block.PREPARE
        return Block.MAIN if iteration < self.finalize_begin else Block.FINALIZE


@dataclass(frozen=True, eq=False)
class Book:
    """All sequences of a robot by name, `HOME` among them."""

    sequences: Mapping[str, Sequence]

    @property
    def home(self) -> Sequence:
        return self.sequences[HOME]

    @property
    def home_points(self) -> FloatArray:
        """(6, 3) feet on the floor, mm."""
        return self.home.iterations[-1].points


def load_book(path: str | FilePath) -> Book:
    """Read sequences from a file, or from all ``*.yaml`` files of a folder together.

    Paths are not followed here; see `sequence_check.check_book`.

    Raises:
        FileError: there is no file, it cannot be read, or is not YAML.
        ConfigError: a value is wrong; names the file, the sequence and the iteration.
    """
    path = FilePath(path)
    files = sorted(path.glob("*.yaml")) if path.is_dir() else [path]
    if not files:
        raise FileError(f"{path}: holds no *.yaml files with sequences")
    tables: dict[str, tuple[FilePath, dict[str, Any]]] = {}
    for file in files:
        document = load_document(file, _SCHEMA, lambda _document: _where)
        for name, table in document["sequences"].items():
            if name in tables:
                expected = f"a name of its own ({tables[name][0]} has this one)"
                raise ConfigError(file, "sequences", "name", name, expected)
            tables[name] = (file, table)
    return make_book(tables, path)


def make_book(
    tables: Mapping[str, tuple[FilePath, Mapping[str, Any]]], path: str | FilePath = "sequences"
) -> Book:
    """Sequences of documents that fit the schema, by name with the file that each came from."""
    lists = {name: list(table["available"]) for name, (_file, table) in tables.items()}
    for name, (file, table) in tables.items():
        for before in table.get("follows", []):
            if before not in lists:
                raise _unknown(file, name, "follows", before, lists)
            if name not in lists[before]:
                lists[before].append(name)
    sequences = {
        name: _sequence(name, str(file), table, lists) for name, (file, table) in tables.items()
    }
    if HOME not in sequences:
        expected = f"a sequence {HOME} that lays the robot on the floor"
        raise ConfigError(path, "", "sequences", sorted(sequences), expected)
    book = Book(sequences)
    _check_postures(book)
    return book


def _where(path: Iterable[str | int]) -> str:
    parts = list(path)
    words = []
    if parts[:1] == ["sequences"]:
        words += [f"sequence {name}" for name in parts[1:2]]
        if parts[2:3] == ["iterations"]:
            words += [f"iteration {index}" for index in parts[3:4]]
            if parts[4:5] in (["points"], ["paths"]):
                words += [f"limb {index}" for index in parts[5:6]]
    return ", ".join(words)


def _sequence(
    name: str, file: str, table: Mapping[str, Any], lists: Mapping[str, list[str]]
) -> Sequence:
    where, total = f"sequence {name}", len(table["iterations"])
    if name == NONE:
        raise ConfigError(file, "sequences", "name", name, "another name: NONE means to stop")
    begin, finalize = table["main_begin"], table["finalize_begin"]
    if finalize > total:
        expected = f"at most {total}, the number of iterations"
        raise ConfigError(file, where, "finalize_begin", finalize, expected)
    if begin >= finalize:
        expected = f"an index below finalize_begin, {finalize}: main has one iteration at least"
        raise ConfigError(file, where, "main_begin", begin, expected)
    for other in lists[name]:
        if other != NONE and other not in lists:
            raise _unknown(file, name, "available", other, lists)
    return Sequence(
        name=name,
        file=file,
        looped=table["looped"],
        main_begin=begin,
        finalize_begin=finalize,
        iterations=tuple(_iteration(row) for row in table["iterations"]),
        starts=frozenset(Posture(posture) for posture in table["starts"]),
        ends=Posture(table["ends"]),
        available=tuple(dict.fromkeys(lists[name])),
        accepts=dict(table.get("accepts", {})),
    )


def _iteration(row: Mapping[str, Any]) -> Iteration:
    names = [row["paths"]] * 6 if isinstance(row["paths"], str) else row["paths"]
    return Iteration(frozen(row["points"]), tuple(PATH_NAMES[name] for name in names), row["n"])


def _unknown(
    file: str | FilePath, name: str, field: str, other: str, known: Iterable[str]
) -> ConfigError:
    expected = f"names of sequences: {', '.join(sorted(known))}"
    return ConfigError(file, f"sequence {name}", field, other, expected)


def _check_postures(book: Book) -> None:
    home = book.home
    if home.looped or home.ends is not Posture.FLOOR or len(home.starts) != len(Posture):
        expected = "looped: false, starts: [floor, standing], ends: floor, for it is the way home"
        raise ConfigError(home.file, f"sequence {HOME}", "ends", home.ends.value, expected)
    for sequence in book.sequences.values():
        for name in sequence.available:
            if name != NONE and sequence.ends not in book.sequences[name].starts:
                starts = " or ".join(sorted(p.value for p in book.sequences[name].starts))
                expected = (
                    f"sequences that start where this one ends, {sequence.ends.value} "
                    f"({name} starts {starts})"
                )
                where = f"sequence {sequence.name}"
                raise ConfigError(sequence.file, where, "available", name, expected)
