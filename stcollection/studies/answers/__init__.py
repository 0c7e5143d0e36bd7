"""Answer verification: which answer do the documents of a query agree on?

Queries come with web documents, documents give answers, answers support or contradict each other. Answers are grouped by
agreement; the group that most documents stand behind is the endorsed one, and its documents are returned.
"""
