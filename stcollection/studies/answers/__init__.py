"""Answer verification: find the answer that the documents of a query agree on.

Each query has web documents, documents contain answers, and answers support or contradict each other. Answers that agree are
grouped; the group backed by the most documents is endorsed, and its documents are returned.
"""
