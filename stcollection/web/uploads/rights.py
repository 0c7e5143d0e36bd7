"""What the role of the page's connection may store."""

from __future__ import annotations

from dataclasses import dataclass

import psycopg

from stcollection.errors import translate
from stcollection.web.words import t

_RIGHTS = """
SELECT current_setting('transaction_read_only')::boolean AS read_only,
       has_any_column_privilege('public.st1_runs', 'INSERT')
       AND has_any_column_privilege('stc.st1_rankings', 'INSERT') AS runs,
       has_any_column_privilege('public.dblp', 'INSERT') AND has_any_column_privilege('stc.st1_queries', 'INSERT')
       AND has_any_column_privilege('public.qrels_judgments', 'INSERT')
       AND has_any_column_privilege('stc.corpus_files', 'INSERT') AS data,
       row_security_active('public.st1_runs')
       AND NOT coalesce(pg_has_role(to_regrole('stc_organiser'), 'USAGE'), false) AS limited,
       public.my_team() AS team, current_user::text AS role
"""


@dataclass(frozen=True, kw_only=True)
class StoreRights:
    """What may be stored.

    :param team: the only team whose runs may be stored; None allows every team.
    :param why_no_runs: why no run may be stored; '' if it may. :param why_no_data: the same for documents, topics and judgments.
    """

    team: str | None
    why_no_runs: str
    why_no_data: str


@translate()
def may_store(conn: psycopg.Connection) -> StoreRights:
    """Return what the role of a connection may store, from its privileges and its team. The only place that decides this."""
    row = conn.execute(_RIGHTS).fetchone()
    assert row is not None  # noqa: S101
    read_only, runs, data, limited, team, role = row
    no_runs = no_data = ""
    if read_only:
        no_runs = no_data = t("the database accepts no writes at the moment")
    else:
        if not runs:
            no_runs = t("the role {role} of this page may not store runs", role=role)
        elif limited and team is None:
            no_runs = t("the role {role} of this page has no team, and a run needs one", role=role)
        if not data:
            no_data = t("the role {role} of this page may not store documents, topics or judgments", role=role)
    return StoreRights(team=team if limited else None, why_no_runs=no_runs, why_no_data=no_data)
