"""The languages of the page without a browser: message files, wrapped texts, and the choice of a language."""

from __future__ import annotations

import ast
import asyncio
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter
from typing import Any

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po
from starlette.types import Message as Event
from starlette.types import Receive, Scope, Send

from stcollection.errors import BadArgument
from stcollection.explore import templates
from stcollection.explore.faults import error_text
from stcollection.explore.search.request import narrowing
from stcollection.web import words
from stcollection.web.words import LANGUAGES, MESSAGES, Spoken, meant, n, speaking, t, wanted, whole
from tools import messages

EXPLORE = MESSAGES.parents[1] / "explore"
OTHERS = [name for name in LANGUAGES if name != "en"]
# What shows its arguments to the reader, with the arguments that it does not show.
HIDDEN = {"el": 1, "input": 1, "code": 9}
SHOWN = {"aria_label", "caption", "label", "label_busy", "placeholder", "title"}
# Names and examples, the same in every language.
PLAIN = {"BibTeX", "RIS", "CSV", "RBP(p=0.8), P@5", 'voice assistants "at home" -games', "%retrieval%", "stc psql", "UTC"}
WORD = re.compile(r"[^\W\d_]{2}")
# Texts of several words that no reader sees: values, keys, classes of CSS.
INNER = {"; --all shows them", "already loaded", "by resources ", "number board-rank", "pairs of ", "set aside"}
UNDRAWN = {"asking.py", "files.py", "preview.py", "request.py", "rights.py"}  # modules with SQL and errors only
PHRASE = re.compile(r"[^\W\d_]{2,}[,.:;]? [^\W\d_]{2,}")
COMMAND = re.compile(r"'?stc | --[a-z]|attachment; |text/csv; |private, |\s*SELECT ")  # and headers of HTTP, and SQL
TABS = {path.parent.name for path in EXPLORE.glob("*/view.py")}
UNSEEN = {"execute", "compile", "SQL", "BadArgument", "StateError", "UnknownObject", "BadInput"}
WRAPPED = {"t", "n", "later", "meant", "woven"}


@pytest.fixture(scope="module")
def texts() -> Catalog:
    return messages.extracted()


def catalog(language: str) -> Catalog:
    with (MESSAGES / f"{language}.po").open("rb") as file:
        return read_po(file, locale=language)


def ids(found: Catalog) -> set[object]:
    return {(message.id, message.context) for message in found if message.id}


def placeholders(text: str) -> list[tuple[str, str | None]]:
    return sorted((name, spec) for _, name, spec, _ in Formatter().parse(text) if name is not None)


@pytest.mark.parametrize("language", OTHERS)
def test_a_message_file_has_exactly_the_texts_of_the_code(language: str, texts: Catalog) -> None:
    """'python -m tools.messages' adds and removes them."""
    assert ids(catalog(language)) == ids(texts)


@pytest.mark.parametrize("language", OTHERS)
def test_every_text_is_translated_with_its_placeholders(language: str) -> None:
    def wrong(message: Message) -> bool:
        translated = message.string if isinstance(message.string, tuple) else (str(message.string),)
        if isinstance(message.id, str):
            return any(not one or placeholders(one) != placeholders(message.id) for one in translated)
        return any(not one or named(one) != named(message.id[0]) for one in translated)

    def named(form: str) -> list[tuple[str, str | None]]:
        return [one for one in placeholders(form) if one[0] != "count"]  # "the only query" needs no number

    found = catalog(language)
    assert [message.id for message in found if message.id and wrong(message)] == []
    assert [message.id for message in found if message.fuzzy and message.id] == []


@pytest.mark.parametrize("language", OTHERS)
def test_figures_keep_the_semicolon_that_ends_their_names(language: str) -> None:
    found = catalog(language)
    assert [
        message.id
        for message in found
        if "; " in str(message.id) and "; see the" in str(message.id) and ";" not in str(message.string)
    ] == []


def sources() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(EXPLORE.rglob("*.py")):
        if "programs" not in path.parts:
            yield str(path.relative_to(EXPLORE)), ast.parse(path.read_text())


def literals(node: ast.expr) -> Iterator[str]:
    """The texts that an argument may be, but not those inside other calls."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield " ".join(str(part.value) for part in node.values if isinstance(part, ast.Constant))
    elif isinstance(node, ast.IfExp):
        yield from (*literals(node.body), *literals(node.orelse))
    elif isinstance(node, ast.BoolOp | ast.Tuple | ast.List):
        for one in node.values if isinstance(node, ast.BoolOp) else node.elts:
            yield from literals(one)
    elif isinstance(node, ast.BinOp):
        yield from (*literals(node.left), *literals(node.right))
    elif isinstance(node, ast.Starred):
        yield from literals(node.value)


def shown(call: ast.Call) -> Iterator[str]:
    """The texts that a call of 'ui', or of a function that draws, shows as they are."""
    name = ast.unparse(call.func)
    if not (name.startswith("ui.") or name in ("el", "table", "figure_output", "Column", "Group")):
        return
    short = name.rpartition(".")[2]
    hidden = next((count for start, count in HIDDEN.items() if short == start or short.startswith(f"{start}_")), 0)
    for argument in call.args[hidden:]:
        yield from literals(argument)
    for keyword in call.keywords:
        if keyword.arg in SHOWN:
            yield from literals(keyword.value)


def test_a_text_that_a_reader_sees_is_wrapped() -> None:
    found = [
        f"{path}:{node.lineno} {text!r}"
        for path, module in sources()
        for node in ast.walk(module)
        if isinstance(node, ast.Call)
        for text in shown(node)
        if WORD.search(text) and text.strip() not in PLAIN
    ]
    assert found == []


def phrases(node: ast.AST) -> Iterator[tuple[int, str]]:
    """The texts of several words in a module that are not translated, with their lines, without those of errors and SQL."""
    if isinstance(node, ast.Raise) or (
        isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in WRAPPED | UNSEEN
    ):
        return
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return  # a docstring
    if isinstance(node, ast.keyword) and node.arg in ("class_", "style"):
        return
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and PHRASE.search(node.value):
        yield node.lineno, node.value
    for part in ast.iter_child_nodes(node):
        yield from phrases(part)


def test_a_text_that_is_put_together_is_wrapped() -> None:
    """Also where it is not an argument of what draws it."""
    found = [
        f"{path}:{line} {text!r}"
        for path, module in sources()
        if path.partition("/")[0] in TABS and Path(path).name not in UNDRAWN
        for line, text in phrases(module)
        if not COMMAND.match(text) and text not in PLAIN | INNER
    ]
    assert found == []


def wrapped(call: ast.Call) -> Iterator[object]:
    """The texts of a call that translates, as the message files name them."""
    name, texts = ast.unparse(call.func), [one.value for one in call.args if isinstance(one, ast.Constant)]
    if name == "n":
        yield tuple(texts[:2]), None
    elif name == "meant":
        yield texts[0], texts[1]
    elif name in WRAPPED and texts:
        yield texts[0], None


def test_what_translates_finds_its_text_in_the_message_files(texts: Catalog) -> None:
    """The extraction reads no call inside an f-string."""
    known = ids(texts)
    missing = [
        f"{path}:{node.lineno} {one}"
        for path, module in sources()
        for node in ast.walk(module)
        if isinstance(node, ast.Call)
        for one in wrapped(node)
        if one not in known
    ]
    assert missing == []


def test_a_script_has_no_text_for_readers() -> None:
    """Templates give scripts their texts, in data attributes."""
    scripts = [path for path in sorted((EXPLORE / "static").glob("*.js")) if path.name != "htmx.min.js"]
    assert len(scripts) > 5
    literal = re.compile(r"""(?<![\w=])(Error\()?("[^"\n]*"|`[^`\n]*`)""")
    found = [
        f"{path.name}: {text}"
        for path in scripts
        for called, text in literal.findall(re.sub(r"^\s*//.*$| // .*$", "", path.read_text(), flags=re.MULTILINE))
        if not called and re.search(r"[A-Za-z]{2,} [a-z]{2,} [a-z]{2,}", text)
    ]
    assert found == []


def test_a_text_with_several_meanings() -> None:
    with speaking("de"):
        assert [t("Note"), meant("Note", "of an assessor"), meant("Note", "no such meaning")] == ["Hinweis", "Notiz", "Note"]
    assert meant("Note", "of an assessor") == "Note"


def test_an_error_whose_texts_are_marked_is_translated() -> None:
    own = BadArgument("the name is empty", hint="Enter your name: each judgment is stored with its annotator.")
    other = BadArgument("the name is empty", hint="Unknown.")
    assert error_text(own).message == "The name is empty."
    with speaking("de"):
        assert error_text(own)[::2] == ("Der Name fehlt.", None)
        assert error_text(other)[::2] == ("The name is empty.", "en")


def test_an_error_with_values_is_translated_too() -> None:
    with pytest.raises(BadArgument, match="the first year 2020 is after the last 1999") as found:
        narrowing({"first": 2020, "last": 1999, "cited": None, "grade": None})
    assert str(found.value.hint) == "Enter 1999 to 2020."
    with speaking("de"):
        told = error_text(found.value)
        assert told.message == "Das erste Jahr 2020 liegt nach dem letzten 1999."
        assert (told.hint, told.lang) == ("Geben Sie 1999 bis 2020 ein.", None)
    with speaking("fr"):
        assert "la première année 2020" in t(found.value.message)


def test_a_language_is_that_of_the_address_then_of_the_choice_then_of_the_browser() -> None:
    def spoken(address: str = "", cookie: str = "", browser: str = "") -> str:
        headers = [(b"cookie", cookie.encode()), (b"accept-language", browser.encode())]
        return wanted({"type": "http", "query_string": address.encode(), "headers": headers})

    assert spoken("lang=de", "stc_language=fr", "en") == "de"
    assert spoken("lang=xx", "a=b; stc_language=fr", "en") == "fr"
    assert spoken(cookie="stc_language=<script>", browser="it, fr-CH;q=0.8, de;q=0.9, en;q=0.1") == "de"
    assert spoken(browser="DE-at") == "de"
    assert spoken(browser="de;q=0, fr;q=zero, *") == "en"
    assert spoken("lang=" + "%ff" * 100, "=;;", ";q=,,;;") == spoken() == "en"


def test_values_are_put_in_after_the_translation() -> None:
    with speaking("de"):
        assert t("Signed in as {name}", name="Search {name}") == "Angemeldet als Search {name}"
        assert t("Search") == "Suchen"
        assert t("no such text {here}") == "no such text {here}"
        assert t("no such text {here}", here=1234) == "no such text 1234"


def test_numbers_choose_the_form_and_have_narrow_spaces() -> None:
    def documents(count: int) -> str:
        return n("{count:,} document", "{count:,} documents", count)

    assert [documents(0), documents(1), documents(1234), whole(1234)] == ["0 documents", "1 document", "1,234 documents", "1,234"]
    with speaking("de"):
        assert [documents(0), documents(1), documents(1234)] == ["0 Dokumente", "1 Dokument", "1\u202f234 Dokumente"]
        assert t("score {value:.4f}", value=0.5) == "Score 0.5000"
    with speaking("fr"):
        assert [documents(0), documents(1), documents(2)] == ["0 document", "1 document", "2 documents"]
        assert whole(1234567) == "1\u202f234\u202f567"


def test_elements_are_woven_into_a_text_which_is_escaped() -> None:
    with speaking("fr"):
        assert templates.woven("Neighbours of {title}", title=templates.code("<b>")) == "Voisins de <code>&lt;b&gt;</code>"


def test_requests_at_the_same_time_speak_their_own_languages() -> None:
    said: dict[str, str] = {}

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await asyncio.sleep(0.01)
        said[scope["path"]] = await asyncio.to_thread(t, "Search")

    async def nothing(_: Event | None = None) -> Any: ...

    async def ask(language: str) -> None:
        scope = {"type": "http", "path": language, "query_string": f"lang={language}".encode(), "headers": []}
        await Spoken(app)(scope, nothing, nothing)

    async def all_at_once() -> None:
        await asyncio.gather(*(ask(language) for language in LANGUAGES))

    asyncio.run(all_at_once())
    assert said == {"en": "Search", "de": "Suchen", "fr": "Rechercher"}
    assert words.language() == "en"
