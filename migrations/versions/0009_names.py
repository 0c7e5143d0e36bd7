"""Names that print, and numbers that are finite.

What breaks the new rules is repaired first, and each change is named in the output of the upgrade. A name gets its unprintable
characters as code points (``\\u001B``), loses spaces at its ends, and is cut; the same name is repaired alike in every table. A
number that is not finite becomes the largest or smallest that is, or NULL where the column allows that; scores of others without a
finite value are removed.
"""

from __future__ import annotations

import hashlib
import re

from alembic import context, op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_LONGEST = 200
_CLASS = (
    r"\u0001-\u001F\u007F-\u00A0\u00AD\u034F\u061C\u115F-\u1160\u1680\u17B4-\u17B5\u180B-\u180F\u2000-\u200F\u2028-\u202F"
    r"\u205F-\u206F\u2800\u3000\u3164\uD800-\uF8FF\uFDD0-\uFDEF\uFEFF\uFFA0\uFFF0-\uFFFB\uFFFE-\uFFFF"
    r"\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0000-\U0010FFFF"
)
NAMES = {
    "st1_runs": ("run", "team", "tag", "family"),
    "run_receipts": ("run",),
    "stc_members": ("team",),
    "qrels_editions": ("edition",),
    "qrels_judgments": ("annotator",),
    "qrels_preferences": ("annotator", "subgroup"),
    "qrels_pools": ("pool",),
    "qrels_assessments": ("annotator",),
    "llm_prompts": ("name",),
    "llm_judges": ("model", "annotator"),
    "st1_topics": ("topic",),
    "st1_queries": ("query", "origin", "model"),
    "st1_scores": ("measure",),
    "annotators": ("annotator", "annotator_group"),
    "synth_studies": ("study",),
    "synth_passages": ("model",),
    "synth_candidates": ("origin", "model"),
    "coverages": ("coverage", "model"),
    "answer_sets": ("set",),
    "answers": ("source",),
    "answer_models": ("model",),
    "answer_runs": ("run",),
}
_EMPTY = {("qrels_judgments", "annotator"), ("qrels_preferences", "annotator"), ("qrels_preferences", "subgroup")}  # '': not known
_ALSO = {"ask_counts": ("team",), "ask_requests": ("team", "run")}  # no CHECK: functions write them, from names of the tables above
# Parent and children of a name that is a key: a foreign key does not follow a change of it.
_KEYS = {("annotators", "annotator"): ("annotations",)}
# What becomes of a value that is not finite: the nearest finite one, NULL, or the row goes.
FINITE = {
    "st1_rankings": {"rel_score": "clamp", "comb_score": "null"},
    "st1_scores": {"value": "delete"},
    "qrels_preferences": {"rel": "clamp"},
    "qrels_judgments": {"similarity": "null"},
    "qrels_pool_documents": {"weight": "null"},
    "synth_passages": {"score": "null"},
    "coverage_topics": {"weight": "null"},
    "answers": {"score": "null"},
    "answer_relations": {"support": "delete", "oppose": "delete"},
    "answer_predictions": {"probability": "null"},
}
_REAL = {"similarity", "support", "oppose", "probability"}
_LARGEST = "1.7976931348623157e308"


def _is_name(column: str, *, empty: bool = False) -> str:
    rule = f"length({column}) BETWEEN 1 AND {_LONGEST} AND {column} !~ '^ | $|[{_CLASS}]'"
    return f"{column} = '' OR {rule}" if empty else rule


def _is_finite(column: str) -> str:
    kind = "real" if column in _REAL else "double precision"
    return f"{column} > '-Infinity'::{kind} AND {column} < 'Infinity'::{kind}"


def upgrade() -> None:
    bad = _bad_names()
    if bad:
        _rename(bad)
    for table, columns in FINITE.items():
        for column, how in columns.items():
            _make_finite(table, column, how)
    for table, names in NAMES.items():
        for column in names:
            rule = _is_name(column, empty=(table, column) in _EMPTY)
            op.create_check_constraint(op.f(f"{table}_{column}_name_check"), table, rule)
    for table, columns in FINITE.items():
        for column in columns:
            op.create_check_constraint(op.f(f"{table}_{column}_finite_check"), table, _is_finite(column))


def _repaired(text: str) -> None:
    context.config.attributes.setdefault("repairs", []).append(text)


def _bad_names() -> dict[str, str]:
    """The names that break the rule, and what they become; '' means that a name was missing."""
    columns = [(table, column) for table, names in NAMES.items() for column in names]
    bad = {name for table, column in columns for name in _distinct(table, column, broken=True)}
    taken = {name for table, column in columns for name in _distinct(table, column, broken=False)} if bad else set()
    renamed: dict[str, str] = {}
    for name in sorted(bad):
        new = re.sub(f"[{_CLASS}]", _escaped, name).strip(" ")[:_LONGEST].rstrip(" ")
        if not new or new in taken or len(name) > _LONGEST:
            new = f"{new[: _LONGEST - 9].rstrip(' ') or 'name'}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"
        taken.add(new)
        renamed[name] = new
    return renamed


def _distinct(table: str, column: str, *, broken: bool) -> set[str]:
    """The names in a column that break the rule, or those that do not."""
    rule = _is_name(column, empty=(table, column) in _EMPTY)
    select = f"SELECT DISTINCT {column} FROM {table} WHERE {'NOT' if broken else ''} ({rule})"  # noqa: S608  (names of ours)
    return {row[0] for row in op.get_bind().exec_driver_sql(select)}


def _escaped(found: re.Match[str]) -> str:
    point = ord(found[0])
    return f"\\u{point:04X}" if point <= 0xFFFF else f"\\U{point:08X}"


def _rename(renamed: dict[str, str]) -> None:
    """Put the repaired names in the place of the others, in every table alike."""
    bind = op.get_bind()
    old, new = list(renamed), list(renamed.values())
    for table in {**NAMES, **_ALSO}:
        bind.exec_driver_sql(f"ALTER TABLE {table} DISABLE TRIGGER USER")
    for (table, column), children in _KEYS.items():
        others = [
            row[0]
            for row in bind.exec_driver_sql(
                "SELECT quote_ident(attname) FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped"
                " AND attname <> %s",
                (table, column),
            )
        ]
        names = ", ".join(others)
        bind.exec_driver_sql(
            f"INSERT INTO {table} ({column}, {names}) SELECT r.new, {names} FROM {table}"  # noqa: S608
            f" JOIN unnest(%s::text[], %s::text[]) AS r (old, new) ON r.old = {table}.{column}",
            (old, new),
        )
        for child in children:
            _update(child, column, old, new)
        bind.exec_driver_sql(f"DELETE FROM {table} WHERE {column} = ANY (%s)", (old,))  # noqa: S608
    for table, columns in [*NAMES.items(), *_ALSO.items()]:
        for column in columns:
            count = _update(table, column, old, new, empty=(table, column) not in _EMPTY)
            if count:
                _repaired(f"{table}.{column}: {count:,} row{'s' if count > 1 else ''} renamed")
    for table in {**NAMES, **_ALSO}:
        bind.exec_driver_sql(f"ALTER TABLE {table} ENABLE TRIGGER USER")
    for name, other in renamed.items():
        shown = re.sub(f"[{_CLASS}]", _escaped, name[:60])
        _repaired(f"the name '{shown}{'…' if len(name) > 60 else ''}' is now '{other}'")


def _update(table: str, column: str, old: list[str], new: list[str], *, empty: bool = True) -> int:
    return (
        op.get_bind()
        .exec_driver_sql(
            f"UPDATE {table} SET {column} = r.new FROM unnest(%s::text[], %s::text[]) AS r (old, new)"  # noqa: S608
            f" WHERE r.old = {table}.{column} AND (%s OR {table}.{column} <> '')",
            (old, new, empty),
        )
        .rowcount
    )


def _make_finite(table: str, column: str, how: str) -> None:
    bind = op.get_bind()
    wrong = f"WHERE NOT ({_is_finite(column)})"
    if how == "delete":
        count, done = bind.exec_driver_sql(f"DELETE FROM {table} {wrong}").rowcount, "removed"  # noqa: S608
    elif bind.exec_driver_sql(f"SELECT FROM {table} {wrong} LIMIT 1").fetchone() is None:
        return
    else:
        bind.exec_driver_sql(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        value = f"CASE WHEN {column} = 'Infinity' THEN {_LARGEST} ELSE -{_LARGEST} END" if how == "clamp" else "NULL"
        if table == "st1_rankings":
            runs = f"SELECT string_agg(n.run, ', ') FROM st1_runs n WHERE n.id IN (SELECT run FROM {table} {wrong})"  # noqa: S608
            row = bind.exec_driver_sql(runs).fetchone()
            bind.exec_driver_sql(f"UPDATE st1_runs SET version = version + 1 WHERE id IN (SELECT run FROM {table} {wrong})")  # noqa: S608
            _repaired(f"{table}.{column} of these runs was not finite, import them again: {row[0] if row else ''}")
        done = "set to the nearest finite number (NaN: the smallest)" if how == "clamp" else "set to NULL"
        count = bind.exec_driver_sql(f"UPDATE {table} SET {column} = {value} {wrong}").rowcount  # noqa: S608
        bind.exec_driver_sql(f"ALTER TABLE {table} ENABLE TRIGGER USER")
    if count:
        _repaired(
            f"{table}.{column}: {count:,} value{'s' if count > 1 else ''} that {'were' if count > 1 else 'was'} not finite {done}"
        )


def downgrade() -> None:
    raise NotImplementedError("restore a dump instead: revisions only go forward")
