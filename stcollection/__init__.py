"""stcollection: a retrieval test collection in one PostgreSQL database."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, overload

if TYPE_CHECKING:
    from pathlib import Path

    import pandas
    import polars

    from stcollection.analysis.bias import Resampling as Resampling
    from stcollection.analysis.intervals import Interval as Interval
    from stcollection.analysis.measured import Reading as Reading
    from stcollection.analysis.reliability import Draws as Draws
    from stcollection.analysis.significance import PairedTest as PairedTest
    from stcollection.api.collection import Collection as Collection
    from stcollection.db.pool import RayActors as RayActors
    from stcollection.evaluation.score import ScoreRules as ScoreRules
    from stcollection.io.datasets import DataOptions as DataOptions
    from stcollection.qrels.editions import EditionFacts as EditionFacts
    from stcollection.qrels.load import JudgmentOptions as JudgmentOptions
    from stcollection.retrieval.pareto import ParetoOptions as ParetoOptions
    from stcollection.runs.load import ImportOptions as ImportOptions
    from stcollection.vectors.index import IndexOptions as IndexOptions
    from stcollection.vectors.model import EncoderOptions as EncoderOptions
    from stcollection.vectors.train import TrainingOptions as TrainingOptions

    __version__: str

# Public records of options and the modules that define them; imported on first use.
_RECORDS = {
    "Collection": "api.collection",
    "DataOptions": "io.datasets",
    "Draws": "analysis.reliability",
    "EditionFacts": "qrels.editions",
    "EncoderOptions": "vectors.model",
    "ImportOptions": "runs.load",
    "IndexOptions": "vectors.index",
    "Interval": "analysis.intervals",
    "JudgmentOptions": "qrels.load",
    "PairedTest": "analysis.significance",
    "ParetoOptions": "retrieval.pareto",
    "RayActors": "db.pool",
    "Reading": "analysis.measured",
    "Resampling": "analysis.bias",
    "ScoreRules": "evaluation.score",
    "TrainingOptions": "vectors.train",
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return _version()
    if name not in _RECORDS:
        raise AttributeError(f"module 'stcollection' has no attribute {name!r}", name=name)
    return getattr(import_module(f"stcollection.{_RECORDS[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), "__version__", *_RECORDS})


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version  # slow to import

    try:
        return version("stcollection")
    except PackageNotFoundError:  # run from a checkout without installation
        return "0"


@overload
def open(  # noqa: A001
    db: str | None = None,
    *,
    dsn: str | None = None,
    home: str | Path | None = None,
    frame: Literal["pandas"] = "pandas",
    progress: bool | None = None,
) -> Collection[pandas.DataFrame]: ...
@overload
def open(  # noqa: A001
    db: str | None = None,
    *,
    dsn: str | None = None,
    home: str | Path | None = None,
    frame: str,
    progress: bool | None = None,
) -> Collection[polars.DataFrame]: ...
def open(  # noqa: A001
    db: str | None = None,
    *,
    dsn: str | None = None,
    home: str | Path | None = None,
    frame: str = "pandas",
    progress: bool | None = None,
) -> Collection[Any]:
    """Open a collection; ``with stcollection.open("demo") as c: …`` closes it at the end.

    >>> c = stcollection.open("demo")
    >>> c.search("voice assistants")

    :param db: name of the collection; None means ``STC_DB``, else the database of the DSN, else ``stcollection``.
    :param dsn: libpq connection string of the server; None means ``STC_DSN``, else libpq's ``PG*``, else the embedded server.
    :param home: folder of the embedded server; None means ``STC_HOME``, else the user's data folder.
    :param frame: type of data frames that methods return by default: ``pandas`` or ``polars``.
    :param progress: whether to show progress bars; None shows them in notebooks and on terminals.
    :raises UnknownObject: the collection does not exist.
    :raises StateError: the collection needs an upgrade to this version.
    :raises DatabaseError: the server cannot be reached or rejects the connection.
    """
    from stcollection.api.collection import Collection  # imported here to keep the import of the package fast

    return Collection.open(db, dsn=dsn, home=home, frame=frame, progress=progress)


@overload
def create(
    db: str,
    *,
    dsn: str | None = None,
    home: str | Path | None = None,
    frame: Literal["pandas"] = "pandas",
    progress: bool | None = None,
    exist_ok: bool = False,
    shards: int | None = None,
) -> Collection[pandas.DataFrame]: ...
@overload
def create(
    db: str,
    *,
    dsn: str | None = None,
    home: str | Path | None = None,
    frame: str,
    progress: bool | None = None,
    exist_ok: bool = False,
    shards: int | None = None,
) -> Collection[polars.DataFrame]: ...
def create(
    db: str,
    *,
    dsn: str | None = None,
    home: str | Path | None = None,
    frame: str = "pandas",
    progress: bool | None = None,
    exist_ok: bool = False,
    shards: int | None = None,
) -> Collection[Any]:
    """Create an empty collection and open it. The parameters are those of :func:`open`.

    >>> c = stcollection.create("mine")

    :param exist_ok: open the collection if it exists.
    :param shards: distribute it over the servers of a Citus cluster, in this number of shards; the database must be prepared.
    :raises BadArgument: the collection exists, or the name is not valid for a database.
    :raises DatabaseError: the server cannot be reached or rejects the connection.
    """
    from stcollection.api.collection import Collection

    return Collection.create(db, dsn=dsn, home=home, frame=frame, progress=progress, exist_ok=exist_ok, shards=shards)


def collections(*, dsn: str | None = None, home: str | Path | None = None) -> list[str]:
    """Return the names of the collections on the server. The parameters are those of :func:`open`."""
    from stcollection.api.server import collections

    return collections(dsn, home)


def provider(*, home: str | Path | None = None, default: bool = False) -> Any:
    """Return a provider of ir_measures that computes with the embedded PostgreSQL, and register it as ``stcollection``.

    >>> stcollection.provider().calc_aggregate([nDCG @ 10], qrels, run)

    It needs no collection; :meth:`Collection.provider` also accepts names of editions and runs.

    :param home: folder of the embedded server, as for :func:`open`.
    :param default: ``ir_measures.iter_calc``, ``calc`` and ``calc_aggregate`` use it too, instead of other providers.
    :raises StateError: ir_measures is not installed.
    """
    from stcollection.api.provider import Provider
    from stcollection.api.settings import settings_of

    return Provider(settings_of(None, None, home)).register(default=default)


def measures(*, frame: str = "pandas") -> Any:
    """Return the measures: names in ir_measures and trec_eval, definition, source.

    :param frame: ``pandas`` or ``polars``.
    """
    from stcollection.api.server import measures

    return measures(frame)


__all__ = ["__version__", "collections", "create", "measures", "open", "provider", *_RECORDS]
