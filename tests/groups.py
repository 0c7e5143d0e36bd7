"""Groups of commands by name, for tests that run the commands of one group."""

from __future__ import annotations

from typing import Any

import click

from stcollection.cli import stc


class Prefixed(click.Command):
    """``stc`` with its first words fixed: the commands of a group, also under the words of version 0.2."""

    def __init__(self, words: str) -> None:
        super().__init__(words.rpartition(" ")[2])
        self.words = words.split()

    def main(self, args: Any = None, prog_name: str | None = None, **extra: Any) -> Any:  # type: ignore[override]
        """Run a command. ``CliRunner`` calls it."""
        return stc.main([*self.words, *(args or ())], prog_name="stc", **extra)


analysis, answers, bundle, complexity, corpus, coverage, db, evaluation = map(
    Prefixed, ("analysis", "answers", "bundle", "complexity", "corpus", "coverage", "db", "evaluation")
)
annotations_, plot = Prefixed("complexity annotations"), Prefixed("plot")
qrels, retrieval, runs, synth, text, topics, vectors = map(
    Prefixed, ("qrels", "retrieval", "runs", "synth", "text", "topics", "vectors")
)
