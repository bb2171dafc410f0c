"""Plays the placements given as JSON, then the first legal move: plays.py '[[[4,4]],[[5,5]]]'."""

import json
import sys

from tests.faulty_bots.wire import get_ready, log, move, turns

script = json.loads(sys.argv[1])

get_ready()
for index, turn in enumerate(turns()):
    if index == len(script) - 1:
        log("this bot makes up its own rules")
    if index < len(script):
        move(turn, cells=script[index])
    else:
        move(turn)
