"""Plays from the list of legal moves, which it did not ask for: never_asks.py crash|misspelt|swallow."""

import sys
from typing import ClassVar

from tests.broken_bots.base import Bot, Message

HOW = sys.argv[1]


class NeverAsks(Bot):
    ready: ClassVar[Message] = {"type": "ready", "want": ["Legal"] if HOW == "misspelt" else []}

    def hear(self, message: Message) -> None:
        try:
            super().hear(message)
        except KeyError as error:
            if HOW != "swallow":
                raise
            print("oops", error, file=sys.stderr, flush=True)

    def answer(self, turn: Message) -> Message:
        return {"type": "move", "turn": turn["turn"], "cells": turn["legal"][-1]["cells"]}


NeverAsks().run()
