"""The first tab: what the collection is, its state, and the next steps of each role."""
