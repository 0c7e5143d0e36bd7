"""The command line. Commands parse their arguments, call the library and print."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

import click

import stcollection
from stcollection.cli.aliases import announce, new_words, renamed, renamed_options
from stcollection.cli.errors import interrupted, is_reported, print_error, print_waiting, unanswered
from stcollection.cli.folder import Folder, leaves
from stcollection.cli.options.everywhere import before_options
from stcollection.cli.suggestions import unknown_option
from stcollection.cli.tree import TREE, VERBS
from stcollection.db.application import name_sessions
from stcollection.db.settings import Settings, read_settings
from stcollection.db.watch import Watch
from stcollection.evaluation.learning import learn_from

# Servers run until they are stopped; they need no watch.
_STAY = ("serve",)
# These need no session on the server that the settings name, or watch it only for stored runs.
_APART = ("score", "compare", "completion", "help")


def _print_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        click.echo(f"stc, version {stcollection.__version__}")
        ctx.exit()


class _Verbs(Folder):
    """The top-level group: its help lists the commands that most people need, in the order of work."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(TREE)

    def summary(self, name: str, limit: int = 45) -> str:
        return VERBS.get(name) or super().summary(name, limit)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.format_commands(ctx, formatter)
        click.Command.format_options(self, ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([*VERBS.items()])
        groups = [name for name, entry in TREE.items() if name not in VERBS and isinstance(entry, dict)]
        formatter.write_paragraph()
        formatter.write_text(f"For special purposes: {', '.join(groups)}.")

    def reachable(self, ctx: click.Context) -> dict[str, list[str]]:
        """Return the commands of all groups as well, and those of version 0.2."""
        paths: dict[str, list[str]] = {}
        words = [(path.rpartition(" ")[2], path) for path in dict.fromkeys([*TREE, *(path for path, _ in leaves(TREE))])]
        for name, path in [*words, *((old.rpartition(" ")[2], new) for old, new in new_words().items())]:
            if f"stc {path}" not in paths.setdefault(name, []):
                paths[name].append(f"stc {path}")
        return paths

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command. For an option that it does not have, name the commands that have it."""
        try:
            return super().invoke(ctx)
        except click.NoSuchOption as error:
            verbs = ((f"stc {name}", self.get_command(ctx, name)) for name in VERBS if isinstance(TREE[name], str))
            raise click.UsageError(unknown_option(error, verbs), error.ctx) from error

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """Also store the words of the command, without its arguments: they become the name of its sessions."""
        replaced: dict[str, str] = {}
        if (renaming := renamed(args)) is not None:
            if renaming.unknown is not None and not ctx.resilient_parsing:
                raise click.UsageError(self.unknown(ctx, renaming.unknown), ctx)
            args, replaced = renaming.args, {f"stc {renaming.old}": f"stc {renaming.new}"}
        args, options = renamed_options(args)
        if not ctx.resilient_parsing:
            announce(args, replaced | options)
        name, command, rest = super().resolve_command(ctx, args)
        ctx.meta["words"] = ["stc", name or "", *(rest[:1] if isinstance(command, click.Group) else [])]
        return name, command, rest


@click.group(
    cls=_Verbs,
    entries=TREE,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@before_options
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version, help="Show the version and exit."
)
@click.pass_context
def stc(ctx: click.Context, db: str | None, debug: bool) -> None:
    """A retrieval test collection in one PostgreSQL database.

    'stc COMMAND --help' describes a command, 'stc help WORD' finds one. The options below also work after a command.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
        return
    ctx.obj = read_settings(db=db) if ctx.obj is None else ctx.obj
    learn_from("stc", partial(_own_measures, ctx.obj))
    ctx.call_on_close(lambda: name_sessions(None))
    name_sessions(f"{' '.join(ctx.meta['words'])[:40]} [{os.getpid()}]")  # PostgreSQL truncates names at 63 bytes
    if ctx.invoked_subcommand not in (*_STAY, *_APART):
        ctx.with_resource(Watch(ctx.obj, tell=print_waiting))


def _own_measures(settings: Settings) -> Iterable[Mapping[str, Any]]:
    """Return the measures that organisers added to the collection, which an option after the command may select."""
    from stcollection.evaluation.own import read_measures

    ctx = click.get_current_context(silent=True)
    return read_measures(ctx.obj if ctx is not None and ctx.obj is not None else settings)


def main() -> None:
    """Run the ``stc`` command, and print errors as two lines on stderr.

    Exit codes: 1 unconfirmed, 2 usage, 3 data, 4 state, 5 database, 130 interrupted.
    """
    debug = "--debug" in sys.argv[1:]
    logging.getLogger("psycopg").addHandler(logging.NullHandler())  # its warnings repeat the error that we print
    try:
        code = stc.main(prog_name="stc", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Abort as error:  # click raises it for ctrl-C and for a question that is not answered with yes
        code = unanswered(error.__cause__ or error.__context__)
    except KeyboardInterrupt:
        code = interrupted()
    except click.ClickException as error:
        error.show()
        code = 2
    except ModuleNotFoundError as error:
        if debug or error.name is None or error.name.startswith("stcollection"):
            raise
        from stcollection.extras import not_installed

        code = print_error(not_installed(error.name.partition(".")[0]))
    except Exception as error:
        if debug or not is_reported(error):
            raise
        code = print_error(error)
    sys.exit(code if isinstance(code, int) else 0)


__all__: list[Any] = ["main", "stc"]
