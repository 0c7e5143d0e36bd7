"""Describe custom text search configurations as data, and create them from the description.

``stc text configure`` creates them. A configuration is a list of dictionaries per token type; a dictionary is a template of
PostgreSQL with options.
"""

from __future__ import annotations

import re
from typing import Any

import psycopg
from psycopg import sql

from stcollection.errors import BadInput

Described = dict[str, list[dict[str, Any]]]

TEMPLATES = ("simple", "synonym", "thesaurus", "ispell", "snowball")
_OPTION = re.compile(r"\s*(\w+)\s*=\s*(?:'((?:[^']|'')*)'|([\w.\"]+))\s*(?:,|$)")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_DISTRUST = "Do not trust this dump."

_DICTIONARIES = """
SELECT d.dictname, t.tmplname, coalesce(d.dictinitoption, '') FROM pg_ts_dict d JOIN pg_ts_template t ON t.oid = d.dicttemplate
 WHERE d.dictnamespace = 'public'::regnamespace AND t.tmplnamespace = 'pg_catalog'::regnamespace
   AND NOT EXISTS (SELECT FROM pg_depend x WHERE x.classid = 'pg_ts_dict'::regclass AND x.objid = d.oid AND x.deptype = 'e')
 ORDER BY 1
"""
_CONFIGURATIONS = """
SELECT c.cfgname, obj_description(c.oid, 'pg_ts_config'),
       (SELECT jsonb_agg(jsonb_build_array(k.token, k.dictionaries) ORDER BY k.token)
          FROM (SELECT t.alias AS token, jsonb_agg(CASE d.dictnamespace WHEN 'public'::regnamespace THEN 'public.' ELSE '' END
                       || d.dictname ORDER BY m.mapseqno) AS dictionaries
                  FROM pg_ts_config_map m JOIN ts_token_type(c.cfgparser) t ON t.tokid = m.maptokentype
                  JOIN pg_ts_dict d ON d.oid = m.mapdict WHERE m.mapcfg = c.oid GROUP BY t.alias) k)
  FROM pg_ts_config c JOIN pg_ts_parser p ON p.oid = c.cfgparser
 WHERE c.cfgnamespace = 'public'::regnamespace AND p.prsname = 'default' AND p.prsnamespace = 'pg_catalog'::regnamespace
   AND NOT EXISTS (SELECT FROM pg_depend x WHERE x.classid = 'pg_ts_config'::regclass AND x.objid = c.oid AND x.deptype = 'e')
 ORDER BY 1
"""


def describe(conn: psycopg.Connection) -> Described:
    """Return the dictionaries and configurations in the schema public."""
    return {
        "dictionaries": [
            {"name": name, "template": template, "options": options(text)}
            for name, template, text in conn.execute(_DICTIONARIES).fetchall()
        ],
        "configurations": [
            {"name": name, "comment": comment, "mappings": mappings or []}
            for name, comment, mappings in conn.execute(_CONFIGURATIONS).fetchall()
        ],
    }


def options(text: str) -> list[list[str]]:
    """Parse the options of a dictionary, as in pg_ts_dict and CREATE TEXT SEARCH DICTIONARY, into names and values."""
    pairs, at = [], 0
    while at < len(text.rstrip()):
        match = _OPTION.match(text, at)
        if match is None:
            raise BadInput(f"invalid options of a text search dictionary: {text!r}", hint=_DISTRUST)
        pairs.append([match[1], match[2].replace("''", "'") if match[2] is not None else match[3]])
        at = match.end()
    return pairs


def files(described: Described) -> list[str]:
    """Return the dictionary files of stcollection that the dictionaries read."""
    names = set()
    for dictionary in described["dictionaries"]:
        for option, value in dictionary["options"]:
            ending = {"dictfile": "ths", "synonyms": "syn", "stopwords": "stop"}.get(option.lower())
            if ending and re.fullmatch(r"stc_[0-9a-f]{12}_\w+", value):
                names.add(f"{value}.{ending}")
    return sorted(names)


def make(conn: psycopg.Connection, described: Described) -> None:
    """Create the described dictionaries and configurations in the schema public.

    :raises BadInput: the description is malformed, or names a template that PostgreSQL does not provide.
    """
    try:
        # Thesauri come last, because they refer to other dictionaries.
        for spec in sorted(described.get("dictionaries", []), key=lambda spec: spec["template"] == "thesaurus"):
            _dictionary(conn, str(spec["name"]), str(spec["template"]), [(str(name), str(text)) for name, text in spec["options"]])
        for spec in described.get("configurations", []):
            _configuration(conn, str(spec["name"]), spec["comment"], spec["mappings"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BadInput(f"invalid description of text search configurations: {error!r}", hint=_DISTRUST) from error


def _dictionary(conn: psycopg.Connection, name: str, template: str, pairs: list[tuple[str, str]]) -> None:
    if template not in TEMPLATES or not all(_WORD.fullmatch(option) for option, _ in pairs):
        raise BadInput(f"text search dictionary {name!r}: unknown template {template!r} or an invalid option", hint=_DISTRUST)
    parts = [sql.SQL("TEMPLATE = {}").format(sql.Identifier("pg_catalog", template))]
    parts += [sql.SQL("{} = {}").format(sql.Identifier(option.lower()), sql.Literal(value)) for option, value in pairs]
    conn.execute(sql.SQL("CREATE TEXT SEARCH DICTIONARY {} ({})").format(sql.Identifier("public", name), sql.SQL(", ").join(parts)))


def _configuration(conn: psycopg.Connection, name: str, comment: str | None, mappings: list[list[Any]]) -> None:
    config = sql.Identifier("public", name)
    conn.execute(sql.SQL('CREATE TEXT SEARCH CONFIGURATION {} (PARSER = pg_catalog."default")').format(config))
    for token, dictionaries in mappings:
        conn.execute(
            sql.SQL("ALTER TEXT SEARCH CONFIGURATION {} ADD MAPPING FOR {} WITH {}").format(
                config, sql.Identifier(str(token)), sql.SQL(", ").join(_qualified(str(dictionary)) for dictionary in dictionaries)
            )
        )
    if comment is not None:
        conn.execute(sql.SQL("COMMENT ON TEXT SEARCH CONFIGURATION {} IS {}").format(config, str(comment)))


def _qualified(name: str) -> sql.Identifier:
    if name.startswith("public."):
        return sql.Identifier("public", name.removeprefix("public."))
    return sql.Identifier("pg_catalog", name)
