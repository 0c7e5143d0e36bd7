"""The command ``stc completion``."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from stcollection.errors import StateError


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the script that makes a SHELL complete commands, options, collections, editions, runs and measures.

    \b
    bash  eval "$(stc completion bash)"       in ~/.bashrc
    zsh   eval "$(stc completion zsh)"        in ~/.zshrc, after compinit
    fish  stc completion fish | source        in ~/.config/fish/config.fish
    """
    kind = get_completion_class(shell)
    assert kind is not None
    try:
        click.echo(kind(ctx.find_root().command, {}, "stc", "_STC_COMPLETE").source())
    except RuntimeError as error:
        raise StateError(str(error), hint="Install bash 4.4 or later, or use zsh or fish.", sqlstate="IR404") from error
