"""JSON routes for programs: a service described by OpenAPI (:mod:`routes`), and two services that participants' scripts use.

These are ElasticSearch's ``/dblp1/_search`` (:mod:`elastic`, with query strings read by :mod:`lucene`) and ``/stvir_test``
(:mod:`vectors`), which only read. The service also judges (:mod:`judging`) and stores files (:mod:`uploads`), with the rights of
the caller's login. The size of requests is limited (:mod:`limits`, :mod:`bodies`).
"""
