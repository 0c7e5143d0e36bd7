"""Read and write files of documents, topics, judgments and runs, without a database.

::

    streams, irdatasets, compression      open a file: plain, compressed, standard input, irds:NAME
    files                                 lines of a file
    writing                               write a file that appears only when it is complete
    records                               contents of files: documents, queries, judgments, ranked documents
    formats, registry                     definition of a format; the list of formats
    corpus/  topics/  qrels/  runs/       a module for each format, and one that reads any of them
"""
