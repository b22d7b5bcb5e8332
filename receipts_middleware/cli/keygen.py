"""`receipts keygen`: make a key that signs receipts."""

from __future__ import annotations

from pathlib import Path

import click

from receipts_middleware.cli.exits import OK
from receipts_middleware.core.errors import UsageError
from receipts_middleware.signing.files import make_key, spell_key, write_key
from receipts_middleware.signing.keys import Ed25519Key

_EPILOG = """\b
Examples:
  receipts keygen -o receipts.key
  receipts keygen --ed25519 -o receipts.key       receipts.key.pub is for who only checks
  cat new.key old.key > receipts.key              the first signs, both check
  receipts verify run.json --signing-key receipts.key

\b
Exit codes: 0 done, 3 a file that is there already or cannot be written, or wrong usage.
"""


@click.command(epilog=_EPILOG)
@click.option("--ed25519", is_flag=True, help="A pair of keys, so that others can check and not sign.")
@click.option("--kid", metavar="NAME", default="", help="Name of the key in every signature; its digest if not given.")
@click.option("--output", "-o", metavar="FILE", help="Write the key to a file that only you can read.")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
def keygen(*, ed25519: bool, kid: str, output: str | None, force: bool) -> int:
    """Make a key that signs receipts.

    With --output the name of the key is printed, else the key itself. A pair has its public half in
    FILE.pub as well. Records of a key that is lost cannot be verified any more: keep it, and keep it from
    agents and their tools.
    """
    key = make_key("Ed25519" if ed25519 else "HS256", kid)
    if output is None:
        click.echo(spell_key(key), nl=False)
        return OK
    if isinstance(key, Ed25519Key):
        write_key(key.public, f"{output}.pub", force=force)
    try:
        write_key(key, output, force=force)
    except UsageError:
        if isinstance(key, Ed25519Key):
            Path(f"{output}.pub").unlink()  # the half of a key that was never written
        raise
    click.echo(key.kid)
    return OK
