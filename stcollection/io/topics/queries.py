"""Read queries from files of topics of any format, and from ir_datasets.

Each reader yields :class:`~stcollection.io.records.QueryRecord` in the order of the file. The text is unchanged, except that line
breaks of TREC and SMART files become spaces.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from stcollection.errors import BadArgument, BadInput
from stcollection.io import registry
from stcollection.io.corpus.documents import storable
from stcollection.io.corpus.fields import DEFAULT, FieldNames
from stcollection.io.files import bad_line, clip, read_text
from stcollection.io.formats import FIELDS as FIELDS
from stcollection.io.formats import NUMBERS as NUMBERS
from stcollection.io.formats import QueryOptions, TopicFormat
from stcollection.io.irdatasets import PREFIX, find_dataset, reading
from stcollection.io.records import QueryRecord as QueryRecord
from stcollection.io.topics.background import article, with_topic
from stcollection.io.topics.columns import mapped_name
from stcollection.io.topics.jsonl import texts
from stcollection.io.topics.table import QueryTable
from stcollection.io.topics.tsv import other_table

FORMATS = registry.names("topics")
_MOST = 2**28  # maximum bytes of a file of topics


def read_queries(
    path: Path,
    *,
    layout: str | None = None,
    field: str = "title",
    number: str | None = None,
    fields: FieldNames = DEFAULT,
) -> tuple[str, list[QueryRecord]]:
    """Return how a file was read (such as ``smart, numbered by position``), and its queries.

    :param layout: a name of :data:`~stcollection.io.registry.TOPICS`; None detects it.
    :param field: one of FIELDS: part of a TREC topic that is the query.
    :param number: one of NUMBERS: name SMART queries by ``.I`` or by position. None uses the position if the ``.I`` are zero-padded
        and have gaps, as in Cranfield, whose judgments count positions; else the ``.I``.
    :param fields: names of the fields of JSON objects, or of the columns of a table.
    :raises BadInput: an invalid line, an unknown format, or a file without queries.
    :raises BadArgument: the format has fixed field names.
    """
    if path.as_posix().startswith(PREFIX):
        how, queries = "ir_datasets", list(_ir_datasets(path, field, fields))
    else:
        text, options = read_text(path, most=_MOST), QueryOptions(field=field, number=number, fields=fields)
        format_ = _recognise(path, text, fields) if layout is None else registry.topic_format(layout)
        if fields.given("queries") and not fields.foreign("queries") and not format_.renamed:
            others = ", ".join(other.name for other in registry.TOPICS if other.renamed)
            raise BadArgument(f"{path}: {format_.name} has fixed field names; --map is for {others}", hint="Omit --map.")
        how = ", ".join(filter(None, (format_.name, format_.note(text, options))))
        queries = list(format_.read(path, text, options))
    if not queries:
        raise BadInput(f"{path}: contains no query (read as {how})", hint="Check the file; --format selects another format.")
    return how, queries


def _recognise(path: Path, text: str, fields: FieldNames) -> TopicFormat:
    recognised = next((format_ for format_ in registry.TOPICS if format_.sniff(text)), None)
    if recognised is None and QueryTable(text).mapped(fields):
        return registry.topic_format("csv")
    if recognised is not None:
        return recognised
    if what := other_table(text):
        raise BadInput(
            f"{path}: {what}",
            hint="Number its columns, for example --map query=1,text=3. For other tables use 'stc load --as runs',"
            " 'stc load --as qrels' or 'stc load --as scores'. --format tsv reads the file unchanged.",
        )
    if problem := QueryTable(text).problem(str(path)):
        raise problem
    begins = clip(text.lstrip().partition("\n")[0])
    raise BadInput(f"{path}: unknown topic format; the file begins with {begins}", hint=registry.suggest("topics", path))


_FIELDS_OF_IR_DATASETS = {"title": ("title", "text", "query"), "desc": ("description",), "narr": ("narrative",)}


def _ir_datasets(path: Path, field: str, mapped: FieldNames) -> Iterator[QueryRecord]:
    """Yield the queries of a collection of ir_datasets, numbered instead of lines."""
    if field not in FIELDS:
        raise BadArgument(f"there is no field {field!r} of a topic", hint=f"Use one of {', '.join(FIELDS)}.")
    name = path.as_posix()
    provided = find_dataset(name, "queries")
    with reading(name):
        for line, query in enumerate(provided.queries_iter(), 1):
            parts: list[str] = []
            for part in field.split("+"):
                own = mapped_name(mapped, part)
                names = _FIELDS_OF_IR_DATASETS[part] if own is None else (own,)
                text = next((value for attribute in names if isinstance(value := getattr(query, attribute, None), str)), None)
                if text is None and part == "title" and own is None and hasattr(query, "default_text"):
                    text = query.default_text()
                if not text or not text.strip():
                    present = ", ".join(attribute for attribute in query._fields if attribute != "query_id")
                    raise bad_line(
                        path, line, f"query {query.query_id} has no {part}; it has {present}", hint="Choose another with --field."
                    )
                parts.append(storable(text).strip())
            record = QueryRecord(line=line, query=str(query.query_id), text=" ".join(parts))
            fields = texts({name: value for name, value in query._asdict().items() if isinstance(value, str)})
            title, background = fields.get("title", fields.get("topic_title")), article([fields])
            topic = str(getattr(query, "topic_number", query.query_id))  # of CAsT: the conversation
            yield record if title is background is None else with_topic(record, topic, title, background)
