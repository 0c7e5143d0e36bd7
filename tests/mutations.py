"""Check that tests notice errors in sql/: each mutation must make a test fail. ``make mutations`` runs it.

A mutation replaces one text in one file. It is applied to a copy of the tree, so the checkout does not change. Each one is an error
that a person could make: another order of ties, another base of a logarithm, a cutoff off by one, a missing filter.

Exit code 1: a mutation survived, its text is no longer in the file, or the tests fail without any mutation.
"""

from __future__ import annotations

import os
import queue
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from tabulate import tabulate

REPOSITORY = Path(__file__).resolve().parents[1]
COPIES = 2  # of the tree, each with its own mutation at a time
FAILED = 1  # exit code of pytest: tests failed, as opposed to no tests or wrong arguments


class Mutation(NamedTuple):
    """One change of a SQL file that a test must notice.

    :param what: the error, in words. :param file: name of the file in sql/, without the extension ``.sql``.
    :param old, new: the text and its replacement.
    :param tests: paths below tests/, as the end of the path: the folder may have another name by now.
    :param only: an expression for ``pytest -k``; without it all tests except the long ones run.
    """

    what: str
    file: str
    old: str
    new: str
    tests: str
    only: str = ""


MUTATIONS = (
    Mutation(
        "llm before human",
        "origin_precedence",
        "'human' THEN 1 WHEN 'llm' THEN 2",
        "'human' THEN 2 WHEN 'llm' THEN 1",
        "test_by_hand.py",
        "human_before",
    ),
    Mutation(
        "latest judgment instead of the first",
        "qrels",
        "-j.id ELSE j.id END",
        "-j.id ELSE -j.id END",
        "qrels/test_editions.py",
    ),
    Mutation(
        "discount of nDCG off by one",
        "score_statement",
        "w.g * ln(2) / ln(r.rank + 1::",
        "w.g * ln(3) / ln(r.rank + 2::",
        "test_by_hand.py",
    ),
    Mutation(
        "bpref without its limit",
        "measures.toml",
        '"sum(1 - least(width_bucket(u.rank, {irrelevant}), {R})',
        '"sum(1 - width_bucket(u.rank, {irrelevant})',
        "test_by_hand.py",
        "bpref",
    ),
    Mutation(
        "nDCG cut one rank early",
        "measures.toml",
        'gain = "{grade}"\nvalue = "sum(u.d) FILTER (WHERE u.rank <= {k})',
        'gain = "{grade}"\nvalue = "sum(u.d) FILTER (WHERE u.rank < {k})',
        "test_by_hand.py",
    ),
    Mutation(
        "worst run first",
        "leaderboard",
        "ORDER BY best DESC NULLS LAST",
        "ORDER BY best NULLS LAST",
        "evaluation/test_sql.py",
        "leaderboard_in_psql",
    ),
    Mutation(
        "population deviation for the sample's",
        "zscore_norms",
        "stddev_samp",
        "stddev_pop",
        "test_zscores.py",
        "made_of_stored_runs",
    ),
    Mutation(
        "reciprocal rank fusion from rank 0",
        "fusion_part",
        "precision + rank)",
        "precision + rank - 1)",
        "test_fuse.py",
    ),
    Mutation(
        "equal scores normed to 0",
        "fusion_part",
        "(highest - lowest) ELSE 1",
        "(highest - lowest) ELSE 0",
        "test_fuse.py",
    ),
    Mutation(
        "ties of a fusion by ascending docno",
        "fuse",
        't.docno COLLATE "C" DESC NULLS LAST',
        't.docno COLLATE "C" NULLS LAST',
        "test_fuse.py",
    ),
    Mutation(
        "common logarithm in BM25",
        "retrieval/bm25_scored",
        "ln(1 + (state.documents",
        "log(1 + (state.documents",
        "test_bm25.py",
        "formula",
    ),
    Mutation(
        "lengths of documents exact for too long",
        "smallfloat_byte4",
        "length < 40",
        "length < 48",
        "text/test_index.py",
        "lengths",
    ),
    Mutation(
        "vectors of queries not normalised",
        "dense_search",
        "knn(l2_normalize(dense_search.query)",
        "knn((dense_search.query)",
        "test_dense.py",
    ),
    Mutation(
        "ties of neighbours by ascending docno",
        "knn_among",
        't.docno COLLATE "C" DESC',
        't.docno COLLATE "C"',
        "test_knn.py",
    ),
    Mutation(
        "tau-b without its correction for ties",
        "kendall_tau",
        "FILTER (WHERE a.x <> b.x)::double",
        "::double",
        "test_rank_correlation.py",
    ),
    Mutation(
        "linear kappa counts all disagreement alike",
        "cohen_kappa",
        "'linear' THEN abs(c.x - c.y)",
        "'linear' THEN (c.x <> c.y)::integer",
        "test_agreement_measures.py",
    ),
    Mutation(
        "a pool without documents of exactly N teams",
        "make_pool",
        "c.teams >= make_pool.teams",
        "c.teams > make_pool.teams",
        "test_pools.py",
        "team",
    ),
    Mutation(
        "every team sees all runs",
        "put_policies",
        "FOR SELECT TO PUBLIC USING (team IS NULL OR shared OR team =",
        "FOR SELECT TO PUBLIC USING (team IS NULL OR true OR team =",
        "roles/test_teams.py",
        "runs_of_other_teams",
    ),
    Mutation(
        "members read stored scores of all runs",
        "put_policies",
        "'FOR SELECT TO PUBLIC USING (run = ANY (ARRAY(SELECT n.id FROM '",
        "'FOR SELECT TO PUBLIC USING (true OR run = ANY (ARRAY(SELECT n.id FROM '",
        "security/test_stored_scores.py",
        "another_teams or visible_runs",
    ),
    Mutation(
        "members score with outdated values",
        "score_plan",
        "JOIN qrels_editions e ON e.id = g.edition AND e.version = g.edition_version",
        "JOIN qrels_editions e ON e.id = g.edition",
        "security/test_stored_scores.py",
        "outdated",
    ),
    Mutation(
        "range of a filter without its lower bound",
        "filter_range",
        "'%s >= (",
        "'%s > (",
        "corpus/test_filters.py",
    ),
    Mutation(
        "gaps between ranks",
        "check_rankings",
        "l.first <> coalesce(p.last, 0) + 1",
        "l.first < coalesce(p.last, 0) + 1",
        "runs/test_integrity.py",
        "wrong_rows_are_refused",
    ),
    Mutation(
        "judgments do not lock their documents",
        "corpus/unknown_documents",
        "WHERE d.id = ANY (unknown_documents.docs) ORDER BY d.id FOR KEY SHARE) d",
        "WHERE d.id = ANY (unknown_documents.docs)) d",
        "qrels/test_keys.py",
    ),
    Mutation(
        "citations a year without the first year",
        "credibility",
        "f.n_citation / (f.age + 1)",
        "f.n_citation / greatest(f.age, 1)",
        "complexity/test_credibility.py",
        "the_view",
    ),
)


class Faulty(Exception):
    """A mutation that shows nothing."""


def find(folder: Path, name: str) -> Path:
    """The one file below the folder whose path ends so."""
    found = [path for path in folder.rglob(Path(name).name) if path.as_posix().endswith("/" + name)]
    if len(found) != 1:
        raise Faulty(f"{len(found)} files {name} in {folder.name}/")
    return found[0]


def copied(into: Path) -> Path:
    """A copy of the working tree: files that git tracks, and new files."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=REPOSITORY, capture_output=True, check=True
    )
    for name in listed.stdout.decode().split("\0"):
        if name and (REPOSITORY / name).is_file():
            (into / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(REPOSITORY / name, into / name)
    return into


def pytest(tree: Path, tests: str, only: str) -> tuple[int, str]:
    """The exit code of pytest on a tree, and its summary with the first test that failed."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--no-header"]
    command += [*(["-k", only] if only else ["-m", "not long"]), *(str(find(tree / "tests", name)) for name in tests.split())]
    environment = {
        **os.environ,
        "STC_TEST_DATA": os.environ.get("STC_TEST_DATA", str(REPOSITORY.parent / "shared" / "data")),
        "PYTEST_DEBUG_TEMPROOT": str(tree),  # not the common folder, which it would close to the user of other tests' servers
    }
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=False)
    lines = done.stdout.strip().splitlines() or [done.stderr]
    failed = [line.partition(" - ")[0] for line in lines if line.startswith(("FAILED", "ERROR"))]
    return done.returncode, " ".join([*failed[:1], lines[-1]])


def killed(tree: Path, mutation: Mutation) -> str:
    """The summary of the tests that noticed the mutation.

    :raises Faulty: they did not, or the text is not in the file.
    """
    path = find(tree / "sql", mutation.file if mutation.file.endswith(".toml") else f"{mutation.file}.sql")
    text = path.read_text(encoding="utf-8")
    if text.count(mutation.old) != 1:
        raise Faulty(f"its text is {text.count(mutation.old)} times in the file")
    path.write_text(text.replace(mutation.old, mutation.new), encoding="utf-8")
    try:
        code, summary = pytest(tree, mutation.tests, mutation.only)
    finally:
        path.write_text(text, encoding="utf-8")
    if code != FAILED or not re.search(r"\d+ failed", summary):
        raise Faulty(f"survived: {summary}")
    return summary


def main() -> int:
    trees: queue.SimpleQueue[Path] = queue.SimpleQueue()
    with tempfile.TemporaryDirectory(prefix="stc-mutations-") as folder:
        Path(folder).chmod(0o755)
        for number in range(COPIES):
            trees.put(copied(Path(folder) / str(number)))

        def check(mutation: Mutation) -> tuple[bool, str]:
            tree = trees.get()
            try:
                return True, killed(tree, mutation)
            except Faulty as error:
                return False, str(error)
            finally:
                trees.put(tree)

        tree = Path(folder) / "0"
        for chosen in (False, True):
            some = [mutation for mutation in MUTATIONS if bool(mutation.only) == chosen]
            names = sorted({name for mutation in some for name in mutation.tests.split()})
            code, summary = pytest(tree, " ".join(names), " or ".join(f"({mutation.only})" for mutation in some if chosen))
            if code != 0:
                print(f"tests fail without a mutation: {summary}", file=sys.stderr)
                return 1
        with ThreadPoolExecutor(COPIES) as pool:
            results = list(pool.map(check, MUTATIONS))
    rows = [(m.what, m.file, "noticed" if good else "NOT NOTICED", why) for m, (good, why) in zip(MUTATIONS, results, strict=True)]
    print(tabulate(rows, ("mutation", "sql file", "", "tests")))
    return 0 if all(good for good, _ in results) else 1


if __name__ == "__main__":
    sys.exit(main())
