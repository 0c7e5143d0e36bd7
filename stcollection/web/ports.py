"""Ports on which the servers listen by default."""

SERVE, EXPLORE, MCP = 8765, 8766, 8767
