"""The explorer: a web page for one collection. :mod:`stcollection.site` serves it.

Data flows one way: SQL functions, :mod:`stcollection.web.desk` (connections), a tab (:mod:`page` lists them), the browser.
The page sends no SQL.
"""
