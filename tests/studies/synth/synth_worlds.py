"""Small studies of synthetic queries: documents, clients of a local endpoint, and a tiny sequence-to-sequence model."""

from __future__ import annotations

import importlib
from dataclasses import fields
from pathlib import Path
from typing import Any

import psycopg

from stcollection.llm.endpoint import read_endpoint
from stcollection.studies.synth.ask import AskCounts, Asker, AskOptions
from stcollection.studies.synth.generate import by_prompt
from stcollection.studies.synth.score import find_prompt, score
from stcollection.studies.synth.study import sample
from tests.qrels.llm_server import Endpoint
from tests.text.documents import put

DOCUMENTS = 12
WORDS = (
    "what", "is", "how", "does", "the", "a", "of", "in", "voice", "privacy", "assistants", "search", "data", "learning", "people",
    "model", "neural", "for", "paper", "about",
)  # fmt: skip


def world(conn: psycopg.Connection, *, documents: int = DOCUMENTS) -> None:
    """Store documents 1 … with title and abstract, and decoys that no sample of abstracts may contain."""
    put(
        conn,
        {
            n: (f"Title {n}", f"The abstract of paper {n} tells about voice assistants and privacy.")
            for n in range(1, documents + 1)
        },
    )
    put(conn, {901: ("A title alone", None), 902: (None, None), 903: ("Of signs", " … ")})
    conn.execute("INSERT INTO dblp (id, docno, doc, stub) VALUES (904, 'stub', '{}', true)")


def study(conn: psycopg.Connection, name: str = "s", *, n: int = DOCUMENTS, **options: Any) -> str:
    sample(conn, name, n=n, **options)
    return name


def asker(server: Endpoint | str, **options: Any) -> Asker:
    url = server if isinstance(server, str) else server.url
    return Asker(
        **{
            "endpoint": read_endpoint(url, environ={}),
            "model": "rule",
            "template": find_prompt("standalone"),
            "retries": 1,
            "timeout": 10.0,
            "concurrency": 4,
            **options,
        }
    )


def scored(conn: psycopg.Connection, server: Endpoint, name: str = "s", **options: Any) -> AskCounts:
    return score(conn, name, asker=asker(server), options=AskOptions(**options))


def asked_for_queries(conn: psycopg.Connection, server: Endpoint, name: str = "s", **options: Any) -> AskCounts:
    which = AskOptions(**{one.name: options.pop(one.name) for one in fields(AskOptions) if one.name in options})
    given = {"origin": "gpt-4", "min_score": None, "asker": asker(server, template=find_prompt("search-query")), **options}
    return by_prompt(conn, name, options=which, **given)


def rows(conn: psycopg.Connection, statement: str, *values: object) -> list[Any]:
    return conn.execute(statement.encode(), values).fetchall()


def tiny_t5(folder: Path) -> Path:
    """Save a two-layer T5 with random weights and a vocabulary of WORDS, in the format of transformers."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers

    transformers: Any = importlib.import_module("transformers")

    words = ["<pad>", "</s>", "<unk>", *WORDS]
    made = Tokenizer(models.WordLevel({word: place for place, word in enumerate(words)}, unk_token="<unk>"))  # noqa: S106
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=made,
        pad_token="<pad>",  # noqa: S106
        eos_token="</s>",  # noqa: S106
        unk_token="<unk>",  # noqa: S106
        model_max_length=64,
    )
    torch.set_num_threads(1)  # more threads only slow down such a small model
    torch.manual_seed(0)
    config = transformers.T5Config(
        vocab_size=len(words),
        d_model=32,
        d_kv=8,
        d_ff=64,
        num_layers=2,
        num_heads=4,
        pad_token_id=0,
        eos_token_id=1,
        decoder_start_token_id=0,
    )
    transformers.T5ForConditionalGeneration(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
