"""Settings that every user may change, in the combinations under which statements are compared."""

from __future__ import annotations

import random
from typing import NamedTuple

import psycopg

from tests.security.model.catalogue import Catalogue

# Settings that only end, delay or lock out the session, or change how the client reads its answers.
UNUSED = {
    "client_connection_check_interval",
    "client_encoding",
    "exit_on_error",
    "idle_in_transaction_session_timeout",
    "idle_session_timeout",
    "local_preload_libraries",
    "lock_timeout",
    "search_path",
    "session_authorization",
    "statement_timeout",
    "tcp_keepalives_count",
    "tcp_keepalives_idle",
    "tcp_keepalives_interval",
    "tcp_user_timeout",
    "transaction_timeout",
    "wal_sender_timeout",
}
# Values that would take hours or gigabytes.
_MOST = {
    "geqo_generations": 10,
    "geqo_pool_size": 10,
    "from_collapse_limit": 10,
    "join_collapse_limit": 10,
    "temp_buffers": 1000,
    "scram_iterations": 10_000,
}
_GREATEST = 1e10  # with infinite costs, planning takes as long as the number of plans allows
_MIXTURES = 40
_SEED = 20
_TOGETHER = 8
# What would hide the effect of others (errors instead of plans), or takes long.
_ALONE = {"row_security", "debug_parallel_query"}


class Setting(NamedTuple):
    """A setting and the values to try. :param plans: whether PostgreSQL lists it under query tuning."""

    name: str
    values: tuple[str, ...]
    plans: bool


class Point(NamedTuple):
    """Settings of one transaction. :param name: short, for reports."""

    name: str
    values: dict[str, str]

    def statements(self) -> str:
        """Workers are planned but not started, because their parts of the work differ from run to run."""
        return "; ".join(f"SET LOCAL {name} = '{value}'" for name, value in {**self.values, "max_parallel_workers": "0"}.items())


def user_settings(conn: psycopg.Connection, catalogue: Catalogue) -> list[Setting]:
    """Settings that a login can change, with each value that differs from the present one; numbers at their limits."""
    rows = conn.execute(
        "SELECT name, vartype, setting, enumvals, min_val, max_val, category LIKE 'Query Tuning%' FROM pg_settings"
        " WHERE context = 'user' ORDER BY name"
    ).fetchall()
    found = []
    for name, kind, setting, values, least, most, plans in rows:
        if name in UNUSED:
            continue
        tried: tuple[str, ...]
        if kind == "bool":
            tried = ("off" if setting == "on" else "on",)
        elif kind == "enum":
            tried = tuple(value for value in values if value != setting)
        elif kind in ("integer", "real"):
            tried = (str(least), f"{min(float(most), _MOST.get(name, _GREATEST)):.0f}")
        else:
            continue
        found.append(Setting(name, tried, plans))
    return [*found, *(Setting(name, ("1", "on"), False) for name in catalogue.own_settings if not name.startswith("citus."))]


def grid(conn: psycopg.Connection, catalogue: Catalogue) -> list[Point]:
    """The defaults, every value of every setting, and mixtures of many.

    Values of settings for query tuning are tried alone, those of others some at a time. A mixture changes half of the settings for
    query tuning, so that any five of them are changed together in some mixture, and a few others.
    """
    wanted = user_settings(conn, catalogue)
    tried = [one._replace(values=tuple(value for value in one.values if _accepted(conn, one.name, value))) for one in wanted]
    settings = [one for one in tried if one.values]
    points = [Point("defaults", {})]
    points.append(Point("no pruning", {"enable_partition_pruning": "off", "constraint_exclusion": "off"}))
    others: list[tuple[str, str]] = []
    for one in settings:
        if one.plans or one.name in _ALONE:
            points += [Point(f"{one.name} = {value}", {one.name: value}) for value in one.values]
        else:
            others += [(one.name, value) for value in one.values]
    draw = random.Random(_SEED)
    draw.shuffle(others)  # the values of one setting come to different groups
    points += [Point(f"others {first}", dict(others[first : first + _TOGETHER])) for first in range(0, len(others), _TOGETHER)]
    for number in range(_MIXTURES):
        changed = [one for one in settings if one.name not in _ALONE and draw.random() < (0.5 if one.plans else 0.05)]
        points.append(Point(f"mixture {number}", {one.name: draw.choice(one.values) for one in changed}))
    return points


def _accepted(conn: psycopg.Connection, name: str, value: str) -> bool:
    try:
        with conn.transaction(force_rollback=True):
            conn.execute("SELECT set_config(%s, %s, true)", [name, value])
    except psycopg.Error:
        return False
    return True
