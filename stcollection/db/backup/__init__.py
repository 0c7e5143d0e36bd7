"""Back up and restore collections: dumps, samples and plain SQL.

A dump is a folder. ``manifest.json``, written last, describes its contents; ``data/`` has a file with the rows of each table;
``tsearch_data/`` has the files of custom dictionaries. Indexes whose extensions differ between servers are omitted and rebuilt.
"""
