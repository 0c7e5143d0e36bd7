"""Distribute work over actors of Ray, on this machine or on a cluster; the counterpart of pool.py.

Ray restarts an actor that is lost, and gives it its item again. So an item may be processed twice: work has to store an item in one
transaction, and to keep or replace what is already stored.
"""

from __future__ import annotations

import importlib
import logging
import math
import os
import secrets
import socket
import sys
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from stcollection.counts import counted
from stcollection.db.backup.manifest import made_by
from stcollection.db.pool import AUTO, LOCAL, Item, Opener, Outcome, RayActors, worker_count
from stcollection.db.worker import Worker
from stcollection.errors import BadArgument, DatabaseError, StateError, StcError
from stcollection.extras import not_installed

_RESTARTS = 3  # of one actor
_PATIENCE = 10.0  # seconds until a machine answers
_START = 300.0  # seconds until all actors run
_MEMORY = 100 * 2**20  # bytes of Ray's object store on this machine; items are small


class Actor(Worker):
    """The work of one actor."""

    def __init__(self, opener: Any) -> None:
        super().__init__(opener, ExitStack())

    def version(self) -> str:
        """Return the version of stcollection on the actor's machine."""
        return made_by()


@contextmanager
def working(opener: Opener[Any, Any], *, actors: RayActors, gpus: bool = False) -> Iterator[list[Any]]:
    """Start actors, each of which opens the work once; they end with the context.

    :param gpus: give each actor a GPU, if the cluster has GPUs.
    :raises BadArgument: more actors than the cluster has cores.
    :raises StateError: Ray is not installed or cannot be reached, or a machine has another version of stcollection.
    """
    ray = _started(actors)
    try:
        resources = ray.cluster_resources()
        cores, gpu = int(resources.get("CPU", 0)), int(resources.get("GPU", 0)) if gpus else 0
        count = actors.count or min(gpu, cores) or max(1, cores)
        if count > cores:
            raise BadArgument(
                f"{counted(count, 'actor')}, but the cluster has {counted(cores, 'core')}", hint="Use at most one actor per core."
            )
        share = 1 / math.ceil(count / gpu) if gpu else 0  # of one GPU: a share cannot be spread over two
        remote = ray.remote(num_cpus=1, num_gpus=share, max_restarts=_RESTARTS, max_task_retries=_RESTARTS)(Actor)
        version = made_by()
        started = [remote.remote(opener) for _ in range(count)]
        try:
            versions = set(ray.get([actor.version.remote() for actor in started], timeout=_START))
        except ray.exceptions.RayError as error:
            raise StateError(
                f"the actors of Ray do not start: {_first_line(error)}",
                hint=f"Install stcollection {version} with the same extras on each machine of the cluster."
                " If other work uses its cores, use fewer actors.",
                sqlstate="IR404",
            ) from error
        if versions != {version}:
            raise StateError(
                f"the machines of the cluster have stcollection {', '.join(sorted(versions))}, but this is {version}",
                hint="Install the same version on each machine.",
                sqlstate="IR409",
            )
        yield started
    finally:
        ray.shutdown()


def run_in_actors(opener: Opener[Item, Outcome], items: Iterable[Item], *, actors: RayActors) -> Generator[Outcome, None, None]:
    """Process items by actors; yield results in the order of the items. Memory holds two items per actor.

    :raises StcError: the error of the first failed item, in order; or an actor was lost too often.
    """
    with working(opener, actors=actors) as started:
        under_way: deque[tuple[Any, Any]] = deque()
        for number, item in enumerate(items):
            under_way.append((item, started[number % len(started)].work.remote(item)))
            if len(under_way) >= 2 * len(started):
                yield outcome(*under_way.popleft())
        while under_way:
            yield outcome(*under_way.popleft())


def outcome(item: object, reference: Any) -> Any:
    """Wait for the outcome of an item. :raises StcError: the error of the work, or its actor was lost too often."""
    ray = importlib.import_module("ray")
    try:
        answer = ray.get(reference)
    except ray.exceptions.RayError as error:
        raise DatabaseError(
            f"an actor of Ray was lost {_RESTARTS + 1} times; the first item without a result is {item}: {_first_line(error)}",
            hint="If memory was short, use fewer actors. Run the same command again to resume; committed data is kept.",
        ) from error
    if isinstance(answer, StcError):
        raise answer
    return answer


def _started(actors: RayActors) -> Any:
    """Connect to Ray, and start it first if the address is ``local``. It reports nothing to its makers."""
    address = actors.address
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    if address == LOCAL:
        _protect()
    try:
        ray = importlib.import_module("ray")
    except ModuleNotFoundError as error:
        raise not_installed(error.name or "ray", what="work by actors of Ray") from error
    if ray.is_initialized():
        raise StateError("this process already uses Ray", hint="Call ray.shutdown() first.", sqlstate="IR408")
    options: dict[str, Any] = {"address": address, "log_to_driver": False, "logging_level": logging.ERROR}
    if address == LOCAL:
        paths = os.pathsep.join(path or str(Path.cwd()) for path in sys.path)
        options |= {
            "num_cpus": max(actors.count or 1, worker_count(None)),
            "object_store_memory": _MEMORY,
            "include_dashboard": False,
            "_node_ip_address": "127.0.0.1",
            "runtime_env": {"env_vars": {"PYTHONPATH": paths}},
        }
    try:
        if address not in (LOCAL, AUTO):
            _call(address)
        ray.init(**options)
    except (OSError, RuntimeError, ValueError) as error:
        raise StateError(
            f"Ray cannot be reached at {address!r}: {_first_line(error)}",
            hint=f"Check that the cluster runs, or use the address {LOCAL}.",
            sqlstate="IR404",
        ) from error
    return ray


def _call(address: str) -> None:
    """Check that something answers at an address: Ray itself tries for minutes. :raises OSError: nothing does."""
    place = urlsplit(address if "//" in address else f"//{address}")
    if place.hostname is None or place.port is None:
        raise ValueError("the address has no host and port")
    socket.create_connection((place.hostname, place.port), timeout=_PATIENCE).close()


def _protect() -> None:
    """Make Ray require a token, because its ports are open to other machines. Ray reads the token when it is imported.

    :raises StateError: it was imported without one.
    """
    if os.environ.get("RAY_AUTH_MODE") != "token":
        if "ray" in sys.modules:
            raise StateError(
                "this process imported Ray without a token, so other machines could use a Ray that it starts",
                hint=f"Use {LOCAL} in a process that has not imported ray, or start Ray yourself and use {AUTO}.",
                sqlstate="IR408",
            )
        os.environ["RAY_AUTH_MODE"], os.environ["RAY_AUTH_TOKEN"] = "token", secrets.token_hex(32)


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
