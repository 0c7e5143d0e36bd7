"""Draw the gallery's pictures into docs/reference/gallery, on a temporary server.

python -m tools.gallery                  every figure, from the demo; two of benchmarks, from their results in docs/figures
python -m tools.gallery --public FOLDER  some figures from the public collections in FOLDER

Their numbers are compared with those in docs/figures/public. The same data and version of matplotlib give the same pictures.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks import nearest, scoring
from tests.homes import home_folder
from tools.gallery_public import COLLECTIONS, STORED, Drawn, different, draw_public

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "reference" / "gallery"
_STUDIES = ROOT / "docs" / "howto" / "synthetic-queries.md"  # has the SQL of the study 'toy'
_FAMILIES = "bm25\twords\nboolean\twords\ndense-abstract\tdense\ndense-title\tdense\nhybrid\tdense\n"

#: Commands that prepare the demo, without ``stc``.
PREPARE = (
    "load --as families families.tsv",
    "complexity compute",
    "complexity credibility",
    "pool make p10 --depth 10",
    "export corpus --filter year=..2016 --out first.jsonl",
    "load --as corpus first.jsonl --date 2023-06-30",
    "export corpus --filter year=..2020 --out second.jsonl",
    "load --as corpus second.jsonl --date 2024-06-30",
    "export corpus --out third.jsonl",
    "load --as corpus third.jsonl --date 2025-06-30",
    "coverage compute D01.C1 --documents 40 --topics 6",
    "synth select toy --match train --size 60 --also gpt-4",
    "load --as answers --sample",
    "answers train agree sample",
    "answers relate sample --split test --model agree",
    "answers cluster sample --split test --name mine --method expected --model agree",
)


FIGURES = {
    "Collection": (
        Drawn("schema", "db schema", "Published tables with their columns, keys and foreign keys.", "psql.md"),
        Drawn("years", "plot years", "Documents by year; those with an abstract are dark.", "figures.md#documents"),
        Drawn("history", "plot history", "Topics, queries and judgments of each edition.", "figures.md#pools-and-judgments"),
        Drawn(
            "queries",
            "plot queries study",
            "Query lengths, and query words found in relevant documents, by origin.",
            "figures.md#pools-and-judgments",
        ),
        Drawn(
            "coverage",
            "plot coverage D01.C1 --kind concept",
            "Documents of the corpus on each topic near a query; frequent and rare topics are marked.",
            "search.md#see-which-topics-the-corpus-covers",
        ),
    ),
    "Runs": (
        Drawn(
            "systems",
            "plot systems --edition train --per-query",
            "Mean of each run with its interval over queries.",
            "figures.md#scores-and-rankings",
        ),
        Drawn(
            "ranks",
            "plot ranks --edition train",
            "Rank of each run with its interval, and groups of runs that do not differ significantly.",
            "compare-runs.md#rank-with-ties",
        ),
        Drawn(
            "differences",
            "plot differences hybrid bm25 --edition train",
            "Difference between two runs on each query.",
            "figures.md#scores-and-rankings",
        ),
        Drawn(
            "slopes",
            "plot slopes --edition train --against test --all",
            "One ranking of runs against another.",
            "figures.md#scores-and-rankings",
        ),
        Drawn(
            "variation",
            "plot variation --edition train",
            "Mean of each run over topics with several queries, from the worst to the best query of each.",
            "check-reliability.md#which-runs-are-robust-to-the-words-of-a-query",
        ),
        Drawn(
            "snapshots",
            "plot snapshots hybrid bm25 --edition train",
            "Means of two runs on the snapshots of the collection, and the lead of one over the other.",
            "load.md#load-snapshots-of-a-collection-that-grows",
        ),
        Drawn(
            "readable",
            "plot readable --edition train",
            "Relevance against readability of the first documents.",
            "figures.md#documents",
        ),
    ),
    "Judgments": (
        Drawn(
            "depth",
            "plot depth p10 --edition train",
            "Documents, judged and relevant documents by pool depth.",
            "figures.md#pools-and-judgments",
        ),
        Drawn(
            "grades",
            "plot grades train test study --by query",
            "Share of each grade, by edition and origin of the queries.",
            "figures.md#pools-and-judgments",
        ),
        Drawn(
            "labels",
            "plot labels study sparse",
            "Systems by sparse judgments against full ones, by family.",
            "llm-judges.md#test-whether-other-labels-rank-systems-alike",
        ),
    ),
    "Synthetic queries": (
        Drawn(
            "reliability",
            "plot reliability study --pair human:synthetic",
            "Systems on synthetic queries against human ones, by family.",
            "check-reliability.md#do-generated-queries-rank-systems-like-human-ones",
        ),
        Drawn(
            "growth",
            "plot growth study",
            "Kendall's tau by number of queries.",
            "check-reliability.md#how-many-queries-does-it-take",
        ),
        Drawn("bias", "plot bias study", "Shift of each family on the queries of each origin.", "check-reliability.md"),
        Drawn(
            "match",
            "plot match toy",
            "Lengths and words found of the target, of all candidates and of the chosen queries.",
            "synthetic-queries.md#choose-queries",
        ),
    ),
    "Documents": (
        Drawn(
            "distribution",
            "plot distribution textstat_fkgl --min-documents 5",
            "A measure of documents by year.",
            "figures.md#documents",
        ),
        Drawn(
            "measures",
            "plot measures textstat_fkgl read_char_per_wrd",
            "One measure of documents against another.",
            "figures.md#documents",
        ),
        Drawn(
            "correlations",
            "plot correlations textstat_fkgl textstat_fre cmu_fkgl read_tok read_char_per_wrd citations",
            "Spearman's rho between measures.",
            "figures.md#documents",
        ),
        Drawn(
            "annotations",
            "plot annotations --measure textstat_fkgl",
            "A measure by the grades that annotators gave.",
            "figures.md#documents",
        ),
    ),
    "Answers": (
        Drawn(
            "graph",
            "answers graph mine 备孕偶尔喝冰的可以吗",
            "Answers to a query in groups: those that support each other, and those that contradict them.",
            "verify-answers.md",
        ),
    ),
}

#: The command that writes the figures of REPORT, without ``stc`` and ``--out``.
REPORTED = "synth report study --sparse sparse --study toy"
#: Captions of the figures of the report on synthetic queries, by file in the report's folder.
REPORT = {
    "systems-means": "Effectiveness of each system on the queries of each origin.",
    "reliability-scatter-2": "Effectiveness on human queries against effectiveness on those of gpt-4; families are marked.",
    "reliability-scatter-3": "Effectiveness on human queries against effectiveness on those of t5.",
    "reliability-scatter-4": "Effectiveness on human queries against effectiveness on all synthetic ones.",
    "growth-curves": "Kendall's tau with the ranking by human queries, by the number of queries drawn from each origin.",
    "bias-families": "Shift of each family from human queries, relative to all systems.",
    "making-match": "Lengths and words found of the target, of all candidates and of the chosen queries.",
}

_HEAD = """# Gallery of figures

Choose a figure and copy its command. `--out FILE` names the file, `--out FILE.csv` writes the data. The first figures show the
demo collection, whose judgments are simulated, the others [public collections](#public-collections), where a figure without a
caption has the caption of the demo's. To prepare the demo:

```sh
export STC_DB=demo
stc demo --synthetic
{prepare}
```

`families.tsv` has a line `run<TAB>family` for each run. The study `toy` is made in
[Choose queries](../howto/synthetic-queries.md#choose-queries).
"""


_PUBLIC = """## Public collections

These files are not part of this project. *Real collections* in CONTRIBUTING.md lists where each comes
from and the layout of the folder in which the commands run.
"""


def text() -> str:
    """Return the page."""
    parts = [_HEAD.format(prepare="\n".join(f"stc {command}" for command in PREPARE))]
    for title, figures in FIGURES.items():
        parts.append(f"## {title}\n")
        parts += [part for one in figures for part in _shown(one)]
    parts.append("## Report on synthetic queries\n")
    parts.append(
        "`stc synth report` writes these figures, with the data of each as a table, to the folders `figures` and `tables`."
        " [Details](../howto/synthetic-queries.md#report-on-all-of-it)\n"
    )
    parts.append(f"```sh\nstc {REPORTED} --out report\n```\n")
    for name, about in REPORT.items():
        parts.append(f"### report: {name}\n\n{about}\n\n![{name}](gallery/report-{name}.svg)\n")
    parts.append(_PUBLIC)
    for public in COLLECTIONS:
        commands = "\n".join(("stc db create", *public.load))
        parts.append(f"### {public.title}\n\n{public.about}\n\n```sh\nexport STC_DB={public.database}\n{commands}\n```\n")
        parts += [part for one in public.figures for part in _shown(one, data=True)]
    return "\n".join(parts)


def _shown(one: Drawn, *, data: bool = False) -> tuple[str, ...]:
    """Return a figure with its command. :param data: link the CSV. Its picture is drawn only where there are the collections."""
    name = one.name.removeprefix("public-")
    link = f" [Data](../figures/public/{one.name}.csv)" if data else ""
    about = "" if data and any(one.about == each.about for figures in FIGURES.values() for each in figures) else f"{one.about} "
    drawn = not data or (PICTURES / f"{one.name}.svg").exists()
    return (
        f"{'####' if data else '###'} {'public: ' if data else ''}{name}\n\n{about}[Details](../howto/{one.page}){link}\n",
        *([f"![{name}](gallery/{one.name}.svg)\n"] if drawn else []),
        f"```sh\nstc {one.command}\n```\n",
    )


def small(svg: str) -> str:
    """Return a picture with one decimal in its paths and without indentation: up to a quarter smaller, and equal to the eye."""
    paths = re.sub(r' d="[^"]*"', lambda found: re.sub(r" *\n(?=[\w\d])", "", re.sub(r"(\.\d)\d+", r"\1", found[0])), svg)
    return re.sub(r"\n\s+<", "\n<", paths)


def _shorten(picture: Path) -> None:
    picture.write_text(small(picture.read_text(encoding="utf-8")), encoding="utf-8")


def study() -> str:
    """Return the SQL that makes the study ``toy``, from the page that explains it."""
    found = re.search(r"<<'SQL'\n(INSERT INTO stc_all\.synth_studies.*?)^SQL$", _STUDIES.read_text(encoding="utf-8"), re.S | re.M)
    if found is None:
        raise LookupError(f"{_STUDIES} has no SQL of the study 'toy'")
    return found[1]


def draw(home: Path, folder: Path) -> None:
    """Draw all figures. :param home: folder of a server; the demo is loaded if it is missing. :param folder: for the pictures."""
    environment = {**os.environ, "STC_HOME": str(home), "STC_DB": "demo"}
    environment.pop("STC_DSN", None)

    def stc(*words: str, told: str | None = None) -> None:
        command = [sys.executable, "-m", "stcollection", *words]
        done = subprocess.run(command, env=environment, cwd=work, input=told, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"stc {' '.join(words)}: {done.stderr}")

    with tempfile.TemporaryDirectory() as work:
        Path(work, "families.tsv").write_text(_FAMILIES, encoding="utf-8")
        stc("demo", "--synthetic")
        stc("psql", "--owner", told=study())
        for command in PREPARE:
            stc(*command.split())
        folder.mkdir(parents=True, exist_ok=True)
        every = [figure for figures in FIGURES.values() for figure in figures]
        with ThreadPoolExecutor(os.cpu_count()) as threads:
            report = threads.submit(stc, *REPORTED.split(), "--out", "report")
            list(threads.map(lambda one: stc(*one.command.split(), "--out", str(folder / f"{one.name}.svg")), every))
            report.result()
        for one in every:
            if one.name not in ("schema", "graph"):  # drawn as text by this project, not by matplotlib
                _shorten(folder / f"{one.name}.svg")
        for drawn in Path(work, "report", "figures").glob("*.svg"):
            (folder / f"report-{drawn.name}").write_text(small(drawn.read_text(encoding="utf-8")), encoding="utf-8")


def main(words: list[str]) -> None:
    with home_folder() as home:
        if words[:1] == ["--public"]:
            _draw_public(home, Path(words[1]).resolve())
        else:
            draw(home, PICTURES)
            nearest.draw(PICTURES / "nearest.svg")
            scoring.draw_growth(PICTURES / "scoring-growth.svg")


def _draw_public(home: Path, data: Path) -> None:
    if not data.is_dir():
        sys.exit(f"the public collections are not in {data}; CONTRIBUTING.md (Real collections) says where they are from")
    draw_public(home, data, PICTURES)
    for one in (figure for public in COLLECTIONS for figure in public.figures):
        _shorten(PICTURES / f"{one.name}.svg")
    changed = [one.name for public in COLLECTIONS for one in public.figures if different(PICTURES, one.name)]
    if changed:
        sys.exit(
            f"other numbers than in {STORED}: {', '.join(changed)}. If the change is right, copy these files from {PICTURES} to it."
        )


if __name__ == "__main__":
    main(sys.argv[1:])
