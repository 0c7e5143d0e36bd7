"""Parameters that functions of answer verification share, as interfaces offer them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from stcollection.declared import Option
from stcollection.studies.answers.files import SPLITS

Split = Annotated[str, Option(choices=SPLITS, help="Split of SET.")]
TrainingSplits = Annotated[Sequence[str] | str, Option(each="split", choices=SPLITS, help="Split to train on. Repeatable.")]
AnswerSet = Annotated[str, Option("SET")]
AnswerRun = Annotated[str, Option("RUN")]
AgreementName = Annotated[str, Option("MODEL")]
NewRun = Annotated[str, Option("--name", help="Name of the new run.")]
AnswerSource = Annotated[str, Option(help="Source of the answers: given, or the name of an extraction.")]
Device = Annotated[
    str | None,
    Option(
        choices=("auto", "cuda", "cpu"),
        default="auto",
        help="Where cross-encoders and embedding models run; auto uses a GPU if there is one.",
        reads=lambda device: None if device == "auto" else device,
    ),
]
