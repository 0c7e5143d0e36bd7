"""Code shared by our web servers: request checks, sockets, connections, uploads and translated texts.

Needs starlette, from the extras serve and explore; all but :mod:`guard`, :mod:`sockets` and :mod:`ports` need explore.
"""
