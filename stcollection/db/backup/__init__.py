"""Handing a collection over: dumps, samples, plain SQL, and how they become a collection again.

A dump is a folder: ``manifest.json``, written last, says what is in it; ``data/`` is pg_dump's directory format; ``tsearch_data/``
holds files of dictionaries of one's own. Indexes whose extension differs between servers are not in it: they are built anew.
"""
