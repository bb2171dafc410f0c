"""Attacks with what Python brings: called like those in C, with the name of the attack and the canaries."""

import multiprocessing
import os
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Callable

NAME, FOLDER, VICTIM, TCP_PORT = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])


def python_reads() -> None:
    with open(f"{FOLDER}/secret", "rb") as file:
        file.read(1)


def python_searches() -> None:
    for top in ("/home", "/root", "/tmp", "/var/tmp", "/work", os.path.dirname(FOLDER)):
        for place, folders, files in os.walk(top):
            if "arena-canary" in files:
                return
            if place.count("/") > 20:
                folders.clear()  # a search that goes too deep ends by itself
    raise FileNotFoundError("nothing found")


def python_imports() -> None:
    sys.path.insert(0, f"{FOLDER}/other")
    __import__("bot")


def python_writes() -> None:
    with open(f"{FOLDER}/world/left", "w") as file:
        file.write("x")


def python_removes() -> None:
    shutil.rmtree(f"{FOLDER}/world")


def python_connects() -> None:
    with socket.create_connection(("127.0.0.1", TCP_PORT), timeout=5):
        pass


def python_starts_program() -> None:
    subprocess.run(["/bin/true"], check=True)


def python_forks() -> None:
    child = multiprocessing.get_context("fork").Process(target=int)
    child.start()
    child.join()


def python_kills() -> None:
    os.kill(VICTIM, 9)


def python_takes_memory() -> None:
    block = bytearray(256 << 20)
    block[::4096] = b"x" * len(block[::4096])


def python_takes_threads() -> None:
    stop = threading.Event()
    threading.stack_size(65536)
    try:
        for _ in range(10_000):
            threading.Thread(target=stop.wait, daemon=True).start()
    finally:
        stop.set()


def python_sees_environment() -> None:
    if "ARENA_CANARY" not in os.environ:
        raise PermissionError("a clean environment")


def attempt(attack: Callable[[], None]) -> str:
    try:
        attack()
    except (OSError, RuntimeError, MemoryError, ImportError) as error:
        return f"held: {str(error) or type(error).__name__}"
    return "through"


sys.stdout.write(attempt(globals()[NAME]) + "\n")
sys.stdout.flush()
os._exit(0)
