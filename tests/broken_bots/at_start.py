"""Does something else before it begins: at_start.py loop|wait|memory|network|writes|terminal|module|file."""

import sys
import time

from tests.broken_bots.base import Bot


def _loop() -> None:
    while True:
        pass


def _memory() -> bytearray:
    return bytearray(2**30)


def _network() -> None:
    import urllib.request

    urllib.request.urlopen("http://192.0.2.1/weights.bin", timeout=5)


def _writes() -> None:
    with open("games.log", "a") as file:
        file.write("another game\n")


def _terminal() -> None:
    sys.stdout = open("/dev/games.log", "w")  # noqa: SIM115


def _file() -> None:
    with open("weights.json", "rb") as file:
        file.read()


def _module() -> None:
    __import__("tensorflow_for_bots")


WAYS = {"loop": _loop, "wait": lambda: time.sleep(600), "memory": _memory, "network": _network}
WAYS |= {"writes": _writes, "terminal": _terminal, "module": _module, "file": _file}

WAYS[sys.argv[1]]()
Bot().run()
