"""Messages name commands that exist and options that their command has; suggestions; what a failed load keeps.

``commands_of`` approximates which commands can raise an error: those that reach the function by the names that functions use.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import click
import psycopg
import pytest
from click.testing import CliRunner

from stcollection.cli import stc
from stcollection.cli.merged import Merged
from stcollection.counts import counted
from stcollection.db.settings import Settings
from stcollection.errors import StcError, UnknownObject
from tests.acceptance.conftest import environment
from tests.acceptance.test_commands import commands
from tests.sql_paths import sql_paths

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "stcollection"
COMMANDS = dict(commands(stc))
OPTIONS = {
    words: {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
    for words, command in COMMANDS.items()
}
#: The classes of errors that need a hint, and those of click, which says how to get help.
ERRORS = {
    "UnknownObject", "BadArgument", "BadInput", "StateError", "TimedOut", "Conflict", "DatabaseError", "ProgramFailed", "StcError",
}  # fmt: skip
CLASSES = (*ERRORS, "UsageError", "BadParameter")
EVERYWHERE = {"--db", "--quiet", "--debug", "--help", "-h", "--version"}
QUOTED = re.compile(r"(?:'|`)stc ([^'`]+)(?:'|`)")
BARE = re.compile(r"(?<![\w'`/.-])stc ([^'`,;:()\n]+)")
OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")
PROGRAMS = re.compile(r"(?:pip install|pg_config|nltk\.downloader) [^.;']*|'pg_config[^']*'")
#: These load files that belong to stcollection or were checked before, so they cannot raise what their parts raise.
#: Errors of a build name the keys of its recipe, and 'stc status --diff' builds nothing.
INTERNAL = {
    ("demo",), ("help",), ("build",), ("status",), ("bundle", "make"), ("serve", "page"), ("serve", "assistants"),
    ("serve", "embeddings"),
}  # fmt: skip
#: Messages of an option that was given, or of a state that the other commands cannot have: option by function.
ONLY_IF_GIVEN = {
    ("stcollection.qrels.editions", "--edition"),  # evaluation.parameters.edition_of words it for the face
    ("stcollection.cli.options.published", "--published"),
    ("stcollection.corpus.store", "--strict"), ("stcollection.io.corpus.detect", "--map"),
    ("stcollection.io.corpus.fields", "--map"), ("stcollection.io.qrels.judgments", "--map"),
    ("stcollection.io.roles", "--columns"), ("stcollection.io.roles", "--format"),
    ("stcollection.io.qrels.judgments", "--relevance"),
    ("stcollection.io.runs.named", "--score"), ("stcollection.io.runs.trec", "--score"), ("stcollection.io.topics.trec", "--field"),
    ("stcollection.runs.load", "--name"), ("stcollection.studies.answers.agreement.features", "--embed"),
    ("stcollection.studies.answers.extract", "--tune-on"), ("stcollection.vectors.model", "--dimensions"),
    ("stcollection.vectors.sparse", "--dimensions"), ("stcollection.vectors.sparse", "--pooling"),
}  # fmt: skip


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the strings of a module with their lines; of docstrings, only those of commands, which are their help."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    skipped: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            skipped.update(map(id, node.values))
        elif isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and not (
            isinstance(node, ast.FunctionDef) and node.name == "command" and "cli" in path.parts
        ):
            skipped.update(id(one.value) for one in node.body[:1] if isinstance(one, ast.Expr))
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.JoinedStr):
            yield node.lineno, "".join(str(part.value) if isinstance(part, ast.Constant) else "{…}" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


SQL_TEXT = re.compile(r"--[^\n]*|'((?:[^']|''|'\s*\n\s*')*)'")


def sql_texts(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the literals of a file of sql/ with their lines; those continued on the next line are one."""
    text = path.read_text(encoding="utf-8")
    for one in SQL_TEXT.finditer(text):
        if one[1] is not None:
            yield text.count("\n", 0, one.start()) + 1, re.sub(r"'\s*\n\s*'", "", one[1]).replace("''", "'")


def messages() -> list[tuple[str, str]]:
    """Return the place and text of every message of the package and of sql/."""
    files = [(path, texts) for path in PACKAGE.rglob("*.py")] + [(path, sql_texts) for path in sql_paths()]
    return [(f"{path.relative_to(ROOT)}:{line}", text) for path, read in files for line, text in read(path)]


def resolve(typed: str) -> tuple[tuple[str, ...], str | None, list[str]]:
    """Return the command that a text begins with, the first word that is none of its commands, and the options after it."""
    words: tuple[str, ...] = ()
    rest = re.sub(r"--db[ =]\S+", "", typed.partition(" -- ")[0]).split()
    for at, word in enumerate(rest):
        name = word.strip(",.;:?)")
        if (*words, name) not in COMMANDS:
            known = isinstance(COMMANDS.get(words, stc), click.Group)
            unknown = name if known and re.fullmatch(r"[a-z][a-z-]*", name) else None
            return words, unknown, OPTION.findall(" ".join(rest[at:]))
        words = (*words, name)
    return words, None, []


def wrong(typed: str, *, certain: bool) -> bool:
    """Return True if a text names a command that does not exist, or an option that its command lacks.

    :param certain: the text is quoted, so that ``stc`` is the command and no other word.
    """
    words, unknown, options = resolve(typed)
    if unknown is not None and (certain or words):
        return True
    command = COMMANDS.get(words)
    if command is None or isinstance(command, click.Group):
        return False
    return any(option not in OPTIONS[words] | EVERYWHERE for option in options)


def test_messages_name_commands_and_options_that_exist() -> None:
    found = messages()
    assert len(found) > 10_000
    faults = []
    for place, text in found:
        faults += [(place, one[0]) for one in QUOTED.finditer(text) if wrong(one[1], certain=True)]
        faults += [(place, one[0]) for one in BARE.finditer(QUOTED.sub("", text)) if wrong(one[1], certain=False)]
    assert faults == []


#: Options of other commands that a help text names.
ELSEWHERE = {(("complexity", "credibility"), "--filter"), (("topics", "set"), "--queries")}


def test_help_names_options_of_its_command() -> None:
    """The commands that help texts name are checked with the other messages."""
    faults = []
    for words, command in COMMANDS.items():
        own = set(OPTIONS[words])
        if isinstance(command, click.Group):
            own = own.union(*(OPTIONS[one] for one in COMMANDS if one[: len(words)] == words))
        told = [command.help, *(getattr(one, "help", None) for one in command.params)]
        named = set().union(*(_bare_options(text or "") for text in told)) - own
        faults += [(words, option) for option in sorted(named) if (words, option) not in ELSEWHERE]
    assert faults == []
    assert all(option in set().union(*OPTIONS.values()) for _, option in ELSEWHERE)


@pytest.mark.parametrize("typed", ["qrels polo", "export run x --ouput f", "load f --depth 3", "--db x plott a"])
def test_a_wrong_one_would_be_found(typed: str) -> None:
    assert wrong(typed, certain=True)
    assert not wrong("export qrels --edition x --out f", certain=True)


class Names:
    """Which top-level names of the package's modules use which others."""

    def __init__(self) -> None:
        self.tops: dict[str, dict[str, ast.AST]] = {}
        self.imports: dict[str, dict[str, tuple[str, str]]] = {}
        self._used: dict[tuple[str, str], set[tuple[str, str]]] = {}
        for path in PACKAGE.rglob("*.py"):
            module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
            tree = ast.parse(path.read_text(encoding="utf-8"))
            self.tops[module] = {name: node for node in tree.body for name in _named(node)}
            self.imports[module] = {
                alias.asname or alias.name: (node.module or "", alias.name)
                for node in ast.walk(tree)
                if isinstance(node, ast.ImportFrom)
                for alias in node.names
            }

    def _origin(self, module: str, name: str) -> tuple[str, str] | None:
        for _ in range(5):  # imported names that are imported again
            if name in self.tops.get(module, {}):
                return module, name
            if name not in self.imports.get(module, {}):
                return None
            module, name = self.imports[module][name]
        return None

    def uses(self, key: tuple[str, str]) -> set[tuple[str, str]]:
        if key not in self._used:
            module, name = key
            found = {self._origin(module, node.id) for node in ast.walk(self.tops[module][name]) if isinstance(node, ast.Name)}
            for node in ast.walk(self.tops[module][name]):
                if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                    inside, attribute = self.imports[module].get(node.value.id, ("", ""))
                    found.add(self._origin(f"{inside}.{attribute}", node.attr))
            self._used[key] = {one for one in found if one is not None}
        return self._used[key]

    def _defined(self, command: click.Command) -> tuple[str, str]:
        """Return the module and name of a command's function; all declared commands have one."""
        module, name = getattr(command.callback, "__module__", ""), getattr(command.callback, "__name__", "")
        return module, name if name in self.tops.get(module, {}) else "command"

    @cached_property
    def commands_of(self) -> dict[tuple[str, str], set[tuple[str, ...]]]:
        """The commands that reach each name."""
        found: dict[tuple[str, str], set[tuple[str, ...]]] = defaultdict(set)
        for words, command in COMMANDS.items():
            if isinstance(command, click.Group) or words in INTERNAL:
                continue
            places = {self._defined(one) for one in (command.variants.values() if isinstance(command, Merged) else [command])}
            seen = {(module, name) for module, name in places if name in self.tops.get(module, {})}
            waiting = [*seen]
            while waiting:
                key = waiting.pop()
                found[key].add(words)
                new = self.uses(key) - seen
                seen |= new
                waiting += new
        return found


@pytest.fixture(scope="module")
def names() -> Names:
    return Names()


def _named(node: ast.stmt) -> list[str]:
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Assign(targets=targets):
            return [target.id for target in targets if isinstance(target, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
    return []


def _options_of(call: ast.Call) -> set[str]:
    """Return the options in the message and hint of an error, except those of a command that the text names."""
    parts = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg == "hint")]
    return _bare_options(
        " ".join(
            node.value
            for part in parts
            for node in ast.walk(part)
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        )
    )


def _bare_options(text: str) -> set[str]:
    for pattern in (QUOTED, PROGRAMS, re.compile(r"'stc .*"), BARE):
        text = pattern.sub(" ", text)
    return set(OPTION.findall(text)) - EVERYWHERE


def test_an_option_in_an_error_is_one_of_the_command_that_raises_it(names: Names) -> None:
    of = names.commands_of
    assert len(of) > 2000
    load = {("load",)}  # it says whose the options are
    faults = []
    for module, tops in names.tops.items():
        for name, top in tops.items():
            for node in ast.walk(top):
                called = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
                if not isinstance(node, ast.Call) or called not in (*CLASSES, "bad_line"):
                    continue
                for option in _options_of(node):
                    lacking = sorted(words for words in of.get((module, name), set()) - load if option not in OPTIONS[words])
                    if lacking and (module, option) not in ONLY_IF_GIVEN:
                        faults.append((f"{module}:{node.lineno}", option, [" ".join(words) for words in lacking]))
    assert faults == []


def test_each_error_has_a_next_step() -> None:
    """Python passes a hint, and SQL raises with one; a message that is only a value was composed elsewhere."""
    bare, raised = [], 0
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            called = getattr(node.func, "id", getattr(node.func, "attr", "")) if isinstance(node, ast.Call) else ""
            if not isinstance(node, ast.Call) or called not in ERRORS or not node.args:
                continue
            raised += 1
            words = [part for part in ast.walk(node.args[0]) if isinstance(part, ast.Constant) and isinstance(part.value, str)]
            hint = next((keyword.value for keyword in node.keywords if keyword.arg == "hint"), None)
            branches = [hint.body, hint.orelse] if isinstance(hint, ast.IfExp) else [hint]
            if words and any(one is None or getattr(one, "value", one) is None for one in branches):
                bare.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    for path in sql_paths():
        for error in re.findall(
            r"RAISE EXCEPTION\s+USING\s.*?;[ \t]*$", path.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
        ):
            raised += 1
            constraint = "ERRCODE = '23" in error  # in the words of PostgreSQL
            if re.search(r"\bMESSAGE\s*=", error) and not constraint and not re.search(r"\bHINT\s*=", error):
                bare.append(f"{path.relative_to(ROOT)}: {error}")
    assert raised > 1_000
    assert bare == []


#: Errors of SQL that a command which reaches the function does not raise, and parts of a command that SQL composes.
NEVER = {
    ("answer_begin_run", "--replace"), ("answer_begin_extraction", "--replace"), ("answer_relate_begin", "--replace"),
    ("answer_relate_free", "--replace"), ("check_passages", "--size"), ("check_passages", "--step"),
    ("drop_edition", "--even-sealed"), ("expand_near", "--into"), ("import_run", "--name"), ("import_run", "--replace"),
    ("vector_status", "--kind"), ("vector_status", "--model"),
}  # fmt: skip
#: ``pool submit`` and ``judge --pairs`` store preferences of names that are stored.
KNOWN_NAMES = {"resolve_incoming": {("pool", "submit"), ("judge",)}}
CALL = re.compile(r"\b([a-z]\w*)\s*\(")


def commands_of_sql(names: Names) -> dict[str, set[tuple[str, ...]]]:
    """Return the commands that reach each function of sql/: from strings of Python that call it, or a function that calls it."""
    calls = {path.stem: set(CALL.findall(re.sub(r"--[^\n]*", "", path.read_text(encoding="utf-8")))) for path in sql_paths()}
    found: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for key, commands_of_key in names.commands_of.items():
        strings = [node.value for node in ast.walk(names.tops[key[0]][key[1]]) if isinstance(node, ast.Constant)]
        waiting = {name for text in strings if isinstance(text, str) for name in CALL.findall(text)} & calls.keys()
        seen: set[str] = set()
        while waiting:
            seen |= waiting
            waiting = set().union(*(calls[name] for name in waiting)) & calls.keys() - seen
        for name in seen:
            found[name] |= commands_of_key
    return found


def test_an_option_in_an_error_of_sql_is_one_of_the_commands_that_reach_it(names: Names) -> None:
    of = commands_of_sql(names)
    assert len(of) > 300
    every = set().union(*OPTIONS.values())
    faults = []
    for path in sql_paths():
        reach = of.get(path.stem, set()) - {("load",)} - KNOWN_NAMES.get(path.stem, set())
        for line, text in sql_texts(path):
            for option in _bare_options(text):
                lacking = sorted(words for words in reach if option not in OPTIONS[words])
                if (lacking or option not in every) and (path.stem, option) not in NEVER:
                    faults.append((f"{path.name}:{line}", option, [" ".join(words) for words in lacking]))
    assert faults == []


def test_swapped_letters_are_recognised(settings: Settings, conn: psycopg.Connection) -> None:
    conn.execute("INSERT INTO st1_runs (run) VALUES ('bm25')")
    conn.execute("INSERT INTO qrels_editions (edition) VALUES ('test')")
    meant: dict[str, str] = {"runs export bm52": "'bm25'", "evaluation score bm52 --edition test": "'bm25'"}
    for words, name in meant.items():
        done = CliRunner().invoke(stc, words.split(), env=environment(settings))
        assert isinstance(done.exception, UnknownObject)
        assert f"Did you mean {name}? " in (done.exception.hint or "")
    swapped = settings.db[:-2] + settings.db[:-3:-1]
    done = CliRunner().invoke(stc, ["--db", swapped, "runs", "list"], env=environment(settings))
    if swapped != settings.db:
        assert isinstance(done.exception, UnknownObject)
        assert "'stc db create" in (done.exception.hint or "")


def test_an_unknown_table_is_not_taken_for_another_database(conn: psycopg.Connection) -> None:
    with pytest.raises(psycopg.Error) as error:
        conn.execute("SELECT 1 FROM dlbp")
    from stcollection.errors import from_postgres

    told = from_postgres(error.value)
    assert isinstance(told, StcError)
    assert told.hint is not None
    assert "Is this database a collection?" not in told.hint
    assert "name of the table" in told.hint


def test_a_part_of_a_load_that_fails_says_what_stays_and_whose_its_options_are(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "docs.jsonl").write_text('{"id": "d1", "title": "A title", "abstract": "Some text."}\n')
    (tmp_path / "q.tsv").write_text("q1\tvoice\nq2\twords\n")
    assert CliRunner().invoke(stc, ["topics", "load", str(tmp_path / "q.tsv")], env=environment(settings)).exit_code == 0
    (tmp_path / "q.tsv").write_text("q1\tother\nq2\twords\n")  # needs --replace
    words = ["load", "--corpus", str(tmp_path / "docs.jsonl"), "--topics", str(tmp_path / "q.tsv")]
    done = CliRunner().invoke(stc, words, env=environment(settings))
    assert isinstance(done.exception, StcError), done.output
    hint = done.exception.hint or ""
    assert "'stc load --as topics' has --replace; 'stc load' has not." in hint
    assert hint.startswith("The documents stay stored. ")


#: Values before a plural that are words or products of two factors ("2 × 3 rankings"), and counts that are never 1.
NOT_COUNTS = {
    "origin", "field", "name", "by", "study.measure", "data.reference", "choice.origin", "row.a", "row.b", "words[b]",
    "len(measures)", "encoder.dim", "folder / NAME", "figure",
    "' to '.join((str(size) for size in dict.fromkeys((sizes[0], sizes[-1]))))",
}  # fmt: skip
#: Words in -s after a value that are verbs or units.
VERBS = re.compile(
    "always|appears|belongs|breaks|checks|contains|comes|creates|denotes|differs|ends|exists|gives|has|is|its|judges|lacks|leads|less|makes"
    "|minus|ms|names|needs|occurs|plus|ranges|redirects|removes|requests|returns|runs|says|separates|sets|shows|stays|status|takes|this"
    "|treats|unpacks|uses|versus|was"
)
SMALL = re.compile(
    "an?|and|are|as|at|but|by|for|from|had|has|have|if|in|is|it|no|not|of|on|or|than|that|the|to|was|were|which|with"
)
PLURAL = re.compile(r" ((?:[a-z][\w'-]* ){0,2}?)([a-z][\w-]*s)\b")


def uncounted(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the numbers of f-strings that precede a plural, whatever the number, with their lines."""
    for node in ast.walk(tree):
        parts = node.values if isinstance(node, ast.JoinedStr) else []
        for value, after in pairwise(parts):
            if not isinstance(value, ast.FormattedValue) or not isinstance(after, ast.Constant):
                continue
            noun = PLURAL.match(str(after.value))
            written = ast.unparse(value.value)
            form = ast.unparse(value.format_spec) if value.format_spec is not None else ""
            called = written.partition("(")[0] if isinstance(value.value, ast.Call) else ""
            number = (
                form.endswith((",'", "d'", "g'", ".0f'")) or called in ("len", "sum", "round") or isinstance(value.value, ast.BinOp)
            )
            if noun is None or any(map(SMALL.fullmatch, [*noun[1].split(), noun[2]])) or written in NOT_COUNTS:
                continue
            if (
                called == "counted"
                or value.conversion != -1
                or re.fullmatch(r"[A-Z_\d]+( \+ 1)?", written)
                or re.search(r"\.[1-9]f|%", form)
            ):
                continue  # a quoted name, a constant of many, a fraction
            if VERBS.fullmatch(noun[2]) and not (number and noun[2] in ("names", "requests", "runs")):
                continue
            if number or noun[2] in NOUNS:
                yield value.lineno, f"{{{written}}}{noun[0]}"


def uncounted_sql(text: str) -> list[str]:
    """Return the placeholders of a text of SQL that precede a plural, whatever the number."""
    return [
        one[0]
        for one in SQL_PLURAL.finditer(text)
        if one[2] in NOUNS and not VERBS.fullmatch(one[2]) and not any(map(SMALL.fullmatch, [*one[1].split(), one[2]]))
    ]


SQL_PLURAL = re.compile(rf"(?:%(?:\d\$)?s|(?<![\w%])%|^){PLURAL.pattern}")
#: Words before a plural ("the %s vectors", "%s delete these rows"), and the mark of an index.
NOT_COUNTS_SQL = {"%s vectors", "%s delete these rows", "%s bytes", "% bytes"}


def nouns() -> set[str]:
    """Return the plurals of the last words of the nouns that ``counted`` gets."""
    found = set()
    for path in (*PACKAGE.rglob("*.py"), *sql_paths()):
        for noun in re.findall(r"""counted\(.*?, ['"]([\w -]+)['"]""", path.read_text(encoding="utf-8")):
            found.add(counted(2, noun.split()[-1]).split()[-1])
    return found


NOUNS = nouns()


def test_a_number_agrees_with_its_noun() -> None:
    faults = [
        (str(path.relative_to(ROOT)), *one)
        for path in sorted(PACKAGE.rglob("*.py"))
        for one in uncounted(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert faults == [], "use stcollection.counts.counted, or name an exception in NOT_COUNTS"


def test_a_number_agrees_with_its_noun_in_sql() -> None:
    faults = [
        (path.name, line, one)
        for path in sql_paths()
        for line, text in sql_texts(path)
        for one in uncounted_sql(text)
        if one not in NOT_COUNTS_SQL
    ]
    assert faults == [], "use stc.counted, or name an exception in NOT_COUNTS_SQL"


PAGE_PLURAL = re.compile(r"\{\w+(?::[^}.]*)?\}" + PLURAL.pattern)
#: Numbers of the page that are never 1: of folded lists, of a sample, of what is compared, and limits.
NEVER_ONE = {
    "{count:,} loaded files", "{count:,} editions", "{all:,} documents", "{systems} systems", "{annotators} annotators",
    "{most:,} permutations", "{most} systems", "{count:,} characters",
}  # fmt: skip


def test_a_number_agrees_with_its_noun_on_the_page() -> None:
    """``t`` and its relatives have one form; ``n`` chooses between two."""
    faults = []
    for path in sorted((PACKAGE / "explore").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("t", "later", "woven")):
                continue
            text = node.args[0].value if node.args and isinstance(node.args[0], ast.Constant) else ""
            faults += [
                (path.name, node.lineno, one[0])
                for one in PAGE_PLURAL.finditer(str(text))
                if one[2] in NOUNS and not VERBS.fullmatch(one[2]) and not any(map(SMALL.fullmatch, one[1].split()))
            ]
    assert [one for one in faults if one[2] not in NEVER_ONE] == []


@pytest.mark.parametrize(
    ("code", "faulty"),
    [
        ('f"{bad:,} faults"', True),
        ('f"{one.queries} judged queries"', True),
        ('f"{len(x)} documents were loaded"', True),
        ('f"{seconds:.0f} seconds"', True),
        ('f"{n:,} widgets"', True),
        ('f"{name} is long"', False),
        ('f"{origin} queries"', False),
        ('f"{name!r} runs"', False),
        ('f"at most {_MOST:,} runs"', False),
        ('f"{seconds:.1f} seconds"', False),
        ("f\"{counted(n, 'document was', 'documents were')} loaded\"", False),
    ],
)
def test_a_plural_after_a_number_is_found(code: str, *, faulty: bool) -> None:
    assert bool(list(uncounted(ast.parse(code)))) == faulty


def test_a_number_is_written_with_its_noun() -> None:
    assert [counted(n, "query") for n in (0, 1, 2000)] == ["0 queries", "1 query", "2,000 queries"]
    assert [counted(n, "second") for n in (0.5, 1.0, 30.0)] == ["0.5 seconds", "1 second", "30 seconds"]
    assert [counted(n, "answer was", "answers were") for n in (1, 2)] == ["1 answer was", "2 answers were"]


def test_sql_writes_a_number_as_python_does(conn: psycopg.Connection) -> None:
    for number in (0, 1, 2, 999, 1000, 12345, 1234567):
        for noun in ("query", "judged query", "document", "day"):
            [told] = conn.execute("SELECT stc.counted(%s, %s)", [number, noun]).fetchone() or [None]
            assert told == counted(number, noun)
    told = conn.execute("SELECT stc.counted(1, 'is', 'are'), stc.counted(NULL, 'word'), stc.counted(4321)").fetchone()
    assert told == ("1 is", "NULL words", "4,321")
