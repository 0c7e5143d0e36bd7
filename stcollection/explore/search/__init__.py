"""The tab to search by: a box, a system, filters; results with why each is there; neighbours of a document."""
