"""Write the pages of docs/reference/ from the code: python -m tools.reference.

The tables are read from an empty collection on a temporary embedded server. tools/gallery.py draws the pictures of the gallery.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import groupby
from pathlib import Path

from stcollection import errors
from stcollection.evaluation.kinds import KINDS, SOURCES, Kind
from tools import commands, formats, gallery, reference_python, reference_tables
from tools.providers import providers_table
from tools.reference_sql import REPOSITORY, SqlObject, objects

DOCS = REPOSITORY / "docs"
FOLDER = DOCS / "reference"
CLUSTER = "cluster"  # the folder of sql/ whose functions replace others on several servers
HEAD = "Generated from the code."
# Descriptions that are not in the code; `variables` checks that the names match those the package reads.
ENVIRONMENT = {
    "STC_DB": "name of the collection if `--db` is not given; by default the database of `STC_DSN`, else `stcollection`",
    "STC_DSN": "libpq connection string of a server; without it and without `PGHOST`, `PGHOSTADDR`, `PGPORT` or `PGSERVICE`, the "
    "embedded server is used",
    "STC_HOME": "folder of the embedded server; by default the user's data folder, for root `/var/lib/stcollection`",
    "STC_LLM_ENDPOINT": "address of a language model's endpoint if `--endpoint` is not given; by default `OPENAI_BASE_URL`",
    "STC_LOCK_TIMEOUT": "maximum time a command waits for a lock, such as `5min`; 0 for no limit; by default 60 s",
    "STC_MAX_UNPACKED": "maximum size of an unpacked file, such as `8GB`; by default 2 GB, but not more than 200 times its packed "
    "size or 64 MB, whichever is larger",
    "STC_MCP_TOKEN": "token that clients of `stc mcp --http` must send; by default a random one, or none on loopback",
    "STC_MODEL_FOLDERS": "folders, separated by colons, from which models that a collection names as a path may be loaded; by "
    "default none",
    "STC_PROGRESS_SECONDS": "print a line of progress at this interval if standard error is not a terminal; by default none",
    "STC_LLM_API_KEY": "key of the endpoint if `--key-variable` is not given; by default `OPENAI_API_KEY`",
}
EXIT_CODES = {
    "0": "success",
    "1": "other error",
    "2": "usage error, or an unknown name",
    "3": "malformed input data",
    "4": "the state of the collection or the machine does not allow the command",
    "5": "database error",
    "130": "interrupted; committed data is kept",
}


# functions for users ----------------------------------------------------------------------------------------------------------


@cache
def written() -> dict[Path, str]:
    """Return the code in each hand-written page: blocks of SQL, shell and Python, and words in backticks."""
    pages = [page for page in sorted(DOCS.rglob("*.md")) if page.parent != FOLDER]
    return {page: _code(page.read_text(encoding="utf-8")) for page in pages}


def _code(text: str) -> str:
    fenced = re.findall(r"^```(?:sql|sh|python)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    rest = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    return "\n".join([*fenced, *re.findall(r"`([^`\n]+)`", rest)])


def for_users(one: SqlObject) -> bool:
    """Return True for objects in the schema public; those in stc are internal."""
    return one.public


@cache
def mentions(one: SqlObject) -> list[Path]:
    """Return the pages that mention an object: a function if called or alone in backticks, a view by name."""
    called = rf"(?<![\w.-]){one.name}" + (r"\b" if one.kind == "view" else r"(?:\(|$)")
    return [page for page, text in written().items() if re.search(called, text, re.MULTILINE)]


# pages ------------------------------------------------------------------------------------------------------------------------


def told(one: SqlObject, others: Sequence[SqlObject] = ()) -> Iterator[str]:
    """Describe a function for users: description, signatures, and the header of its file.

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
    links = [f"[{_title(page)}]({os.path.relpath(page, FOLDER)})" for page in mentions(one)]
    yield f"See {', '.join(links)}.\n" if links else ""


def _title(page: Path) -> str:
    """Return the first heading of a page."""
    return page.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")


def by_name(some: list[SqlObject]) -> list[list[SqlObject]]:
    """Group the signatures of each function."""
    return [list(group) for _, group in groupby(some, key=lambda one: (one.name, one.kind))]


def listed(some: list[SqlObject]) -> str:
    """List internal objects in a table."""
    rows = [f"| `{_cell(one.signature)}` | {_cell(one.returns and f'`{one.returns}`')} | {_cell(one.comment)} |" for one in some]
    return "\n".join(["| | returns | |", "|---|---|---|", *rows]) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _table_link(name: str) -> str:
    """Return a link to a table. GitHub omits dots in anchors."""
    return f"[`{name}`](tables.md#{name.replace('.', '')})"


def stage_page(stage: str, own: list[SqlObject]) -> str:
    users = by_name([one for one in own if for_users(one)])
    rest = [one for one in own if not for_users(one) and not one.trigger]
    parts = [f"# {stage}\n", f"{HEAD} [All of the reference](index.md).\n"]
    if users:
        parts.append("## Functions and views\n")
        for one, *others in users:
            parts += told(one, others)
    if rest:
        parts += [
            "## Internals\n",
            "Internal functions in the schema `stc`. They may change with any version.\n",
            listed(rest),
        ]
    return "\n".join(parts)


_MEASURES = """\
The registry `measure_kinds` (sql/evaluation/measures.toml) has a row per measure. Definitions are for one query: R is the number of
relevant documents, r a rank, k a cutoff, x a share. Parameters are shown with their defaults.
"""
_SUFFIXES = {
    "cutoff": ("_k", "@k"), "share": ("_x", "@x"), "numbers": (".a,b,…", ""), "gains": (".grade=gain,…", ""), "p": (".p=…", ""),
}  # fmt: skip


def measures_page() -> str:
    """Return the page of measures: the registry as a table, sources, and the formulas."""
    parts = [
        "# measures\n",
        f"{HEAD} [All of the reference](index.md).\n",
        _MEASURES,
        "| trec_eval | ir_measures | definition | sets | mean | range | source |",
        "|---|---|---|---|---|---|---|",
        *map(_measure, KINDS.values()),
        "\n## Providers\n",
        providers_table(),
        "\n## Sources\n",
        *(f"- {short}: {title}" for short, title in SOURCES.items()),
        "\n## Formulas\n",
        "In SQL; sql/evaluation/measures.toml explains the placeholders.\n",
        *map(_formula, KINDS.values()),
    ]
    return "\n".join(parts)


def _formula(kind: Kind) -> str:
    texts = [f"{word}: {text}" for word, text in (("documents", kind.documents), ("gain", kind.gain)) if text]
    shown = "\n".join([*texts, kind.value])
    return f"### {kind.name}\n\n" + (f"```text\n{kind.notes}\n```\n\n" if kind.notes else "") + f"```text\n{shown}\n```\n"


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
    """Return the table of environment variables. :raises LookupError: ENVIRONMENT and the package list different variables."""
    read = {
        name
        for path in (REPOSITORY / "stcollection").rglob("*.py")
        for name in re.findall(r"""["'](STC_[A-Z_]+)["']""", path.read_text(encoding="utf-8"))
    }
    if read != set(ENVIRONMENT):
        raise LookupError(f"tools/reference.py describes {sorted(ENVIRONMENT)}; the package reads {sorted(read)}")
    rows = [f"| `{name}` | {said} |" for name, said in ENVIRONMENT.items()]
    return "\n".join(["| variable | |", "|---|---|", *rows]) + "\n"


_ERRORS = """\
An error says what is wrong, with the value, and then what to do next. A terminal shows the next step as the second line, psql as
the HINT. In Python it is the attribute `hint`, which names calls of Python. Each SQL error has a code of class `IR` (SQLSTATE). Its
first digit is the family, which is also the class of the Python exception and the exit code of `stc`.
"""


def states() -> str:
    lines = (REPOSITORY / "sql" / "README.md").read_text(encoding="utf-8").splitlines()
    return "\n".join(line for line in lines if line.startswith("|")) + "\n"


def index(stages: dict[str, list[SqlObject]], tables: list[str]) -> str:
    parts = [
        "# Reference\n",
        f"{HEAD} For guides, see [all pages](../index.md).\n",
    ]
    parts.append(
        "Functions and views of the schema `public` are described in full, internal functions of the schema `stc` in tables.\n\n"
        "See also: [commands](commands.md), [file formats](formats.md), [Python](python.md), [environment](#environment), "
        "[exit codes](#exit-codes), [errors](#errors), [glossary](../glossary.md), [gallery of figures](gallery.md).\n"
    )
    for stage in sorted(stages):
        users = by_name([one for one in stages[stage] if for_users(one)])
        parts.append(f"## [{stage}]({stage}.md)\n")
        if users:
            parts += ["| | |", "|---|---|"]
            parts += [f"| [`{one.name}`]({stage}.md#{one.name}) | {_cell(one.comment)} |" for one, *_ in users]
            parts.append("")
    parts += ["## [Tables](tables.md)\n", ", ".join(map(_table_link, tables)) + ".\n"]
    parts += [
        "## Functions that run with the owner's rights\n",
        "All other functions run with the rights of the caller.\n",
        "| function | why this is safe |",
        "|---|---|",
        *(f"| `{one.signature}` | {_cell(one.safe_because)} |" for stage in sorted(stages) for one in stages[stage] if one.definer),
        "",
    ]
    tree = (errors.__doc__ or "").partition("::\n\n")[2].partition("\n\n")[0]
    streams = "Files and pipes receive UTF-8, whatever the locale and `PYTHONIOENCODING`. A terminal receives its encoding.\n"
    parts += ["## Environment\n", variables(), streams, "## Exit codes\n", "| code | |", "|---|---|"]
    parts += [f"| {code} | {said} |" for code, said in EXIT_CODES.items()]
    parts += ["\n## Errors\n", _ERRORS, f"```text\n{tree}\n```\n", states()]
    return "\n".join(parts)


def pages(columns: list[reference_tables.Column]) -> dict[str, str]:
    """Return the pages by name. :param columns: columns of a collection's tables."""
    stages: dict[str, list[SqlObject]] = {}
    for one in objects():
        stages.setdefault(one.stage, []).append(one)
    plain = {one.name for stage, own in stages.items() if stage != CLUSTER for one in own}
    stages[CLUSTER] = [one for one in stages[CLUSTER] if one.name not in plain]  # others replace one
    found = {
        "index": index(stages, sorted({one.table for one in columns})),
        "commands": commands.text(),
        "formats": formats.text(),
        "gallery": gallery.text(),
        "python": f"{reference_python.page()}\n{HEAD}\n",
        "tables": f"# Tables\n\n{HEAD} [All of the reference](index.md).\n{reference_tables.page(columns)}",
    }
    found |= {stage: stage_page(stage, own) for stage, own in stages.items()}
    found["measures"] = measures_page()
    return {name: re.sub(r"\n{3,}", "\n\n", text).rstrip() + "\n" for name, text in found.items()}


def main() -> None:
    with reference_tables.collection() as dsn:
        wanted = pages(reference_tables.columns(dsn))
    FOLDER.mkdir(exist_ok=True)
    for page in FOLDER.glob("*.md"):
        page.unlink()
    for name, text in wanted.items():
        (FOLDER / f"{name}.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
