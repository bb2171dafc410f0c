"""Plays on from the list of its first turn."""

from typing import ClassVar

from tests.broken_bots.base import Bot, Message


class StaleList(Bot):
    ready: ClassVar[Message] = {"type": "ready", "want": ["legal"]}

    def begin(self, hello: Message) -> None:
        super().begin(hello)
        self.moves: list[Message] = []

    def answer(self, turn: Message) -> Message:
        self.moves = self.moves or turn["legal"]
        return {"type": "move", "turn": turn["turn"], "cells": self.moves.pop()["cells"]}


StaleList().run()
