"""Studies are found by their descriptions; one that cannot be used is left out and named."""

from __future__ import annotations

import runpy
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from fastapi import FastAPI

from stcollection import plugins
from stcollection.explore.views import views
from stcollection.http.routes import add as add_routes
from stcollection.mcp import AnswerLimits
from stcollection.mcp.answers import LimitedReader
from stcollection.mcp.tools import ReadingTools
from stcollection.plugins import Study, StudyTable
from stcollection.web import words
from stcollection.web.desk import Desk

Plug = Callable[..., None]
GOOD = "tests.studies.toy:STUDY"
OTHER = Study(name="coverage", summary="Another one.")
FUTURE = Study(name="future", summary="Of tomorrow.", needs="9.1")
TAKEN = dict.fromkeys(("runs", "corpus", "bias"), "x:y")
SHADOWS = Study(name="run", summary="Takes.", commands=TAKEN, show=TAKEN, drop=TAKEN, export=TAKEN, plot=TAKEN, load=TAKEN)
WORDS = Study(name="wordy", summary="Takes a word.", show={"coverages": "commands:list"})
CORE = Study(name="corpus", summary="Is a stage.")
BROKEN_PAGE = Study(name="paged", summary="Has no page.", page="nothing:VIEW", package="tests.studies.toy")
NEITHER = "a text"
OURS = [study.name for study in plugins.studies()]


@pytest.fixture
def plug(monkeypatch: pytest.MonkeyPatch) -> Iterator[Plug]:
    """Install studies, each an entry point."""

    def installed(*values: str) -> None:
        points = [EntryPoint(f"plugged{number}", value, plugins.GROUP) for number, value in enumerate(values)]
        monkeypatch.setattr("importlib.metadata.entry_points", lambda group: points)
        plugins._found.cache_clear()

    yield installed
    monkeypatch.undo()
    plugins._found.cache_clear()


def test_folders_and_entry_points_are_found(plug: Plug) -> None:
    plug(GOOD)
    assert [study.name for study in plugins.studies()] == [*OURS, "toy"]
    assert plugins.problems() == ()
    toy = plugins.studies()[-1]
    assert (toy.package, toy.version) == ("tests.studies.toy", "")
    assert toy.part("store:count_notes").__name__ == "count_notes"
    assert toy.entries("commands") == {"count": "@tests.studies.toy.commands:count"}


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("tests.studies.nothing:STUDY", "ModuleNotFoundError: No module named 'tests.studies.nothing'"),
        ("tests.studies.toy.leaves:STUDY", "SystemExit: 3"),
        ("tests.test_plugins:missing", "AttributeError: module 'tests.test_plugins' has no attribute 'missing'"),
        ("tests.test_plugins:NEITHER", "its description is 'a text', not a Study"),
        ("tests.test_plugins:OTHER", "another study has the name 'coverage'"),
        ("tests.test_plugins:FUTURE", "it is made for stcollection 9.1; this is "),
        ("tests.test_plugins:WORDS", "the study 'coverage' has 'stc show coverages' too"),
        ("tests.test_plugins:CORE", "a part of stcollection has the name 'corpus'"),
    ],
)
def test_one_that_cannot_be_used_is_named_and_the_rest_works(plug: Plug, value: str, why: str) -> None:
    plug(value, GOOD)
    assert [study.name for study in plugins.studies()] == [*OURS, "toy"]
    [problem] = plugins.problems()
    assert problem.startswith("the study plugged0 is left out: ")
    assert why in problem


def test_of_two_packages_with_one_study_neither_is_used(plug: Plug) -> None:
    plug(GOOD, GOOD)
    assert [study.name for study in plugins.studies()] == OURS
    for problem, source in zip(plugins.problems(), ("plugged0", "plugged1"), strict=True):
        assert problem == f"the study {source} is left out: several packages have a study 'toy'; uninstall all but one"


def test_a_part_that_fails_to_import_is_left_out_with_a_warning(plug: Plug) -> None:
    plug("tests.test_plugins:BROKEN_PAGE")
    with pytest.warns(RuntimeWarning, match="nothing:VIEW of the study paged is left out: ModuleNotFoundError"):
        views = [study.name for study, _ in plugins.parts("page")]
    assert views == ["coverage"]


def test_a_study_replaces_no_command_of_the_core(plug: Plug) -> None:
    cli = Path(plugins.__file__).parent / "cli"
    plug(GOOD)
    before = {module: runpy.run_path(str(cli / f"{module}.py")) for module in ("tree", "subjects", "load")}
    plug(GOOD, "tests.test_plugins:SHADOWS")
    assert plugins.problems() == ()
    after = {module: runpy.run_path(str(cli / f"{module}.py")) for module in before}
    for module, names in (("tree", ["TREE"]), ("subjects", ["SHOW", "DROP", "EXPORT", "PLOT"]), ("load", ["_ROLES"])):
        for name in names:
            assert after[module][name] | before[module][name] == after[module][name], (module, name)


def test_a_study_translates_its_own_texts_only(plug: Plug) -> None:
    with words.speaking("de"):
        ours = words.t("Search")
    plug(GOOD)
    words._catalog.cache_clear()
    try:
        with words.speaking("de"):
            assert words.t("Notes about queries") == "Notizen zu Anfragen"
            assert words.n("{count} note", "{count} notes", 2) == "2 Notizen"
            assert words.t("Search") == ours
        with words.speaking("fr"), pytest.warns(RuntimeWarning, match=r"fr\.po of the study toy is left out"):
            assert words.t("Notes about queries") == "Notes about queries"
    finally:
        words._catalog.cache_clear()


def test_no_study_has_the_path_of_a_view() -> None:
    assert {view.name for view in views()} - {*OURS} <= plugins.VIEWS


def test_the_rights_of_a_table_are_a_row_of_stc_rights() -> None:
    rights = StudyTable(name="notes").rights()
    assert list(rights) == ["relation", "participant", "reader", "organiser", "schema"]
    assert list(rights.values()) == ["notes", "r", "r", "rawd", "stc"]
    [closed] = plugins.closed("secrets")
    assert (closed.schema, closed.participant, closed.reader, closed.organiser) == ("stc_all", "", "", "rawd")


def test_our_studies_name_parts_that_exist() -> None:
    for study in plugins.studies():
        assert study.docs is not None
        for where in (study.python, study.page, study.routes, study.tools, *study.sections.values(), *study.plot.values()):
            assert where is None or study.part(where) is not None


def test_routes_and_tools_of_a_study_are_served(plug: Plug) -> None:
    plug(GOOD)
    app = FastAPI()
    add_routes(app, Desk("host=nowhere"), "t")
    assert {"/api/toy-notes", "/api/coverage", "/api/search"} <= app.openapi()["paths"].keys()
    tools = ReadingTools(LimitedReader("host=nowhere", AnswerLimits())).all()
    assert "count_notes" in {tool.__name__ for tool in tools}
