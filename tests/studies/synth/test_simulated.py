"""Queries generated or scored by a simulated model are published as a simulated edition."""

from __future__ import annotations

import psycopg
import pytest
from psycopg.types.json import Jsonb

from stcollection.errors import BadArgument
from stcollection.qrels.editions import editions
from stcollection.studies.synth.choose import select
from stcollection.studies.synth.publish import publish
from tests.qrels.llm_server import Answer, endpoint
from tests.studies.synth.studies import put_study, put_target
from tests.studies.synth.synth_worlds import asked_for_queries, rows, scored, study, world

pytestmark = pytest.mark.slow


def published(conn: psycopg.Connection, name: str = "s", *also: str) -> bool:
    """Choose and publish a study; return whether its edition is marked."""
    if not rows(conn, "SELECT FROM qrels_editions WHERE edition = 'like'"):
        put_target(conn, "like", [(2, 1), (3, 1)])
    select(conn, name, like="like", n=2, origin="gpt-4", also=also)
    publish(conn, name, edition=f"{name}-sparse", prefix=f"{name}-")
    return {one.edition: one.simulated for one in editions(conn)}[f"{name}-sparse"]


@pytest.mark.parametrize(("scoring", "generating"), [(False, False), (True, False), (False, True)])
def test_a_simulated_model_marks_the_edition(conn: psycopg.Connection, scoring: bool, generating: bool) -> None:
    world(conn)
    study(conn)
    with endpoint(lambda asked: Answer("Score: 80")) as server:
        scored(conn, server, simulated=scoring)
        scored(conn, server)  # sends no request, and removes no mark
    with endpoint(
        lambda asked: Answer(f"privacy of assistant {len(asked.slot('passage'))} {asked.slot('passage').split()[4]}")
    ) as server:
        asked_for_queries(conn, server, simulated=generating)
        if generating:
            with pytest.raises(BadArgument, match="simulated is true, not not set"):
                asked_for_queries(conn, server)
    assert published(conn) is (scoring or generating)


def test_only_generators_of_chosen_queries_count(conn: psycopg.Connection) -> None:
    for name, origin in (("chosen", "t5"), ("left", "other")):
        cells = {doc: [(2, 1)] for doc in range(1, 4)}
        put_study(conn, name, {"gpt-4": cells, "t5": cells, "other": cells})
        made_by = Jsonb({"generate": {"gpt-4": {"model": "m"}, origin: {"model": "m", "simulated": True}}})
        conn.execute("UPDATE stc_all.synth_studies SET params = %s WHERE study = %s", [made_by, name])
    assert (published(conn, "chosen", "t5"), published(conn, "left", "t5")) == (True, False)
