"""How few blocks a round takes, and how long it is planned: `python -m benchmarks.schedule`."""

from __future__ import annotations

from time import process_time

from arena.schedule import extend, spread
from engine.variants import VARIANTS, Variant
from tests.arena.schedule_checker import fewest_tables

ROUNDS = 2
SIZES = (*range(3, 61), 80, 100, 150, 200)


def planned(variant: Variant, bots: int) -> str:
    """Return a row: blocks of the first round, the fewest that let all pairs meet, their ratio, seconds for a round."""
    if bots < len(variant.seats):
        return ""
    begun = process_time()
    blocks = extend([], range(bots), variant, rounds=ROUNDS, seed=0)
    seconds = (process_time() - begun) / ROUNDS
    first = [block for block in blocks if block.round == 1]
    fewest = fewest_tables(bots, len(variant.seats))
    pairs = spread(first, range(bots), variant).blocks_per_pair
    ratio = len(first) / fewest
    return f"{len(first):6} {fewest:6} {ratio:6.3f}   {pairs.least}-{pairs.most} {seconds:8.3f}"


def main() -> None:
    title = f"{'blocks':>6} {'fewest':>6} {'ratio':>6} {'a pair':>5} {'CPU s':>8}"
    print(f"bots   {'three seats':36} four seats")
    print(f"       {title}    {title}")
    for bots in SIZES:
        print(f"{bots:4}   {planned(VARIANTS['three'], bots)}    {planned(VARIANTS['classic'], bots)}")


if __name__ == "__main__":
    main()
