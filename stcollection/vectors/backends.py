"""Compute the forward passes for documents with torch or OpenVINO, in single or bfloat16 precision.

Queries always use torch in single precision, because a single text would not be faster otherwise. On CPUs with AMX, bfloat16 was
several times as fast, at a cosine of at least 0.9999 to single precision (docs/howto/vectors.md), so ``auto`` uses it there.
"""

from __future__ import annotations

import contextlib
import copy
import re
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import torch

from stcollection.errors import BadArgument
from stcollection.vectors import BACKENDS, PRECISIONS


@cache
def computes_bf16() -> bool:
    """Return True if this CPU multiplies bfloat16 in hardware (AMX or AVX-512); detected on Linux only."""
    try:
        flags = re.search(r"^flags\s*:(.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        return False
    return flags is not None and not {"amx_bf16", "avx512_bf16"}.isdisjoint(flags[1].split())


def choose(precision: str, *, device: str, backend: str) -> str:
    """Return ``fp32`` or ``bf16``. :param device: ``cpu``, ``cuda``, … :raises BadArgument: unknown precision or backend."""
    if precision not in PRECISIONS or backend not in BACKENDS:
        raise BadArgument(
            f"no backend {backend} in precision {precision}",
            hint=f"Use a backend of {', '.join(BACKENDS)} and a precision of {', '.join(PRECISIONS)}.",
        )
    if precision == "auto":
        return "bf16" if device == "cpu" and computes_bf16() else "fp32"
    return precision


def autocast(device: str, precision: str) -> contextlib.AbstractContextManager[object]:
    """Return the context in which torch computes in the given precision, for the calling thread only."""
    if precision == "fp32":
        return contextlib.nullcontext()
    context: contextlib.AbstractContextManager[object] = torch.autocast(device, dtype=torch.bfloat16)
    return context


def pooled_first(model: Any) -> Any:
    """Return a sparse model that computes max pooling before its activation log(1 + relu(x)), which does not change the order.

    Weights are equal, and the activation is computed once for each term instead of for each token: 1.4 times as fast.
    """
    other = copy.copy(model)
    other._modules = {
        name: _pooled_first(layer) if getattr(layer, "pooling_strategy", None) == "max" else layer
        for name, layer in model._modules.items()
    }
    return other


def _pooled_first(layer: Any) -> Any:
    """Return a copy of a SpladePooling layer."""
    activations = 1 + (layer.activation_function == "log1p_relu")

    def forward(features: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        if "cu_seq_lens_q" in features:  # texts in one row, without padding
            return dict(layer.forward(features))
        logits, read = features["token_embeddings"], features["attention_mask"].bool()
        if not bool(read.all()):
            logits.masked_fill_(~read.unsqueeze(-1), 0)
        weights = logits.amax(dim=1).float().relu()
        for _ in range(activations):
            weights = weights.log1p()
        features["sentence_embedding"] = weights
        return features

    other = copy.copy(layer)
    other.forward = forward
    return other


def openvino(model: Any, *, precision: str) -> Any:
    """Return a copy of a sentence-transformers model, with shared weights, whose forward pass OpenVINO compiled for this CPU.

    :raises BadArgument: OpenVINO is not installed, or cannot convert the model.
    """
    try:
        import openvino as ov
    except ImportError as error:
        raise BadArgument(
            "OpenVINO is not installed", hint="pip install 'stcollection[openvino]', or use the backend torch."
        ) from error
    example = model.preprocess(["a text", "and another one of more tokens"])
    names = [name for name, value in example.items() if isinstance(value, torch.Tensor)]
    whole = _Whole(model, names)
    try:
        with warnings.catch_warnings():  # about values that tracing treats as constants; a test compares the vectors
            warnings.simplefilter("ignore")
            graph = ov.convert_model(whole, example_input=tuple(example[name] for name in names))
        hints = {"INFERENCE_PRECISION_HINT": {"fp32": "f32", "bf16": "bf16"}[precision], "PERFORMANCE_HINT": "LATENCY"}
        compiled = ov.Core().compile_model(graph, "CPU", hints)
    except Exception as error:  # OpenVINO raises bare RuntimeErrors; tracing raises anything the model raises
        raise BadArgument(
            f"OpenVINO cannot convert the model: {str(error).splitlines()[0][:200]}", hint="Use the backend torch."
        ) from error

    def forward(features: dict[str, Any], **_: object) -> dict[str, Any]:
        output = compiled([features[name].numpy() for name in names])[0]
        return {"sentence_embedding": torch.from_numpy(output.copy())}  # OpenVINO reuses this memory for the next batch

    return _with_forward(model, forward)


class _Whole(torch.nn.Module):  # type: ignore[misc]  # torch has no types here
    """A sentence-transformers model with tensors as input and output, as tracing requires."""

    def __init__(self, model: Any, names: list[str]) -> None:
        super().__init__()
        self.model = model.eval()
        self.names = names

    def forward(self, *values: Any) -> Any:
        return self.model(dict(zip(self.names, values, strict=True)))["sentence_embedding"]


def _with_forward(model: Any, forward: Callable[..., dict[str, Any]]) -> Any:
    other = copy.copy(model)
    other.forward = forward
    return other
