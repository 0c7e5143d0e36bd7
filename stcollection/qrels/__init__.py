"""Editions of relevance judgments: import, pools, sheets, agreement, derived editions."""
