"""The Python interface: a collection as an object that takes and returns pandas or polars frames.

::

    stcollection.open() ──► collection ──┬── stages      corpus, text, vectors, topics, qrels, runs; complexity
                                         │   └── files   … paths, frames and iterators as files
                                         ├── evaluation  score, compare; analyses, plots
                                         ├── ranking     queries ──► rankings, one statement for all of them
                                         ├── uploads     frames ──► runs, temporary tables
                                         └── streams     iterators, dataset (ir_datasets), terrier (PyTerrier)

    face        what they share: frames (frames), progress bars (progress), errors in the words of Python (wording)

None of pandas, polars, ir_datasets, PyTerrier and matplotlib is imported unless it is used.
"""
