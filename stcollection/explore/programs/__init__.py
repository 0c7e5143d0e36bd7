"""Endpoints for programs: a search service described by OpenAPI (:mod:`routes`), and two services that participants' scripts use.

These are ElasticSearch's ``/dblp1/_search`` (:mod:`elastic`, with query strings read by :mod:`lucene`) and ``/stvir_test``
(:mod:`vectors`). All endpoints are read-only, and the size of requests is limited (:mod:`limits`).
"""
