"""Verbs: one command for files and stored runs, help by a word, commands of version 0.2, and how many commands there are."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from stcollection import demo
from stcollection.cli import stc
from stcollection.cli.aliases import announce, new_options, new_words, renamed, renamed_options
from stcollection.cli.folder import Folder
from stcollection.cli.merged import Merged
from stcollection.cli.parameters import long_name, options_of
from tests.acceptance.conftest import Stc
from tests.acceptance.test_commands import commands

pytestmark = pytest.mark.slow
QRELS = demo.DATA / "demo.train.qrels"
#: Verbs whose next word is a subject, so that each is one command; and the largest numbers that exist.
SUBJECTS = {"show", "drop", "export", "plot", "serve"}
MOST_COMMANDS, MOST_ENTRIES, MOST_DESCRIPTIONS, MOST_OF_ONE = 123, 1132, 740, 15


def exists(words: list[str]) -> bool:
    """Whether words are a command, or a command and options of it."""
    if words[0] == "help":
        return True
    command: click.Command | None = stc
    for word in words:
        if not isinstance(command, Folder):
            return word.startswith("--") or words[words.index(word) - 1].startswith("--")
        command = command.get_command(click.Context(command), word)
        if command is None:
            return False
    return True


def test_the_commands_stay_few() -> None:
    leaves = [words for words, command in commands(stc) if not isinstance(command, click.Group)]
    count = len({words[:1] if words[0] in SUBJECTS else words for words in leaves})
    users: dict[tuple[str, str | None], list[tuple[tuple[str, ...], str]]] = defaultdict(list)
    for words, command in commands(stc):
        if isinstance(command, click.Group):
            continue
        options = {name: options_of(one) for name, one in command.variants.items()} if isinstance(command, Merged) else {}
        options["itself"] = command.selecting if isinstance(command, Merged) else options_of(command)
        for variant, theirs in options.items():
            for option in (option for option in theirs if not option.hidden):
                users[long_name(option), option.help].append((words, variant))
    own = Counter(places[0] for places in users.values() if len(places) == 1)
    assert count <= MOST_COMMANDS
    assert sum(map(len, users.values())) <= MOST_ENTRIES
    assert len(users) <= MOST_DESCRIPTIONS
    assert own.most_common(1)[0][1] <= MOST_OF_ONE


@pytest.mark.parametrize("old", new_words())
def test_an_old_command_has_new_words_that_exist(old: str) -> None:
    renaming = renamed([*old.split(), "--quiet"])
    assert renaming is not None
    assert exists(new_words()[old].split()), old


def test_the_new_words_are_printed_unless_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stcollection.cli.announce", announce)
    loud = CliRunner().invoke(stc, ["evaluation", "measures", "--format", "csv"])
    quiet = CliRunner().invoke(stc, ["evaluation", "measures", "--format", "csv", "--quiet"])
    new = CliRunner().invoke(stc, ["show", "measures", "--format", "csv"])
    assert loud.stderr == "'stc evaluation measures' is now 'stc show measures'\n"
    assert (quiet.stderr, new.stderr) == ("", "")
    assert loud.stdout == quiet.stdout == new.stdout


def test_an_old_option_gets_its_new_words(monkeypatch: pytest.MonkeyPatch) -> None:
    typed = "synth generate s --t5 m --top-k 3 --batch=4 --words-only -- --top-k"
    args, replaced = renamed_options(typed.split())
    assert " ".join(args) == "synth generate s --t5 m --option top_k=3 --option batch=4 --near cosine=none -- --top-k"
    assert replaced == {"--top-k": "--option top_k=", "--batch": "--option batch=", "--words-only": "--near cosine=none"}
    assert renamed_options(["vectors", "embed", "--batch", "4"]) == (["vectors", "embed", "--batch", "4"], {})
    for old, new in (
        ("plot years --csv f.csv --csv=g.csv", "plot years --out=f.csv --out=g.csv"),
        ("show runs --raw --format csv", "show runs --format csv-raw"),
        ("show runs --format=json --raw -- --raw", "show runs --format=json -- --raw"),
    ):
        assert " ".join(renamed_options(old.split())[0]) == new
    for path, options in new_options().items():
        command: click.Command | None = stc
        for word in path.split():
            assert isinstance(command, Folder)
            command = command.get_command(click.Context(command), word)
        while isinstance(command, Folder):  # a group is all its commands
            command = command.get_command(click.Context(command), command.list_commands(click.Context(command))[0])
        assert command is not None
        taken = {name for option in options_of(command) for name in option.opts}
        assert {new.split()[0].rstrip("=") for new in options.values()} <= taken, path
        assert not options.keys() & taken, path
    monkeypatch.setattr("stcollection.cli.announce", announce)
    refused = CliRunner().invoke(stc, ["synth", "generate", "s", "--t5", "m", "--top-k", "x"])
    assert "'--top-k' is now '--option top_k='\n" in refused.stderr


def test_serve_has_an_old_and_a_new_meaning() -> None:
    assert renamed(["serve", "page"]) is None
    assert renamed(["serve", "--help"]) is None
    old = renamed(["serve", "--port", "1"])
    assert old is not None
    assert old.args == ["serve", "embeddings", "--port", "1"]


def test_score_takes_files_and_stored_runs(on_demo: Stc, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "bm25.run"
    assert on_demo("export", "run", "bm25", "--out", file).returncode == 0
    stored, of_file = on_demo("score", "bm25", "--edition", "train", "-m", "AP"), on_demo("score", file, QRELS, "-m", "AP")
    assert stored.stdout.split()[4:6] == ["bm25", "0.5238"]
    assert of_file.stdout.split()[4:6] == ["bm25", "0.5238"]
    assert "hybrid" in on_demo("score", "--edition", "train").stdout
    assert on_demo("score", "bm25", "--edition", "train", "-m", "AP", "--by", "query").stdout.count("\n") > 16
    assert on_demo("score", "bm25", "--edition", "train", "--worst", "2").stdout.count("\nD0") == 2
    assert "hybrid" in on_demo("score", "bm25", "hybrid", "--edition", "train", "--significance", "--format", "latex").stdout
    monkeypatch.chdir(tmp_path)
    for words, part in {
        ("score", QRELS, file): "the judgments must come last",
        ("score", file, "--edition", "train"): "--edition names stored judgments",
        ("score", "no.run", QRELS): "the file no.run does not exist",
        ("score", "bm25", "--edition", "train", "--columns", "query=q"): "--edition is for",
        ("score", "bm25", "--edition", "train", "--baseline", "hybrid"): "--baseline is for --significance, not for stored runs.",
    }.items():
        refused = on_demo(*words)
        assert (refused.returncode, part in refused.stderr) == (2, True), refused.stderr
    Path("bm25").write_text("")
    assert "'bm25' is a file and a stored run" in on_demo("score", "bm25").stderr
    assert on_demo("score", "bm25", "--edition", "train").returncode == 2


def test_two_runs_are_compared_by_query(on_demo: Stc, tmp_path: Path) -> None:
    figure = tmp_path / "differences.svg"
    compared = on_demo("compare", "bm25", "hybrid", "--edition", "train", "--by", "query", "--limit", "3", "--plot", figure)
    assert compared.stdout.split()[:5] == ["query", "text", "bm25", "hybrid", "difference"]
    assert compared.stdout.count("\nD0") == 3
    assert figure.read_text().startswith("<?xml")


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("search x --depth 3", "'stc run' and 'stc fuse' have it."),
        ("status --format json", "No such option '--format'"),
        ("load --as qrel x", "did you mean 'qrels'?"),
        ("plot systms", "did you mean 'stc plot systems'?"),
        ("score --format tabel", "did you mean 'table'?"),
        ("serve pge", "did you mean 'stc serve page'?"),
        ("help kapa", "did you mean 'kappa'"),
    ],
)
def test_wrong_words_get_a_suggestion(typed: str, told: str) -> None:
    refused = CliRunner().invoke(stc, typed.split(), prog_name="stc")
    assert refused.exit_code == 2
    assert told in refused.stderr


def test_help_finds_by_a_word() -> None:
    printed = {word: CliRunner().invoke(stc, ["help", word]).stdout for word in ("ndcg", "upload", "duplicate")}
    for word, part in [
        ("ndcg", "nDCG@k, ndcg_cut_k"),
        ("ndcg", "ndcg()"),
        ("upload", "stc serve page"),
        ("upload", "stc runs receive"),
        ("duplicate", "--on-duplicate"),
    ]:
        assert part in printed[word], word


def test_help_lists_and_describes() -> None:
    every = CliRunner().invoke(stc, ["help", "--all"]).stdout
    listed = {line[:32].strip() for line in every.splitlines()}
    leaves = {" ".join(words) for words, command in commands(stc) if not isinstance(command, click.Group)}
    assert leaves <= listed
    assert CliRunner().invoke(stc, ["help"]).stdout.splitlines()[1:] == CliRunner().invoke(stc, ["--help"]).stdout.splitlines()[1:]
    assert "--worst" in CliRunner().invoke(stc, ["help", "score"]).stdout
    assert len(CliRunner().invoke(stc, ["--help"], terminal_width=100).stdout.splitlines()) < 45
