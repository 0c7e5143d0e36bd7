"""Which answers agree: what wording says of them, a model learnt from labelled pairs, and what it tells of a set."""
