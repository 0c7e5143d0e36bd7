"""Load document files, plain or compressed, into the tables ``dblp`` and ``dblp_text``.

::

    io.streams ──► io.corpus ──────────────────────► parsing ──► store ──► ledger
    (bytes)        (format, chunks, then records)    (batch)     (rows)    (loaded files)

:mod:`load` connects these steps; ``stcollection.db.pool`` distributes the chunks over processes.
"""
