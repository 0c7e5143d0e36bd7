"""Fine-tune an embedding model on the queries and judgments of an edition, with sentence-transformers' trainer.

Each relevant document of a query is a positive example. Its hard negative is a document that BM25 ranks high and nobody judged
relevant; the other documents of a batch are negatives too (multiple negatives ranking loss, Henderson et al. 2017). Training stops
when nDCG@10 of held-out queries no longer improves, and the best epoch is kept.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import logging
import os
import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import psycopg
from psycopg import sql
from psycopg.types.json import Jsonb

from stcollection.counts import counted
from stcollection.declared import AllowedRange, Option, check_fields, declare
from stcollection.errors import BadArgument, StateError, translate
from stcollection.extras import not_installed
from stcollection.io.writing import new_folder
from stcollection.vectors.embed import embed
from stcollection.vectors.index import index
from stcollection.vectors.model import Embedder, EncoderOptions, forget_loaded, load
from stcollection.vectors.queries import embed_queries, encoder_of
from stcollection.vectors.store import DOCUMENT_FIELDS, DocumentField, Model, StoredModel, register, registered_dense, require_idle

Progress = Callable[[int, int | None], None]
LEAST = 10  # queries with a relevant document
_CUTOFF = 10
_NEAR = 30  # documents of BM25 that negatives are drawn from
_LIBRARIES = ("stcollection", "sentence-transformers", "torch", "transformers", "accelerate", "datasets")
_RECIPE = "training.json"  # in the folder of the model
Recipe = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class TrainingOptions:
    """How a model is trained.

    :param epochs: Maximum number of passes. :param patience: Passes without improvement before it ends.
    :param batch: Pairs per step. :param rate: Learning rate. :param held_out: Share of the queries for early stopping.
    :param negatives: Hard negatives per relevant document. :param seed: Seed of all random choices.
    :raises BadArgument: a value is outside its range.
    """

    epochs: Annotated[int, AllowedRange(ge=1)] = 5
    patience: Annotated[int, AllowedRange(ge=1)] = 2
    batch: Annotated[int, AllowedRange(ge=2)] = 16
    rate: Annotated[float, AllowedRange(gt=0, le=1)] = 2e-5
    held_out: Annotated[float, AllowedRange(ge=0.05, le=0.5)] = 0.2
    negatives: Annotated[int, AllowedRange(ge=1, le=10)] = 1
    seed: Annotated[int, AllowedRange(ge=0)] = 1

    def __post_init__(self) -> None:
        check_fields(self)


AS_USUAL = TrainingOptions()


@dataclass(frozen=True)
class TrainingQuery:
    """A query with its judgments and the documents that BM25 ranks first; only documents that have the field."""

    name: str
    text: str
    grades: dict[int, int]
    near: list[int]


@dataclass(frozen=True, kw_only=True)
class TrainedModel:
    """A trained model.

    :param queries: number of queries trained on. :param held_out: number of queries for early stopping.
    :param ndcg: nDCG@10 of the held-out queries before training and after each epoch. It ranks their judged documents and those
        that BM25 ranks first.
    """

    model: str
    folder: Path
    queries: int
    held_out: int
    ndcg: list[float]


class Examples:
    """The queries of an edition with relevant documents, and the texts of the documents' field."""

    @translate()
    def __init__(self, conn: psycopg.Connection, *, edition: str, field: str) -> None:
        """Read them. :raises UnknownObject: no such edition. :raises StateError: too few queries, or test queries."""
        if field not in DOCUMENT_FIELDS:
            raise BadArgument(f"no field {field!r}", hint=f"Use one of {', '.join(DOCUMENT_FIELDS)}.")
        key = _trainable(conn, edition)
        column = (
            sql.SQL("concat_ws('. ', nullif(title, ''), nullif(abstract, ''))") if field == "content" else sql.Identifier(field)
        )
        self.texts: dict[int, str] = dict(
            conn.execute(
                sql.SQL("SELECT id, t FROM (SELECT id, {} AS t FROM dblp_text) d WHERE t ~ '\\S' ORDER BY id").format(column)
            )
        )
        self.queries = list(self._read(conn, key))
        if len(self.queries) < LEAST:
            judged = counted(len(self.queries), "query")
            raise StateError(
                f"{edition} has {judged} with a relevant document that has {field}; training needs {LEAST}",
                hint="Add judgments to the edition, or train on another one: 'stc show editions' lists them.",
                sqlstate="IR405",
            )

    def _read(self, conn: psycopg.Connection, key: int) -> Iterator[TrainingQuery]:
        rows = conn.execute(
            "SELECT q.query, q.text, array_agg(j.doc ORDER BY j.doc), array_agg(j.rel ORDER BY j.doc) FROM stc_all.qrels j"
            " JOIN st1_queries q ON q.id = j.query WHERE j.edition = %s AND q.text ~ '\\S'"
            ' GROUP BY 1, 2 ORDER BY q.query COLLATE "C"',
            [key],
        ).fetchall()
        for name, text, docs, rels in rows:
            grades = {doc: rel for doc, rel in zip(docs, rels, strict=True) if doc in self.texts}
            if max(grades.values(), default=0) > 0:
                near = [doc for (doc,) in conn.execute("SELECT doc FROM bm25_search(%s, %s) ORDER BY rank", [text, _NEAR])]
                yield TrainingQuery(name, text, grades, [doc for doc in near if doc in self.texts])


def _trainable(conn: psycopg.Connection, edition: str) -> int:
    """Return the key of an edition to train on. :raises BadArgument: it, or another edition of its queries, is a test edition."""
    row = conn.execute("SELECT stc.edition_key(%s)", [edition]).fetchone()
    key = int(row[0]) if row else 0
    tests = conn.execute(
        "SELECT e.edition, count(DISTINCT j.query) FROM qrels_editions e JOIN qrels_judgments j ON j.edition = e.id"
        " WHERE e.split = 'test' AND j.query IN (SELECT query FROM qrels_judgments WHERE edition = %s) GROUP BY 1 ORDER BY 1",
        [key],
    ).fetchall()
    for name, queries in tests:
        raise BadArgument(
            f"{edition} is a test edition"
            if name == edition
            else f"the test edition {name} judges {counted(queries, 'query')} of {edition}",
            hint="A model trained on test queries cannot be tested. Train without them: stc publish derive --queries.",
        )
    return key


def base_of(conn: psycopg.Connection, model: str | None) -> tuple[Model, Embedder]:
    """Return the registry row and the model to start from. :raises StateError: it is static, or a package is missing."""
    for package in ("accelerate", "datasets"):
        if importlib.util.find_spec(package) is None:
            raise not_installed(package, what="training")
    space = registered_dense(conn, model)
    encoder = encoder_of(space)
    weights = encoder.copy_weights()
    if any("Static" in type(layer).__name__ for layer in weights) or not any(layer.requires_grad for layer in weights.parameters()):
        raise StateError(
            f"{space.model} is a static model, or its weights are frozen: it cannot be fine-tuned",
            hint="Start from a transformer: 'stc vectors embed --model NAME', then 'stc vectors train --model SHORT'.",
            sqlstate="IR405",
        )
    return space, encoder


def fine_tune(
    encoder: Embedder, examples: Examples, queries: Sequence[TrainingQuery], options: TrainingOptions, progress: Progress | None
) -> tuple[Embedder, list[TrainingQuery], list[float]]:
    """Train a copy of a model. :returns: the copy, the queries held out, and nDCG@10 of these by epoch."""
    chance = random.Random(options.seed)  # noqa: S311  (not for security)
    drawn = list(queries)
    chance.shuffle(drawn)
    count = max(1, round(options.held_out * len(drawn)))
    held, learnt = drawn[:count], drawn[count:]
    rows: list[tuple[str, str, str]] = []
    for query in learnt:
        others = [doc for doc in query.near if query.grades.get(doc, 0) <= 0] or [
            doc for doc in examples.texts if query.grades.get(doc, 0) <= 0
        ]
        for doc, rel in query.grades.items():
            if rel > 0:
                for other in chance.sample(others, min(options.negatives, len(others))):
                    rows.append(
                        (
                            encoder.query_prefix + query.text,
                            encoder.passage_prefix + examples.texts[doc],
                            encoder.passage_prefix + examples.texts[other],
                        )
                    )
    if not rows:
        raise StateError(
            "every document is relevant to every query: there is no negative example",
            hint="Load further documents, which nobody judged relevant: 'stc load --as corpus'.",
            sqlstate="IR405",
        )
    pool = sorted({doc for query in held for doc in (*query.grades, *query.near)})
    weights = encoder.copy_weights()
    trained = encoder.with_weights(weights)
    ndcg = [float(np.mean(ndcg_of(trained, examples, held, pool)))]
    best = {name: value.clone() for name, value in weights.state_dict().items()}

    transformers: Any = importlib.import_module("transformers")
    library: Any = importlib.import_module("sentence_transformers")
    losses: Any = importlib.import_module("sentence_transformers.sentence_transformer.losses")
    data: Any = importlib.import_module("datasets")

    class Stop(transformers.TrainerCallback):  # type: ignore[misc]  # no types here
        """Measure after each epoch, keep the best weights, and stop when there is no improvement."""

        def on_step_end(self, args: Any, state: Any, control: Any, **_: object) -> None:
            if progress:
                progress(state.global_step, state.max_steps)

        def on_epoch_end(self, args: Any, state: Any, control: Any, **_: object) -> None:
            weights.eval()
            value = float(np.mean(ndcg_of(trained, examples, held, pool)))
            if value > max(ndcg[1:], default=-1.0):
                best.update({name: value.clone() for name, value in weights.state_dict().items()})
            ndcg.append(value)
            if len(ndcg) - 1 - ndcg.index(max(ndcg[1:]), 1) >= options.patience:
                control.should_training_stop = True

    class Trainer(library.SentenceTransformerTrainer):  # type: ignore[misc]
        def add_model_card_callback(self, _: dict[str, Any]) -> None:
            """Write no model card: it would need examples, with a second progress bar."""

    data.disable_progress_bars()
    transformers.set_seed(options.seed)
    logging.getLogger("sentence_transformers").setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory() as folder:
        args = library.SentenceTransformerTrainingArguments(
            output_dir=folder,
            num_train_epochs=options.epochs,
            per_device_train_batch_size=options.batch,
            learning_rate=options.rate,
            warmup_steps=max(1, len(rows) * options.epochs // options.batch // 10),
            batch_sampler="no_duplicates",
            save_strategy="no",
            logging_strategy="no",
            report_to="none",
            disable_tqdm=True,
            use_cpu=encoder.device == "cpu",
            bf16=encoder.precision == "bf16",
            dataloader_pin_memory=False,
            seed=options.seed,
        )
        table = data.Dataset.from_dict(
            dict(zip(("anchor", "positive", "negative"), map(list, zip(*rows, strict=True)), strict=True))
        )
        loss = losses.MultipleNegativesRankingLoss(weights)
        trainer = Trainer(model=weights, args=args, train_dataset=table, loss=loss, callbacks=[Stop()])
        trainer.remove_callback(transformers.PrinterCallback)
        trainer.train()
        trainer.accelerator.unwrap_model(weights, keep_fp32_wrapper=False)  # queries are encoded in single precision
    weights.load_state_dict(best)
    weights.eval()
    return trained, held, ndcg


def ndcg_of(encoder: Embedder, examples: Examples, queries: Sequence[TrainingQuery], pool: Sequence[int]) -> list[float]:
    """Return nDCG@10 of each query for the exact ranking of some documents, as SQL's ndcg: linear gain, unjudged is 0."""
    scores = encoder.encode([query.text for query in queries], query=True) @ encoder.encode([examples.texts[doc] for doc in pool]).T
    discounts = 1 / np.log2(np.arange(2, _CUTOFF + 2))
    values = []
    for query, row in zip(queries, scores, strict=True):
        gains = [max(query.grades.get(pool[at], 0), 0) for at in np.argsort(-row, kind="stable")[:_CUTOFF]]
        ideal = sorted((max(rel, 0) for rel in query.grades.values()), reverse=True)[:_CUTOFF]
        values.append(float(gains @ discounts[: len(gains)] / (ideal @ discounts[: len(ideal)])))
    return values


@declare
@translate()
def train(
    conn: psycopg.Connection,
    edition: Annotated[str, Option(metavar="EDITION")],
    folder: Annotated[Path | str, Option("--out")],
    *,
    model: StoredModel = None,
    short: Annotated[str, Option("--as", metavar="SHORT")] = "trained",
    field: DocumentField | str = "abstract",
    options: TrainingOptions = AS_USUAL,
    progress: Progress | None = None,
) -> TrainedModel:
    """Fine-tune a model, save it in a new folder, embed the field with it, and index the vectors.

    Nothing is stored before the model is complete. If the embedding that follows is interrupted, the folder and the registered
    model remain, and the same call continues; a call with the inputs of a saved model does not train again. The recipe is in
    ``stc.vector_models.recipe``, and in the folder as ``training.json``.

    :param edition: Edition to train on; not a test edition. :param folder: New folder for the model.
    :param model: Stored model to start from. :param short: Name of the new model. :param field: Field to train on.
    :raises StateError: the folder or the name exists, too few queries, a model that cannot be trained, or a folder that cannot be
        written.
    :raises UnknownObject: no such edition or model. :raises BadArgument: queries of a test edition, or an invalid name.
    """
    require_idle(conn)
    folder = Path(folder).resolve()
    with conn.transaction():
        examples = Examples(conn, edition=edition, field=field)
        space, encoder = base_of(conn, model)
        recipe = _inputs(conn, edition, field, space, encoder, options)
        known = _saved(conn, folder, short, recipe)
    if known is None:
        with conn.transaction(force_rollback=True):  # an invalid name, or no right to add a model
            conn.execute("SELECT stc.add_vector_model(%s, %s, %s)", [short, str(folder), space.dim])
        with _new_folder(folder) as unfinished:
            trained, held, ndcg = fine_tune(encoder, examples, examples.queries, options, progress)
            held_out = sorted(query.name for query in held)
            learnt = sorted({query.name for query in examples.queries} - set(held_out))
            recipe |= {"queries": learnt, "held_out": held_out, "ndcg": ndcg, "kept_epoch": ndcg.index(max(ndcg[1:]), 1)}
            progress_bars: Any = importlib.import_module("transformers.utils.logging")
            progress_bars.disable_progress_bar()
            trained.save(unfinished)
            (unfinished / _RECIPE).write_text(json.dumps(recipe, indent=2) + "\n", encoding="utf-8")
        forget_loaded()
    else:
        recipe = known
    prefixes = EncoderOptions(query_prefix=space.query_prefix, passage_prefix=space.passage_prefix)
    new = load(str(folder), short=short, options=prefixes)
    with conn.transaction():
        register(conn, new)
        conn.execute("UPDATE stc.vector_models SET recipe = %s WHERE model = %s", [Jsonb(recipe), short])
    embed(conn, model=new, fields=[field])
    embed_queries(conn, model=new)
    index(conn, model=short, fields=[field])
    return TrainedModel(
        model=short, folder=folder, queries=len(recipe["queries"]), held_out=len(recipe["held_out"]), ndcg=recipe["ndcg"]
    )


def _inputs(
    conn: psycopg.Connection, edition: str, field: str, space: Model, encoder: Embedder, options: TrainingOptions
) -> Recipe:
    """Return the part of the recipe that is known before training."""
    judged = conn.execute(
        "SELECT edition, public.edition_fingerprint(edition), sealed FROM stc_all.qrels_editions WHERE edition = %s", [edition]
    ).fetchone()
    name, sha256, sealed = judged or (edition, None, None)
    return {
        "base": {"model": space.model, "name": space.name, "revision": encoder.revision},
        "edition": {"edition": name, "sha256": sha256, "sealed": sealed and sealed.isoformat()},
        "field": field,
        "loss": "MultipleNegativesRankingLoss",
        "precision": encoder.precision,
        "options": asdict(options),
        "libraries": {name: version(name) for name in _LIBRARIES},
    }


def _saved(conn: psycopg.Connection, folder: Path, short: str, inputs: Recipe) -> Recipe | None:
    """Return the recipe of a model that an earlier call with the same inputs saved, or None.

    :raises StateError: the folder or the name is used.
    """
    names: dict[str, str] = dict(conn.execute("SELECT model, name FROM stc.vector_models"))
    try:
        recipe = json.loads((folder / _RECIPE).read_text(encoding="utf-8"))
        same = all(recipe.get(key) == value for key, value in inputs.items())
    except (OSError, ValueError, AttributeError):
        same = False
    if same and names.get(short, str(folder)) == str(folder) and (short in names or str(folder) not in names.values()):
        return dict(recipe)
    taken = short in {*names, inputs["base"]["model"]}
    if taken or os.path.lexists(folder):
        raise StateError(
            f"{f'a model {short}' if taken else folder} exists already",
            hint="Choose another name with --as, another folder with --out.",
            sqlstate="IR403",
        )
    return None


@contextmanager
def _new_folder(folder: Path) -> Iterator[Path]:
    """Make a temporary folder on the same disk, and rename it at the end of the block. :raises StateError: it cannot be written."""
    safetensors: Any = importlib.import_module("safetensors")
    try:
        with new_folder(folder) as unfinished:
            yield unfinished
    except (OSError, safetensors.SafetensorError) as error:
        reason = getattr(error, "strerror", None) or error
        raise StateError(
            f"the model cannot be saved in {folder}: {reason}",
            hint="Choose a folder that you can write, on a disk with enough space: --out FOLDER.",
            sqlstate="IR405",
        ) from error


@translate()
def cross_validate(
    conn: psycopg.Connection,
    *,
    edition: str,
    model: str | None = None,
    field: str = "abstract",
    folds: int = 5,
    options: TrainingOptions = AS_USUAL,
    progress: Progress | None = None,
) -> tuple[list[float], list[float]]:
    """Train on all folds of queries but one, and measure the queries of that fold on all documents; nothing is stored.

    :returns: nDCG@10 of each query by the model before and after training.
    """
    if folds < 2:
        raise BadArgument(f"folds is {folds}", hint="Use 2 or more.")
    with conn.transaction():
        examples = Examples(conn, edition=edition, field=field)
        _, encoder = base_of(conn, model)
    drawn = list(examples.queries)
    random.Random(options.seed).shuffle(drawn)  # noqa: S311  (not for security)
    pool = list(examples.texts)
    before, after = ndcg_of(encoder, examples, drawn, pool), [0.0] * len(drawn)
    for fold in range(folds):
        here = range(fold, len(drawn), folds)
        if not here:
            continue
        trained, _, _ = fine_tune(encoder, examples, [query for at, query in enumerate(drawn) if at % folds != fold], options, None)
        for at, value in zip(here, ndcg_of(trained, examples, [drawn[at] for at in here], pool), strict=True):
            after[at] = value
        if progress:
            progress(fold + 1, folds)
    return before, after
