"""Write the pages of docs/reference/ from the code: python -m tools.reference.

The tables are read from an empty collection on a temporary embedded server. tools/gallery.py draws the pictures of the gallery.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from textwrap import fill

from stcollection import errors
from stcollection.evaluation.kinds import KINDS, SOURCES, Kind
from tools import commands, formats, gallery, reference_python, reference_tables
from tools.providers import providers_table
from tools.reference_sql import REPOSITORY, SqlObject, objects

DOCS = REPOSITORY / "docs"
FOLDER = DOCS / "reference"
WIDTH = 80  # of a signature, which fits the page without a scroll bar
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
    "STC_MCP_TOKEN": "token that clients of `stc serve assistants --http` must send; by default a random one, or none on loopback",
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


# SQL functions and views --------------------------------------------------------------------------------------------------------

_FUNCTIONS = """\
# SQL functions and views

Find the function or view for a question, and how it is called. `\\df+ NAME` in psql prints the same, `\\df+ stc.*` the internal
functions, which may change with any version. The head of `sql/STAGE/NAME.sql` explains parameters, errors and special cases.

"""
_CITATION = re.compile(r"\(([^()]*(?:\([^()]*\)[^()]*)*\b(?:19|20)\d\d)\)")


def for_users(objects_of_stage: list[SqlObject]) -> list[list[SqlObject]]:
    """Return the objects of the schema public, with all signatures of a function together."""
    public = [item for item in objects_of_stage if item.public]
    return [list(group) for _, group in groupby(public, key=lambda item: (item.name, item.kind))]


def formula(head: str) -> str:
    """Return the formulas of a header, without citations: its indented paragraphs that begin with an equation."""
    paragraphs = [part for part in head.split("\n\n") if re.match(r"  \w[^;,=>]* = ", part)]
    text = _CITATION.sub("", "\n".join(paragraphs))
    return "\n".join(line.removeprefix("  ").rstrip() for line in text.splitlines() if line.strip())


def citations(head: str) -> list[str]:
    """Return the publications that a header names in brackets."""
    return [" ".join(found.split()) for found in _CITATION.findall(head)]


def described(item: SqlObject, others: Sequence[SqlObject] = ()) -> Iterator[str]:
    """Describe a function for users: one sentence, signatures, formula and sources. :param others: its other signatures."""
    yield f"### {item.name}\n"
    yield f"{item.comment.rstrip('.')}.\n"
    if item.kind != "view":
        calls = [each.signature for each in (item, *others)] + ([f"→ {item.returns}"] if item.returns else [])
        calls = [call.replace("double precision", "float8").replace("timestamp with time zone", "timestamptz") for call in calls]
        yield "```text\n" + "\n".join(fill(call, WIDTH, subsequent_indent="    ") for call in calls) + "\n```\n"
    if shown := formula(item.head):
        yield f"```text\n{shown}\n```\n"
    if sources := citations(item.head):
        yield f"Source: {'; '.join(sources)}.\n"


def functions_page(stages: dict[str, list[SqlObject]]) -> str:
    """Return the page of all functions and views for users, by stage."""
    parts = [_FUNCTIONS]
    for stage in sorted(stages):
        if users := for_users(stages[stage]):
            parts.append(f"## {stage}\n")
            for item, *others in users:
                parts += described(item, others)
    return "\n".join(parts)


# pages ------------------------------------------------------------------------------------------------------------------------


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


_MEASURES = """\
# Measures

Find the name of a measure for `-m`, what it computes, and which other programs compute it. In a definition, for one query, R is the
number of relevant documents, r a rank, k a cutoff, x a share. Means over queries are arithmetic unless the range says otherwise.
`stc show measures` prints the list; sql/evaluation/measures.toml has the formulas in SQL.

"""
_SUFFIXES = {
    "cutoff": ("_k", "@k"), "share": ("_x", "@x"), "numbers": (".a,b,…", ""), "gains": (".grade=gain,…", ""), "p": (".p=…", ""),
}  # fmt: skip


def measures_page() -> str:
    """Return the page of measures: the registry as a table, sources, and the formulas."""
    parts = [
        _MEASURES,
        "| trec_eval | ir_measures | definition | sets | range | source |",
        "|---|---|---|---|---|---|",
        *map(_measure, KINDS.values()),
        "\n## Providers\n",
        providers_table(),
        "\n## Sources\n",
        *(f"- {short}: {title}" for short, title in SOURCES.items()),
        "\n## Notes\n",
        *(f"- `{kind.name}`: {' '.join(kind.notes.split())}" for kind in KINDS.values() if kind.notes),
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
                f"{'' if kind.mean == 'mean' else f'{kind.mean} of '}`{kind.range}`",
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
    rows = [f"| `{name}` | {meaning} |" for name, meaning in ENVIRONMENT.items()]
    return "\n".join(["| variable | meaning |", "|---|---|", *rows]) + "\n"


_ERRORS = """\
An error says what is wrong, with the value, and then what to do next. A terminal shows the next step as the second line, psql as
the HINT. In Python it is the attribute `hint`, which names calls of Python. Each SQL error has a code of class `IR` (SQLSTATE). Its
first digit is the family, which is also the class of the Python exception and the exit code of `stc`.
"""


def states() -> str:
    """Return the table of SQLSTATEs and their meaning; their families are in the tree of exceptions."""
    lines = (REPOSITORY / "sql" / "README.md").read_text(encoding="utf-8").splitlines()
    rows = [line.split("|") for line in lines if line.startswith("|")]
    return "\n".join(f"|{state}|{means}|" for _, state, _, means, *_ in rows) + "\n"


def _closed(reason: str) -> str:
    """Return why a function is safe, with \\* if no role may call it."""
    return re.sub(r"[;,.] [Nn]o role may call it or (?:put|attach) it (?:on|to) a table\b\.?", r" \\*", reason)


_INDEX = """\
# Reference

Look up a command, a function, a table, a measure or a format. All of it is also in the program: `stc COMMAND --help`,
`stc show measures`, `stc show formats`, and in psql `\\df+`, `\\dv+` and `\\d+`.

| look up | page |
|---|---|
| a command and its options | [Commands](commands.md) |
| a function or view of SQL | [SQL functions and views](functions.md) |
| a table, its columns and keys | [Tables](tables.md) |
| a measure, its definition and source | [Measures](measures.md) |
| a file format, with an example | [File formats](formats.md) |
| a method of Python | [Python](python.md) |
| a variable, an exit code, an error | [below](#environment) |
| a figure and its command | [Gallery of figures](gallery.md) |
| a word | [Glossary](../glossary.md) |

"""


def index(stages: dict[str, list[SqlObject]]) -> str:
    tree = (errors.__doc__ or "").partition("::\n\n")[2].partition("\n\n")[0]
    streams = "Files and pipes receive UTF-8, whatever the locale and `PYTHONIOENCODING`. A terminal receives its encoding.\n"
    definers = [item for stage in sorted(stages) for item in stages[stage] if item.definer]
    parts = [
        _INDEX,
        "## Environment\n",
        variables(),
        streams,
        "## Exit codes\n",
        "| code | meaning |",
        "|---|---|",
        *(f"| {code} | {meaning} |" for code, meaning in EXIT_CODES.items()),
        "\n## Errors\n",
        _ERRORS,
        f"```text\n{tree}\n```\n",
        states(),
        "## Functions that run with the owner's rights\n",
        "All other functions run with the rights of the caller. \\*: no role may call it, or put it on a table.\n",
        "| function | why this is safe |",
        "|---|---|",
        *(f"| `{item.signature.partition('(')[0]}` | {_cell(_closed(item.safe_because))} |" for item in definers),
    ]
    return "\n".join(parts)


def pages(columns: list[reference_tables.Column]) -> dict[str, str]:
    """Return the pages by name. :param columns: columns of a collection's tables."""
    stages: dict[str, list[SqlObject]] = {}
    for item in objects():
        stages.setdefault(item.stage, []).append(item)
    texts = {
        "index": index(stages),
        "commands": commands.text(),
        "formats": formats.text(),
        "functions": functions_page(stages),
        "gallery": gallery.text(),
        "measures": measures_page(),
        "python": reference_python.page(),
        "tables": reference_tables.page(columns),
    }
    return {name: re.sub(r"\n{3,}", "\n\n", text).rstrip() + "\n" for name, text in texts.items()}


def main() -> None:
    with reference_tables.collection() as dsn:
        texts = pages(reference_tables.columns(dsn))
    FOLDER.mkdir(exist_ok=True)
    for page in FOLDER.glob("*.md"):
        page.unlink()
    for name, text in texts.items():
        (FOLDER / f"{name}.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
