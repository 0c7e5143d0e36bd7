"""Have a language model score the sampled documents of a study: would each stand alone as a search result?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import psycopg
from psycopg.types.json import Jsonb

from stcollection.db.rows import only_row
from stcollection.errors import translate
from stcollection.llm.template import Template, check_slots, find_template
from stcollection.studies.synth import study as studies
from stcollection.studies.synth.answers import read_score
from stcollection.studies.synth.ask import ALL_UNASKED, AskCounts, Asker, AskOptions, Progress, Questioning, Replies, cost

FOLDER = Path(__file__).parent / "prompts"
PROMPT = "standalone"
SHOWN = ("passage", "abstract")  # a prompt must contain one of these


def find_prompt(name: str) -> Template:
    """Read a prompt file by its name in prompts/, else by its path.

    :raises UnknownObject: neither exists.
    :raises BadInput: the file is not a prompt.
    :raises BadArgument: it contains no passage.
    """
    template = find_template(name, slots=studies.SLOTS, folder=FOLDER, appended=SHOWN[:1])
    check_slots(template.slots, any_of=SHOWN, where=f"the prompt {template.name}")
    return template


def score(
    conn: psycopg.Connection,
    study: str,
    *,
    asker: Asker,
    options: AskOptions = ALL_UNASKED,
    progress: Progress | None = None,
) -> AskCounts:
    """Ask a model about each sampled document; store every answer verbatim, with the score parsed from it (:func:`read_score`).

    Documents answered before are not asked about again; failed ones are. An interruption ends it within a few seconds.

    :param conn: in autocommit mode and used only for this.
    :raises UnknownObject: the study does not exist.
    :raises BadArgument: another model or prompt has scored it.
    :raises StateError: the endpoint cannot be reached, or refuses the key or the model.
    """
    template = asker.template
    with translate(), conn.transaction():
        study_id, prompt_id = only_row(
            conn,
            "SELECT study_id, prompt_id FROM stc.synth_begin_scoring(%s, %s, %s, %s)",
            [study, asker.model, template.name, template.text],
        )
        if options.simulated:
            conn.execute(
                "UPDATE stc_all.synth_studies SET params = jsonb_set(params, '{score,simulated}', 'true') WHERE id = %s", [study_id]
            )

    @translate()
    def states(docs: Sequence[int] | None) -> list[tuple[int, str]]:
        ids = None if docs is None else list(docs)
        return conn.execute(
            "SELECT doc, state FROM stc.synth_to_score(%s, %s, %s)", [study_id, options.retry_malformed, ids]
        ).fetchall()

    @translate()
    def keep(replies: Replies, counts: AskCounts) -> None:
        rows = []
        for doc, reply in replies:
            # A truncated answer may end within a number.
            value = None if reply.text is None or reply.finish == "length" else read_score(reply.text)
            rows.append({"doc": doc, "answer": reply.text, "score": value, "error": reply.error, "params": cost(reply, asker)})
            counts.good += value is not None
            counts.malformed += reply.text is not None and value is None
        conn.execute("SELECT stc.synth_keep_scores(%s, %s, %s, %s)", [study_id, asker.model, prompt_id, Jsonb(rows)])

    return Questioning(
        conn, study_id=study_id, step="score", asker=asker, states=states, keep=keep, limit=options.limit, progress=progress
    ).run()
