"""The command ``stc demo``: from a dblp file to a leaderboard in one step."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import product
from pathlib import Path

import click

from stcollection import demo as collection
from stcollection.cli.complexity.annotations.files import load_command as load_annotations
from stcollection.cli.complexity.compute import compute_command as compute
from stcollection.cli.complexity.credibility import credibility_command as rank_credibility
from stcollection.cli.corpus.load import command as load_corpus
from stcollection.cli.evaluation.scores import leaderboard_command as leaderboard
from stcollection.cli.qrels.imports import import_command as import_qrels
from stcollection.cli.retrieval.runs import run_command as run
from stcollection.cli.retrieval.search import search_command as search
from stcollection.cli.text.indexes import index_command as index_text
from stcollection.cli.topics.loading import load_command as load_topics
from stcollection.cli.vectors.index import index_command as index_vectors
from stcollection.counts import counted
from stcollection.db.collections import create
from stcollection.db.connection import connect
from stcollection.db.settings import DEFAULT_DB, Settings
from stcollection.demo.pool import ANNOTATORS, POOL, load_pool
from stcollection.demo.study import load_queries
from stcollection.demo.vectors import DemoVectors
from stcollection.errors import StateError
from stcollection.vectors.embed import embed
from stcollection.vectors.model import check_installed
from stcollection.vectors.queries import embed_queries, query_vector

QUESTION = "how do voice assistants listen"


@click.command("demo")
@click.option("--synthetic", is_flag=True, help="Also load judged synthetic queries of two origins, for 'stc synth report study'.")
@click.pass_context
def command(ctx: click.Context, synthetic: bool) -> None:
    """Load, index, search and score the demo collection, into the collection 'demo' unless --db names another.

    Its vectors are part of the package. Only searches by new texts need the embedding model, of the extra 'embed'.
    """
    settings: Settings = ctx.obj
    if settings.db == DEFAULT_DB:
        settings = replace(settings, db="demo")
    ctx.obj = settings
    started = time.perf_counter()
    vectors = DemoVectors()
    with step("database"):
        made = create(settings, exist_ok=True)
        click.echo(f"{'created' if made else 'found'} the collection {settings.db!r}")
    with step("corpus"):
        ctx.invoke(load_corpus, paths=(str(collection.CORPUS),))
    with step("text"):
        ctx.invoke(index_text)
    with step("vectors"):
        with connect(settings) as conn:
            click.echo(f"stored the vectors of {counted(embed(conn, model=vectors).documents, 'document')}")
        ctx.invoke(index_vectors)
    with step("complexity"):
        ctx.invoke(compute, recompute=True)  # another checkout, with other libraries, may have measured them
        ctx.invoke(rank_credibility, least=3)  # small enough that this small corpus has fields to compare within
        ctx.invoke(load_annotations, files=(collection.ANNOTATIONS,), simulated=True)
    with step("topics"):
        ctx.invoke(load_topics, files=(str(collection.QUERIES),))
    with step("qrels"):
        for edition, annotator in product(collection.EDITIONS, ("first", "second")):
            second = annotator == "second"
            file, split = str(collection.qrels(edition, second=second)), None if second else edition
            ctx.invoke(import_qrels, files=(file,), edition=edition, split=split, annotator=annotator, simulated=True)
    if synthetic:
        with step("synthetic queries"), connect(settings) as conn:
            loaded = load_queries(conn)
            told = ", ".join(f"{count} {origin}" for origin, count in loaded.queries.items())
            judged = ", ".join(f"{counted(count, 'judgment')} in {edition}" for edition, count in loaded.judgments.items())
            click.echo(f"{told}; {judged}")
    with step("retrieval"):
        _retrieve(ctx, vectors)
    with step("pool"), connect(settings) as conn:
        loaded_pool = load_pool(conn)
        people = " and ".join(ANNOTATORS)
        click.echo(f"pool {POOL!r}: " + (f"grades by {people}, simulated" if loaded_pool else "stored already"))
    with step("evaluation"):
        for edition in collection.EDITIONS:
            click.echo(f"stc score --edition {edition}\n")
            ctx.invoke(leaderboard, edition=edition)
            click.echo()
    click.echo(WAYS_ON.format(seconds=time.perf_counter() - started, db=settings.db, stc=_typed()))
    try:
        check_installed()
    except StateError as error:
        click.echo(f"\nTo search by texts of your own with vectors, install the embedding model: {error.hint}")


def _retrieve(ctx: click.Context, vectors: DemoVectors) -> None:
    """Make the runs, and search once."""
    with connect(ctx.obj) as conn:
        embed_queries(conn, model=vectors)
        query_vector(conn, QUESTION, model=vectors)
    ctx.invoke(run, everything=True, replace=True)
    click.echo(f"\nstc search {QUESTION!r}\n")
    ctx.invoke(search, query=QUESTION, k=3)


def _typed() -> str:
    """Return how to run this ``stc`` in the user's shell: without a path if the shell finds it."""
    here = Path(sys.executable).with_name("stc")
    if (found := shutil.which("stc")) and Path(found).resolve() == here.resolve():
        return "stc"
    return str(here.relative_to(Path.cwd())) if here.is_relative_to(Path.cwd()) else str(here)


WAYS_ON = """\
Done in {seconds:.0f} seconds. Next steps:

  To take part in a track: search, score a run, write it as a submission
    {stc} --db {db} search "fake news on social media"
    {stc} --db {db} score hybrid --edition train
    {stc} --db {db} export run hybrid --format simpletext --out hybrid.json

  To organise one: test which systems are significantly better, open the collection as a web page
    {stc} --db {db} score --significance --edition train
    {stc} --db {db} serve page

  To do research: query the collection in psql, compare two runs query by query
    {stc} --db {db} psql -c "SELECT title FROM documents LIMIT 5"
    {stc} --db {db} compare bm25 hybrid --edition train

Your own files: {stc} --db mine load FOLDER. The server runs until '{stc} db stop'."""


@contextmanager
def step(name: str) -> Iterator[None]:
    click.secho(f"── {name} ", bold=True)
    started = time.perf_counter()
    yield
    click.secho(f"   {time.perf_counter() - started:.1f} s\n", dim=True)
