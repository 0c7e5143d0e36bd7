"""The explorer: a page over the collection, and the addresses programs know, in one process.

Data flows one way: SQL functions, :mod:`desk` (connections), a tab (:mod:`page` lists them), the browser.
No SQL comes from the page.
"""
