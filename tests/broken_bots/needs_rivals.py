"""Looks at the first opponent, and there is none in solo variants."""

from tests.broken_bots.base import Bot, Message


class NeedsRivals(Bot):
    def begin(self, hello: Message) -> None:
        super().begin(hello)
        self.rival = [seat for at, seat in enumerate(hello["seats"]) if at != hello["seat"]][0]  # noqa: RUF015


NeedsRivals().run()
