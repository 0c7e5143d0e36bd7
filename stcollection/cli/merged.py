"""Commands of several variants: ``stc score`` scores files, scores stored runs, or ranks all runs, as its words say.

Each variant is a command of its own, with its own options. ``@merged`` above a function makes a command of them; the function
returns the name of the variant that a command line means.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import count
from typing import Any

import click

from stcollection.cli.folder import place_of
from stcollection.cli.options.everywhere import add_everywhere
from stcollection.cli.parameters import long_name, option_names, options_of, takes, without_options


@dataclass(frozen=True)
class Typed:
    """A command line that was typed.

    :param names: the arguments. :param options: the values of the options, by their long names.
    :param ctx: the context of the command, whose ``obj`` are the settings.
    :param fitting: the first variant that has all the options and takes the number of arguments.
    :param added: options that the variant gets in addition.
    """

    names: list[str]
    options: Mapping[str, Any]
    ctx: click.Context
    fitting: str
    added: list[str] = field(default_factory=list)

    def has(self, *options: str) -> bool:
        return not self.options.keys().isdisjoint(options)


class Merged(click.Command):
    """A command that runs one of its variants.

    :param choose: returns the name of a variant.
    :param variants: the commands by name. :param about: what each works on, for messages and help: ``stored runs``.
    :param selecting: options that select a variant, and are no options of it.
    """

    def __init__(
        self,
        choose: Callable[[Typed], str],
        variants: Mapping[str, click.Command],
        about: Mapping[str, str],
        selecting: Sequence[click.Option],
    ) -> None:
        self.choose, self.variants, self.about, self.selecting = choose, dict(variants), dict(about), list(selecting)
        arguments = [part for part in next(iter(variants.values())).params if isinstance(part, click.Argument)]
        options = self._union({part.name for part in (*arguments, *selecting)})
        super().__init__(
            choose.__name__.removesuffix("_command"),
            help=choose.__doc__,
            callback=choose,
            params=[*selecting, *options, *arguments],
        )

    def _union(self, names: set[str | None]) -> list[click.Option]:
        """Return the options of all variants, each spelling once. :param names: names that other parameters have."""
        spellings = {spelling for option in self.selecting for spelling in option.opts}
        union: list[click.Option] = []
        for option in (option for command in self.variants.values() for option in options_of(command)):
            if long_name(option) in spellings:
                continue
            listed = copy(option)
            listed.opts = [spelling for spelling in option.opts if spelling not in spellings]
            listed.name = option.name if option.name not in names else f"{option.name}_of_option"
            union.append(listed)
            spellings |= {*listed.opts, *listed.secondary_opts}
            names.add(listed.name)
        return union

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Make the context of the variant that the arguments mean."""
        ctx = click.Context(self, info_name=info_name, parent=parent, **extra)
        typed = self._read(ctx, args)
        chosen = [option for option in self.selecting if long_name(option) in typed.options]
        if typed.has("--help") and not chosen and not ctx.resilient_parsing:
            click.echo(self.get_help(ctx))
            ctx.exit()
        try:
            _check_choices(chosen, typed)
            name = next(iter(self.variants)) if typed.has("--help") and not chosen else self.choose(typed)
            self._check(name, typed)
        except click.UsageError:
            if not ctx.resilient_parsing:
                raise
            name = typed.fitting
        command = self.variants[name]
        gone = [option for option in chosen if long_name(option) not in option_names(command)]
        words = " ".join([info_name or "", *(_spelled(option, typed) for option in gone)])
        return command.make_context(words, [*typed.added, *without_options(args, gone)], parent=parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the variant whose context this is."""
        return super().invoke(ctx) if ctx.command is self else ctx.command.invoke(ctx)

    def _read(self, ctx: click.Context, args: list[str]) -> Typed:
        """Read the arguments as far as needed to choose a variant."""
        names: dict[str, tuple[str, str]] = {}
        read, numbers = [], count()
        for option in (part for part in self.get_params(ctx) if isinstance(part, click.Option)):
            for spelling in {*option.opts, *option.secondary_opts} - names.keys():
                names[spelling] = f"part{next(numbers)}", long_name(option)
                flag = {"is_flag": True} if option.is_flag or option.count else {"nargs": option.nargs}
                read.append(click.Option([spelling, names[spelling][0]], **flag))
        by_part = dict(names.values())
        parser = click.Command(None, params=[*read], add_help_option=False).make_parser(ctx)
        parser.ignore_unknown_options = True
        values, rest, _ = parser.parse_args([*args])
        options = {by_part[part]: value for part, value in values.items()}
        words = [word for word in rest if word == "-" or not word.startswith("-")]
        return Typed(words, options, ctx, self._fitting(len(words), options))

    def _fitting(self, words: int, options: Mapping[str, Any]) -> str:
        have = [name for name in self.variants if not self._lacking(name, options)]
        fit = [name for name in have if takes(self.variants[name], words)]
        return (fit or have or [*self.variants])[0]

    def _lacking(self, name: str, options: Mapping[str, Any]) -> list[str]:
        """Return those of some options that a variant does not have."""
        own = {"--help", *map(long_name, self.selecting), *option_names(self.variants[name])}
        return [option for option in options if option not in own]

    def _check(self, name: str, typed: Typed) -> None:
        """Refuse an option of another variant."""
        for option in self._lacking(name, typed.options):
            other = next(self.about[key] for key in self.variants if not self._lacking(key, {option: None}))
            raise click.UsageError(f"{option} is for {other}, not for {self.about[name]}.", typed.ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options that all variants have, then those that each adds.

        Variants that an option names, as ``--as`` does, have a help of their own.
        """
        keyed = {name for option in self.selecting for name in getattr(option.type, "choices", ())}
        described = {name: options_of(command) for name, command in self.variants.items() if name not in keyed}
        common = set.intersection(*({*map(long_name, options)} for options in described.values()))
        first = next(iter(described.values()))
        sections = {"Options": [*self.selecting, *(option for option in first if long_name(option) in common)]}
        for name, options in described.items():
            sections[f"Options for {self.about[name]}"] = [part for part in options if long_name(part) not in common]
            common |= {*map(long_name, options)}
        for title, options in sections.items():
            rows = [record for option in options if (record := option.get_help_record(ctx)) is not None]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


def merged(*selecting: click.Option, **variants: tuple[str, str]) -> Callable[[Callable[[Typed], str]], Merged]:
    """Make a command of several variants, from the function that returns the name of one.

    :param selecting: options that select a variant and are no options of it.
    :param variants: where the command of each variant is, as in :mod:`stcollection.cli.tree`; and what it works on.
    """

    def make(choose: Callable[[Typed], str]) -> Merged:
        places = {name: place_of(where) for name, (where, _) in variants.items()}
        commands = {name: getattr(importlib.import_module(place.module), place.function) for name, place in places.items()}
        about = {name: words for name, (_, words) in variants.items()}
        return Merged(choose, {name: add_everywhere(command) for name, command in commands.items()}, about, selecting)

    return make


def _check_choices(options: Sequence[click.Option], typed: Typed) -> None:
    """Refuse a value that is none of the choices of an option."""
    for option in (option for option in options if isinstance(option.type, click.Choice)):
        value, choices = typed.options[long_name(option)], [*map(str, getattr(option.type, "choices", ()))]
        if value not in choices:
            near = "".join(f": did you mean {close!r}?" for close in get_close_matches(value, choices, n=1))
            raise click.BadParameter(f"{value!r} is not one of {', '.join(choices)}{near}", typed.ctx, option)


def _spelled(option: click.Option, typed: Typed) -> str:
    name = long_name(option)
    return name if option.is_flag else f"{name} {typed.options[name]}"
