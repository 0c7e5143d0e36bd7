"""The corpus: files of documents, plain or compressed, into ``dblp`` and ``dblp_text``.

::

    streams ──► detect, split ──► chunks ──► formats ──► store ──► ledger
    (bytes)     (which format)    (pieces)   (records)   (rows)    (what was loaded)

:mod:`load` puts them together; ``stcollection.db.pool`` spreads the chunks over processes.
"""
