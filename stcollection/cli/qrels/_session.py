"""Assessment in the terminal: an annotator judges documents one by one."""

from __future__ import annotations

import os
import shutil
import sys
import time
from dataclasses import dataclass
from types import ModuleType
from typing import Protocol

import click

from stcollection.cli.qrels._screen import WIDEST, article, page, wrapped
from stcollection.counts import counted
from stcollection.errors import BadArgument
from stcollection.qrels.assess import AssessorSheet, SheetDocument
from stcollection.qrels.sheets import plain

try:
    import termios as _termios
    import tty
except ImportError:  # Windows has no termios; keys are read as lines
    termios: ModuleType | None = None
else:
    termios = _termios


class Keys(Protocol):
    """A source of decisions: single keys and lines of text. Both are '' at the end of the input."""

    def key(self, prompt: str) -> str: ...

    def line(self, prompt: str) -> str: ...


@dataclass
class DecisionLines:
    """One decision per line, from a pipe or a file: ``2``, ``2 a note``, ``s``, ``n a note``."""

    rest: str = ""

    def key(self, prompt: str) -> str:
        click.echo(prompt, nl=False)
        while raw := sys.stdin.readline():
            if text := raw.strip():
                self.rest = text[1:].strip()
                return text[0]
        return ""

    def line(self, prompt: str) -> str:
        rest, self.rest = self.rest, ""
        return rest


class Terminal:
    """Single keys of a terminal.

    Input from before a document was shown is dropped, because it cannot refer to it. Characters that arrive together with a key
    are dropped too: they belong to an arrow key or to pasted text.
    """

    def key(self, prompt: str) -> str:
        assert termios is not None
        file = sys.stdin.fileno()
        before = termios.tcgetattr(file)
        try:
            tty.setcbreak(file, termios.TCSAFLUSH)
            click.echo(prompt, nl=False)
            signs = os.read(file, 1024).decode(errors="replace")
        except OSError:  # the terminal was closed
            return ""
        finally:
            termios.tcsetattr(file, termios.TCSADRAIN, before)
        return "" if signs[:1] == "\x04" else signs[:1]

    def line(self, prompt: str) -> str:
        click.echo(prompt, nl=False)
        return sys.stdin.readline().strip()


class TerminalSession:
    """One session of one annotator at one terminal."""

    def __init__(self, sheet: AssessorSheet, keys: Keys, *, interactive: bool) -> None:
        self.sheet = sheet
        self.keys = keys
        self.interactive = interactive
        self.scale = sheet.grades()
        self.decisions = 0
        self.since = time.monotonic()  # when the document was shown

    def run(self) -> None:
        while (document := self.sheet.next()) is not None:
            try:
                if not self.decide(document):
                    break
            finally:
                self.sheet.release(document.token)
        self.farewell(document is None)

    def decide(self, document: SheetDocument) -> bool:
        """Show a document until the annotator decides on it or returns to an earlier one. Return False to quit."""
        shown, again = document, False
        self.show(shown)
        while True:
            key = self.ask()
            if key in ("", "q"):
                return False
            if key == "b":
                earlier = self.sheet.before(shown.token, shown_again=again)
                if earlier is None:
                    self.say("This is the first document.")
                else:
                    shown, again = earlier, True
                    self.show(shown)
            elif key == "s":
                if again:  # keeps its decision
                    return True
                if self.store(shown, None):
                    return True
            elif key == "c":
                if self.store(shown, None, undecided=True):
                    return True
            elif key == "a":
                click.echo(article(shown, width=self.width))
            elif key == "n":
                note = plain(self.keys.line("note (- takes it away): "))
                if note and self.store(shown, None, "" if note == "-" else note):
                    shown = self.sheet.document(shown.token)
                    self.say("The note is stored.")
            elif key.isdecimal() and key.isascii() and int(key) in self.scale:
                note = plain(self.keys.line("")) if isinstance(self.keys, DecisionLines) else ""
                if self.store(shown, int(key), note or None):
                    return True
            else:
                self.help("" if key == "?" else key)

    def store(self, document: SheetDocument, rel: int | None, note: str | None = None, *, undecided: bool = False) -> bool:
        """Return whether the decision was stored. A submitted judgment cannot be changed."""
        try:
            seconds = time.monotonic() - self.since if self.interactive and (undecided or rel is not None) else None
            self.sheet.decide(document.token, rel, note, undecided=undecided, seconds=seconds)
        except BadArgument as error:
            self.say(error.message)
            return False
        self.decisions += rel is not None or undecided
        return True

    def ask(self) -> str:
        grades = "".join(map(str, self.scale)) if len(self.scale) > 3 else "/".join(map(str, self.scale))
        key = self.keys.key(f"{grades}, b c s n ? q: ")
        click.echo(plain(key))
        return key

    def show(self, document: SheetDocument) -> None:
        progress = self.sheet.progress(document.query)
        words = self.sheet.asked_for(document.query_text, " ".join(filter(None, (document.title, document.abstract))))
        if self.interactive:
            click.clear()
        click.echo(page(document, progress, words, width=self.width))
        self.since = time.monotonic()

    def say(self, text: str) -> None:
        click.echo("\n".join(wrapped(text, width=self.width)))

    @property
    def width(self) -> int:
        return max(20, min(shutil.get_terminal_size((80, 24)).columns, WIDEST))

    def help(self, key: str) -> None:
        if key:
            self.say(f"{plain(key) or 'This key'} is not one of the keys:")
        for grade, meaning in self.scale.items():
            self.say(f"{grade}  {plain(meaning)}")
        for sign, meaning in (
            ("b", "back to the previous document, to change its grade"),
            ("c", "cannot decide; it does not come back"),
            ("s", "skip; it comes back at the end"),
            ("n", "write a note on this document"),
            ("a", "show the article that the query comes from"),
            ("?", "this"),
            ("q", "quit; all decisions are stored"),
        ):
            self.say(f"{sign}  {meaning}")

    def farewell(self, done: bool) -> None:
        progress = self.sheet.progress()
        self.say(
            f"{counted(self.decisions, 'decision')}. {progress.judged:,} of {counted(progress.documents, 'document')} are judged."
        )
        if done and progress.judged + progress.undecided == progress.documents:
            undecided = f" {progress.undecided:,} cannot be decided." if progress.undecided else ""
            self.say(f"All documents are judged.{undecided} Next: stc pool submit {self.sheet.pool} --edition …")
        elif done:
            self.say("The other documents are on another terminal.")
