"""Translation of messages for Python: replace the commands and options that hints name by Python calls.

Messages are written once. ``'stc index' builds it`` becomes ``c.text.index() builds it``, and ``--replace`` ``replace=True``.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, get_args

from stcollection.io import registry
from stcollection.io.formats import Kind

# The call for each command, and its arguments if the hint names none.
CALLS = {
    "load": ("c.load", "path"),
    "build": ("c.build", "recipe"),
    "bundle make": ("c.bundle", "path"),
    "load --as corpus": ("c.corpus.load", "path"),
    "drop documents": ("c.corpus.remove", "docno"),
    "show corpus": ("c.corpus.count", ""),
    "show rejects": ("c.corpus.rejects", ""),
    "index": ("c.text.index", ""),
    "show text": ("c.text.status", ""),
    "vectors embed": ("c.vectors.embed", ""),
    "vectors index": ("c.vectors.index", ""),
    "complexity compute": ("c.complexity.compute", ""),
    "load --as articles": ("c.topics.articles", "path"),
    "load --as topics": ("c.topics.add", "path"),
    "drop queries": ("c.topics.remove", "query"),
    "topics set": ("c.topics.set", "name, queries"),
    "show sets": ("c.topics.sets", ""),
    "load --as qrels": ("c.qrels.add", "path, edition=…"),
    "load --as subtopics": ("c.qrels.add_subtopics", "path, edition=…"),
    "show editions": ("c.qrels.editions", ""),
    "drop edition": ("c.qrels.drop", "edition"),
    "qrels impact": ("c.analysis.impact", "a, b"),
    "load --as runs": ("c.runs.load", "path"),
    "show runs": ("c.runs", ""),
    "drop runs": ("c.runs.drop", "run"),
    "export run": ("c.runs.export", "run, path"),
    "run": ("c.run", "system"),
    "search": ("c.search", "query"),
    "show systems": ("c.systems", ""),
    "load --as measures": ("c.add_measures", "path"),
    "drop measure": ("c.drop_measure", "measure"),
    "drop system": ("c.drop_system", "system"),
    "fuse": ("c.fuse", "name, runs"),
    "retrieval rerank": ("c.rerank", "run"),
    "retrieval combine": ("c.complexity.combine", "run"),
    "score": ("c.score", ""),
    "score --leaderboard": ("c.leaderboard", ""),
    "score --standard-errors": ("c.sampled", ""),
    "show measures": ("stcollection.measures", ""),
    "compare": ("c.compare", ""),
    "db check": ("c.check", ""),
    "db create": ("stcollection.create", "name"),
    "show collections": ("stcollection.collections", ""),
}
# Options with another name in Python.
_NAMES = {
    "unknown_docs": "unknown_documents",
    "format": "layout",
    "field": "fields",
    "as": "short",
    "map": "grades",
    "min_documents": "smallest",
}
_OF_CALL = {("qrels impact", "all"): "a, b, every"}
# Options that name a file: each has a call.
_FILES = {"corpus": "c.corpus.load(path)", "topics": "c.topics.add(path)", "qrels": "c.qrels.add(path, edition=…)"}
_FLAGS = {"add", "replace", "rebuild", "recompute", "strict", "everyone", "even_sealed", "all", "simulated"}
_CHOICES = {
    "bootstrap", "error", "few", "first", "best", "hnsw", "last", "latin-1", "none", "pg_textsearch", "portable", "randomisation",
    "replace", "skip", "stub",
}  # fmt: skip

_VALUE = r"[^\s'()]*[^\s'().,;:]"
# Any other command: a group, sometimes a group in it, and the command.
_OTHER = r"(?!in\b)[a-z]+(?: (?:annotations|llm|pool|review|user))?(?: [a-z][a-z-]*)?"
_WORDS = "|".join([*sorted(CALLS, key=len, reverse=True), _OTHER])
_ARGUMENTS = rf"(?P<{{}}>(?: --[a-z][a-z-]*(?: (?!--)(?:[A-Z]{{{{2,}}}}\b|{_VALUE}))?| [A-Z]{{{{2,}}}}\b(?:\.[a-z]+)?)*)"
_PART = re.compile(
    r"(?P<image>; [^';]*'docker compose[^']*'(?: has it)?)"
    r"|(?P<piped> \| stc load --as corpus -)"
    r"|PGOPTIONS='-c (?P<setting>\w+)=(?P<value>\w+)' stc …"
    r"|\b(?P<variable>[A-Z][A-Z_]+)=(?P<given>\S+) stc …"
    rf"|(?<!\w)'stc (?:--db \S+ )?(?P<command>{_WORDS})(?P<quoted>(?: [^']*)?)'(?!\w| \(in a)"
    rf"|\bstc (?:--db \S+ )?(?P<bare>{_WORDS})\b{_ARGUMENTS.format('arguments')}"
    r"|(?P<kept>(?<!\w)'[^']*'(?!\w)|pip install(?: --?\w+)* [^\s;]+)"
    rf"|(?<![\w-])--(?P<option>[a-z][a-z-]*)(?P<values>(?: {_VALUE}(?:(?:, | or | and )(?!--){_VALUE})*)?)"
    r"|(?P<measures>(?<![\w-])-m [^\s)]+(?: -m [^\s)]+)*)"
    r"|(?P<again>\b(?:the same|this|Another|another) command\b)"
)


def in_python(text: str, method: Callable[..., Any] | None = None) -> str:
    """Return a message or hint worded for Python.

    :param method: the called method, whose parameters determine how options are written.
    """
    return _PART.sub(lambda found: _written(found, method), text)


def _written(found: re.Match[str], method: Callable[..., Any] | None) -> str:
    if found["image"]:
        return ""
    if found["measures"]:
        return f"measures={found['measures'].replace('-m ', '').split()}"
    if found["piped"]:
        return " > documents, then c.corpus.load('documents')"
    if found["setting"]:
        return f"""c.sql("SET {found["setting"]} = '{found["value"]}'")"""
    if found["variable"]:
        return f'os.environ["{found["variable"]}"] = "{found["given"]}"'
    if words := found["command"] or found["bare"]:
        return _call(words, (found["quoted"] or found["arguments"] or "").split())
    if found["option"]:
        return _options(found["option"], found["values"], method)
    return found["again"].replace("command", "call") if found["again"] else found[0]


def _call(words: str, arguments: list[str]) -> str:
    """Return ``c.topics.add(path)`` for ``stc load --as topics PATH``."""
    if words not in CALLS:
        return f"'{' '.join(['stc', words, *arguments])}' (in a shell)"
    name, usual = CALLS[words]
    if words == "db create":  # the name may have blanks
        arguments = [" ".join(arguments)] if arguments else []
    given: list[str] = []
    while arguments:
        word = arguments.pop(0)
        if not word.startswith("--"):
            name_only = word.partition(".")[0]
            given.append(name_only.lower() if name_only.isupper() else _literal(word))
            continue
        option = word[2:].replace("-", "_")
        takes = option not in _FLAGS and arguments and not arguments[0].startswith("--")
        value = _literal(arguments.pop(0)) if takes else "True" if option in _FLAGS else "…"
        given.append(
            f"fields=[{value}]" if option == "field" and value != "…" else f"{_OF_CALL.get((words, option), option)}={value}"
        )
    return f"{name}({', '.join(given) or usual})"


def _options(option: str, values: str, method: Callable[..., Any] | None) -> str:
    """Return ``on_duplicate="first" or "last"`` for ``--on-duplicate first or last``. Words that are not values are unchanged."""
    name = option.replace("-", "_")
    if name in _FILES:
        return _FILES[name] + re.sub(r"^ (?:[/~.]\S*|[A-Z]+|\S+\.\w+)(?=,|$)", "", values)
    if name in _FLAGS:
        return f"{_keyword(name, 'True', method)}{in_python(values, method)}"
    parts = re.split(r"(, | or | and | )", values)  # a separator before each word
    taken = 0
    while taken + 2 < len(parts) and _is_value(parts[taken + 2]):
        taken += 2
    value = "".join(_literal(one) if at % 2 == 0 else one for at, one in enumerate(parts[2 : taken + 1])) or "…"
    rest = "".join(parts[taken + 1 :])
    return _keyword(name, value, method) + in_python(rest, method)


def _keyword(name: str, value: str, method: Callable[..., Any] | None) -> str:
    """Return ``name=value``, or for a record's field ``options=stcollection.JudgmentOptions(name=value)``."""
    parameters = {} if method is None else inspect.signature(method).parameters
    for one in (name, _NAMES.get(name, name)):
        for parameter in parameters.values():
            default = parameter.default
            if not is_dataclass(default) or isinstance(default, type):
                if parameter.name == one:
                    return f"{one}={value}"
                continue
            own = [field.name for field in fields(default)]
            if one in own or parameter.name == one:
                return f"{parameter.name}=stcollection.{type(default).__name__}({one if one in own else own[0]}={value})"
    return f"{name}={value}"


def _is_value(word: str) -> bool:
    return word.isupper() or word.isdecimal() or "=" in word or "," in word or word in _CHOICES or word in _formats()


@cache
def _formats() -> frozenset[str]:
    return frozenset(name for kind in get_args(Kind) for name in registry.names(kind))


def _literal(word: str) -> str:
    """Return a value as a Python literal; … for a placeholder."""
    if word.isupper():
        return "…"
    if found := re.fullmatch(r"(-?\d+)=…\.?", word):
        return f"{{{found[1]}: …}}"
    return word if word.isdecimal() else f'"{word}"'
