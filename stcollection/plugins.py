"""Studies: packages that add commands, tables, SQL, pages, routes and methods, each with one description.

A study is a package with a :class:`Study` named ``STUDY``: a folder of ``stcollection/studies``, or what an entry point of the
group ``stcollection.studies`` names. The core reads descriptions and imports a part when it is needed; no module of the core
imports a study. A study that cannot be used is left out, and :func:`problems` explains why.
"""

from __future__ import annotations

import pkgutil
import re
import warnings
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

GROUP = "stcollection.studies"  # the package with our studies, and the group of entry points with those of others
_NAME = re.compile(r"[a-z]([a-z0-9_]{0,38}[a-z0-9])?")
#: The paths of the page that are not those of studies.
VIEWS = frozenset({"collection", "home", "judging", "leaderboard", "log", "map", "search", "static", "style", "tables", "upload"})


@dataclass(frozen=True, kw_only=True)
class StudyTable:
    """A table of a study, and the rights of each role on it: r SELECT, a INSERT, w UPDATE, d DELETE (sql/db/stc_rights.sql).

    :param schema: ``stc``, or ``stc_all`` for rows that only organisers read. A partitioned table with hidden rows is listed twice.
    :param rows: name of its rows in the preview of a removal of documents or queries.
    :param docs: an array of dblp.id that samples keep.
    """

    name: str
    schema: str = "stc"
    participant: str = "r"
    reader: str = "r"
    organiser: str = "rawd"
    rows: str | None = None
    docs: str | None = None

    def rights(self) -> dict[str, str]:
        """Return the table's row of stc_rights."""
        row = {"relation": self.name} | asdict(self)
        return {key: row[key] for key in ("relation", "participant", "reader", "organiser", "schema")}


def closed(*names: str, rows: Mapping[str, str] | None = None) -> tuple[StudyTable, ...]:
    """Return tables that only organisers read. :param rows: names of the rows of some tables, as in :class:`StudyTable`."""
    named = rows or {}
    return tuple(StudyTable(name=name, schema="stc_all", participant="", reader="", rows=named.get(name)) for name in names)


@dataclass(frozen=True, kw_only=True)
class Study:
    """What a study adds to stcollection. A part is written ``module:object`` below its package, and imported when it is used.

    In its package, the study has its SQL in ``sql/``, its migrations in ``migrations/``, templates and static files of its page in
    ``page/``, translations of their texts in ``translations/``, such as ``de.po``, and the words that its commands had in earlier
    versions in ``aliases.tsv``.

    :param name: also the group of its commands and its attribute of a collection. :param summary: the help of the group.
    :param needs: version of stcollection that it works with, such as ``0.3``; None: any.
    :param tables: all its tables. :param commands: its group of commands.
    :param show, drop, export, plot, load: its words after these commands; those of plot name functions that draw.
    :param python: class of its methods (:class:`stcollection.api.face.Stage`). :param page: a view.
    :param sections: parts that it adds to views of the core, by their place. :param routes: makes its HTTP routes from a desk.
    :param tools: makes tools for assistants from a reader and its licences. :param static: files of the page, with their types.
    :param closed_views: views in the schema ``stc_all``.
    :param docs: its page of the documentation. :param own_runs: the runs that its commands name are not those of the collection.
    """

    name: str
    summary: str
    needs: str | None = None
    tables: tuple[StudyTable, ...] = ()
    commands: Mapping[str, str] = field(default_factory=dict)
    show: Mapping[str, str] = field(default_factory=dict)
    drop: Mapping[str, str] = field(default_factory=dict)
    export: Mapping[str, str] = field(default_factory=dict)
    plot: Mapping[str, str] = field(default_factory=dict)
    load: Mapping[str, str] = field(default_factory=dict)
    python: str | None = None
    page: str | None = None
    sections: Mapping[str, str] = field(default_factory=dict)
    routes: str | None = None
    tools: str | None = None
    static: Mapping[str, str] = field(default_factory=dict)
    closed_views: tuple[str, ...] = ()
    docs: str | None = None
    own_runs: bool = False
    package: str = ""  # set when it is found, like the version of its distribution
    version: str = ""

    @property
    def folder(self) -> Path:
        """The folder of its package."""
        return Path(str(import_module(self.package).__file__)).parent

    def part(self, where: str) -> Any:
        """Import a part. :param where: ``module:object``."""
        module, _, name = where.partition(":")
        return getattr(import_module(f"{self.package}.{module}"), name)

    def entries(self, subject: str) -> dict[str, str]:
        """Return the words after a command, each with the place of its command. :param subject: such as ``show``."""
        sign = "=@" if subject == "plot" else "@"
        return {word: f"{sign}{self.package}.{where}" for word, where in getattr(self, subject).items()}


def studies() -> tuple[Study, ...]:
    """Return the installed studies, by name."""
    return _found()[0]


def problems() -> tuple[str, ...]:
    """Return a sentence for each study that cannot be used."""
    return _found()[1]


def entries(subject: str) -> dict[str, str]:
    """Return the words that studies add to a command, each with the place of its command."""
    return {word: where for study in studies() for word, where in study.entries(subject).items()}


def parts(kind: str) -> Iterator[tuple[Study, Any]]:
    """Yield the studies that have a part of a kind, such as ``page``, with the part."""
    for study in studies():
        for part in _loaded(study, getattr(study, kind)):
            yield study, part


def sections(place: str) -> Iterator[Any]:
    """Yield the parts that studies add to a place of a view."""
    for study in studies():
        yield from _loaded(study, study.sections.get(place))


def _loaded(study: Study, where: str | None) -> Iterator[Any]:
    """Yield a part. One that fails to import is left out with a warning, so that the rest works."""
    if where is None:
        return
    try:
        part = study.part(where)
    except (Exception, SystemExit) as error:
        warnings.warn(f"{where} of the study {study.name} is left out: {_named(error)}", RuntimeWarning, stacklevel=3)
    else:
        yield part


def tables() -> Iterator[StudyTable]:
    """Yield the tables of all studies."""
    for study in studies():
        yield from study.tables


@cache
def _found() -> tuple[tuple[Study, ...], tuple[str, ...]]:
    known: dict[str, Study] = {}
    wrong = []
    found: list[tuple[str, str, str, Any]] = []
    for source, package, version, load in _sources():
        try:
            study = load()
        except (Exception, SystemExit) as error:
            wrong.append(f"the study {source} is left out: {_named(error)}")
            continue
        found.append((source, package, version, study))
    # Neither of two packages: the one that was installed later could read and change the tables of the other.
    theirs = [study.name for _, package, _, study in found if isinstance(study, Study) and not package.startswith(f"{GROUP}.")]
    for source, package, version, study in found:
        problem = _problem(study, known)
        if problem is None and theirs.count(study.name) > 1:
            problem = f"several packages have a study {study.name!r}; uninstall all but one"
        if problem is None:
            known[study.name] = replace(study, package=package, version=version)
        else:
            wrong.append(f"the study {source} is left out: {problem}")
    return tuple(known[name] for name in sorted(known)), tuple(wrong)


def _named(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".splitlines()[0]


def _problem(study: Any, known: Mapping[str, Study]) -> str | None:
    """Return why a study cannot be used, None if it can."""
    if not isinstance(study, Study):
        return f"its description is {study!r:.60}, not a Study"
    if problem := name_problem(study.name, known):
        return problem
    if study.needs is not None and not f"{_version()}.".startswith(f"{study.needs}."):
        return f"it is made for stcollection {study.needs}; this is {_version()}"
    for subject in ("show", "drop", "export", "plot", "load"):
        for other in known.values():
            if shared := sorted(getattr(other, subject).keys() & getattr(study, subject).keys()):
                return f"the study {other.name!r} has 'stc {subject} {shared[0]}' too"
    return None


def name_problem(name: str, known: Container[str]) -> str | None:
    """Return why a study cannot have a name, None if it can. :param known: names of other studies."""
    if not _NAME.fullmatch(name):
        return f"its name {name!r:.60} is not a lower-case word"
    if name in VIEWS or (Path(__file__).parent / name).exists():
        return f"a part of stcollection has the name {name!r}"
    return f"another study has the name {name!r}" if name in known else None


def _version() -> str:
    return metadata.version("stcollection")


def _sources() -> Sequence[tuple[str, str, str, Callable[[], Any]]]:
    """Return the descriptions to load: ours, then those of others, each with its source, its package and its version."""
    here = str(Path(__file__).parent / "studies")
    ours = sorted(module.name for module in pkgutil.iter_modules([here]) if module.ispkg)
    found: list[tuple[str, str, str, Callable[[], Any]]] = [
        (name, f"{GROUP}.{name}", _version(), lambda name=name: import_module(f"{GROUP}.{name}").STUDY)  # type: ignore[misc]
        for name in ours
    ]
    for point in sorted(metadata.entry_points(group=GROUP)):
        of, version = (f" of {point.dist.name}", point.dist.version) if point.dist is not None else ("", "")
        found.append((f"{point.name}{of}", point.module, version, point.load))
    return found
