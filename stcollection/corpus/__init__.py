"""The corpus: files of documents, plain or compressed, into ``dblp`` and ``dblp_text``.

::

    io.streams ──► io.corpus ──────────────────────► parsing ──► store ──► ledger
    (bytes)        (format, chunks, then records)    (batch)     (rows)    (what was loaded)

:mod:`load` puts them together; ``stcollection.db.pool`` spreads the chunks over processes.
"""
