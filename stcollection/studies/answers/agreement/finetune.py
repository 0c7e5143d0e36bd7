"""Fine-tune a cross-encoder on labelled pairs of answers: it reads the query and both answers together.

Training starts from a model on this machine, by default the embedding model that the package installs, whose tokenizer knows few
Chinese characters: characters of the training pairs that it does not know are added to it. A tenth of the groups (templates of
queries) is held out. Training ends when their log loss has not improved for some epochs, and the best epoch is kept. Temperature
and threshold are chosen on the same pairs.
"""

from __future__ import annotations

import copy
import importlib
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import psycopg

from stcollection.counts import counted
from stcollection.declared import INTERNAL, AllowedRange, Option, check_fields
from stcollection.errors import BadArgument, StateError, translate
from stcollection.io.files import Progress
from stcollection.io.writing import new_folder
from stcollection.retrieval.crossencoder import fingerprint, locate
from stcollection.studies.answers.agreement import store
from stcollection.studies.answers.agreement.model import best_threshold, softmax, target_of
from stcollection.studies.answers.agreement.reader import (
    Floats,
    Reader,
    ReaderDescription,
    best_device,
    classifier,
    encoded,
    logits_of,
)
from stcollection.studies.answers.agreement.relate import columns_of, group_of, labelled, truth_of
from stcollection.studies.answers.parameters import AgreementName, AnswerSet, Device, TrainingSplits
from stcollection.vectors.model import before_torch, check_device, check_installed, packaged

_WARM = 0.1  # share of the steps in which the learning rate rises
_DECAY = 0.01


@dataclass(frozen=True, kw_only=True)
class FinetuneOptions:
    """How a cross-encoder is fine-tuned.

    :param base: Model to start from, on this machine.
    :param epochs: Maximum number of passes. :param patience: Passes without improvement before it ends.
    :param batch: Pairs per step. :param rate: Learning rate. :param tokens: Longer inputs are truncated.
    :param held_out: share of the groups that is held out. :param seed: Seed of all random choices.
    :raises BadArgument: a value is outside its range.
    """

    base: Annotated[str | None, Option(metavar="NAME_OR_FOLDER", default="the embedding model")] = None
    epochs: Annotated[int, AllowedRange(ge=1)] = 8
    patience: Annotated[int, AllowedRange(ge=1)] = 2
    batch: Annotated[int, AllowedRange(ge=1)] = 16
    rate: Annotated[float, AllowedRange(gt=0, lt=1)] = 5e-5  # the highest, of AdamW
    tokens: Annotated[int, AllowedRange(ge=16)] = 128
    held_out: Annotated[float, AllowedRange(gt=0, lt=1), INTERNAL] = 0.1
    seed: Annotated[int, AllowedRange(ge=0)] = 1  # of the groups, the order of pairs and new weights

    def __post_init__(self) -> None:
        check_fields(self)


AS_USUAL = FinetuneOptions()


@dataclass(frozen=True)
class _Pairs:
    """Labelled pairs, by column. :ivar target: the number of each pair's class."""

    queries: list[str]
    a: list[str]
    b: list[str]
    target: Any

    def of(self, places: Sequence[int]) -> _Pairs:
        queries, a, b = ([column[i] for i in places] for column in (self.queries, self.a, self.b))
        return _Pairs(queries, a, b, self.target[places])


def finetune(
    conn: psycopg.Connection,
    model: AgreementName,
    *,
    set: AnswerSet,  # noqa: A002
    folder: Annotated[Path, Option("--out")],
    split: TrainingSplits = ("train",),
    options: FinetuneOptions = AS_USUAL,
    device: Device = None,
    replace: bool = False,
    progress: Progress | None = None,
) -> Reader:
    """Fine-tune a cross-encoder on the labelled pairs of splits, write it to a new folder, and register it.

    An interrupted training leaves nothing.

    :param folder: New folder for the model. :param replace: Replace a model with this name, with its predictions.
    :raises UnknownObject: a split or the base model does not exist.
    :raises BadArgument: the name or the folder is taken.
    :raises StateError: there is nothing to learn from, only one group, no improvement, or no such device; or torch is not
        installed.
    """
    check_installed()
    check_device(device)
    splits = [split] if isinstance(split, str) else list(dict.fromkeys(split))
    folder = folder.absolute()
    if folder.exists():
        raise BadArgument(f"the folder {str(folder)!r} exists", hint="Give a folder that does not exist yet.")
    if not folder.parent.is_dir():
        raise BadArgument(f"there is no folder {str(folder.parent)!r}", hint="Create it first.")
    with translate(), conn.transaction():
        conn.execute("SELECT stc.answer_relate_free(%s, %s)", [model, replace])
        judged = [pair for part in splits for pair in labelled(conn, set=set, split=part) if pair.label is not None]
    classes, target = target_of(truth_of(judged))
    pairs = _Pairs(*columns_of(judged), target)
    learned, held = _divided([group_of(pair.query, pair.template, "template") for pair in judged], options)
    name, revision, loaded, tokenizer = _base(options, classes, [*pairs.queries, *pairs.a, *pairs.b])
    loaded.to(device or best_device())
    best, losses, logits = _trained(loaded, tokenizer, pairs.of(learned), pairs.of(held), options, progress)
    if min(losses) == losses[0]:
        raise StateError(
            f"the model learnt nothing that helps on the {counted(len(held), 'held-out pair')}: log loss {losses[0]:.3f} before,"
            f" {min(losses[1:]):.3f} after training",
            hint="Nothing was stored. Start from another --base, for instance one that knows the language, or add pairs.",
            sqlstate="IR405",
        )
    temperature = _temperature(logits, target[held])
    support = classes.index("support")
    about = ReaderDescription(
        classes=classes,
        temperature=temperature,
        threshold=best_threshold(target[held] == support, softmax(logits, temperature)[:, support]),
        tokens=options.tokens,
        base=name,
        base_revision=revision,
        data=store.fingerprint(judged),
        pairs=len(learned),
        held_out=len(held),
        seed=options.seed,
        losses=tuple(losses),
    )
    with translate(), conn.transaction(), new_folder(folder) as written:
        reader = Reader(best, tokenizer, name=str(folder), revision="", about=about)
        reader.save(written)
        reader.revision = f"sha256:{fingerprint(written)}"
        store.save(conn, model, kind="crossencoder", params=reader.describe(), data=about.data, replace=replace)
    return reader


def _divided(groups: Sequence[str], options: FinetuneOptions) -> tuple[list[int], list[int]]:
    """Return the places of the pairs to learn from, and of those held out: about a share of the groups, at least one."""
    names = sorted({*groups})
    if len(names) < 2:
        raise StateError(
            f"all {counted(len(groups), 'labelled pair is', 'labelled pairs are')} of one kind of question, so none"
            " can be held out",
            hint="Load pairs of more kinds of question.",
            sqlstate="IR405",
        )
    held = {*random.Random(options.seed).sample(names, max(1, round(options.held_out * len(names))))}  # noqa: S311
    return [i for i, group in enumerate(groups) if group not in held], [i for i, group in enumerate(groups) if group in held]


def _base(options: FinetuneOptions, classes: tuple[str, ...], texts: Sequence[str]) -> tuple[str, str, Any, Any]:
    """Load the base model with a new head, and add characters it lacks. :returns: name, revision, model, tokenizer."""
    before_torch()
    torch: Any = importlib.import_module("torch")
    folder, revision = locate(options.base if options.base is not None else str(packaged()))
    torch.manual_seed(options.seed)
    numbers = {name: number for number, name in enumerate(classes)}
    try:
        model, tokenizer = classifier(
            folder, num_labels=len(classes), label2id=numbers, id2label=dict(enumerate(classes)), ignore_mismatched_sizes=True
        )
    except (OSError, ValueError) as error:
        raise BadArgument(
            f"training cannot start from {options.base!r}: {(str(error).splitlines() or ['no reason given'])[0]}",
            hint="Give a folder of a transformers model with its weights in safetensors, and a tokenizer.",
        ) from error
    counts = Counter(chain.from_iterable({*text.casefold()} for text in texts))
    lacking = sorted(sign for sign, count in counts.items() if count > 1 and not sign.isspace() and _unknown(tokenizer, sign))
    if lacking:
        tokenizer.add_tokens(lacking)
        model.resize_token_embeddings(len(tokenizer))
    return options.base or "the embedding model of the package", revision, model, tokenizer


def _unknown(tokenizer: Any, character: str) -> bool:
    return tokenizer.unk_token_id is not None and tokenizer.unk_token_id in tokenizer(character)["input_ids"]


def _trained(
    model: Any, tokenizer: Any, pairs: _Pairs, held: _Pairs, options: FinetuneOptions, progress: Progress | None
) -> tuple[Any, list[float], Floats]:
    """Train until the log loss of the held-out pairs stops improving.

    :returns: the model with the weights of the best epoch, its losses by epoch, and its logits of the held-out pairs.
    """
    import torch

    steps = options.epochs * -(-len(pairs.a) // options.batch)
    optimizer = torch.optim.AdamW(model.parameters(), lr=options.rate, weight_decay=_DECAY)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / max(1, _WARM * steps), (steps - step) / max(1, (1 - _WARM) * steps))
    )

    def held_out() -> Floats:
        model.eval()
        return logits_of(model, tokenizer, held.queries, held.a, held.b, tokens=options.tokens)

    best, weights, losses, count = held_out(), copy.deepcopy(model.state_dict()), [], 0
    losses.append(_log_loss(best, held.target))
    for epoch in range(options.epochs):
        model.train()
        for batch in _batches(pairs, options, epoch):
            inputs = encoded(tokenizer, batch.queries, batch.a, batch.b, tokens=options.tokens).to(model.device)
            loss = torch.nn.functional.cross_entropy(model(**inputs).logits, torch.as_tensor(batch.target, device=model.device))
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            count += 1
            if progress:
                progress(count, steps)
        logits = held_out()
        losses.append(_log_loss(logits, held.target))
        if losses[-1] <= min(losses):
            best, weights = logits, copy.deepcopy(model.state_dict())
        elif len(losses) - 1 - int(np.argmin(losses)) >= options.patience:
            break
    model.load_state_dict(weights)
    return model.eval(), losses, best


def _batches(pairs: _Pairs, options: FinetuneOptions, epoch: int) -> Iterator[_Pairs]:
    """Yield the pairs in random order, and each pair's answers in random order; the same for the same seed and epoch."""
    chance = np.random.default_rng([options.seed, epoch])
    order = chance.permutation(len(pairs.a))
    for start in range(0, len(order), options.batch):
        batch = pairs.of(order[start : start + options.batch].tolist())
        swap = chance.random(len(batch.a)) < 0.5
        a = [y if swapped else x for x, y, swapped in zip(batch.a, batch.b, swap, strict=True)]
        b = [x if swapped else y for x, y, swapped in zip(batch.a, batch.b, swap, strict=True)]
        yield _Pairs(batch.queries, a, b, batch.target)


def _log_loss(logits: Floats, target: Any, temperature: float = 1.0) -> float:
    shares = np.clip(softmax(logits, temperature), 1e-12, 1.0)
    return float(-np.log(shares[np.arange(len(target)), target]).mean())


def _temperature(logits: Floats, target: Any) -> float:
    """Return the temperature from .05 to 20 with the lowest log loss."""
    from scipy.optimize import minimize_scalar

    solution = minimize_scalar(
        lambda log: _log_loss(logits, target, float(np.exp(log))), bounds=(np.log(0.05), np.log(20.0)), method="bounded"
    )
    return float(np.exp(solution.x))
