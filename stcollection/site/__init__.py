"""The web server of a collection: the page (:mod:`stcollection.explore`) and the routes for programs (:mod:`stcollection.http`)."""
