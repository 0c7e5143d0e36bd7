"""The abstracts nearest to a text, and their words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import psycopg

from stcollection.db.idle import Caller, call_here
from stcollection.errors import BadArgument, StateError, translate
from stcollection.studies.coverage.records import CoverageOptions
from stcollection.text.stopwords import common_words
from stcollection.vectors.model import Encoder
from stcollection.vectors.queries import query_vector, short
from stcollection.vectors.store import registered

MANY = 10  # with this number of abstracts or more, a word must occur in two of them


@dataclass(frozen=True)
class Words:
    """Counts of words in abstracts.

    :param times: int64[documents, words]: number of occurrences of each word in each abstract.
    :param words: one per column: whole words, one for each lexeme, sorted by lexeme as bytes.
    """

    times: npt.NDArray[np.int64]
    words: tuple[str, ...]

    @property
    def held(self) -> npt.NDArray[np.bool_]:
        """Return bool[documents, words]: whether an abstract contains a word."""
        held: npt.NDArray[np.bool_] = self.times > 0
        return held


@translate()
def nearest(conn: psycopg.Connection, text: str, *, documents: int, model: str | Encoder | None = None) -> tuple[str, list[int]]:
    """Return the short name of the model, and dblp.id of the abstracts nearest to a text by their vectors, nearest first.

    :raises BadArgument: the text is blank.
    :raises UnknownObject: the model does not exist.
    :raises StateError: there are no vectors of abstracts.
    """
    if not text.strip():
        raise BadArgument("the text is empty", hint="Give at least one word.")
    if "\x00" in text:
        raise BadArgument("the text contains a NUL character", hint="Remove it.")
    if not conn.execute("SELECT EXISTS (SELECT 1 FROM dblp_text LIMIT 1)").fetchone() == (True,):
        raise StateError("the corpus is empty", hint="Load documents first: stc load --as corpus PATH.", sqlstate="IR405")
    vector = query_vector(conn, text, model=model)
    with conn.transaction():
        rows = conn.execute(
            "SELECT doc FROM dense_search(%s::vector, %s, 'abstract', %s) ORDER BY rank", [vector, documents, short(model)]
        ).fetchall()
        name = registered(conn, short(model)).model
    if not rows:
        raise StateError("no abstract is near the text", hint="'stc show vectors' lists the stored vectors.", sqlstate="IR405")
    return name, [doc for (doc,) in rows]


@translate()
def words_of(
    conn: psycopg.Connection,
    docs: Sequence[int],
    *,
    options: CoverageOptions = CoverageOptions(),  # noqa: B008
    call: Caller = call_here,
) -> Words:
    """Return the words of abstracts, as stored in the text index (coverage/sql/coverage_words.sql).

    With :data:`MANY` abstracts or more, only words that occur in at least two of them. Words that do not tell topics apart are
    left out (coverage/sql/coverage_common.sql).

    :param options: ``stop_words`` and ``max_df``. :param call: calls what needs scikit-learn.
    :raises StateError: the abstracts have no such words.
    """
    listed = list(call(common_words)) if options.stop_words else []
    common = {lexeme for (lexeme,) in conn.execute("SELECT lexeme FROM stc.coverage_common(%s, %s)", [listed, options.max_df])}
    rows = conn.execute("SELECT place, lexeme, word, times FROM stc.coverage_words(%s)", [list(docs)]).fetchall()
    rows = [row for row in rows if row[1] not in common]
    whole = {lexeme: word for _, lexeme, word, _ in rows}
    order = {lexeme: column for column, lexeme in enumerate(sorted(whole, key=str.encode))}
    times = np.zeros((len(docs), len(order)), dtype=np.int64)
    for place, lexeme, _, count in rows:
        times[place - 1, order[lexeme]] = count
    columns = np.flatnonzero((times > 0).sum(axis=0) >= (2 if len(docs) >= MANY else 1))
    if not len(columns):
        raise StateError(
            "the abstracts near the text contain no words for topics",
            hint="Use more documents, or leave out fewer words.",
            sqlstate="IR405",
        )
    names = [whole[lexeme] for lexeme in order]
    return Words(times[:, columns], tuple(names[column] for column in columns))
