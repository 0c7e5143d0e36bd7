"""The plan of stc db distribute, on a server without Citus; tests/cluster has the rest."""

from __future__ import annotations

from collections import defaultdict

import psycopg
import pytest

from stcollection.db import distribution
from stcollection.db.settings import Settings
from stcollection.errors import StateError


def test_the_plan(conn: psycopg.Connection, settings: Settings) -> None:
    conn.execute("SELECT stc.add_vector_model('tiny', 'a/tiny', 8, 64)")
    plan = distribution.plan(settings)
    tables = defaultdict(set)
    for one in plan.placements:
        tables[one.placement].add(one.relation)
    assert tables["document"] == {
        "dblp",
        "dblp_text",
        "dblp_facts",
        "dblp_v",
        "dblp_v_tiny",
        "stc.st1_complexity_metrics",
        "stc.text_lengths",
        "stc.citation_ranks",
    }
    assert tables["passage"] == {"dblp_passages", "dblp_p", "dblp_p_tiny"}
    assert tables["reference"] == {"stc.complexity_resources", "stc.text_lexemes"}
    assert {"st1_runs", "stc.ranked_lists", "qrels_judgments", "stc.st1_queries", "stc.text_index"} <= tables["local"]
    assert {one.attribute for one in plan.placements if one.placement in ("document", "passage")} == {"id"}
    assert (plan.shards, plan.workers) == (None, ())


def test_every_key_that_citus_cannot_have_is_listed(conn: psycopg.Connection, settings: Settings) -> None:
    plan = distribution.plan(settings, shards=8)
    spread = {one.relation for one in plan.placements if one.placement in ("document", "passage")}
    dropped = {(loss.relation, loss.name) for loss in plan.losses}
    keys = conn.execute(
        "SELECT conrelid::regclass::text, conname::text, confrelid::regclass::text FROM pg_constraint"
        " WHERE contype = 'f' AND conparentid = 0"
    ).fetchall()
    crossing = {(child, name) for child, name, parent in keys if parent in spread and child not in spread}
    assert crossing <= dropped
    kept = {(child, name) for child, name, parent in keys if parent in spread and child in spread}
    assert kept & dropped == {("dblp_passages", "dblp_passages_doc_fkey")}
    triggers = conn.execute("SELECT tgrelid::regclass::text, tgname::text FROM pg_trigger WHERE NOT tgisinternal").fetchall()
    assert {one for one in triggers if one[0] in spread} == {
        (loss.relation, loss.name) for loss in plan.losses if loss.kind == "trigger"
    }
    assert {loss.name for loss in plan.losses if loss.kind == "unique key"} == {"dblp_docno_key", "dblp_passages_doc_position_key"}


def test_a_server_without_citus(conn: psycopg.Connection, settings: Settings) -> None:
    assert distribution.state(conn) is None
    with pytest.raises(StateError, match="the server does not have Citus") as error:
        distribution.distribute(settings)
    assert (error.value.sqlstate, str(distribution.plan(settings).obstacle)) == ("IR404", str(error.value))
    with pytest.raises(StateError, match="is not distributed"):
        distribution.undistribute(settings)
