"""Commands and options that earlier versions had under other names.

They work until version 0.3 and print a warning with the new name.
"""

from __future__ import annotations

from collections.abc import Sequence

import click

#: Old words of a command: new words. The longest match counts.
MOVED = {
    "analysis answers": "answers",
    "analysis coverage": "coverage compute",
    "analysis coverages": "coverage list",
    "analysis coverages drop": "coverage drop",
    "analysis coverages show": "coverage show",
    "analysis study": "synth report",
    "analysis synth": "synth",
}
#: Old options: new options, by command.
OPTIONS = {
    "analysis bias": {"--bootstrap": "--resamples", "--by-query": "--random-slopes", "--model": "--mixed-model"},
    "analysis expansion": {"--against": "--reference"},
    "analysis findings": {"--level": "--min-grade"},
    "analysis labels": {"--level": "--min-grade", "--most": "--limit"},
    "analysis origins": {"--level": "--min-grade"},
    "analysis plot bias": {"--bootstrap": "--resamples"},
    "analysis plot depth": {"--relevant": "--min-grade"},
    "analysis plot distribution": {"--most": "--limit", "--smallest": "--min-documents"},
    "analysis plot growth": {"--against": "--reference", "--of": "--queries"},
    "analysis plot readable": {"--k": "--cutoff"},
    "analysis reliability": {"--against": "--reference", "--bootstrap": "--resamples", "--of": "--queries"},
    "answers baseline": {"--run": "--name"},
    "answers cluster": {"--at-least": "--min-documents", "--run": "--name"},
    "answers extract": {"--at-least": "--min-score"},
    "answers import": {"--run": "--name"},
    "answers leaderboard": {"--draws": "--resamples"},
    "answers score": {"--by-query": "--per-query"},
    "complexity annotations agreement": {"--level": "--confidence"},
    "complexity annotations correlate": {"--level": "--confidence"},
    "complexity annotations predict": {"--level": "--confidence", "--most-vif": "--max-vif"},
    "complexity citations": {"--worst": "--limit"},
    "complexity credibility": {"--least": "--min-documents"},
    "coverage compute": {"--again": "--recompute"},
    "evaluation leaderboard": {"--k": "--cutoff", "--level": "--min-grade"},
    "evaluation readability": {"--k": "--cutoff"},
    "evaluation score": {"--level": "--min-grade"},
    "qrels agreement": {
        "--binary-from": "--min-grade",
        "--bootstrap": "--resamples",
        "--every": "--all-pairs",
        "--level": "--confidence",
    },
    "qrels allow": {"--asks": "--requests"},
    "qrels check": {"--rel": "--min-grade", "--relevant": "--min-relevant"},
    "qrels impact": {"--run": "--runs"},
    "qrels import": {"--open": "--no-hide"},
    "qrels llm judge": {"--like": "--rejudge", "--missing": "--unjudged"},
    "qrels pool make": {
        "--effect": "--most-useful",
        "--relevant": "--min-grade",
        "--teams": "--min-teams",
        "--without": "--exclude",
    },
    "qrels pool show": {"--relevant": "--min-grade"},
    "retrieval combine": {"--keep": "--in-place"},
    "retrieval combine-tune": {"--by": "--measure", "--give-up": "--max-loss"},
    "retrieval pareto": {"--by": "--measure"},
    "score": {"--level": "--min-grade"},
    "synth cut": {"--least": "--min-relevant", "--level": "--min-grade", "--most": "--max-relevant"},
    "synth generate": {"--many": "--per-document"},
    "synth report": {"--run": "--runs"},
    "synth sample": {"--n": "--documents"},
    "synth select": {"--level": "--min-grade", "--like": "--match", "--n": "--size"},
    "vectors audit": {"--k": "--cutoff", "--queries": "--sample"},
}
_LONGEST = max(len(old.split()) for old in MOVED)


def renamed(old: str, new: str, value: str) -> str:
    """Warn on stderr that a spelling is deprecated, and return its present value."""
    click.echo(f"stc: warning: '{old}' is now '{new}'; version 0.3 removes the old name", err=True)
    return value


def current(words: Sequence[str]) -> list[str]:
    """Return the words of a command in their current spelling. Warn on stderr if the spelling is old."""
    for length in range(_LONGEST, 0, -1):
        old = " ".join(words[:length])
        if (new := MOVED.get(old)) is not None:
            return [*renamed(f"stc {old}", f"stc {new}", new).split(), *words[length:]]
    return list(words)


def current_options(command: str, arguments: Sequence[str]) -> list[str]:
    """Return the arguments of a command with the current names of its options. Warn on stderr of each old name.

    :param command: its words without ``stc``.
    """
    names = OPTIONS.get(command, {})
    found: list[str] = []
    for at, argument in enumerate(arguments):
        if argument == "--":
            return [*found, *arguments[at:]]
        option, equals, value = argument.partition("=")
        if new := names.get(option):
            option = renamed(option, new, new)
        found.append(f"{option}{equals}{value}")
    return found
