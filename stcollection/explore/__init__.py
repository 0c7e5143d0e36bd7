"""The explorer: a web page for one collection, and HTTP endpoints for programs, in one process.

Data flows one way: SQL functions, :mod:`desk` (connections), a tab (:mod:`page` lists them), the browser.
The page sends no SQL.
"""
