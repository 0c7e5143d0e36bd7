"""OpenAI's form of embedding requests, answers and errors, and what this service adds: ``input_type``."""

from __future__ import annotations

import base64
from typing import Any, Literal

import numpy as np
import orjson
from pydantic import BaseModel, Field, StrictStr, ValidationError

from stcollection.serve import Limits
from stcollection.vectors.model import Encoder, Vectors


class RefusedRequest(Exception):
    """A request that is not answered; the exception handler of ``app`` makes OpenAI's error of it.

    :param status: of HTTP. :param param: the field of the request that is at fault. :param code: what a program tells it by.
    """

    def __init__(self, status: int, message: str, *, param: str | None = None, code: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.param = param
        self.code = code


class EmbeddingRequest(BaseModel):
    """The body of POST /v1/embeddings; other fields of OpenAI's (``user``) are let pass."""

    input: StrictStr | list[StrictStr] = Field(description="a text, or several; texts only, no token arrays")
    model: StrictStr = Field(description="a served model, by its full name or its short one")
    encoding_format: Literal["float", "base64"] = "float"
    dimensions: int | None = Field(None, description="no other than the model's own")
    input_type: Literal["query", "passage"] = Field("query", description="which of the model's prompts, where it has several")


def read_request(body: bytes, limits: Limits) -> tuple[EmbeddingRequest, list[str]]:
    """The request in a body, and its texts.

    :raises Refused: 400 it is no such request, 413 a text or the list is too long.
    """
    try:
        request = EmbeddingRequest.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        param = str(first["loc"][0]) if first["loc"] else None
        where = f"{param}: " if param else ""
        raise RefusedRequest(400, f"{where}{first['msg']}", param=param, code=first["type"]) from error
    texts = [request.input] if isinstance(request.input, str) else request.input
    most = min(limits.texts, limits.queue)
    if not texts:
        raise RefusedRequest(400, "input: there is no text", param="input", code="empty_input")
    if len(texts) > most:
        raise RefusedRequest(413, f"input: {len(texts):,} texts, {most:,} a request at most", param="input", code="too_many_texts")
    for number, text in enumerate(texts):
        if not text:
            raise RefusedRequest(400, f"input: text {number} is empty", param="input", code="empty_input")
        if len(text) > limits.chars:
            message = f"input: text {number} has {len(text):,} characters, {limits.chars:,} are taken at most"
            raise RefusedRequest(413, message, param="input", code="text_too_long")
    return request, texts


def answer(request: EmbeddingRequest, encoder: Encoder, vectors: Vectors, tokens: int) -> bytes:
    """The body of the answer. :param vectors: float32[n, dim] in the order of the texts, told to the last bit in both formats."""
    embeddings: list[Any] = list(vectors)
    if request.encoding_format == "base64":
        embeddings = [base64.b64encode(row.astype(np.dtype("<f4")).tobytes()).decode() for row in vectors]
    return orjson.dumps(
        {
            "object": "list",
            "data": [{"object": "embedding", "index": index, "embedding": one} for index, one in enumerate(embeddings)],
            "model": encoder.name,
            "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
        },
        option=orjson.OPT_SERIALIZE_NUMPY,
    )


def error_body(status: int, message: str, *, param: str | None = None, code: str | None = None) -> dict[str, object]:
    """OpenAI's form of an error; its type tells whose fault it was."""
    kind = "server_error" if status >= 500 else "invalid_request_error"
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}
