"""Write docs/reference.md and docs/reference/ from the code: SQL objects, tables, Python, environment and errors.

python -m scripts.reference            write the pages
python -m scripts.reference --check    fail if a page is out of date

The tables are read from an empty collection: the one that --dsn names, else one on an embedded server that runs meanwhile.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from functools import cache
from itertools import groupby
from pathlib import Path

from scripts import reference_python, reference_tables
from scripts.reference_sql import REPOSITORY, SqlObject, objects
from stcollection import errors
from stcollection.evaluation.kinds import KINDS, SOURCES, Kind

DOCS = REPOSITORY / "docs"
FOLDER = DOCS / "reference"
HEAD = "Written by `scripts/reference.py` from the code."
# What no code tells in one place; `variables` compares the names with those the package reads.
ENVIRONMENT = {
    "STC_DB": "the collection to work on, where `--db` names none; else the database of `STC_DSN`, else `stcollection`",
    "STC_DSN": "libpq connection string of a server; without it and without `PGHOST`, `PGHOSTADDR`, `PGPORT` or `PGSERVICE` the "
    "embedded server serves",
    "STC_HOME": "folder of the embedded server; else the user's data folder, for root `/var/lib/stcollection`",
    "STC_LLM_ENDPOINT": "address of a language model's endpoint, where `--endpoint` names none; else `OPENAI_BASE_URL`",
    "STC_LOCK_TIMEOUT": "how long a command waits for a lock, as `5min`; 0 waits without limit; else 60 s",
    "STC_MAX_UNPACKED": "how many bytes a packed file may unpack to, as `8GB`; else 2 GB, and 200 times its size or 64 MB, if that "
    "is more",
    "STC_PROGRESS_SECONDS": "where standard error is no terminal: a line on progress each so many seconds, for a log; else none",
    "STC_LLM_API_KEY": "its key, where `--key-variable` names no other variable; else `OPENAI_API_KEY`",
}
EXIT_CODES = {
    "0": "done",
    "1": "something else",
    "2": "usage, or an unknown name",
    "3": "data that cannot be read",
    "4": "state",
    "5": "the database",
    "130": "interrupted; what was committed is kept",
}


# what is for users ------------------------------------------------------------------------------------------------------------


@cache
def written() -> dict[Path, str]:
    """Of the pages that people wrote the parts that are code: blocks of SQL, shell and Python, and words within backticks."""
    pages = [
        REPOSITORY / "README.md",
        *(page for page in sorted(DOCS.glob("*.md")) if page.name not in ("commands.md", "reference.md")),
    ]
    return {page: _code(page.read_text(encoding="utf-8")) for page in pages}


def _code(text: str) -> str:
    fenced = re.findall(r"^```(?:sql|sh|python)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    rest = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    return "\n".join([*fenced, *re.findall(r"`([^`\n]+)`", rest)])


def for_users(one: SqlObject) -> bool:
    """What is in the schema public; the rest, in stc, is what these are made of."""
    return one.public


@cache
def mentions(one: SqlObject) -> list[Path]:
    """The pages that name it: a function where it is called or stands alone in backticks, a view by its name."""
    called = rf"(?<![\w.-]){one.name}" + (r"\b" if one.kind == "view" else r"(?:\(|$)")
    return [page for page, text in written().items() if re.search(called, text, re.MULTILINE)]


# pages ------------------------------------------------------------------------------------------------------------------------


def told(one: SqlObject, others: Sequence[SqlObject] = ()) -> Iterator[str]:
    """A function for users: how it is called, what it does, the whole comment of its file.

    :param others: its other signatures.
    """
    yield f"### {one.name}\n"
    yield f"{one.comment}.\n" if not one.comment.endswith(".") else f"{one.comment}\n"
    if one.kind != "view":
        returns = f"\nRETURNS {one.returns}" if one.returns else ""
        calls = "\n".join(each.signature for each in (one, *others))
        yield f"```text\n{calls}{returns}\n```\n"
    if one.head:
        yield f"```text\n{one.head}\n```\n"
    links = [f"[{page.name}]({'../../' if page.parent == REPOSITORY else '../'}{page.name})" for page in mentions(one)]
    yield f"In {', '.join(links)}.\n" if links else ""


def by_name(some: list[SqlObject]) -> list[list[SqlObject]]:
    """The objects, the signatures of one function together."""
    return [list(group) for _, group in groupby(some, key=lambda one: (one.name, one.kind))]


def listed(some: list[SqlObject]) -> str:
    """Internals: a line each."""
    rows = [f"| `{_cell(one.signature)}` | {_cell(one.returns and f'`{one.returns}`')} | {_cell(one.comment)} |" for one in some]
    return "\n".join(["| | returns | |", "|---|---|---|", *rows]) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _table_link(name: str) -> str:
    """A link to a table; GitHub leaves the point out of an anchor."""
    return f"[`{name}`](reference/tables.md#{name.replace('.', '')})"


def stage_page(stage: str, own: list[SqlObject]) -> str:
    users = by_name([one for one in own if for_users(one)])
    rest = [one for one in own if not for_users(one) and not one.trigger]
    parts = [f"# {stage}\n", f"{HEAD} [All of the reference](../reference.md).\n"]
    if users:
        parts.append("## Functions and views\n")
        for one, *others in users:
            parts += told(one, others)
    if rest:
        parts += [
            "## Internals\n",
            "What the above is made of, in the schema `stc`. These may change with any version.\n",
            listed(rest),
        ]
    return "\n".join(parts)


_MEASURES = """\
The registry `measure_kinds` (sql/evaluation/measure_kinds.sql) has a row for each measure. Values are of one query: R is the number
of relevant documents, r a rank, k a cutoff, x a share. Parameters are shown with their defaults.
"""
_SUFFIXES = {
    "cutoff": ("_k", "@k"), "share": ("_x", "@x"), "numbers": (".a,b,…", ""), "gains": (".grade=gain,…", ""), "p": (".p=…", ""),
}  # fmt: skip


def measures_page(formulas: list[SqlObject]) -> str:
    """The registry of measures as a table, its sources, and the formula of each as its file has it."""
    heads = {one.name: one.head for one in formulas}
    parts = [
        "# measures\n",
        f"{HEAD} [All of the reference](../reference.md).\n",
        _MEASURES,
        "| trec_eval | ir_measures | definition | sets | mean | range | source |",
        "|---|---|---|---|---|---|---|",
        *map(_measure, KINDS.values()),
        "\n## Sources\n",
        *(f"- {short}: {title}" for short, title in SOURCES.items()),
        "\n## Formulas\n",
        "Each is a file of sql/evaluation/measures/.\n",
        *(f"### {name}\n\n```text\n{heads[f'measure_{name.lower()}']}\n```\n" for name in KINDS),
    ]
    return "\n".join(parts)


def _measure(kind: Kind) -> str:
    trec, ir = _SUFFIXES.get(kind.takes, ("", ""))
    named = ", ".join(f"{one.name}={one.default}" for one in kind.parameters)
    own = kind.family + (f"({named})" if named else kind.ir.removeprefix(kind.family)) + ir if kind.ir else ""
    return (
        "| "
        + " | ".join(
            [
                f"`{kind.name}{trec}`" if kind.groups is not None else "",
                f"`{own}`" if own else "",
                kind.definition,
                ", ".join(kind.groups or ()),
                kind.mean,
                f"`{kind.range}`",
                kind.source,
            ]
        )
        + " |"
    )


def variables() -> str:
    """:raises LookupError: the package reads another variable of ours than are told, or one that is told is read nowhere."""
    read = {
        name
        for path in (REPOSITORY / "stcollection").rglob("*.py")
        for name in re.findall(r"""["'](STC_[A-Z_]+)["']""", path.read_text(encoding="utf-8"))
    }
    if read != set(ENVIRONMENT):
        raise LookupError(f"scripts/reference.py tells of {sorted(ENVIRONMENT)}, the package reads {sorted(read)}")
    rows = [f"| `{name}` | {said} |" for name, said in ENVIRONMENT.items()]
    return "\n".join(["| variable | |", "|---|---|", *rows]) + "\n"


def states() -> str:
    lines = (REPOSITORY / "sql" / "README.md").read_text(encoding="utf-8").splitlines()
    return "\n".join(line for line in lines if line.startswith("|")) + "\n"


def index(stages: dict[str, list[SqlObject]], tables: list[str]) -> str:
    parts = [
        "# Reference\n",
        HEAD + " How things are used is in [the other pages](README.md); commands are in [commands.md](commands.md).\n",
    ]
    parts.append(
        "The functions and views of the schema `public` are described in full. What they are made of, in the schema `stc`, has a"
        " line each.\n\n"
        "Also: [Python](reference/python.md), [environment](#environment), [exit codes](#exit-codes), [errors](#errors).\n"
    )
    for stage in sorted(stages):
        users = by_name([one for one in stages[stage] if for_users(one)])
        parts.append(f"## [{stage}](reference/{stage}.md)\n")
        if users:
            parts += ["| | |", "|---|---|"]
            parts += [f"| [`{one.name}`](reference/{stage}.md#{one.name}) | {_cell(one.comment)} |" for one, *_ in users]
            parts.append("")
    parts += ["## [Tables](reference/tables.md)\n", ", ".join(map(_table_link, tables)) + ".\n"]
    parts += [
        "## Functions that run with the owner's rights\n",
        "All other functions run with the rights of the caller.\n",
        "| function | safe because |",
        "|---|---|",
        *(f"| `{one.signature}` | {_cell(one.safe_because)} |" for stage in sorted(stages) for one in stages[stage] if one.definer),
        "",
    ]
    tree = (errors.__doc__ or "").partition("::\n\n")[2].partition("\n\n")[0]
    parts += ["## Environment\n", variables(), "## Exit codes\n", "| code | |", "|---|---|"]
    parts += [f"| {code} | {said} |" for code, said in EXIT_CODES.items()]
    parts += ["\n## Errors\n", f"```text\n{tree}\n```\n", states()]
    return "\n".join(parts)


def files(columns: list[reference_tables.Column]) -> dict[Path, str]:
    """The pages, by path. :param columns: of the tables of a collection."""
    stages: dict[str, list[SqlObject]] = {}
    for one in objects():
        stages.setdefault(one.stage, []).append(one)
    found = {
        DOCS / "reference.md": index(stages, sorted({one.table for one in columns})),
        FOLDER / "python.md": f"{reference_python.page()}\n{HEAD}\n",
        FOLDER / "tables.md": f"# Tables\n\n{HEAD} [All of the reference](../reference.md).\n{reference_tables.page(columns)}",
    }
    for stage, own in stages.items():
        found[FOLDER / f"{stage}.md"] = stage_page(stage, own)
    found[FOLDER / "measures.md"] = measures_page(stages["measures"])
    return {path: re.sub(r"\n{3,}", "\n\n", text).rstrip() + "\n" for path, text in found.items()}


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m scripts.reference")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a page is out of date")
    parser.add_argument("--dsn", help="DSN of a collection to read the tables from")
    options = parser.parse_args(arguments)
    with nullcontext(options.dsn) if options.dsn else reference_tables.collection() as dsn:
        wanted = files(reference_tables.columns(dsn))
    there = {DOCS / "reference.md", *FOLDER.glob("*.md")}
    if options.check:
        stale = [
            path
            for path in sorted(wanted.keys() | there)
            if not path.exists() or path.read_text(encoding="utf-8") != wanted.get(path)
        ]
        for path in stale:
            sys.stderr.write(f"{path.relative_to(REPOSITORY)} is not current: python -m scripts.reference writes it\n")
        return 1 if stale else 0
    FOLDER.mkdir(exist_ok=True)
    for path in there - wanted.keys():
        path.unlink(missing_ok=True)
    for path, text in wanted.items():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
