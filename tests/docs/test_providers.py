"""The table of providers in the reference: compared with ir_measures' own list and with the values."""

from __future__ import annotations

import re
from pathlib import Path

import ir_measures
import pytest

from tests.api.test_provider import THEIRS, made
from tools.providers import COMPARED_PROVIDER, COMPARED_STC, providers_table, rows

pytestmark = pytest.mark.slow


def test_what_a_provider_computes() -> None:
    """A provider that the table lists for a measure returns a value, if it is installed and needs no subtopics."""
    judged, run = made(3)
    checked = 0
    for name, computed in rows():
        for of in THEIRS:
            if computed[of]:
                wanted = ir_measures.parse_measure(name)
                assert list(ir_measures.providers.registry[of].iter_calc([wanted], judged, run)), (of, name)
                checked += 1
            elif not name[0].islower() and name in map(str, map(ir_measures.parse_measure, THEIRS[of])):
                raise AssertionError(f"{of} computes {name}, and the table says it does not")
    assert checked > 25


def test_known_cells() -> None:
    table = dict(rows())
    assert [of for of, yes in table["Compat"].items() if yes] == ["stc", "stcollection", "compat"]
    assert [of for of, yes in table["alpha_nDCG@10"].items() if yes] == ["stc", "stcollection", "pyndeval"]
    assert [of for of, yes in table["gm_map"].items() if yes] == ["stc", "trec_eval"]
    assert {"trec_eval", "stcollection", "pytrec_eval", "ranx"} <= {of for of, yes in table["nDCG@10"].items() if yes}
    listed = providers_table().partition("\n|---|---|\n")[2]
    assert len(re.findall(r"`[^`]+`", listed)) == len(table)
    assert re.search(r"`Compat` \| stcollection, compat \|", listed)


#: A call in tests/evaluation that computes the values to compare with.
CALLS = {
    "trec_eval": r"pytrec_eval\.RelevanceEvaluator\(",
    "accuracy": r"ir_measures\.accuracy\.iter_calc\(",
    "compat": r"ir_measures\.compat\.iter_calc\(",
    "cwl_eval": r"ir_measures\.cwl_eval\.iter_calc\(",
    "gdeval": r"ir_measures\.iter_calc\((?s:.*)\bgdeval\b",
    "judged": r"ir_measures\.iter_calc\(",
    "pyndeval": r"pyndeval\.RelevanceEvaluator\(",
}


def test_programs_named_as_compared() -> None:
    """The text names exactly the programs that the tests call."""
    assert sorted(THEIRS) == sorted(COMPARED_PROVIDER)
    source = "\n".join(path.read_text() for path in sorted((Path(__file__).parents[1] / "evaluation").glob("*.py")))
    assert CALLS.keys() == set(COMPARED_STC)
    for name, call in CALLS.items():
        assert re.search(call, source), name
    text, _, _ = providers_table().partition("\n| measure")
    compared, _, rest = text.partition("They do not compare")
    named = set(re.findall(r"`(\w+)`", compared)) - {"stc", "stcollection"}
    assert named == {*COMPARED_PROVIDER, *COMPARED_STC}
    assert re.findall(r"`(\w+)`", rest) == ["trectools", "ranx"]
    assert not re.search(r"trectools|ranx", source)
