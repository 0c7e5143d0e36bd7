"""The addresses for programs: a search service with OpenAPI (:mod:`routes`), and the two that participants' scripts know:
ElasticSearch's ``/dblp1/_search`` (:mod:`elastic`, its query strings by :mod:`lucene`) and ``/stvir_test`` (:mod:`vectors`).

All read only; what may be asked for is bounded (:mod:`limits`).
"""
