"""Parameters that the functions of judgments share, as all interfaces offer them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

from stcollection.declared import AllowedRange, Option
from stcollection.io.qrels.judgments import mapping_of

#: The edition that a command reads, as an option or as its argument: the named one, or the only one.
Edition = Annotated[
    str, Option(metavar="EDITION", help="Edition of the judgments.", listed="show editions", default="the only edition")
]
ReadEdition = Annotated[str, Option("EDITION", help="Edition of the judgments.", default="the only edition")]
#: The argument of a command that changes an edition: it must be named.
ChangedEdition = Annotated[str, Option("EDITION", help="Edition.")]
#: The argument of a command that otherwise reads all editions.
OneEdition = Annotated[str | None, Option("EDITION", help="Edition; None for all.")]
#: The edition that files or sheets are added to.
GrowingEdition = Annotated[str, Option(metavar="EDITION", help="Edition to add the judgments to; created if it does not exist.")]
Split = Annotated[str | None, Option(choices=("train", "test"), help="Purpose of the edition: training or testing.")]
Year = Annotated[int | None, AllowedRange(ge=1900, le=2999), Option(help="Year of the track.")]
#: A mapping; interfaces take it as text.
if TYPE_CHECKING:
    GradeMap = Mapping[int, int] | None
else:
    GradeMap = Annotated[
        str | None,
        Option(
            "--map",
            metavar="GRADES",
            help="Grade to store for each grade of the source: 1=4,2=3,3=2,4=1,-1=0 for Cranfield's degrees; simpletext-2022 means "
            "0=0,1=0,2=1,3=1,4=2,5=2.",
            default="unchanged",
            reads=mapping_of,
        ),
    ]
RELEVANCE = Option(
    metavar="N",
    help="Grade of each listed document, if the file of judgments has no grades.",
    default="a file without grades is an error",
)
HiddenEdition = Annotated[
    bool | None,
    Option("--no-hide", help="Do not hide a new edition of --split test from participants and readers."),
]
PoolName = Annotated[str, Option("NAME")]
RelevantFrom = Annotated[int, AllowedRange(ge=1), Option("--min-grade", help="Lowest grade that counts as relevant.")]
#: The edition whose judgments count.
JudgedIn = Annotated[
    str | None,
    Option(metavar="EDITION", help="Edition whose judgments count.", default="the grades on the pool's own sheets"),
]
