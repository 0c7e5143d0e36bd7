"""Commands of several variants: ``stc score`` scores files, scores stored runs, or ranks all runs, as its words say.

Each variant is a command with its own options. ``@merged`` above a function makes one command of them. The function returns the
name of the variant that a command line means.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import click

from stcollection.cli import parameters
from stcollection.cli._files import watch
from stcollection.cli.folder import place_of
from stcollection.cli.options.everywhere import add_everywhere, also

FILES = "files"  # the variant that needs no collection


@dataclass(frozen=True)
class Typed:
    """A command line that was typed.

    :param names: the arguments. :param options: the values of the options, by their long names.
    :param ctx: the context of the command, whose ``obj`` are the settings. :param command: the command.
    :param unread: number of unknown options. :param added: options that the variant gets in addition.
    """

    names: list[str]
    options: Mapping[str, Any]
    ctx: click.Context
    command: Merged
    unread: int = 0
    added: list[str] = field(default_factory=list)

    @property
    def fitting(self) -> str:
        """The first variant that has all the options and takes the number of arguments."""
        return self.command.fitting(len(self.names), self.options)

    def has(self, *options: str) -> bool:
        return not self.options.keys().isdisjoint(options)


class Merged(click.Command):
    """A command that runs one of its variants. Their modules are imported when they are needed.

    The variant ``files`` needs no collection: it runs before the modules of the others are imported.

    :param choose: returns the name of a variant.
    :param places: where each variant is, as in :mod:`stcollection.cli.tree`.
    :param about: the object of each variant in messages and help: ``stored runs``.
    :param selecting: options that select a variant, and are no options of it.
    """

    def __init__(
        self,
        choose: Callable[[Typed], str],
        places: Mapping[str, str],
        about: Mapping[str, str],
        selecting: Sequence[click.Option],
    ) -> None:
        self.choose, self.about, self.selecting = choose, dict(about), list(selecting)
        self.apart = FILES if FILES in places else None
        self._places, self._imported = dict(places), dict[str, click.Command]()
        add_everywhere(click.Command(None, params=[*selecting]))  # its words and choices
        super().__init__(parameters.name_of(choose), help=choose.__doc__, callback=choose)

    has_everywhere = True  # its variants have the shared options

    @cached_property
    def variants(self) -> dict[str, click.Command]:
        """The commands by name."""
        return {name: self._variant(name) for name in self._places}

    def _variant(self, name: str) -> click.Command:
        if name not in self._imported:
            place = place_of(self._places[name])
            self._imported[name] = add_everywhere(getattr(importlib.import_module(place.module), place.function))
        return self._imported[name]

    @cached_property
    def _all_params(self) -> list[click.Parameter]:
        """The parameters: options of all variants, and the arguments of the first; optional ones if the last has none."""
        arguments = parameters.arguments_of(self.variants.values())
        options = parameters.union_of(self.variants.values(), self.selecting, {part.name for part in (*arguments, *self.selecting)})
        return [*self.selecting, *options, *arguments]

    @property
    def params(self) -> list[click.Parameter]:
        return self._all_params

    @params.setter
    def params(self, _: list[click.Parameter]) -> None:  # click sets it, before the variants are imported
        pass

    @property
    def epilog(self) -> str | None:
        return also(self)

    @epilog.setter
    def epilog(self, _: str | None) -> None:  # as params
        pass

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Make the context of the variant that the arguments mean."""
        ctx = click.Context(self, info_name=info_name, parent=parent, **extra)
        if self.apart is not None and not ctx.resilient_parsing:
            typed = self._read(ctx, args, [*self.selecting, *parameters.options_of(self._variant(self.apart))])
            if typed.names and not typed.unread and not typed.has("--help") and self._chosen(typed) == self.apart:
                return self._context_of(self.apart, typed, args, info_name, parent=parent, **extra)
        typed = self._read(ctx, args, self.get_params(ctx))
        chosen = self._selected(typed)
        if typed.has("--help") and not chosen and not ctx.resilient_parsing:
            click.echo(self.get_help(ctx))
            ctx.exit()
        try:
            name = next(iter(self.variants)) if typed.has("--help") and not chosen else self._chosen(typed)
            self._check(name, typed)
        except click.UsageError:
            if not ctx.resilient_parsing:
                raise
            name = typed.fitting
        if self.apart not in (None, name):
            watch(typed)
        return self._context_of(name, typed, args, info_name, parent=parent, **extra)

    def _selected(self, typed: Typed) -> list[click.Option]:  # of those typed
        return [option for option in self.selecting if parameters.long_name(option) in typed.options]

    def _chosen(self, typed: Typed) -> str:
        parameters.check_choices(self._selected(typed), typed.options, typed.ctx)
        return self.choose(typed)

    def _context_of(self, name: str, typed: Typed, args: Sequence[str], info_name: str | None, **extra: Any) -> click.Context:
        """Make the context of a variant, which gets the arguments without the options that selected it."""
        command = self._variant(name)
        gone = [option for option in self._selected(typed) if parameters.long_name(option) not in parameters.option_names(command)]
        words = " ".join([info_name or "", *(parameters.spelled(option, typed.options) for option in gone)])
        return command.make_context(words, [*typed.added, *parameters.without_options(args, gone)], **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the variant whose context this is."""
        return super().invoke(ctx) if ctx.command is self else ctx.command.invoke(ctx)

    def _read(self, ctx: click.Context, args: list[str], known: Sequence[click.Parameter]) -> Typed:
        """Read the arguments as far as needed to choose a variant. :param known: the options that are read."""
        words, options = parameters.read_known(ctx, args, [part for part in known if isinstance(part, click.Option)])
        names = [word for word in words if word == "-" or not word.startswith("-")]
        return Typed(names, options, ctx, self, unread=len(words) - len(names))

    def fitting(self, words: int, options: Mapping[str, Any]) -> str:
        """Return the first variant that has all options and takes the number of arguments."""
        have = [name for name in self.variants if not self._lacking(name, options)]
        fit = [name for name in have if parameters.takes(self.variants[name], words)]
        return (fit or have or [*self.variants])[0]

    def _lacking(self, name: str, options: Mapping[str, Any]) -> list[str]:
        """Return those of some options that a variant does not have."""
        own = {"--help", *map(parameters.long_name, self.selecting), *parameters.option_names(self.variants[name])}
        return [option for option in options if option not in own]

    def _check(self, name: str, typed: Typed) -> None:
        """Refuse an option of another variant."""
        for option in self._lacking(name, typed.options):
            other = next(self.about[key] for key in self.variants if not self._lacking(key, {option: None}))
            raise click.UsageError(f"{option} is for {other}, not for {self.about[name]}.", typed.ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options that all variants have, then those that each adds.

        Variants that an option names, as ``--as`` does, have their own help.
        """
        keyed = {name for option in self.selecting for name in getattr(option.type, "choices", ())}
        described = {name: parameters.options_of(command) for name, command in self.variants.items() if name not in keyed}
        common, own = parameters.divided(described)
        titled = {f"Options for {self.about[name]}": options for name, options in own.items()}
        for title, options in {"Options": [*self.selecting, *common], **titled}.items():
            rows = [record for option in options if (record := option.get_help_record(ctx)) is not None]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


def merged(*selecting: click.Option, **variants: tuple[str, str]) -> Callable[[Callable[[Typed], str]], Merged]:
    """Make a command of several variants, from the function that returns the name of one.

    :param selecting: options that select a variant and are no options of it.
    :param variants: where each variant is, and its object in messages.
    """
    places = {name: place for name, (place, _) in variants.items()}
    about = {name: words for name, (_, words) in variants.items()}
    return lambda choose: Merged(choose, places, about, selecting)
