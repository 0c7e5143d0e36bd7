"""Store models of agreement in the database in skops format, so that loading a model runs no code from it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import replace as changed
from importlib.metadata import version
from typing import Any, NamedTuple

import orjson
import psycopg
from psycopg.types.json import Jsonb

from stcollection.db.rows import only_row, only_value
from stcollection.errors import StateError, translate
from stcollection.studies.answers.agreement import features
from stcollection.studies.answers.agreement.model import AgreementModel
from stcollection.studies.answers.agreement.nli import Nli
from stcollection.studies.answers.agreement.reader import TASK, Reader
from stcollection.studies.answers.parameters import AgreementName
from stcollection.vectors.model import absent, check_device, stored_folder

_LIBRARIES = ("scikit-learn", "skops", "numpy")


class StoredModel(NamedTuple):
    """A stored model of agreement.

    :param kind: classifier or crossencoder.
    :param params: see :func:`describe`.
    :param relations: number of pairs it has relations for.
    """

    model: str
    kind: str
    params: dict[str, Any]
    fingerprint: str | None
    relations: int
    made: Any


class LabelledPair(NamedTuple):
    """A labelled pair: keys and texts of its answers.

    :param label: 1 support, 0 not, None if the data contain both.
    :param relation: the relation, if known.
    """

    query_id: int
    query: str
    template: str | None
    a: int
    b: int
    text_a: str
    text_b: str
    label: int | None
    relation: str | None


def fingerprint(pairs: Iterable[LabelledPair]) -> str:
    """Return the SHA-256 of labelled pairs sorted as bytes: query, texts of both answers, label, relation.

    Database keys and file order have no effect.
    """
    rows = ([pair.query, *sorted((pair.text_a, pair.text_b)), pair.label, pair.relation] for pair in pairs)
    lines = sorted(orjson.dumps(row) + b"\n" for row in rows)
    return hashlib.sha256(b"".join(lines)).hexdigest()


def describe(agreement: AgreementModel) -> dict[str, Any]:
    """Return the parameters of a classifier to store in the database."""
    return {
        "features": features.VERSION, "kinds": list(agreement.kinds), "columns": len(features.names(agreement.kinds)),
        "embed": None if agreement.embed is None else agreement.embed.name, "classifier": "logistic",
        "classes": list(agreement.classes), "threshold": agreement.threshold, "seed": agreement.seed, "pairs": agreement.pairs,
        "shuffled": agreement.shuffled,
        "versions": {name: version(name) for name in _LIBRARIES},
    }  # fmt: skip


@translate()
def save(
    conn: psycopg.Connection,
    model: str,
    *,
    kind: str,
    params: dict[str, Any],
    data: str | None = None,
    content: bytes | None = None,
    replace: bool = False,
) -> int:
    """Store a model; return its key in answer_models.

    :param data: the fingerprint of its training data.
    :raises BadArgument: the name is taken, or empty.
    """
    return int(
        only_value(
            conn, "SELECT stc.answer_relate_begin(%s, %s, %s, %s, %s, %s)", [model, kind, Jsonb(params), data, content, replace]
        )
    )


def dump(agreement: AgreementModel) -> bytes:
    import skops.io

    content: bytes = skops.io.dumps({"estimator": agreement.estimator, "calibrator": agreement.calibrator})
    return content


@translate()
def load(conn: psycopg.Connection, model: str, *, device: str | None = None) -> AgreementModel | Nli | Reader:
    """Load a model by name: a classifier, or a cross-encoder from this machine.

    :raises UnknownObject: the model does not exist.
    :raises StateError: it was trained with other features, cannot be read, the cross-encoder differs from the registered one,
        or there is no such device.
    """
    kind, params, content = only_row(
        conn, "SELECT m.kind, m.params, m.content FROM stc.answer_models m WHERE m.id = stc.answer_model_key(%s)", [model]
    )
    if kind == "crossencoder":
        check_device(device)
        if params.get("task") == TASK:
            folder = stored_folder(params["name"])
            if folder is None:
                raise absent(params["name"], OSError("it is not a folder"))
            return Reader.load(str(folder), revision=params["revision"], device=device)
        return Nli.load(params["name"], revision=params["revision"], device=device, stored=True)
    if params.get("features") != features.VERSION:
        raise StateError(
            f"the model {model!r} was trained with version {params.get('features')} of the features, this is {features.VERSION}",
            hint="Train it again: 'stc answers train --replace'.",
            sqlstate="IR409",
        )
    agreement = restore(model, bytes(content or b""), params)
    if params["embed"] is not None:
        from stcollection.vectors.model import load as embedder

        agreement = changed(agreement, embed=embedder(params["embed"], device=check_device(device), stored=True))
    return agreement


def restore(model: str, content: bytes, params: dict[str, Any]) -> AgreementModel:
    """Restore a classifier from its stored form. :raises StateError: it cannot be read, or contains unexpected types."""
    import skops.io
    from skops.io.exceptions import UntrustedTypesFoundException

    try:
        parts = skops.io.loads(content, trusted=[])
    except (UntrustedTypesFoundException, ValueError, TypeError, KeyError, OSError, AttributeError, ImportError) as error:
        raise _unreadable(model, error) from error
    except Exception as error:
        if type(error).__module__ != "zipfile":  # BadZipFile derives directly from Exception
            raise
        raise _unreadable(model, error) from error
    return AgreementModel(
        estimator=parts["estimator"],
        calibrator=parts["calibrator"],
        classes=tuple(params["classes"]),
        kinds=tuple(params["kinds"]),
        threshold=params["threshold"],
        seed=params["seed"],
        pairs=params["pairs"],
        shuffled=params["shuffled"],
    )


def _unreadable(model: str, error: Exception) -> StateError:
    reason = (str(error).splitlines() or [type(error).__name__])[0]
    return StateError(
        f"the model {model!r} cannot be read: {reason}",
        hint=f"Version 0.1, or another scikit-learn, wrote it. Train it again: stc answers train {model} SET --replace.",
        sqlstate="IR409",
    )


@translate()
def models(conn: psycopg.Connection) -> list[StoredModel]:
    """Return the stored models, by name."""
    return [StoredModel(*row) for row in conn.execute("SELECT * FROM stc.answer_relate_models()")]


@translate()
def drop(conn: psycopg.Connection, model: AgreementName) -> None:
    """Drop a model and its relations. :raises UnknownObject: the model does not exist."""
    conn.execute("DELETE FROM stc.answer_models m WHERE m.id = stc.answer_model_key(%s)", [model])
