"""OpenAI's format of embedding requests, responses and errors, extended by ``input_type``."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import orjson
from pydantic import BaseModel, Field, StrictStr, ValidationError

from stcollection.counts import counted
from stcollection.serve import Limits
from stcollection.vectors.model import Encoder, Vectors


class RefusedRequest(Exception):
    """A refused request; the exception handler of ``app`` returns it as an error in OpenAI's format.

    :param status: HTTP status. :param param: the invalid field of the request. :param code: error code for programs.
    """

    def __init__(self, status: int, message: str, *, param: str | None = None, code: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.param = param
        self.code = code


class StoredRecipe(BaseModel):
    """How the stored vectors of a model were computed, as embed_query sends it. :param model: its short name."""

    model: StrictStr
    dim: int
    revision: str | None
    query_prefix: str
    passage_prefix: str
    pooling: str | None
    max_tokens: int | None


class EmbeddingRequest(BaseModel):
    """The body of POST /v1/embeddings. Other fields that OpenAI defines (``user``) are ignored."""

    input: StrictStr | list[StrictStr] = Field(description="One text or a list of texts. Token arrays are not supported.")
    model: StrictStr = Field(description="Full or short name of a served model.")
    encoding_format: Literal["float", "base64"] = "float"
    dimensions: int | None = Field(None, description="Must equal the model's dimensions.")
    input_type: Literal["query", "passage"] = Field("query", description="Which prompt of the model to use, if it has several.")
    recipe: StoredRecipe | None = Field(
        None, description="How the vectors must be computed; refused if the model does it otherwise."
    )


def read_request(body: bytes, limits: Limits) -> tuple[EmbeddingRequest, list[str]]:
    """Read the request in a body. Return it with its texts.

    :raises RefusedRequest: 400 the body is not a valid request, 413 a text or the list is too long.
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
        raise RefusedRequest(400, "input: the list is empty", param="input", code="empty_input")
    if len(texts) > most:
        raise RefusedRequest(
            413, f"input: {counted(len(texts), 'text')}; the maximum is {most:,}", param="input", code="too_many_texts"
        )
    for number, text in enumerate(texts):
        if not text:
            raise RefusedRequest(400, f"input: text {number} is empty", param="input", code="empty_input")
        if len(text) > limits.chars:
            message = f"input: text {number} has {counted(len(text), 'character')}; the maximum is {limits.chars:,}"
            raise RefusedRequest(413, message, param="input", code="text_too_long")
    return request, texts


def answer(request: EmbeddingRequest, encoder: Encoder, vectors: Sequence[Vectors], tokens: int) -> bytes:
    """Return the body of the response. :param vectors: of each text, in their order; both formats are exact."""
    embeddings: list[Any] = list(vectors)
    if request.encoding_format == "base64":
        embeddings = [base64.b64encode(row.astype(np.dtype("<f4")).tobytes()).decode() for row in vectors]
    confirmed = {} if request.recipe is None else {"recipe": request.recipe.model_dump()}
    return orjson.dumps(
        {
            "object": "list",
            "data": [{"object": "embedding", "index": index, "embedding": vector} for index, vector in enumerate(embeddings)],
            "model": encoder.name,
            "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
            **confirmed,
        },
        option=orjson.OPT_SERIALIZE_NUMPY,
    )


def error_body(status: int, message: str, *, param: str | None = None, code: str | None = None) -> dict[str, object]:
    """Return an error in OpenAI's format; its type says whether the request or the server is at fault."""
    kind = "server_error" if status >= 500 else "invalid_request_error"
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}
