"""A compliance run: whether a bot keeps to the protocol and the rules, and if not, why not."""

from arena.check.report import Report, Step, lines_of
from arena.check.run import Checkup, check, check_source

__all__ = ["Checkup", "Report", "Step", "check", "check_source", "lines_of"]
