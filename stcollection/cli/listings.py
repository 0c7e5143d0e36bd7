"""Commands of ``stc show`` that list something, or show one row of the list."""

from __future__ import annotations

from stcollection.cli.merged import Typed, merged


@merged(one=("qrels.pool.pools:show", "one pool"), every=("qrels.pool.pools:list", "the list of pools"))
def pools_command(typed: Typed) -> str:
    """List the pools and the progress of their assessment; with NAME, show what each run, query, team or depth contributed.

    unique: no other run of the pool has the document within the depth; (team): no run of another team.
    """
    return "one" if typed.names else "every"


@merged(one=("corpus.tables:changes", "the changes between two days"), every=("corpus.tables:snapshots", "the list of snapshots"))
def snapshots_command(typed: Typed) -> str:
    """List the snapshots ('stc load --as corpus --date') with the documents added and removed since the previous one.

    With two days (YYYY-MM-DD), list the documents added and removed between them, by the last snapshots up to them.
    """
    return "one" if typed.names else "every"


@merged(one=("topics.listing:show", "one topic"), every=("topics.listing:list", "the list of topics"))
def topics_command(typed: Typed) -> str:
    """List the topics, with title, source, date and number of words of their articles, number of queries, and first query.

    With TOPIC, show its article and its queries; CSV, Markdown and LaTeX have the queries only.
    """
    return "one" if typed.names else "every"
