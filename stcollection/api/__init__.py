"""The Python API: a collection as an object that takes and returns pandas or polars frames.

::

    stcollection.open() ──► collection ──┬── stages      corpus, text, vectors, topics, qrels, runs; complexity
                                         │   └── files   … paths, frames and iterators as files
                                         ├── evaluation  score, compare; analyses, plots
                                         ├── ranking     queries ──► rankings, one SQL statement for all queries
                                         ├── uploads     frames ──► runs, temporary tables
                                         └── streams     iterators, dataset (ir_datasets), terrier (PyTerrier)

    face        shared by all: frames (frames), progress bars (progress), error messages for Python (wording)

pandas, polars, ir_datasets, PyTerrier and matplotlib are imported only when they are used.
"""
