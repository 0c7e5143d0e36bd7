"""Models of judging: the bodies of requests and answers. OpenAPI describes them."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Literal

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field

from stcollection.http.limits import checked_text
from stcollection.http.records import answer, served
from stcollection.qrels.judging import BlindDocument
from stcollection.qrels.labels import ShownLabel

Text = Annotated[str, AfterValidator(partial(checked_text, name="text"))]
Name = Annotated[Text, Field(min_length=1, max_length=200)]
Note = Annotated[Text, Field(max_length=1000)]
Seconds = Annotated[float, Field(ge=0, le=1e7, allow_inf_nan=False)]
Grade = Annotated[int, Field(ge=0, le=9)]
Id = Annotated[
    str,
    Field(pattern="^[0-9a-z]{8,64}$", description="Chosen by the program, new for each decision, such as uuid.uuid4().hex."),
]


class Sent(BaseModel):
    """A body. A field that does not exist is an error, so that a misspelled one is not ignored."""

    model_config = ConfigDict(extra="forbid")


class _OfSheet(Sent):
    pool: Name
    annotator: Name


class SheetClaim(_OfSheet):
    """A request for the next document or pair."""

    query: Name | None = Field(None, description="The only query to judge.")
    queries: Annotated[Text, Field(max_length=1000)] = Field("all", description="A set of queries: all, long, topic:G*, a+b.")
    program: Annotated[Text, Field(max_length=100)] = Field(
        "", description="Name of the program. Programs of an annotator with different names get different documents."
    )


class NewDecision(_OfSheet):
    """A decision on a document. rel null and undecided false: skipped."""

    id: Id
    token: Name
    rel: Grade | None = None
    undecided: bool = Field(False, description="The annotator cannot decide. rel must be null.")
    note: Note | None = Field(None, description="null keeps the stored note.")
    seconds: Seconds | None = Field(None, description="Time that the decision took.")
    seen: AwareDatetime | None = Field(description="The field changed of the document when it was shown.")


class UndoneDecision(_OfSheet):
    """The decision or comparison to undo."""

    id: Id


#: A document of a sheet, without runs and ranks. Its token names it in a decision; ``changed`` is sent back as ``seen``.
SheetPaper = served(BlindDocument, omit=("words", "label"), label=served(ShownLabel, omit=("token",)) | None)
ClaimedPaper = answer(
    "ClaimedPaper",
    "The next document; null if nothing is left. It is reserved for ten minutes. grades: meaning of each grade.",
    grades=dict[str, str],
    guidelines=str | None,
    document=SheetPaper | None,
)
PreviousPaper = answer("PreviousPaper", "An earlier document of the sheet; null without one.", document=SheetPaper | None)
ClaimedPair = answer(
    "ClaimedPair",
    "The next two documents of a query to compare; null if nothing is left. number: of the comparison for the query.",
    query=str | None,
    number=int | None,
    left=SheetPaper | None,
    right=SheetPaper | None,
)


class NewComparison(_OfSheet):
    """A comparison of two documents, by their tokens."""

    id: Id
    query: Name
    left: Name
    right: Name
    choice: Literal["left", "right", "equal", "neither", "undecided"]
    seconds: Seconds | None = None


class UndoneComparison(BaseModel):
    """query: of the comparison that was removed; null if it is not the last one of its query, or was submitted."""

    query: str | None


class NewFinalGrade(Sent):
    """The final grade of a document that annotators graded differently."""

    pool: Name
    adjudicator: Name
    query: Name
    docno: Name
    rel: Grade
    note: Note | None = None


class StoredFinalGrade(BaseModel):
    pool: str
    query: str
    docno: str
    rel: int
    adjudicator: str
