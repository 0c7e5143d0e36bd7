"""Old names of modules, and old keywords of functions: both still work and warn.

They work until version 0.3. A row of :data:`MOVED` covers a module, or a package with all its modules.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Callable, Sequence
from functools import wraps
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, ParamSpec, TypeVar

_P = ParamSpec("_P")
_T = TypeVar("_T")

#: Old name: new name. The longest match counts.
MOVED = {
    "stcollection.analysis.answers": "stcollection.studies.answers",
    "stcollection.analysis.bias_figures": "stcollection.figures",
    "stcollection.analysis.canvas": "stcollection.plots.canvas",
    "stcollection.analysis.coverage": "stcollection.studies.coverage",
    "stcollection.analysis.coverage.figure": "stcollection.plots.lattice",
    "stcollection.analysis.figures": "stcollection.figures",
    "stcollection.analysis.judged_figures": "stcollection.figures",
    "stcollection.analysis.measure_figures": "stcollection.figures",
    "stcollection.analysis.readable_figures": "stcollection.figures",
    "stcollection.analysis.reliability_figures": "stcollection.figures",
    "stcollection.analysis.report": "stcollection.studies.synth.report",
    "stcollection.analysis.report.figures": "stcollection.plots.origins",
    "stcollection.analysis.report.svg": "stcollection.plots.svg",
    "stcollection.analysis.synth": "stcollection.studies.synth",
    "stcollection.corpus.chunks": "stcollection.io.corpus.chunks",
    "stcollection.corpus.compression": "stcollection.io.compression",
    "stcollection.corpus.detect": "stcollection.io.corpus.detect",
    "stcollection.corpus.documents": "stcollection.io.corpus.documents",
    "stcollection.corpus.elements": "stcollection.io.corpus.elements",
    "stcollection.corpus.formats": "stcollection.io.corpus",
    "stcollection.corpus.irdatasets": "stcollection.io.irdatasets",
    "stcollection.corpus.split": "stcollection.io.corpus.split",
    "stcollection.corpus.streams": "stcollection.io.streams",
    "stcollection.db.handover": "stcollection.db.backup",
    "stcollection.face": "stcollection.api",
    "stcollection.face.asking": "stcollection.api.ranking",
    "stcollection.face.storing": "stcollection.api.uploads",
    "stcollection.qrels.formats": "stcollection.io.qrels.judgments",
    "stcollection.qrels.llm.asking": "stcollection.llm.batch",
    "stcollection.qrels.llm.budget": "stcollection.llm.budget",
    "stcollection.qrels.llm.client": "stcollection.llm.client",
    "stcollection.qrels.llm.endpoint": "stcollection.llm.endpoint",
    "stcollection.qrels.llm.grades": "stcollection.llm.grades",
    "stcollection.qrels.llm.limits": "stcollection.llm.limits",
    "stcollection.qrels.llm.template": "stcollection.llm.template",
    "stcollection.qrels.llm.transport": "stcollection.llm.transport",
    "stcollection.runs.export_2022": "stcollection.runs.export",
    "stcollection.runs.jsonfile": "stcollection.io.jsonfile",
    "stcollection.runs.scores": "stcollection.io.runs.scores",
    "stcollection.runs.simpletext": "stcollection.io.runs.simpletext",
    "stcollection.runs.trec": "stcollection.io.runs.trec",
    "stcollection.serve.batcher": "stcollection.vectors.batcher",
    "stcollection.serve.guard": "stcollection.web.guard",
    "stcollection.topics.files": "stcollection.io.files",
    "stcollection.topics.formats": "stcollection.io.topics.queries",
    "stcollection.topics.records": "stcollection.io.topics.records",
}


def new_name(old: str) -> str | None:
    """Return the new name of a module, None if it did not move."""
    parts = old.split(".")
    for length in range(len(parts), 1, -1):
        if (new := MOVED.get(".".join(parts[:length]))) is not None:
            return ".".join([new, *parts[length:]])
    return None


class Alias(MetaPathFinder, Loader):
    """Import hook that finds a module under its old name."""

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        return ModuleSpec(name, self) if name.startswith("stcollection.") and new_name(name) is not None else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        new = new_name(spec.name)
        assert new is not None  # noqa: S101
        module = importlib.import_module(new)
        warn_moved(spec.name, new, stacklevel=3)
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Restore the module's spec, which the import system has just replaced; the module itself ran under its new name."""
        spec = module.__spec__
        if spec is not None and spec.loader is self:
            module.__spec__ = spec.loader_state


def warn_moved(old: str, new: str, *, stacklevel: int) -> None:
    """Warn that an old name was used.

    :param stacklevel: as for :func:`warnings.warn`; 2 is the caller of this function.
    """
    warnings.warn(f"{old} is now {new}; version 0.3 removes the old name", FutureWarning, stacklevel=stacklevel)


def install() -> None:
    """Install the import hook for old names."""
    if not any(isinstance(finder, Alias) for finder in sys.meta_path):
        sys.meta_path.insert(
            0, Alias()
        )  # first: otherwise a folder left by an old version would be imported as a namespace package


def renamed(module: str, **names: str) -> Callable[[str], Any]:
    """Return a ``__getattr__`` that resolves old names of a module's classes.

    :param module: ``__name__`` of the calling module.
    :param names: new names, with the old ones as keywords.
    """

    def by_old_name(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        warn_moved(f"{module}.{name}", names[name], stacklevel=3)
        return getattr(sys.modules[module], names[name])

    return by_old_name


def grouped(**records: type) -> Callable[[Callable[_P, _T]], Callable[_P, _T]]:
    """Accept keywords that have become fields of a record, with a warning.

    ``@grouped(interval=Interval)`` makes ``f(interval="bootstrap", seed=1)`` call ``f(interval=Interval("bootstrap", seed=1))``.

    :param records: the dataclass of each parameter. A value of another type becomes the first field of the dataclass.
    """

    def decorate(function: Callable[_P, _T]) -> Callable[_P, _T]:
        @wraps(function)
        def accepting(*args: _P.args, **kwargs: _P.kwargs) -> _T:
            from dataclasses import fields, replace  # not at module level: every import of stcollection would pay for it

            for name, record in records.items():
                first, *others = (field.name for field in fields(record))
                old = {other: kwargs.pop(other) for other in others if other in kwargs}
                if name in kwargs and not isinstance(kwargs[name], record):
                    old[first] = kwargs.pop(name)
                elif first != name and first in kwargs:
                    old[first] = kwargs.pop(first)
                if old:
                    given: Any = kwargs.get(name)
                    kwargs[name] = record(**old) if given is None else replace(given, **old)
                    told = (
                        f"{function.__name__}: pass {', '.join(old)} as {name}={record.__name__}(…); version 0.3 removes the "
                        "keywords"
                    )
                    warnings.warn(told, FutureWarning, stacklevel=2)
            return function(*args, **kwargs)

        return accepting

    return decorate
