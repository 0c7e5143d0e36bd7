"""The command line: one group a stage. Commands parse, call one stage after another, and print."""

from __future__ import annotations

import os
import sys
from typing import Any

import click
import psycopg

from stcollection import __version__
from stcollection.cli.errors import interrupted, tell, tell_waiting, unanswered
from stcollection.cli.folder import Folder
from stcollection.cli.moved import current
from stcollection.cli.options.everywhere import before_options
from stcollection.db.connection import name_sessions
from stcollection.db.settings import read_settings
from stcollection.db.watch import Watch
from stcollection.errors import StcError
from stcollection.extras import not_installed

_GROUPS = {
    "load": "a whole data set: documents, topics and judgments",
    "db": "the server and its collections",
    "corpus": "load documents, see what was loaded",
    "text": "the text index: GIN and BM25",
    "vectors": "embeddings and their indexes",
    "complexity": "readability and credibility: measures, citations, what people say",
    "topics": "topics and their queries",
    "retrieval": "search, and make runs",
    "runs": "import, check and export runs",
    "qrels": "judgments by edition, and their expansion",
    "evaluation": "score runs, rank systems",
    "analysis": "compare runs, rankings of systems, and judgments",
    "synth": "make synthetic queries, and compare them with human ones",
    "answers": "verify answers by the agreement of documents",
    "coverage": "topics near a text, and how often the corpus covers them",
    "explore": "the collection as a page",
    "serve": "the embedding service, for SQL and for OpenAI's clients",
    "score": "score files of runs, without a collection, as trec_eval does",
    "compare": "test files of runs for differences, without a collection",
    "formats": "the formats of files that can be read and written",
    "completion": "a shell completes commands and names",
    "demo": "a small collection, from load to leaderboard",
}
# They stay until they are stopped, and answer for themselves.
_STAY = ("explore", "serve")
# They use no collection and, perhaps, another server than the settings name, so there is no session to watch.
_APART = ("score", "compare", "completion")


_FIRST_HOUR = """\
A retrieval test collection in one PostgreSQL database. The commands of the first hour:

  stc demo                                a small collection, from load to leaderboard
  stc load PATH...                        a data set, or files: corpus, topics, judgments
  stc retrieval search TEXT               search the documents
  stc retrieval run bm25                  make a run: the documents found for every query
  stc runs import FILE                    store a run of your own
  stc evaluation score RUN                score a run
  stc evaluation leaderboard              rank all runs
  stc score RUN QRELS                     score files, without a collection
  stc explore                             the collection as a page
  stc db psql                             the collection in psql

'stc --help' lists all, 'stc COMMAND --help' says what one does."""


class _Stages(Folder):
    """Groups in the order of the stages."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_GROUPS)

    def summary(self, name: str, limit: int = 45) -> str:
        return _GROUPS[name]

    def reachable(self, ctx: click.Context) -> dict[str, list[str]]:
        """Return the commands of all groups, too."""
        found = super().reachable(ctx)
        for group in (command for one in _GROUPS if isinstance(command := self.get_command(ctx, one), click.Group)):
            for name in group.list_commands(ctx):
                found.setdefault(name, []).append(f"stc {group.name} {name}")
        return found

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """Also note the command's words, without its arguments: sessions are named by them."""
        name, command, rest = super().resolve_command(ctx, current(args))
        ctx.meta["words"] = ["stc", name or "", *(rest[:1] if isinstance(command, click.Group) else [])]
        return name, command, rest


@click.group(
    cls=_Stages, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110}
)
@before_options
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
@click.version_option(__version__, prog_name="stc")
@click.pass_context
def stc(ctx: click.Context, db: str | None, debug: bool) -> None:
    """A retrieval test collection in one PostgreSQL database.

    It lives in an embedded server under STC_HOME, or in the one that STC_DSN or libpq's PG* name. These options may also come
    after the command.
    """
    if ctx.invoked_subcommand is None:
        click.echo(_FIRST_HOUR)
        return
    ctx.obj = read_settings(db=db)
    ctx.call_on_close(lambda: name_sessions(None))
    name_sessions(f"{' '.join(ctx.meta['words'])[:40]} [{os.getpid()}]")  # PostgreSQL keeps 63 bytes
    if ctx.invoked_subcommand not in (*_STAY, *_APART):
        ctx.with_resource(Watch(ctx.obj, tell=tell_waiting))


def main() -> None:
    """The ``stc`` command: errors in two lines on stderr.

    Exit code 1 no answer to a question, 2 usage, 3 data, 4 state, 5 database, 130 interrupted.
    """
    debug = "--debug" in sys.argv[1:]
    try:
        code = stc.main(prog_name="stc", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Abort as error:  # click makes one of ctrl-C, and of a question that is not answered with yes
        code = unanswered(error.__cause__ or error.__context__)
    except KeyboardInterrupt:
        code = interrupted()
    except click.ClickException as error:
        error.show()
        code = 2
    except BrokenPipeError:  # the reader of our output (head, less) went away
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except ModuleNotFoundError as error:
        if debug or error.name is None or error.name.startswith("stcollection"):
            raise
        code = tell(not_installed(error.name.partition(".")[0]))
    except (StcError, psycopg.Error, OSError) as error:
        if debug:
            raise
        code = tell(error)
    sys.exit(code if isinstance(code, int) else 0)


__all__: list[Any] = ["main", "stc"]
