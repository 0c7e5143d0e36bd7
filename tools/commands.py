"""The reference of the command line: each command with its options, and once the options that several commands share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

import click

from stcollection.cli import stc
from stcollection.cli.merged import Merged
from stcollection.cli.options import declared_by, together
from stcollection.cli.options.endpoints import asking_options, endpoint_option
from stcollection.cli.parameters import long_name
from stcollection.cli.tree import VERBS

EVERYWHERE = {"--help", "--db", "--quiet", "--debug"}  # described at the top of the page
MANY = 4  # commands of a group whose common options are described once
#: Options that come together.
BUNDLES = {
    "the endpoint": {option for parameter in declared_by(together(endpoint_option, asking_options)) for option in parameter.opts},
}
SHARED = 2  # commands that have an option with the same description
_EXTRAS = re.compile(r"\s*\[(?!default)[^\]]*\]")
_DEFAULT = re.compile(r"\s*\[default: (.*?)(?:; [^;\]]*(?:<|>=?)[^;\]]*)?\]$")
HEAD = """\
# Commands

Look up what a command does and which options it has. `stc COMMAND --help` prints more: all sentences, ranges and variables of the
environment. Every command takes `--db`, `--quiet`, `--debug` and `--help`. A command that prints rows takes `--format` (table, csv,
json, markdown, latex, or csv-raw, without the escapes that protect spreadsheets). A value in brackets is the default.

## Options of several commands

A command that has such an option lists its name only. So do the commands for special purposes, such as `stc db`, with all their
options. {bundles}
"""


def pages(command: click.Command, context: click.Context) -> Iterator[tuple[click.Command, click.Context]]:
    """Return a command and all commands below it, with their contexts."""
    yield command, context
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            if child is None:
                raise LookupError(name)
            if not child.hidden:
                yield from pages(child, click.Context(child, info_name=name, parent=context))
    for name, variant in _roles(command).items():
        yield variant, click.Context(variant, info_name=f"{context.info_name} {name}", parent=context.parent)


def _roles(command: click.Command) -> dict[str, click.Command]:
    """Return the variants of a command that an option names: ``--as qrels``."""
    if not isinstance(command, Merged):
        return {}
    named = {str(name): option for option in command.selecting for name in getattr(option.type, "choices", ())}
    return {f"{long_name(named[name])} {name}": command.variants[name] for name in command.variants if name in named}


def _parameters(command: click.Command) -> list[click.Parameter]:
    """Return the parameters of a command, without those of variants that are described on their own."""
    if isinstance(command, Merged) and (roles := _roles(command)):
        rest = [variant for variant in command.variants.values() if variant not in roles.values()]
        return [*command.selecting, *(parameter for variant in rest for parameter in variant.params)]
    return command.params


def described(option: click.Option, context: click.Context) -> tuple[str, str]:
    """Return an option as its names, and as a line: names, first sentence and default."""
    declaration, text = option.get_help_record(context) or (option.opts[0], "")
    text = _EXTRAS.sub("", text)
    default = found[1] if (found := _DEFAULT.search(text)) else ""
    sentence = _first_sentence(_DEFAULT.sub("", text))
    return ", ".join(option.opts), f"- `{declaration}` {sentence}" + (f" ({default})" if default else "")


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=\.) (?=[A-Z])", text)[0]


def _prints_rows(option: click.Option) -> bool:
    """Return True for the option of the format of printed rows."""
    return "--format" in option.opts and (option.help or "").startswith("Output format")


def _options(command: click.Command, context: click.Context) -> list[tuple[str, str]]:
    return [
        described(one, context)
        for one in _parameters(command)
        if isinstance(one, click.Option) and not one.hidden and not EVERYWHERE & set(one.opts) and not _prints_rows(one)
    ]


def _of_all(command: click.Command, context: click.Context) -> set[str]:
    """Return the options that all commands of a group have. A group of two has none."""
    if not isinstance(command, click.Group) or context.parent is None:
        return set()
    every = [{line for _, line in _options(*page)} for page in pages(command, context) if not isinstance(page[0], click.Group)]
    return set.intersection(*every) if len(every) > MANY else set()


def _listed(names: Sequence[str]) -> str:
    """Return names of options as code; a bundle of options by its name."""
    kept = list(names)
    found = [bundle for bundle, options in BUNDLES.items() if options <= set(kept)]
    for bundle in found:
        kept = [name for name in kept if name not in BUNDLES[bundle]]
    return ", ".join([*(f"`{name}`" for name in kept), *(f"*{bundle}*" for bundle in found)])


def _section(command: click.Command, context: click.Context, shared: set[str], of_group: set[str]) -> Iterator[str]:
    yield f"## {context.command_path}\n"
    arguments = [] if isinstance(command, click.Group) else command.collect_usage_pieces(context)[1:]
    summary = _first_sentence(" ".join((command.help or "").replace("\b", "").partition("\n\n")[0].split()))
    yield (f"`{' '.join(arguments)}`: " if arguments else "") + summary + "\n"
    options = [option for option in _options(command, context) if option[1] not in of_group]
    if in_all := _of_all(command, context):
        yield f"Each command has {', '.join(sorted(line.removeprefix('- ').partition('` ')[0] + '`' for line in in_all))}.\n"
    if context.command_path.split()[1:2] and context.command_path.split()[1] not in VERBS:
        yield f"Options {_listed([name for name, _ in options])}.\n" if options else ""
        return
    yield from (line for _, line in options if line not in shared)
    names = [name for name, line in options if line in shared]
    yield f"\nAlso {_listed(names)}.\n" if names else ""


def text() -> str:
    """Return the page."""
    every = list(pages(stc, click.Context(stc, info_name="stc")))
    lines = Counter(option for command, context in every for option in _options(command, context))
    often: dict[str, str] = {}  # the most frequent line of each name
    for (name, line), commands in lines.most_common():
        if commands >= SHARED:
            often.setdefault(name, line)
    shared = set(often.values())
    bundles = "; ".join(f"*{name}* means {', '.join(f'`{one}`' for one in sorted(options))}" for name, options in BUNDLES.items())
    parts = [HEAD.format(bundles=f"{bundles[0].upper()}{bundles[1:]}."), *sorted(shared, key=lambda line: line.lstrip("- `")), ""]
    groups = {context.command_path: _of_all(command, context) for command, context in every}
    for command, context in every:
        group = groups.get(context.parent.command_path, set()) if context.parent else set()
        parts += _section(command, context, shared, group)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(parts)) + "\n"
