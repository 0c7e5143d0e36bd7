"""What the steps of a recipe do: call a function of the library with the values of a table, on a separate connection."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

from stcollection.db.connection import connect, conninfo
from stcollection.db.settings import Settings
from stcollection.declared import AllowedRange, arguments, call
from stcollection.errors import BadInput, translate
from stcollection.evaluation.own import add_rows
from stcollection.io.corpus.fields import DEFAULT, FieldNames, read_map
from stcollection.io.files import read_text
from stcollection.io.places import path_text
from stcollection.retrieval import SPARSE
from stcollection.retrieval.systems import needs_vector

if TYPE_CHECKING:  # a build imports only what its steps need: some take seconds
    from stcollection.vectors.stored import TextVectors

Values = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class CorpusOptions:
    """How files of documents are loaded.

    :param workers: Number of worker processes. :param strict: Stop at the first record that cannot be stored.
    """

    workers: Annotated[int | None, AllowedRange(ge=1)] = None
    strict: bool = False


@cache
def imported(name: str) -> Any:
    """Return a function or record of the package by its name, such as ``text.index.index``."""
    module, _, function = name.rpartition(".")
    return getattr(import_module(f"stcollection.{module}"), function)


def _call(function: Callable[..., Any], conn: Any, values: Values, **more: Any) -> Any:
    """Call a declared function with the values that it declares. :param more: further keyword arguments."""
    return call(function, conn, arguments(function, values, local=True) | more)


def of(name: str) -> Callable[[Settings, Values], Any]:
    """Return a step that calls a declared function."""

    def perform(settings: Settings, values: Values) -> Any:
        with connect(settings, autocommit=True) as conn:
            return _call(imported(name), conn, values)

    return perform


def each_path(name: str) -> Callable[[Settings, Values], list[Any]]:
    """Return a step that calls a declared function for each file."""

    def perform(settings: Settings, values: Values) -> list[Any]:
        with connect(settings, autocommit=True) as conn:
            return [_call(imported(name), conn, values, path=path) for path in values["path"]]

    return perform


def field_names(values: Values) -> FieldNames:
    """Return the names of fields that a step's map gives."""
    return read_map(values["map"]) if "map" in values else DEFAULT


def load_corpus(settings: Settings, values: Values) -> list[Any]:
    from stcollection.corpus.load import load
    from stcollection.corpus.snapshots import check_day, record_snapshot

    day = values.get("date")
    with connect(settings, autocommit=True) as conn:
        if day is not None:
            check_day(conn, str(day))
        loaded = load(
            conninfo(settings),
            [str(path) for path in values["path"]],
            format=values.get("format"),
            workers=values.get("workers"),
            on_duplicate=values.get("on_duplicate", "skip"),
            strict=values.get("strict", False),
            fields=field_names(values),
        )
        for file in loaded:
            if file.all_rejected:
                raise BadInput(f"{file.path}: no record could be stored: {file.reject}", hint="Set `format` or `map`.")
            if day is not None:
                record_snapshot(conn, file.file, str(day))
    return loaded


def configure_text(settings: Settings, values: Values) -> Any:
    with connect(settings, autocommit=True) as conn:
        return _call(imported("text.configure.configure"), conn, values, settings=settings)


def embed_documents(settings: Settings, values: Values) -> Any:
    return of("vectors.embed.embed")(settings, stored_model(values))


def stored_model(values: Values) -> Values:
    """Return the values with a model that reads vectors from the file that the step names, if it names one."""
    return {**values, "model": imported("vectors.stored.TextVectors")(values["stored"])} if "stored" in values else values


def measure_readability(settings: Settings, values: Values) -> Any:
    connect(settings).close()  # raises an error if it is not a collection of this version
    return _call(imported("complexity.compute.compute"), conninfo(settings), values)


def add_annotations(settings: Settings, values: Values) -> list[Any]:
    load = imported("complexity.annotations.load_annotations")
    with connect(settings, autocommit=True) as conn:
        return [_call(load, conn, values, text=read_text(path), source=path_text(path)) for path in values["path"]]


def add_topics(settings: Settings, values: Values) -> Any:
    read = {"paths": values["path"], "layout": values.get("format"), "fields": field_names(values)}
    with connect(settings, autocommit=True) as conn:
        return _call(imported("topics.load.load"), conn, values, **read)


def add_articles(settings: Settings, values: Values) -> Any:
    with connect(settings, autocommit=True) as conn:
        return _call(imported("topics.articles.load_articles"), conn, values, paths=values["path"])


def take_run(settings: Settings, values: Values) -> Any:
    from stcollection.evaluation.score import judge_each
    from stcollection.runs.load import ImportOptions, import_runs

    known = {field.name for field in fields(ImportOptions)}
    options = ImportOptions(layout=values.get("format"), **{key: value for key, value in values.items() if key in known})
    with connect(settings, autocommit=True) as conn:
        [run] = judge_each(conn, import_runs(conn, [values["path"]], name=values["name"], options=options))
    return run


def put_measure(settings: Settings, values: Values) -> list[str]:
    with connect(settings, autocommit=True) as conn, translate(), conn.transaction():
        add_rows(conn, [values])
    return [values["ir"]]


def prepare_run(settings: Settings, values: Values, encoder: TextVectors | None) -> None:
    """Cache the vectors of the queries that a file has, so that a run needs no model."""
    if encoder is not None and values["system"] not in SPARSE:
        with connect(settings, autocommit=True) as conn:
            if needs_vector(conn, values["system"]):
                imported("vectors.queries.embed_queries")(conn, model=encoder)
