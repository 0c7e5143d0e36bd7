"""Reading and writing the field's files, without a database.

::

    streams, irdatasets, compression      open a file: plain, packed, standard input, irds:NAME
    files                                 lines of a file
    writing                               write a file that is there only once it is whole
    records                               what files hold: documents, queries, judgments, ranked documents
    formats, registry                     what a format is; the list of them
    corpus/  topics/  qrels/  runs/       a module for each format, and one that reads a file of any
"""
