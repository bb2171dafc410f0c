"""Sends every move twice."""

from tests.broken_bots.base import Bot, Message


class AnswersTwice(Bot):
    def answer(self, turn: Message) -> Message:
        move = super().answer(turn)
        self.send(move)
        return move


AnswersTwice().run()
