"""Reading and writing the field's files, without a database.

::

    compression ──► streams, irdatasets ──► files       bytes, and lines
    records                                             what a file holds: documents, queries, judgments, rankings
    corpus/  topics/  qrels/  runs/                     one module a format
"""
