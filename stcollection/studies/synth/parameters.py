"""Parameters that functions on synthetic queries share, as interfaces offer them."""

from __future__ import annotations

from typing import Annotated

from stcollection.declared import AllowedRange, Option

StudyName = Annotated[str, Option("STUDY")]
Level = Annotated[int, AllowedRange(ge=1, le=32767), Option("--min-grade", help="Lowest grade that counts as relevant.")]
Most = Annotated[int | None, AllowedRange(ge=1)]
