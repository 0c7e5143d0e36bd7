"""Agreement of answers: features of their wording, and models learnt from labelled pairs."""
