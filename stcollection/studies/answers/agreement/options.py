"""How a cross-encoder is fine-tuned; apart from finetune.py, which imports torch."""

from __future__ import annotations

from dataclasses import dataclass

from stcollection.errors import BadArgument


@dataclass(frozen=True, kw_only=True)
class FinetuneOptions:
    """How a cross-encoder is fine-tuned.

    :param base: a model on this machine, by name or folder; None: the embedding model of the package.
    :param epochs: maximum number of passes over the pairs. :param patience: epochs without improvement before training ends.
    :param batch: pairs per step. :param rate: highest learning rate (AdamW). :param tokens: longer inputs are truncated.
    :param held_out: share of the groups that is held out. :param seed: of the groups, the order of pairs and new weights.
    :raises BadArgument: a value is outside its range.
    """

    base: str | None = None
    epochs: int = 8
    patience: int = 2
    batch: int = 16
    rate: float = 5e-5
    tokens: int = 128
    held_out: float = 0.1
    seed: int = 1

    def __post_init__(self) -> None:
        for name in ("epochs", "patience", "batch", "tokens"):
            if getattr(self, name) < 1:
                raise BadArgument(f"{name} is {getattr(self, name)}", hint=f"Give {name} of 1 or more.", sqlstate="IR202")
        if not 0 < self.rate < 1 or not 0 < self.held_out < 1:
            raise BadArgument(
                f"rate is {self.rate}, held_out is {self.held_out}", hint="Both must be between 0 and 1.", sqlstate="IR202"
            )


AS_USUAL = FinetuneOptions()
