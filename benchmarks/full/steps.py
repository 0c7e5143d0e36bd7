"""The steps of a long benchmark. The results of each are saved, and an interrupted benchmark continues after them."""

from __future__ import annotations

import os
import platform
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import psutil  # type: ignore[import-untyped, unused-ignore]

from benchmarks.common import TOLD, Result, exists
from stcollection.db.collections import create, drop
from stcollection.db.settings import Settings
from stcollection.db.upgrade import upgrade

HEADINGS = ("what", "here", "peer", "ratio")


def prepare(server: Settings, db: str, folder: Path, *, remove: bool, needed: float, what: str, option: str) -> Settings | None:
    """Create the collection of a long benchmark, or upgrade it if the benchmark was interrupted.

    :param folder: with its files. :param remove: remove both instead, and return None. :param needed: bytes of disk.
    :param what: what needs them, as the subject of the message. :param option: the option that makes it less.
    """
    settings = replace(server, db=db)
    if remove:
        if exists(server, db):
            drop(settings)
        shutil.rmtree(folder)
        return None
    if exists(server, db):
        upgrade(settings)  # the code may have changed
    else:
        free = shutil.disk_usage(folder).free
        if free < needed:
            raise SystemExit(f"{what} need {needed / 1e9:.0f} GB of disk, {free / 1e9:.0f} GB are free: lower {option}")
        create(settings)
    return settings


class Steps:
    """The finished steps of a benchmark with their results.

    :param file: JSON file of the results. :param only: names of the steps to run; empty runs all.
    """

    def __init__(self, file: Path, only: tuple[str, ...] = ()) -> None:
        self._file, self._only = file, only
        self._done: dict[str, dict[str, Any]] = orjson.loads(file.read_bytes()) if file.exists() else {}

    def run(self, name: str, step: Callable[[], object]) -> None:
        """Run a step, unless it is finished, and save what it told. A step named by ``only`` is measured again."""
        if (self._only and name not in self._only) or (name in self._done and not self._only):
            return
        print(f"── {name}, {time.strftime('%H:%M:%S')}, load {os.getloadavg()[0]:.1f}", flush=True)
        first, started, load = len(TOLD), time.perf_counter(), os.getloadavg()[0]
        step()
        self._done[name] = {
            "seconds": time.perf_counter() - started,
            "load": (load, os.getloadavg()[0]),
            "results": [one._asdict() for one in TOLD[first:]],
        }
        unfinished = self._file.with_suffix(".part")
        unfinished.write_bytes(orjson.dumps(self._done, option=orjson.OPT_INDENT_2))
        unfinished.rename(self._file)

    def table(self, headings: Sequence[str] = HEADINGS) -> Iterator[str]:
        """Yield the lines of a Markdown table of all results. :param headings: one for each part of a result that is shown."""
        yield f"\n| step | {' | '.join(headings)} |"
        yield f"|{'---|' * (1 + len(headings))}"
        for name, step in self._done.items():
            title = f"{name[:1].upper()}{name[1:]}, {step['seconds'] / 60:.1f} min"
            for one in (Result(**result) for result in step["results"]):
                cells = (one.what, one.ours, one.peer, "" if one.ratio is None else f"{one.ratio:.2f} ×", one.goal)
                yield f"| {' | '.join((title, *cells[: len(headings)]))} |"
                title = ""

    def loads(self) -> str:
        """Return the lowest and the highest load of the machine before a step."""
        before = [step["load"][0] for step in self._done.values() if step["results"]]
        return f"{min(before):.1f} to {max(before):.1f}"


def machine() -> str:
    """Return the processor, cores and memory of this machine."""
    named = [line.partition(":")[2].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line]
    memory = psutil.virtual_memory().total / 2**30
    return f"{os.cpu_count()} cores of {named[0] if named else platform.processor()}, {memory:.0f} GB of memory"
