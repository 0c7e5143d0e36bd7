"""The command ``stc help``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import takewhile
from pathlib import Path

import click

from stcollection.cli.aliases import new_words
from stcollection.cli.folder import Folder, help_of, leaves
from stcollection.cli.merged import Merged
from stcollection.cli.parameters import options_of
from stcollection.cli.subjects import Entry
from stcollection.cli.suggestions import SYNONYMS
from stcollection.cli.tree import TREE, VERBS

_SHOWN = 8  # rows of a kind
_UNRELATED = 3
_FUNCTION = re.compile(r"^CREATE OR REPLACE (?:FUNCTION|PROCEDURE) public\.(\w+)", re.MULTILINE)
_FIELDS = re.compile(r"\s:(?:param|returns|raises)\b")


@click.command("help")
@click.argument("words", nargs=-1, metavar="[WORD]...")
@click.option("--all", "everything", is_flag=True, help="List all commands; with WORD, everything that has it.")
@click.pass_context
def command(ctx: click.Context, words: tuple[str, ...], everything: bool) -> None:
    """Describe a command, or find commands, options, measures, SQL functions and pages of the documentation by a WORD.

    \b
      stc help score          describe a command
      stc help kappa          find everything with this word
      stc help --all          list all commands
    """
    root = ctx.find_root()
    if not words:
        click.echo(_all_commands() if everything else root.get_help())
        return
    if _describe(root, words):
        return
    if not _search([*words], None if everything else _SHOWN):
        raise click.UsageError(_nothing(" ".join(words)), ctx)


def _all_commands() -> str:
    """Return the list of all commands, by group."""
    parts = []
    for name, entry in TREE.items():
        if isinstance(entry, Mapping):
            lines = [_line(f"  {path}", help_of(leaf)) for path, leaf in sorted(leaves({name: entry}))]
            parts.append("\n".join([_line(name, help_of(entry)), *lines]))
        else:
            parts.append(_line(name, VERBS.get(name) or help_of(entry)))
    return "\n".join(parts)


def _line(name: str, text: str) -> str:
    return f"{name:<30}  {click.Command(name, help=text).get_short_help_str(90)}"


def _describe(root: click.Context, words: Iterable[str]) -> bool:
    """Print the help of the command with these words. :returns: whether there is one."""
    command, ctx = root.command, root
    for word in words:
        below = command.get_command(ctx, word) if isinstance(command, Folder) else None
        if below is None:
            return False
        command, ctx = below, click.Context(below, info_name=word, parent=ctx)
    click.echo(command.get_help(ctx))
    return True


def _search(words: list[str], limit: int | None) -> bool:
    """Print the commands, options, measures, functions and pages that have all words. :returns: whether there are any."""
    wanted = [word.lower() for word in words]
    any_found = False
    kinds = {
        "Commands": _commands,
        "Options": _options,
        "Measures": _measures,
        "SQL functions": _functions,
        "Documentation": _pages,
    }
    for title, rows in kinds.items():
        ranked = [(_rank(wanted, name, text), name, text) for name, text in rows()]
        matching = sorted(row for row in ranked if row[0] < _UNRELATED)
        if matching:
            click.echo(f"{title}:")
            for _, name, text in matching[:limit]:
                click.echo(_line(f"  {name}", _part(text, wanted)))
            if limit is not None and len(matching) > limit:
                click.echo(f"  and {len(matching) - limit:,} more: stc help --all {' '.join(words)}")
            any_found = True
    return any_found


def _rank(words: list[str], name: str, text: str) -> int:
    """Return 0 if a name has all words, 1 if its first sentence has, 2 if its text has, else 3."""
    if any(name.removeprefix("stc ") in SYNONYMS.get(word, ()) for word in words):
        return 0
    places = (name, f"{name} {text.partition('. ')[0]}", f"{name} {text}")
    return next((rank for rank, place in enumerate(places) if all(word in place.lower() for word in words)), _UNRELATED)


def _part(text: str, words: list[str]) -> str:
    """Return the first sentence of a text that has one of the words, else its first sentence."""
    sentences = re.split(r"(?<=\.)\s+", " ".join(text.split()))
    return next((sentence for sentence in sentences if any(word in sentence.lower() for word in words)), sentences[0])


def _commands() -> list[tuple[str, str]]:
    """Return the words of each command, and its help; also those of version 0.2 that have become options."""
    rows = {f"stc {path}": _prose(entry) for path, entry in leaves(TREE)}
    rows |= {f"stc {name}": f"{summary}. {rows.get(f'stc {name}', '')}" for name, summary in VERBS.items()}
    for old, new in new_words().items():
        if not new.startswith("help"):
            rows[f"stc {new}"] = f"{rows.get(f'stc {new}', '')} Version 0.2: stc {old}.".strip()
    return [*rows.items()]


def _prose(entry: Entry) -> str:
    """Return the sentences of a command's help, without examples and parameters."""
    paragraphs = _FIELDS.split(help_of(entry))[0].split("\n\n")
    return " ".join(paragraph for paragraph in paragraphs if not paragraph.startswith("\b"))


def _options() -> list[tuple[str, str]]:
    """Return the options of all commands; those of equal name and help once. This imports the commands."""
    paths: dict[tuple[str, str], list[str]] = {}
    root = click.Context(click.Command("stc"))
    for path, _ in leaves(TREE):
        command: click.Command | None = Folder("stc", TREE)
        for word in path.split():
            command = command.get_command(root, word) if isinstance(command, Folder) else None
        for option in options_of(command) if command is not None else ():
            if not option.hidden and (isinstance(command, Merged) or option.help):
                choices = " ".join(map(str, getattr(option.type, "choices", ())))
                paths.setdefault((option.opts[-1], f"{option.help or ''} {choices}".strip()), []).append(f"stc {path}")
    return [(f"{first} {name}{f' and {len(more):,} more' * bool(more)}", text) for (name, text), [first, *more] in paths.items()]


def _measures() -> list[tuple[str, str]]:
    from stcollection.evaluation.kinds import described  # reads the registry

    return [(", ".join(filter(None, (name, trec.rstrip(", ")))), definition) for name, trec, definition, *_ in described()]


def _functions() -> list[tuple[str, str]]:
    """Return the public SQL functions with the comment at the beginning of their files."""
    from stcollection.db.objects import load  # reads every file

    rows = []
    for text in (file.text for file in load()):
        head = takewhile(lambda line: line.startswith("-- "), text.splitlines())
        about = " ".join(line.removeprefix("-- ") for line in head)
        rows += [(f"{name}()", about.partition(": ")[2] or about) for name in dict.fromkeys(_FUNCTION.findall(text))]
    return rows


def _pages() -> list[tuple[str, str]]:
    """Return the headings of the documentation, where the program runs in a checkout."""
    folder = Path(__file__).resolve().parents[2] / "docs"
    pages = sorted(folder.rglob("*.md"))
    return [
        (f"docs/{page.relative_to(folder)}", " ".join(re.findall(r"^#+ (.*)", page.read_text(encoding="utf-8"), re.MULTILINE)))
        for page in pages
    ]


def _nothing(words: str) -> str:
    from difflib import get_close_matches

    texts = [f"{name} {text}".lower() for name, text in (*_commands(), *_measures())]
    vocabulary = {word for text in texts for word in re.findall(r"[a-z][\w@-]{3,}", text)} | SYNONYMS.keys()
    near = get_close_matches(words.lower(), vocabulary, n=3, cutoff=0.7)
    way_on = f"did you mean {' or '.join(map(repr, near))}?" if near else "'stc help --all' lists all commands"
    return f"nothing has the word {words!r}: {way_on}"
