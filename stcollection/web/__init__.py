"""Code shared by our web servers: request checks and sockets. Needs starlette, from the extras serve and explore."""
