"""``stc compare`` of files."""

from __future__ import annotations

from typing import Any

from stcollection.analysis.file_comparison import compare_files
from stcollection.cli._files import check_named, print_notes
from stcollection.cli.analysis._comparisons import check_ranking, print_comparisons
from stcollection.cli.declared import Call, Style
from stcollection.cli.declared import command as declared


@declared(compare_files)
def compare_command(call: Call[Any], *, ranking: bool = False, style: Style = "table") -> None:
    """Test run files for significant differences, without a collection: all pairs, or each run against a baseline.

    Prints means, their difference with a confidence interval, effect size d, queries won, tied and lost, p and corrected p. A star
    marks a corrected p below alpha. Files are read as by 'stc score'; nothing is stored.

    :param ranking: Print the runs best first, and which do not differ significantly from the best. Only for all pairs.
    """
    check_named(call)
    check_ranking(ranking, call.given.get("baseline"))
    found, scores = call(call.settings)
    print_notes(scores)
    hint = "Name two run files, followed by the file of judgments."
    print_comparisons(found, call.group("test"), ranking=ranking, style=style, hint=hint)
