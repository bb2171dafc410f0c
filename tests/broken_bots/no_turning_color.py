"""Does not expect to be asked for a color that is not its own."""

from tests.broken_bots.base import Bot


class NoTurningColor(Bot):
    def choose(self, color: str) -> list[list[int]]:
        hands = {own: super(NoTurningColor, self).choose(own) for own in self.own if own == color}
        return hands[color]


NoTurningColor().run()
