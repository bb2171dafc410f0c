"""A bot that plays at random from what it asks for, until it spoils it: picker.py READY [ASK LINE].

READY is its first line. With `legal` it answers by cells, else by index. When asked for its ASK-th move (from 0), it
sends LINE instead.
"""

import json
import random
import sys

ready, *spoilt = sys.argv[1:]
asked = 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        random.seed(message["seed"])
        print(ready, flush=True)
    elif message["type"] == "turn":
        answer = {"type": "move", "turn": message["turn"]}
        if "legal" in message:
            answer["cells"] = random.choice(message["legal"])["cells"]
            answer["note"] = f"one of {len(message['legal'])}"
            answer["eval"] = round(random.random(), 3)
        else:
            answer["index"] = random.randrange(message["legal_count"])
        is_spoilt = bool(spoilt) and asked == int(spoilt[0])
        print(spoilt[1] if is_spoilt else json.dumps(answer), flush=True)
        asked += 1
