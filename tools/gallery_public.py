"""The gallery's figures from public collections: their commands, and how they are drawn.

The collections lie in a folder as CONTRIBUTING.md (Real collections) lists them. Only the numbers behind the figures are kept, in
docs/figures/public, not the collections.
"""

from __future__ import annotations

import csv
import math
import os
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

STORED = Path(__file__).resolve().parents[1] / "docs" / "figures" / "public"


class Drawn(NamedTuple):
    """A figure of the gallery.

    :param command: without ``stc`` and ``--out``. :param about: one sentence on the figure.
    :param page: the page that explains it, relative to docs/howto.
    """

    name: str
    command: str
    about: str
    page: str


class Public(NamedTuple):
    """A public collection. :param database: its name. :param about: where it comes from. :param load: shell commands."""

    database: str
    title: str
    about: str
    load: tuple[str, ...]
    figures: tuple[Drawn, ...]


_RELIABILITY = "check-reliability.md#do-generated-queries-rank-systems-like-human-ones"

COLLECTIONS = (
    Public(
        "dl21",
        "TREC Deep Learning 2021",
        "32 runs and NIST's judgments. The edition `sparse` has the first relevant document of each query.",
        (
            "stc load --as topics trec-dl/dl21/queries.tsv",
            "stc load --as qrels trec-dl/dl21/nist.qrels --edition nist",
            "awk '$4 > 0 && !seen[$1]++' trec-dl/dl21/nist.qrels | stc load --as qrels - --edition sparse",
            "stc load --as runs trec-dl/dl21/runs/*.gz",
        ),
        (
            Drawn(
                "public-systems",
                "plot systems --edition nist",
                "Mean of each run with its interval over queries.",
                "figures.md#scores-and-rankings",
            ),
            Drawn(
                "public-ranks",
                "plot ranks --edition nist",
                "Rank of each run with its interval, and groups of runs that do not differ significantly.",
                "compare-runs.md#rank-with-ties",
            ),
            Drawn(
                "public-labels",
                "plot labels nist sparse",
                "Systems by sparse judgments against full ones.",
                "llm-judges.md#test-whether-other-labels-rank-systems-alike",
            ),
        ),
    ),
    Public(
        "dl23",
        "TREC Deep Learning 2023, synthetic queries",
        "Real queries, those of T5 and of GPT-4; judgments of NIST and of GPT-4; scores of 35 systems under GPT-4's labels"
        " ([source](../howto/check-reliability.md#check-published-findings-on-your-data)).",
        (
            "stc load --as topics trec-dl/dl23/queries.tsv",
            "stc load --as origins trec-dl/dl23/query_info.tsv",
            "stc load --as qrels trec-dl/dl23/nist.qrels --edition nist",
            "stc load --as qrels trec-dl/dl23/gpt4.qrels --edition gpt4 --origin llm --annotator gpt-4",
            "stc load --as scores trec-dl/dl23/systems.gpt4.ndcgeval --edition gpt4 --families trec-dl/dl23/systems.tsv",
        ),
        (
            Drawn(
                "public-reliability",
                "plot reliability gpt4 --pair human:synthetic",
                "Systems on synthetic queries against real ones, by family.",
                _RELIABILITY,
            ),
            Drawn(
                "public-growth",
                "plot growth gpt4",
                "Kendall's tau by number of queries.",
                "check-reliability.md#how-many-queries-does-it-take",
            ),
            Drawn(
                "public-bias",
                "plot bias gpt4",
                "Shift of each family on the queries of each origin.",
                "check-reliability.md#do-generated-queries-favour-some-systems",
            ),
            Drawn(
                "public-grades",
                "plot grades nist gpt4 --by query",
                "Share of each grade, by edition and origin of the queries.",
                "figures.md#pools-and-judgments",
            ),
            Drawn(
                "public-lengths",
                "plot queries nist",
                "Query lengths by origin.",
                "figures.md#pools-and-judgments",
            ),
        ),
    ),
    Public(
        "llmjudge",
        "LLMJudge",
        "The same pairs graded by NIST and by language models of three participants.",
        (
            "stc load --as topics llmjudge/llm4eval_query_2024.txt",
            "stc load --as qrels llmjudge/llmjudge_test_qrel_idx.txt --edition people",
            *(
                f"stc load --as qrels llmjudge/labels/{name}.txt --edition {name} --origin llm"
                for name in ("h2oloo-fewself", "willia-umbrela1", "TREMA-questions")
            ),
        ),
        (
            Drawn(
                "public-judges",
                "plot grades people h2oloo-fewself willia-umbrela1 TREMA-questions",
                "Share of each grade, by people and by three language models.",
                "llm-judges.md",
            ),
        ),
    ),
    Public(
        "cranfield",
        "Cranfield",
        "1,400 abstracts on aerodynamics, and nine runs of Lucene.",
        (
            "stc load --as corpus cranfield/cran.all.1400",
            "stc load --as topics cranfield/cran.qry",
            "stc load --as qrels cranfield/cranqrel --edition people --best-grade 1",
            "stc load --as runs cranfield/runs/*.txt",
            "stc pool make p20 --depth 20",
        ),
        (
            Drawn(
                "public-differences",
                "plot differences results_standard_bm25 results_standard_classic --edition people",
                "Difference between BM25 and the classic similarity of Lucene on each query.",
                "figures.md#scores-and-rankings",
            ),
            Drawn(
                "public-depth",
                "plot depth p20 --edition people",
                "Documents, judged and relevant documents by pool depth.",
                "figures.md#pools-and-judgments",
            ),
        ),
    ),
    Public(
        "cacm",
        "CACM",
        "3,204 articles of the Communications of the ACM, 1,587 with an abstract.",
        ("stc load --as corpus cacm/cacm.all", "stc complexity compute"),
        (
            Drawn(
                "public-distribution",
                "plot distribution textstat_fkgl",
                "A measure of documents by year.",
                "figures.md#documents",
            ),
            Drawn(
                "public-correlations",
                "plot correlations textstat_fkgl textstat_fre cmu_fkgl read_char_per_wrd read_long_words",
                "Spearman's rho between measures.",
                "figures.md#documents",
            ),
        ),
    ),
    Public(
        "acmcr",
        "ACM-CR",
        "110,293 papers of the ACM, 96,448 with an abstract, and queries from citation contexts.",
        (
            "stc load --as corpus acm-cr/acmcr.dblp-v12.json.zst",
            "stc load --as topics acm-cr/contexts.topics",
            "stc load --as qrels acm-cr/contexts.qrels --edition contexts",
        ),
        (
            Drawn(
                "public-years",
                "plot years",
                "Documents by year; those with an abstract are dark.",
                "figures.md#documents",
            ),
            Drawn(
                "public-contexts",
                "plot queries contexts",
                "Query lengths, and query words found in relevant documents.",
                "figures.md#pools-and-judgments",
            ),
        ),
    ),
)


def draw_public(home: Path, data: Path, folder: Path) -> None:
    """Load the collections and draw their figures, with the numbers of each as CSV.

    :param home: folder of a server. :param data: folder of the public files. :param folder: for the pictures.
    """
    folder.mkdir(parents=True, exist_ok=True)

    def run(public: Public, command: str) -> None:
        environment = {**os.environ, "STC_HOME": str(home), "STC_DB": public.database}
        environment.pop("STC_DSN", None)
        program = f'stc() {{ {shlex.quote(sys.executable)} -m stcollection "$@"; }}; set -e; {command}'
        done = subprocess.run(["sh", "-c", program], env=environment, cwd=data, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{command}: {done.stderr}")

    def draw(public: Public) -> None:
        for command in public.load:
            run(public, command)
        for figure in public.figures:
            out = shlex.quote(str(folder / figure.name))
            run(public, f"stc {figure.command} --out {out}.svg --out {out}.csv")

    for public in COLLECTIONS:
        run(public, f"stc db create {public.database}")
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        list(threads.map(draw, reversed(COLLECTIONS)))  # the largest is the last


def different(folder: Path, name: str) -> bool:
    """Return True if the numbers of a figure in this folder are not the stored ones."""
    found, stored = (_rows(one / f"{name}.csv") for one in (folder, STORED))
    return len(found) != len(stored) or not all(
        len(mine) == len(theirs) and all(map(_same, mine, theirs)) for mine, theirs in zip(found, stored, strict=True)
    )


def _rows(path: Path) -> list[list[str]]:
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def _same(one: str, other: str) -> bool:
    """Return True if two cells are equal, numbers to the sixth digit: sums of floats differ between machines in the last ones."""
    try:
        return math.isclose(float(one), float(other), rel_tol=1e-6, abs_tol=1e-9)
    except ValueError:
        return one == other
