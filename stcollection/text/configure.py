"""Create a custom text search configuration with a thesaurus or synonyms, a stemmer and stop words.

We write the dictionary files that PostgreSQL reads. PostgreSQL does not stem the right side of a synonym file, so we store its
stem. Text index and queries use a configuration by its name: ``stc index --config NAME``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import psycopg
from psycopg import sql

from stcollection.db.dictionaries import file_name, keep, restore
from stcollection.db.embedded import binaries
from stcollection.db.settings import Settings
from stcollection.declared import INTERNAL, Option
from stcollection.errors import BadArgument, BadInput, translate
from stcollection.text import words
from stcollection.text.words import DictionaryLine

# Start of the comment that marks configurations created here.
_MARK = "stcollection"
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")


@dataclass(frozen=True)
class Base:
    """The stemmer of a configuration.

    :param template: snowball or simple.
    :param options: options for CREATE TEXT SEARCH DICTIONARY.
    :param tokens: token types that it handles.
    """

    config: str
    stemmer: str
    template: str
    options: str
    tokens: Sequence[str]


@dataclass(frozen=True)
class Configured:
    """A text search configuration that was created.

    :param entries: lines of the thesaurus or synonyms. :param stop: number of stop words; None means those of the base.
    :param kept: new name of the replaced configuration if the text index still uses it, else None.
    """

    name: str
    entries: int
    stop: int | None
    kept: str | None


@translate()
def configure(
    conn: psycopg.Connection,
    settings: Annotated[Settings, INTERNAL],
    *,
    name: Annotated[str, Option("NAME")],
    base: str = "english",
    thesaurus: Annotated[str | None, Option(metavar="FILE")] = None,
    synonyms: Annotated[str | None, Option(metavar="FILE")] = None,
    stop: Annotated[str | None, Option(metavar="FILE")] = None,
    replace: bool = False,
) -> Configured:
    """Create a text search configuration in one transaction.

    Replacing a configuration that the text index uses renames the old one to ``<name>_before``; the index uses that until it is
    rebuilt.

    :param name: lower-case letters, digits and underscores.
    :param base: Configuration that supplies stemmer and stop words.
    :param thesaurus: Thesaurus file with lines 'some words : other words'; 'computing' is included in stcollection.
    :param synonyms: Synonym file with lines 'word synonym'.
    :param stop: File of stop words, one per line, instead of those of --base.
    :param replace: Replace a configuration with this name.
    :raises BadArgument: an invalid or taken name; an unknown base; a missing file; on a server other than the embedded one, a
        dictionary file that must first be copied to the server.
    :raises BadInput: an invalid line of a file, or a line with words that the stemmer treats as stop words.
    """
    if not _NAME.fullmatch(name):
        raise BadArgument(f"{name!r} is not a valid configuration name", hint="Use lower-case letters, digits and underscores.")
    if (thesaurus and synonyms) or not (thesaurus or synonyms or stop):
        raise BadArgument(
            "a configuration needs a thesaurus or synonyms, or stop words", hint="Give --thesaurus, --synonyms or --stop."
        )
    with conn.transaction():
        at = _base(conn, base)
        old = _make_room(conn, name, replace=replace)
        stemmer = at.stemmer
        listed = None
        if stop:
            listed = words.stop_words(words.find(stop))
            text = "".join(f"{line.words[0]}\n" for line in listed)
            stemmer = f"public.stc_{name}_stem"
            options = re.sub(r",?\s*stopwords\s*=\s*'[^']*'", "", at.options).strip(" ,")
            dictionary = _Dictionary(stemmer, at.template, "stop", "StopWords", [options] if options else [])
            _install(conn, settings, dictionary, text, of=name)
        before = []
        entries: list[DictionaryLine] = []
        if thesaurus or synonyms:
            path = words.find(str(thesaurus or synonyms))
            entries = words.thesaurus(path) if thesaurus else words.synonyms(path)
            stems = _stems(conn, stemmer, entries)
            _refuse_stop_words(path, entries, stems)
            before = [f"public.stc_{name}_words"]
            if thesaurus:
                text = "".join(f"{' '.join(line.words)} : {' '.join(line.by)}\n" for line in entries)
                dictionary = _Dictionary(before[0], "thesaurus", "ths", "DictFile", [f"dictionary = {stemmer}"])
            else:
                text = "".join(f"{line.words[0]} {stems[line.by[0]]}\n" for line in entries)
                dictionary = _Dictionary(before[0], "synonym", "syn", "Synonyms")
            _install(conn, settings, dictionary, text, of=name)
        config = sql.Identifier("public", name)
        conn.execute(sql.SQL("CREATE TEXT SEARCH CONFIGURATION {} (COPY = {})").format(config, sql.SQL(at.config)))
        conn.execute(
            sql.SQL("ALTER TEXT SEARCH CONFIGURATION {} ALTER MAPPING FOR {} WITH {}").format(
                config, sql.SQL(", ").join(map(sql.Identifier, at.tokens)), sql.SQL(", ").join(map(sql.SQL, [*before, stemmer]))
            )
        )
        conn.execute(sql.SQL("COMMENT ON TEXT SEARCH CONFIGURATION {} IS {}").format(config, f"{_MARK}: made from {at.config}"))
    return Configured(name, len(entries), None if listed is None else len(listed), old)


def _base(conn: psycopg.Connection, config: str) -> Base:
    try:
        row = conn.execute("SELECT * FROM stc.text_stemmer(%s::regconfig)", [config]).fetchone()
    except (psycopg.errors.UndefinedObject, psycopg.errors.InvalidName, psycopg.errors.SyntaxError) as error:
        raise BadArgument(f"no text search configuration {config!r}", hint="List them with psql's \\dF.") from error
    if row is None:
        raise BadArgument(
            f"the configuration {config!r} has no stemmer that can be extended",
            hint="Use a configuration that comes with PostgreSQL, such as english or simple.",
        )
    return Base(*row)


def _make_room(conn: psycopg.Connection, name: str, *, replace: bool) -> str | None:
    """Drop the configuration with this name, or rename it if the text index uses it. :returns: its new name, or None."""
    row = conn.execute(
        "SELECT obj_description(oid, 'pg_ts_config'), stc.text_config_used(oid) FROM pg_ts_config"
        " WHERE cfgname = %s AND cfgnamespace IN ('public'::regnamespace, 'pg_catalog'::regnamespace) ORDER BY 1 NULLS FIRST",
        [name],
    ).fetchone()
    if row is None:
        return None
    comment, used = row
    if not (comment or "").startswith(_MARK):
        raise BadArgument(f"configuration {name!r} exists and was not created by stcollection", hint="Choose another name.")
    if not replace:
        raise BadArgument(f"configuration {name!r} already exists", hint="Choose another name, or use --replace.")
    other = f"{name}_before"
    _drop(conn, other if used else name)
    if not used:
        if (
            conn.execute("SELECT FROM pg_ts_config WHERE cfgname = %s AND NOT stc.text_config_used(oid)", [other]).fetchone()
            is not None
        ):
            _drop(conn, other)
        return None
    rename = sql.SQL("ALTER TEXT SEARCH {} public.{} RENAME TO {}")
    conn.execute(rename.format(sql.SQL("CONFIGURATION"), sql.Identifier(name), sql.Identifier(other)))
    for part in ("words", "stem"):
        if conn.execute("SELECT FROM pg_ts_dict WHERE dictname = %s", [f"stc_{name}_{part}"]).fetchone() is not None:
            conn.execute(
                rename.format(sql.SQL("DICTIONARY"), sql.Identifier(f"stc_{name}_{part}"), sql.Identifier(f"stc_{other}_{part}"))
            )
    return other


def _drop(conn: psycopg.Connection, name: str) -> None:
    conn.execute(sql.SQL("DROP TEXT SEARCH CONFIGURATION IF EXISTS public.{}").format(sql.Identifier(name)))
    for part in ("words", "stem"):
        conn.execute(sql.SQL("DROP TEXT SEARCH DICTIONARY IF EXISTS public.{}").format(sql.Identifier(f"stc_{name}_{part}")))


def _stems(conn: psycopg.Connection, stemmer: str, entries: Sequence[DictionaryLine]) -> dict[str, str | None]:
    """Return the stem of each word, None for a stop word."""
    every = sorted({word for entry in entries for word in (*entry.words, *entry.by)})
    return dict(
        conn.execute("SELECT w, (ts_lexize(%s::regdictionary, w))[1] FROM unnest(%s::text[]) w", [stemmer, every]).fetchall()
    )


def _refuse_stop_words(path: Path, entries: Sequence[DictionaryLine], stems: dict[str, str | None]) -> None:
    for entry in entries:
        for word in (*entry.words, *entry.by):
            if stems[word] is None:
                raise BadInput(
                    f"{path}, line {entry.line}: {word!r} is a stop word, which the text index does not contain",
                    hint="Remove the line, or use a stop list without the word: --stop FILE.",
                )


@dataclass(frozen=True)
class _Dictionary:
    """A text search dictionary that reads a file.

    :param kind: extension of the file. :param reads: option that names the file. :param options: other options, as SQL.
    """

    name: str
    template: str
    kind: str
    reads: str
    options: Sequence[str] = ()


def _install(conn: psycopg.Connection, settings: Settings, dictionary: _Dictionary, text: str, *, of: str) -> None:
    """Install the file and create the dictionary that reads it. :param of: name of the configuration."""
    file = file_name(of, text, dictionary.kind)
    path = keep(settings.home, file, text)
    if settings.embedded:
        restore(settings.home, binaries())
    everything = [f"TEMPLATE = {dictionary.template}", *dictionary.options, f"{dictionary.reads} = {file.rsplit('.', 1)[0]}"]
    try:
        with conn.transaction():
            conn.execute(f"CREATE TEXT SEARCH DICTIONARY {dictionary.name} ({', '.join(everything)})".encode())
    except (psycopg.errors.ConfigFileError, psycopg.errors.UndefinedFile) as error:
        raise BadArgument(
            f"the server cannot read the dictionary file {file}: {error.diag.message_primary}",
            hint=f"Copy {path} into tsearch_data under the server's 'pg_config --sharedir', then try again.",
        ) from error
