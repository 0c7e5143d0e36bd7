"""The Python face: a collection as an object, its answers as pandas or polars frames.

::

    stcollection.open() ──► collection ──┬── ranking     queries ──► rankings, one statement for all of them
                                         ├── frames      rows ◄──► pandas, polars
                                         ├── uploads     frames ──► runs, temporary tables
                                         ├── iterators   documents, queries, judgments in the manner of ir_datasets
                                         ├── dataset     the collection as a dataset of ir_datasets
                                         ├── terrier     … as transformers of PyTerrier
                                         └── context     … as the context of a language model

None of pandas, polars, ir_datasets and PyTerrier is imported unless it is used.
"""
