"""The command line: one group per stage. Commands parse their arguments, call the library and print."""

from __future__ import annotations

import logging
import os
import sys
from typing import Any

import click

import stcollection
from stcollection.cli.errors import interrupted, is_reported, print_error, print_waiting, unanswered
from stcollection.cli.folder import Folder
from stcollection.cli.options.everywhere import before_options
from stcollection.db.application import name_sessions
from stcollection.db.settings import read_settings
from stcollection.db.watch import Watch

_GROUPS = {
    "load": "load a data set: documents, topics and judgments",
    "build": "build a collection from a recipe; run only what is out of date",
    "status": "show the contents, outdated parts, and the next commands",
    "db": "manage the server and its collections",
    "corpus": "load, count and remove documents",
    "text": "build the text index: GIN and BM25",
    "vectors": "compute, import and index embeddings",
    "complexity": "measure readability and credibility, and compare them with annotations",
    "topics": "load and remove topics and queries",
    "retrieval": "search documents and make runs",
    "runs": "import, check and export runs",
    "qrels": "manage judgments: import, pool, judge, expand, hide",
    "evaluation": "score runs and rank systems",
    "analysis": "compare runs, rankings of systems and judgments",
    "synth": "generate synthetic queries and compare them with human ones",
    "answers": "verify answers by their agreement across documents",
    "coverage": "count how often the corpus covers the topics near a text",
    "bundle": "make, check, open and export archives that can be cited",
    "explore": "open the collection as a web page",
    "serve": "serve embeddings to SQL and to OpenAI clients",
    "mcp": "serve the collection to assistants (Model Context Protocol)",
    "score": "score run files without a collection, as trec_eval does",
    "compare": "test run files for significant differences, without a collection",
    "formats": "list the file formats that can be read and written",
    "completion": "print a script for shell completion",
    "demo": "load a small collection, run the systems and print a leaderboard",
}
# Servers run until they are stopped; they need no watch.
_STAY = ("explore", "mcp", "serve")
# These need no session on the server that the settings name, so there is nothing to watch.
_APART = ("score", "compare", "completion")


_FIRST_HOUR = """\
A retrieval test collection in one PostgreSQL database. Commands to start with:

  stc demo                                load a small collection and print a leaderboard
  stc load PATH...                        load a data set, or files: corpus, topics, judgments
  stc status                              show the contents, outdated parts, and the next commands
  stc retrieval search TEXT               search the documents
  stc retrieval run bm25                  make a run: search every query
  stc runs import FILE                    store a run of your own
  stc evaluation score RUN                score a run
  stc evaluation leaderboard              rank all runs
  stc score RUN QRELS                     score files without a collection
  stc explore                             open the collection as a web page
  stc db psql                             open the collection in psql

'stc --help' lists all commands, 'stc COMMAND --help' describes one."""


def _print_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        click.echo(f"stc, version {stcollection.__version__}")
        ctx.exit()


class _Stages(Folder):
    """The top-level group: lists its commands in the order of the stages."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_GROUPS)

    def summary(self, name: str, limit: int = 45) -> str:
        return _GROUPS[name]

    def reachable(self, ctx: click.Context) -> dict[str, list[str]]:
        """Return the commands of all groups as well."""
        found = super().reachable(ctx)
        for group in (command for one in _GROUPS if isinstance(command := self.get_command(ctx, one), click.Group)):
            for name in group.list_commands(ctx):
                found.setdefault(name, []).append(f"stc {group.name} {name}")
        return found

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """Also store the words of the command, without its arguments: they become the name of its sessions."""
        name, command, rest = super().resolve_command(ctx, args)
        ctx.meta["words"] = ["stc", name or "", *(rest[:1] if isinstance(command, click.Group) else [])]
        return name, command, rest


@click.group(
    cls=_Stages, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110}
)
@before_options
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version, help="Show the version and exit."
)
@click.pass_context
def stc(ctx: click.Context, db: str | None, debug: bool) -> None:
    """A retrieval test collection in one PostgreSQL database.

    The collection is in an embedded server under STC_HOME, or in the server that STC_DSN or libpq's PG* variables name. The
    options below also work after a command.
    """
    if ctx.invoked_subcommand is None:
        click.echo(_FIRST_HOUR)
        return
    ctx.obj = read_settings(db=db)
    ctx.call_on_close(lambda: name_sessions(None))
    name_sessions(f"{' '.join(ctx.meta['words'])[:40]} [{os.getpid()}]")  # PostgreSQL truncates names at 63 bytes
    if ctx.invoked_subcommand not in (*_STAY, *_APART):
        ctx.with_resource(Watch(ctx.obj, tell=print_waiting))


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
