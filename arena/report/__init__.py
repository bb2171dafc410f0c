"""The static site of a league."""

from arena.report.site import SiteSummary, write_site

__all__ = ["SiteSummary", "write_site"]
