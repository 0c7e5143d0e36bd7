"""The kinds of steps in a recipe. Each is a table of the file, whose keys are the parameters of a function of the library.

A key that is not a declared parameter, such as ``path``, is listed in ``inputs`` with its type.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, get_args

from stcollection.build import steps
from stcollection.corpus.parsing import OnDuplicate
from stcollection.db.settings import Settings
from stcollection.declared import REQUIRED, DeclaredParameter, Option, declared_fields, parameters
from stcollection.io.registry import names

# Parameters that depend on the machine, or that a build sets itself.
_OMITTED = frozenset({"address", "count", "rebuild", "text", "source", "layout"})


@dataclass(frozen=True, kw_only=True)
class StepKind:
    """A kind of step.

    :param word: name of the table in the recipe. :param function: name of the function or record whose parameters are keys;
        imported for its first step.
    :param perform: runs a step from its values by key; None: call the function. :param group: its commands; None: the function's.
    :param inputs: further keys. :param files: keys that name input files. :param required: keys that must be given.
    :param after: kinds of steps that it depends on. :param titled: keys whose values name the step.
    :param alone: the recipe has at most one such table. :param chosen_by: of two kinds with one word, this one has the key.
    :param on_change: values for a step whose files have changed since the last build, unless the recipe has the key.
    """

    word: str
    function: str
    perform: Callable[[Settings, dict[str, Any]], Any] | None = None
    group: str | None = None
    inputs: Sequence[DeclaredParameter] = ()
    files: Sequence[str] = ()
    required: Sequence[str] = ()
    after: Sequence[str] = ()
    titled: Sequence[str] = ()
    alone: bool = False
    chosen_by: str | None = None
    on_change: Mapping[str, Any] = field(default_factory=dict)

    @property
    def stage(self) -> str:
        """The group of commands that it belongs to."""
        return self.group or self.function.partition(".")[0]

    def run(self, settings: Settings, values: dict[str, Any]) -> Any:
        """Run a step. :param values: by key."""
        return (self.perform or steps.of(self.function))(settings, values)

    @property
    def keys(self) -> dict[str, DeclaredParameter]:
        """The keys of its table, by name."""
        function = steps.imported(self.function)
        declared = declared_fields(function) if isinstance(function, type) else parameters(function)
        known = {parameter.name: parameter for parameter in (*declared, *self.inputs)}
        return {name: parameter for name, parameter in known.items() if name not in _OMITTED or parameter in self.inputs}

    @property
    def options(self) -> dict[str, str]:
        """The keys by the options of its command: errors of the library name options."""
        flags = {name: key.option.flags or (f"--{key.each.replace('_', '-')}",) for name, key in self.keys.items()}
        return {flag: name for name, several in flags.items() for flag in several}

    @property
    def needed(self) -> list[str]:
        """The keys that a table must have."""
        return [name for name, key in self.keys.items() if key.default is REQUIRED or name in self.required]


def _key(
    name: str,
    kind: Any = str,
    *,
    many: bool = False,
    default: Any = None,
    choices: Sequence[str] = (),
    help: str = "",  # noqa: A002
) -> DeclaredParameter:
    return DeclaredParameter(
        name=name, kind=kind, many=many, default=default, help=help, bounds=None, option=Option(choices=choices)
    )


_PATHS = _key("path", Path, many=True, default=REQUIRED, help="File, or several.")
_PATH = _key("path", Path, default=REQUIRED, help="File.")
_MAP = _key("map", help="Names of its fields: docno=key,title=headline,text=body.")


def _format(kind: Any) -> DeclaredParameter:
    return _key("format", choices=names(kind), help="Format of the files; recognised by default.")


#: In the order in which their steps are built.
KINDS: tuple[StepKind, ...] = (
    StepKind(
        word="measures",
        function="evaluation.own.OwnMeasure",
        perform=steps.put_measure,
        titled=("ir",),
    ),
    StepKind(
        word="systems",
        function="retrieval.systems.add_system",
        files=("path",),
        titled=("system",),
    ),
    StepKind(
        word="corpus",
        group="corpus",
        function="build.steps.CorpusOptions",
        perform=steps.load_corpus,
        inputs=(
            _PATHS,
            _format("corpus"),
            _MAP,
            _key("on_duplicate", choices=get_args(OnDuplicate)),
            _key("date", date, help="The files are the collection on this day."),
        ),
        files=("path",),
        titled=("path",),
        on_change={"on_duplicate": "replace"},
    ),
    StepKind(
        word="configuration",
        function="text.configure.configure",
        perform=steps.configure_text,
        files=("thesaurus", "synonyms", "stop"),
        titled=("name",),
        on_change={"replace": True},
    ),
    StepKind(
        word="text",
        function="text.index.index",
        after=("corpus", "configuration"),
        alone=True,
    ),
    StepKind(
        word="vectors",
        function="vectors.embed.embed",
        perform=steps.embed_documents,
        inputs=(_key("stored", Path, help="File of vectors by text, used instead of the model."),),
        files=("stored",),
        after=("corpus",),
        titled=("model",),
    ),
    StepKind(
        word="vectors",
        function="vectors.imported.import_vectors",
        files=("vectors", "ids", "docnos"),
        after=("corpus", "topics"),
        titled=("vectors",),
        chosen_by="vectors",
    ),
    StepKind(
        word="vector_index",
        function="vectors.index.index",
        after=("corpus", "vectors"),
        titled=("model",),
    ),
    StepKind(
        word="readability",
        function="complexity.compute.compute",
        perform=steps.measure_readability,
        after=("corpus",),
        alone=True,
    ),
    StepKind(
        word="credibility",
        function="complexity.credibility.rank_citations",
        after=("corpus",),
        alone=True,
    ),
    StepKind(
        word="annotations",
        function="complexity.annotations.load_annotations",
        perform=steps.add_annotations,
        inputs=(_PATHS,),
        files=("path",),
        titled=("path",),
    ),
    StepKind(
        word="topics",
        function="topics.load.load",
        perform=steps.add_topics,
        inputs=(_PATHS, _format("topics"), _MAP),
        files=("path",),
        titled=("path",),
        on_change={"replace": True},
    ),
    StepKind(
        word="articles",
        function="topics.articles.load_articles",
        perform=steps.add_articles,
        inputs=(_PATHS,),
        files=("path",),
        after=("topics",),
        titled=("path",),
        on_change={"replace": True},
    ),
    StepKind(
        word="origins",
        function="topics.origins.set_origins",
        files=("path",),
        titled=("path",),
    ),
    StepKind(
        word="excluded",
        function="topics.excluded.set_excluded",
        files=("path",),
        after=("topics", "corpus"),
        titled=("path",),
    ),
    StepKind(
        word="qrels",
        function="qrels.load.import_qrels",
        perform=steps.each_path("qrels.load.import_qrels"),
        inputs=(_PATHS,),
        files=("path",),
        titled=("edition", "path"),
    ),
    StepKind(
        word="subtopics",
        function="qrels.subtopics.import_subtopics",
        perform=steps.each_path("qrels.subtopics.import_subtopics"),
        inputs=(_PATHS,),
        files=("path",),
        titled=("edition", "path"),
    ),
    StepKind(
        word="preferences",
        function="qrels.preferences.import_preferences",
        perform=steps.each_path("qrels.preferences.import_preferences"),
        inputs=(_PATHS,),
        files=("path",),
        titled=("edition", "path"),
    ),
    StepKind(
        word="run",
        group="retrieval",
        function="evaluation.incoming.make_run",
        after=("systems", "corpus", "text", "vectors", "vector_index", "readability", "credibility", "topics", "articles"),
        titled=("name",),
    ),
    StepKind(
        word="run",
        function="runs.load.ImportOptions",
        perform=steps.take_run,
        inputs=(_PATH, _key("name"), _format("runs")),
        files=("path", "metadata"),
        titled=("name",),
        chosen_by="path",
    ),
    StepKind(
        word="fuse",
        function="retrieval.fuse.fuse",
        after=("run",),
        titled=("name",),
    ),
    StepKind(
        word="rerank",
        function="retrieval.rerank.rerank_run",
        required=("name",),
        after=("run", "fuse", "vectors"),
        titled=("name",),
    ),
    StepKind(
        word="score",
        function="evaluation.score.leaderboard",
        inputs=(_key("expect", dict, help="Means that the leaderboard must have, by run and measure."),),
        after=("measures", "run", "fuse", "rerank", "qrels", "subtopics", "preferences"),
        titled=("edition",),
    ),
)
WORDS = tuple(dict.fromkeys(kind.word for kind in KINDS))
#: Kinds of steps that make a run, and the one name that it has.
RUNS = ("run", "fuse", "rerank")
