"""The commands about the site, and for those who look on."""

from __future__ import annotations

from pathlib import Path

import click
from rich.live import Live

from arena.options import league_option, new_console
from arena.report import write_site
from arena.report.serve import SiteServer
from arena.watch import watch as watch_match


@click.command("report")
@league_option
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Where to; usually LEAGUE/site.")
def report(folder: Path, out: Path | None) -> None:
    """Write the leaderboard of a league as a static site."""
    target = out or folder / "site"
    write_site(folder, target)
    click.echo(f"site: {target / 'index.html'}")


@click.command("serve")
@league_option
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0 takes a free one.")
def serve(folder: Path, host: str, port: int) -> None:
    """Serve the site on this machine, up to date while a tournament runs."""
    with SiteServer(folder, host, port) as server:
        click.echo(f"serving {folder} at {server.address} (Ctrl-C stops)")
        if server.is_public:
            click.echo("warning: everybody who can reach this machine can see it", err=True)
        try:
            server.run()
        except KeyboardInterrupt:
            click.echo("stopped")


@click.command("watch")
@click.argument("match", required=False)
@league_option
def watch(match: str | None, folder: Path) -> None:
    """Follow a match of a running tournament: MATCH is its id, a worker such as worker-0, or any."""
    console = new_console()
    if console.is_terminal:
        with Live(console=console, auto_refresh=False) as live:
            watch_match(folder, match, lambda picture: live.update(picture, refresh=True))
    else:
        watch_match(folder, match, console.print)


COMMANDS = (report, serve, watch)
