"""How hard texts are to read, how credible documents are, and what people say of both."""
