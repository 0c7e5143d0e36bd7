"""The published findings: data that produce each verdict; and the study's own data."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from stcollection.analysis.bias import bias
from stcollection.analysis.bias_model import ModelOptions, mixed_model
from stcollection.analysis.findings import AGREES, DIFFERS, UNDETERMINED, Draw, Finding, _direction, findings, sentence
from stcollection.analysis.published import CLAIMS
from stcollection.analysis.reliability import score_matrix
from stcollection.db.settings import Settings
from stcollection.errors import BadArgument, UnknownObject
from stcollection.evaluation.imported import import_scores, read_families
from stcollection.evaluation.measures import P
from stcollection.qrels.load import import_qrels
from tests.groups import analysis

pytestmark = pytest.mark.slow

PREFIX = {"h": "human", "t": "t5", "g": "gpt-4"}
# Each query adds a small effect, so that intervals have a width.
FAVOURED = {
    "gpt-a": ("GPT", {"human": 0.6, "t5": 0.3, "gpt-4": 0.8}), "gpt-b": ("GPT", {"human": 0.5, "t5": 0.2, "gpt-4": 0.7}),
    "t5-a": ("T5", {"human": 0.45, "t5": 0.15, "gpt-4": 0.45}), "t5-b": ("T5", {"human": 0.35, "t5": 0.05, "gpt-4": 0.35}),
    "old-a": ("Other", {"human": 0.3, "t5": 0.0, "gpt-4": 0.1}), "old-b": ("Other", {"human": 0.25, "t5": -0.05, "gpt-4": 0.05}),
}  # fmt: skip
SIZES = {"h": 6, "t": 5, "g": 5}


def world(
    conn: psycopg.Connection,
    folder: Path,
    systems: Mapping[str, tuple[str | None, Mapping[str, float]]],
    sizes: Mapping[str, int] = SIZES,
    edition: str = "human",
) -> None:
    """Store scores of systems on queries h0, h1, …, t0, …, g0, …, each judged for three documents.

    Human queries have two relevant documents, the others have one.
    """
    names = [f"{sign}{at}" for sign, size in sizes.items() for at in range(size)]
    path = folder / f"{edition}.qrels"
    path.write_text("".join(f"{name} 0 d1 1\n{name} 0 d2 {int(name[0] == 'h')}\n{name} 0 d3 0\n" for name in names))
    import_qrels(conn, path, edition=edition)
    for name in names:
        conn.execute("UPDATE st1_queries SET origin = %s WHERE query = %s", [PREFIX[name[0]], name])
    for run, (family, values) in systems.items():
        conn.execute("INSERT INTO st1_runs (run, family) VALUES (%s, %s) ON CONFLICT DO NOTHING", [run, family])
        for name in names:
            conn.execute(
                "INSERT INTO st1_scores (edition, run, query, measure, value)"
                " SELECT stc.edition_key(%s), r.id, q.id, 'ndcg_cut_10', %s FROM st1_runs r, st1_queries q"
                "  WHERE r.run = %s AND q.query = %s",
                [edition, values[PREFIX[name[0]]] + 0.1 + 0.01 * int(name[1:]), run, name],
            )


def by_id(found: list[Finding]) -> dict[str, Finding]:
    assert [one.id for one in found] == list(CLAIMS)
    assert all(one.why and one.rule and one.source for one in found)
    return {one.id: one for one in found}


def test_where_the_directions_hold(conn: psycopg.Connection, tmp_path: Path) -> None:
    world(conn, tmp_path, FAVOURED)
    found = by_id(findings(conn, human="human", draw=Draw(200)))
    assert {name: found[name].verdict for name in CLAIMS if CLAIMS[name].published is None} == {
        "all-as-real": AGREES,
        "other-underestimated": AGREES,
        "gpt-favoured": AGREES,
        "t5-unbiased": AGREES,
        "t5-harder": AGREES,
        "t5-non-relevant": AGREES,
        "sparse-unreliable": UNDETERMINED,
    }
    # by hand: GPT gains .2 on gpt-4 queries, all systems (.2 + .2 + 0 + 0 - .2 - .2) / 6 = 0
    assert found["gpt-favoured"].ours == pytest.approx(0.2)
    # Other: -.3 on five t5 queries and -.2 on five gpt-4 queries; all systems: -.3 and 0; so -.25 minus -.15
    assert found["other-underestimated"].ours == pytest.approx(-0.1)
    assert found["t5-unbiased"].ours == pytest.approx(0)
    assert found["t5-harder"].ours == pytest.approx(-0.3 - 0.005)  # added effects average .025 and .02
    assert found["t5-non-relevant"].ours == pytest.approx(1 / 3)
    assert found["relevant-human"].ours == pytest.approx(2)


def test_where_they_do_not(conn: psycopg.Connection, tmp_path: Path) -> None:
    turned = {
        run: (family, {"human": -values["human"], "t5": -values["t5"] + (0.2 if family == "T5" else 0), "gpt-4": -values["gpt-4"]})
        for run, (family, values) in FAVOURED.items()
    }
    world(conn, tmp_path, turned)
    found = by_id(findings(conn, human="human", draw=Draw(200)))
    verdicts = {name: found[name].verdict for name in ("other-underestimated", "gpt-favoured", "t5-unbiased", "t5-harder")}
    assert set(verdicts.values()) == {DIFFERS}, verdicts


@pytest.mark.parametrize(
    ("ours", "low", "high", "verdict", "words"),
    [
        (-0.115, -0.231, -0.012, AGREES, "T5 queries are harder than real ones: "),
        (-0.115, -0.231, -0.0049, AGREES, "T5 queries are harder than real ones: "),
        (-0.115, -0.231, -1e-12, UNDETERMINED, "These data do not show whether T5 queries are harder than real ones: "),
        (-0.115, -0.231, 0.004, UNDETERMINED, "These data do not show whether T5 queries are harder than real ones: "),
        (-0.004, -0.012, -0.001, AGREES, "T5 queries are harder than real ones: "),
        (0.004, -0.005, 0.014, UNDETERMINED, "These data do not show whether T5 queries are harder than real ones: "),
        (0.115, 0.002, 0.231, DIFFERS, "T5 queries are easier than real ones: "),
        (0.115, 0.012, 0.231, DIFFERS, "T5 queries are easier than real ones: "),
    ],
)
def test_a_direction_does_not_turn_on_rounding(ours: float, low: float, high: float, verdict: str, words: str) -> None:
    claim = CLAIMS["t5-harder"]
    assert _direction(claim.id, ours, low, high) == verdict
    assert sentence(claim, ours, verdict, f"{ours:+.3f}").startswith(words)
    assert "not rounded" in claim.rule


def test_spellings_of_a_family_are_one_family(conn: psycopg.Connection, tmp_path: Path) -> None:
    slides = {"Other": "Others", "GPT": "gpt", "T5": "t5"}
    world(
        conn,
        tmp_path,
        {
            run: (slides.get(family, family) if at % 2 else family, values)
            for at, (run, (family, values)) in enumerate(FAVOURED.items())
        },
    )
    assert by_id(findings(conn, human="human", draw=Draw(200)))["other-underestimated"].ours == pytest.approx(-0.1)
    known = {family for family, _ in FAVOURED.values()}
    assert {one.family for one in bias(conn, edition="human").families} == known
    assert set(score_matrix(conn, edition="human").families) == known
    assert {row[0] for row in conn.execute("SELECT family FROM stc.label_systems('human', 'human')")} == known
    mixed_model(conn, edition="human", options=ModelOptions("others"))  # "others" is a family of the data
    named = {"GPT + T5": "T5+GPT", "gpt+t5": "T5+GPT", " others ": "Other", "Mine": "Mine", "A + B": "A + B", "GPT-4": "GPT-4"}
    assert {one: conn.execute("SELECT stc.family_name(%s)", [one]).fetchone() for one in named} == {
        one: (name,) for one, name in named.items()
    }


def test_every_direction_has_words_for_both_sides() -> None:
    for claim in CLAIMS.values():
        if claim.published is None:
            told = [sentence(claim, 0.1, verdict, "+0.100") for verdict in (AGREES, DIFFERS, UNDETERMINED)]
            assert len({*told}) == 3
            assert all(one[0].isupper() and one.endswith("+0.100.") and not one.startswith(":") for one in told), told
    assert sentence(CLAIMS["relevant-t5"], 71.774, AGREES, "71.77, published 71.77").startswith("The figure is the published one")
    assert sentence(CLAIMS["relevant-t5"], None, UNDETERMINED, "no t5 queries") == "Not computed: no t5 queries."


def test_a_single_origin_is_reported(conn: psycopg.Connection, tmp_path: Path) -> None:
    world(conn, tmp_path, FAVOURED, {"h": 4})
    found = by_id(findings(conn, human="human", draw=Draw(50)))
    assert {one.verdict for one in found.values()} == {UNDETERMINED}
    assert "no synthetic queries" in found["all-as-real"].why
    assert "no t5 queries" in found["t5-harder"].why
    assert found["relevant-human"].ours == pytest.approx(2)
    assert found["relevant-human"].why == "the judged queries are not the study's 82"


def test_one_query_has_no_interval(conn: psycopg.Connection, tmp_path: Path) -> None:
    world(conn, tmp_path, FAVOURED, {"h": 4, "t": 1})
    found = by_id(findings(conn, human="human", draw=Draw(50)))
    for name in ("t5-unbiased", "t5-harder", "t5-non-relevant", "other-underestimated"):
        assert found[name].verdict == UNDETERMINED, name
        assert "no interval" in found[name].why, name
    assert "no gpt-4 queries" in found["gpt-favoured"].why


def test_missing_families_are_reported(conn: psycopg.Connection, tmp_path: Path) -> None:
    without = {run: (None if family == "GPT" else family, values) for run, (family, values) in FAVOURED.items()}
    world(conn, tmp_path, without)
    found = by_id(findings(conn, human="human", draw=Draw(50)))
    assert found["gpt-favoured"].verdict == UNDETERMINED
    assert "no system belongs to the family GPT" in found["gpt-favoured"].why
    assert "2 of 6 systems belong to the family Other, 2 of no family" in found["other-underestimated"].why


def test_missing_systems_are_reported_with_the_labels_used(conn: psycopg.Connection, tmp_path: Path) -> None:
    world(conn, tmp_path, {})
    found = by_id(findings(conn, human="human", draw=Draw(50)))
    assert "fewer than two systems have a value of nDCG@10 under human" in found["all-as-real"].why
    assert found["t5-non-relevant"].verdict == AGREES  # needs no systems
    world(conn, tmp_path, FAVOURED, edition="llm")
    found = by_id(findings(conn, human="human", llm="llm", draw=Draw(50)))
    assert (found["gpt-favoured"].labels, found["t5-non-relevant"].labels) == ("llm", "human")
    assert found["tau-all-human-human"].verdict == UNDETERMINED
    assert found["tau-all-human-llm"].ours == pytest.approx(1)
    assert found["agreement-grades"].ours == pytest.approx(1)


def test_sparse_labels(conn: psycopg.Connection, tmp_path: Path) -> None:
    world(conn, tmp_path, FAVOURED)
    (tmp_path / "sparse.qrels").write_text("".join(f"h{at} 0 d1 1\n" for at in range(6)))
    import_qrels(conn, tmp_path / "sparse.qrels", edition="sparse")
    assert "fewer than two systems" in by_id(findings(conn, human="human", sparse="sparse", draw=Draw(50)))["sparse-unreliable"].why
    for at, run in enumerate(sorted(FAVOURED)):  # the worst systems by human labels are the best by sparse labels
        conn.execute(
            "INSERT INTO st1_scores (edition, run, query, measure, value)"
            " SELECT stc.edition_key('sparse'), r.id, q.id, 'ndcg_cut_10', %s FROM st1_runs r, st1_queries q"
            "  WHERE r.run = %s AND q.query LIKE 'h%%'",
            [0.1 * at, run],
        )
    [one] = [one for one in findings(conn, human="human", sparse="sparse", draw=Draw(50)) if one.id == "sparse-unreliable"]
    # human order gpt-a gpt-b t5-a t5-b old-a old-b, sparse order t5-b t5-a old-b old-a gpt-b gpt-a: 4 pairs agree, 11 are reversed
    assert one.ours == pytest.approx((4 - 11) / 15)
    assert one.verdict == AGREES
    assert "people judged 100.0% of its documents relevant" in one.why
    assert "human is not sparse" in by_id(findings(conn, human="sparse", sparse="human", draw=Draw(9)))["sparse-unreliable"].why


def test_the_names_of_the_study_with_other_labels_do_not_agree(conn: psycopg.Connection, data: Path, tmp_path: Path) -> None:
    names = {line.split()[0] for line in (data / "trec-dl/dl23/nist.qrels").read_text().splitlines()}
    for edition, rel in (("one", 1), ("two", 2)):
        (tmp_path / f"{edition}.qrels").write_text("".join(f"{name} 0 d1 {rel}\n" for name in names))
        import_qrels(conn, tmp_path / f"{edition}.qrels", edition=edition)
    found = by_id(findings(conn, human="one", llm="two", draw=Draw(9)))
    for name, ours in (("relevant-human", 1.0), ("agreement-grades", 0.0), ("agreement-binary", 1.0)):
        assert (found[name].verdict, found[name].ours) == (DIFFERS, ours)
    assert found["relevant-t5"].verdict == UNDETERMINED  # their origins are not set
    at_two = by_id(findings(conn, human="one", llm="two", level=2, draw=Draw(9)))
    assert at_two["relevant-human"].why == "the published figure counts grades of 1 or more as relevant, not 2"


def test_errors(conn: psycopg.Connection, tmp_path: Path) -> None:
    world(conn, tmp_path, FAVOURED)
    with pytest.raises(UnknownObject, match="no edition 'humna'"):
        findings(conn, human="humna")
    with pytest.raises(UnknownObject, match="no edition 'spars'"):
        findings(conn, human="human", sparse="spars", draw=Draw(9))
    with pytest.raises(BadArgument, match="the same edition is given for two"):
        findings(conn, human="human", llm="human")
    with pytest.raises(BadArgument, match="resamples is 0"):
        findings(conn, human="human", draw=Draw(0))


def test_the_command(conn: psycopg.Connection, settings: Settings, tmp_path: Path) -> None:
    world(conn, tmp_path, FAVOURED)

    def stc(*arguments: str) -> str:
        asked = ["findings", "--human", "human", "--resamples", "50", *arguments]
        return CliRunner().invoke(analysis, asked, obj=settings, catch_exceptions=False).stdout

    told = stc()
    assert "6 agrees, 0 does not, 12 undetermined" in told
    assert "- gpt-favoured: agrees. GPT-4 queries favour systems that use GPT: +0.200, 95 % from" in told
    rows = json.loads(stc("--format", "json"))
    assert [row["id"] for row in rows] == list(CLAIMS)
    assert stc("--format", "csv").startswith("id,claim,published,ours,low,high,labels,verdict,why,rule,source,sentence\n")


@pytest.mark.long
def test_the_data_of_the_study(conn: psycopg.Connection, data: Path) -> None:
    folder = data / "trec-dl/dl23"
    for edition in ("nist", "gpt4"):
        import_qrels(conn, folder / f"{edition}.qrels", edition=edition)
    import_scores(conn, folder / "systems.gpt4.ndcgeval", edition="gpt4", families=read_families(folder / "systems.tsv"))
    with (folder / "query_info.tsv").open() as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            if row["Synthetic"] == "1":
                origin = "gpt-4" if row["isGPT4"] == "1" else "t5"
                conn.execute("UPDATE st1_queries SET origin = %s WHERE query = %s", [origin, row["qid"]])
    found = by_id(findings(conn, human="nist", llm="gpt4", draw=Draw(2000)))
    told = {name: one.verdict for name, one in found.items()}
    unknown = {name for name, verdict in told.items() if verdict == UNDETERMINED}
    assert {name for name in told if name.startswith("tau-") and name.endswith("-human")} | {"sparse-unreliable"} <= unknown
    assert {told[name] for name in CLAIMS if CLAIMS[name].published is not None and name not in unknown} == {AGREES}
    assert len(unknown & {name for name in CLAIMS if CLAIMS[name].published is not None}) == 3
    for name in ("all-as-real", "t5-unbiased", "t5-non-relevant"):
        assert told[name] == AGREES, found[name].why
    for name in ("other-underestimated", "gpt-favoured"):
        assert told[name] == UNDETERMINED, found[name].why
    page = " ".join((Path(__file__).parents[2] / "docs/howto/check-reliability.md").read_text().split())
    for one in found.values():  # the page states the same verdicts; its figures come from 10,000 resamples
        if one.published is None and one.ours is not None:
            assert f"- {one.sentence.partition(':')[0]}: " in page, one.sentence
    other = by_id(findings(conn, human="nist", llm="gpt4", measure=P @ 10, draw=Draw(9)))
    assert other["tau-all-human-llm"].verdict == UNDETERMINED
