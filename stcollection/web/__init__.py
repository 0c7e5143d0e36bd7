"""What our web servers share: the check of requests, and sockets. Needs starlette, which the extras serve and explore bring."""
