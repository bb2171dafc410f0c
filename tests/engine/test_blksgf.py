"""Game records in Pentobi's format, both ways."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import VARIANTS, BadNotation, BadRequest, Game, IllegalMove, Move
from engine.blksgf import Record, dump, load
from engine.notation import parse_game
from engine.sgf import escape, main_line, plain_text
from tests.engine.sampling import accepted, facts_of, junk, mutations, pieces_of, random_game, truncations

PUZZLES = ("solo-tetromino", "solo-pentomino")
ON_ITS_BOARDS = [name for name in VARIANTS if name not in PUZZLES]
ALPHABET = "()[];\\BW1234AEPLGMXVSF,abdi019 \n\x00ä"

DUO = """\
(;GM[Blokus Duo]CA[UTF-8]AP[Blokus Arena:1]
;B[d9,c10,d10,e10,d11]
;W[j5,k5]
;B[f9,g9])
"""
DUO_GAME = "duo X@d11 I2a@j5 I2a@f9"


def refusal(text: str, variant: str | None = None) -> BadNotation:
    with pytest.raises(BadNotation) as caught:
        load(text, variant)
    return caught.value


def again(record: Record) -> Record:
    return load(dump(record.game, record.names, record.date))


# ---- writing


def test_game_is_a_root_and_a_node_a_move() -> None:
    assert dump(parse_game(DUO_GAME)) == DUO


def test_colors_are_numbers_where_there_are_more_than_two() -> None:
    assert dump(parse_game("classic I2a@a20 I2a@s20 I2a@s1 I2a@a1 I1@c19")) == (
        "(;GM[Blokus]CA[UTF-8]AP[Blokus Arena:1]\n;1[a20,b20]\n;2[s20,t20]\n;3[s1,t1]\n;4[a1,b1]\n;1[c19])\n"
    )


@pytest.mark.parametrize(
    ("variant", "root"),
    [
        ("classic", "GM[Blokus]CA[UTF-8]AP[Blokus Arena:1]"),
        ("teams", "GM[Blokus]CA[UTF-8]AP[Blokus Arena:1]XV[teams]"),
        ("two", "GM[Blokus Two-Player]CA[UTF-8]AP[Blokus Arena:1]"),
        ("three", "GM[Blokus Three-Player]CA[UTF-8]AP[Blokus Arena:1]"),
        ("three-open", "GM[Blokus Three-Player]CA[UTF-8]AP[Blokus Arena:1]XV[three-open]"),
        ("duo", "GM[Blokus Duo]CA[UTF-8]AP[Blokus Arena:1]"),
        ("solo", "GM[Blokus]CA[UTF-8]AP[Blokus Arena:1]XV[solo]"),
        ("solo-descending", "GM[Blokus]CA[UTF-8]AP[Blokus Arena:1]XV[solo-descending]"),
    ],
)
def test_variant_is_the_nearest_game_and_a_property_of_our_own(variant: str, root: str) -> None:
    assert dump(Game(variant)) == f"(;{root})\n"
    assert dump(Game(variant, "10/5")) == f"(;{root}XS[10/5])\n"


@pytest.mark.parametrize("variant", PUZZLES)
def test_puzzle_on_another_board_is_a_bad_request(variant: str) -> None:
    with pytest.raises(
        BadRequest, match=f"blksgf has no game like {variant}: expected one of classic, two, three, duo"
    ):
        dump(Game(variant))


def test_variant_of_ones_own_is_a_bad_request() -> None:
    with pytest.raises(BadRequest, match="blksgf has no game like duo"):
        dump(Game(VARIANTS["duo"]._replace(has_bonus=False)))


@pytest.mark.parametrize(
    ("variant", "names", "properties"),
    [
        ("duo", ["Ann", "Bob"], "PB[Ann]PW[Bob]"),
        ("two", ["Ann", None], "PB[Ann]"),
        ("three", ["a", "b", "c"], "P1[a]P2[b]P3[c]"),
        ("teams", [None, "b]", "c\\", "d:\ne"], "P2[b\\]]P3[c\\\\]P4[d: e]"),
        ("solo", [""], "P1[]"),
    ],
)
def test_names_of_seats_are_written(variant: str, names: list[str | None], properties: str) -> None:
    text = dump(Game(variant), names)
    assert text.endswith(f"{properties})\n")
    assert [name and name.replace("\n", " ") for name in names] == list(load(text).names)


def test_date_is_written() -> None:
    text = dump(Game("duo"), date="2024-05-01")
    assert text == "(;GM[Blokus Duo]CA[UTF-8]AP[Blokus Arena:1]DT[2024-05-01])\n"
    assert load(text).date == "2024-05-01"
    assert load(text).names == (None, None)


@pytest.mark.parametrize("names", [[], ["a"], ["a", "b", "c"], "ab"])
def test_wrong_number_of_names_is_a_bad_request(names: list[str]) -> None:
    with pytest.raises(BadRequest, match="expected 2 names for duo"):
        dump(Game("duo"), names)


def test_forfeits_stand_after_the_move_before_them() -> None:
    game = parse_game("classic !3 !1 I2a@a20 I2a@s1 !0")
    assert dump(game) == ("(;GM[Blokus]CA[UTF-8]AP[Blokus Arena:1]XF[3][1]\n;1[a20,b20]\n;3[s1,t1]XF[0])\n")
    assert facts_of(load(dump(game)).game) == facts_of(game)


@pytest.mark.parametrize(
    ("game", "properties"),
    [
        ("duo !0 !1", "RE[0]GC[purple -89, orange -89]"),
        ("duo !0 I2a@j5 !1", "RE[W+F]GC[purple -89, orange -87]"),
        ("two I2a@a20 !1 I2a@s1 !0", "RE[B+F]GC[blue -87, yellow -89, red -87, green -89]"),
        ("solo I2a@a20 !0", "GC[blue -87, yellow -89, red -89, green -89]"),
        ("duo !0", ""),
    ],
)
def test_result_is_written_when_the_game_is_over(game: str, properties: str) -> None:
    root = dump(parse_game(game)).split("\n")[0]
    assert ("RE[" in root or "GC[" in root) == bool(properties)
    assert properties in root


def test_result_of_two_players_is_the_difference_of_their_totals() -> None:
    game = random_game("duo", 2)
    first, second = game.totals()
    winner = "B" if first > second else "W"
    assert first != second
    assert f"RE[{winner}+{abs(first - second)}]" in dump(game)


def test_skipped_colors_leave_no_node() -> None:
    game = random_game("classic", 7)
    assert dump(game).count(";") == 1 + game.turn
    assert len(game.events()) == game.turn + 4


def test_set_up_position_is_written_as_one() -> None:
    x, i1, i2 = parse_game("duo X@d11 I1@j5 I2a@f9").moves()
    game = Game.from_position("duo", {"purple": [x, i2], "orange": [i1]})
    game.retire(0)
    game.play(Move("I3", ((10, 10), (11, 10), (12, 10))))
    text = dump(game)
    assert text == (
        "(;GM[Blokus Duo]CA[UTF-8]AP[Blokus Arena:1]AB[d9,c10,d10,e10,d11][f9,g9]AW[j5]PL[W]XF[0]\n;W[k2,k3,k4])\n"
    )
    assert facts_of(load(text).game) == facts_of(game)


# ---- reading


def test_written_game_is_read() -> None:
    record = load(DUO)
    assert facts_of(record.game) == facts_of(parse_game(DUO_GAME))
    assert (record.names, record.date) == ((None, None), None)


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff" + DUO,
        DUO.replace("\n", ""),
        DUO.replace("\n", "\r\n\t "),
        DUO.replace("d9,c10,d10,e10,d11", "E10,D11,C10,D10,D9"),
        DUO.replace("d9,c10,d10,e10,d11", "d9, c10,\nd10 ,e10,d11 "),
        DUO.replace("[d9,c10,d10,e10,d11]", "[d9][c10][d10]\n[e10] [d11]"),
        DUO.replace(";B[", "; B [").replace("]\n;", " ] ;"),
        DUO.replace(";B[", ";1[").replace(";W[", ";2["),
        DUO.replace(";B[", ";BLUE[").replace(";W[", ";GREEN["),
        DUO.replace(";B[", ";Black[").replace(";W[", ";White["),
        DUO.replace("GM[", "FF[4]ZZ[1][2]C[a \\] ;B[a1\\](\\\\]GM["),
        DUO.replace(";W[j5,k5]", "BM[1]C[weak];;C[nothing here];W[j5,k5]TE[1]LB[a1:x]"),
        DUO.replace(";W[j5,k5]", "(;W[j5,k5]").replace(")", "(;C[end]))(;W[junk])(;nonsense[](;)))(((("),
        DUO + "(;GM[Go];B[dd])",
        DUO + "\x1f anything at all",
    ],
)
def test_files_of_many_kinds_are_read(text: str) -> None:
    assert facts_of(load(text).game) == facts_of(parse_game(DUO_GAME))


def test_old_color_names_are_read() -> None:
    text = "(;GM[Blokus];BLUE[a20];YELLOW[t20];RED[t1];GREEN[a1])"
    assert facts_of(load(text).game) == facts_of(parse_game("classic I1@a20 I1@t20 I1@t1 I1@a1"))


def test_move_may_stand_in_the_first_node() -> None:
    assert load("(;GM[Blokus Duo]B[e10])").game.turn == 1


@pytest.mark.parametrize("variant", ON_ITS_BOARDS)
@pytest.mark.parametrize("scoring", ["15/5", "10/5"])
@pytest.mark.parametrize("forfeits", [0.0, 0.05, 0.4])
def test_random_game_survives_the_round_trip(variant: str, scoring: str, forfeits: float) -> None:
    for seed in range(4):
        plies = 999 if seed % 2 else 10 * seed + 3
        game = random_game(variant, seed, plies=plies, forfeits=forfeits, scoring=scoring)
        names = [f"bot {seat}" for seat in range(len(game.variant.seats))]
        text = dump(game, names)
        record = load(text)
        assert facts_of(record.game) == facts_of(game)
        assert list(record.names) == names
        assert dump(record.game, names) == text


@pytest.mark.parametrize("variant", ON_ITS_BOARDS)
def test_random_position_with_moves_survives_the_round_trip(variant: str) -> None:
    rng = Random(variant)
    for seed in range(5):
        before = random_game(variant, seed, plies=rng.randrange(1, 60))
        game = Game.from_position(variant, pieces_of(before))
        for _ in range(seed):
            if not game.is_over:
                game.play_random(rng)
        game.retire(0)
        assert facts_of(load(dump(game)).game) == facts_of(game)


def test_caller_may_choose_another_variant_of_the_same_board() -> None:
    text = "(;GM[Blokus]XV[solo];1[a20];2[t20])"
    assert load(text).game.variant.name == "solo"
    assert load(text, "two").game.variant.name == "two"
    assert load(text, VARIANTS["teams"]).game.turn == 2
    error = refusal(text, "duo")
    assert (error.line, error.column, error.detail) == (1, 6, "Blokus is not played on the board of duo")
    with pytest.raises(BadRequest, match="unknown variant"):
        load(text, "chess")


@settings(deadline=None, derandomize=True)
@given(st.text())
def test_text_survives_escaping_but_for_line_breaks(text: str) -> None:
    flat = "".join([" " if char in "\t\n\v\f\r\0" else char for char in text])
    assert plain_text(escape(text)) == flat
    assert load(dump(Game("duo"), [text, None], text)).names == (flat, None)


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("a\\]b\\\\c\\:d\\e", "a]b\\c:de"),
        ("one\\\ntwo\\\r\nthree\\\rfour\\\n\rfive", "onetwothreefourfive"),
        ("one\ntwo\r\nthree\rfour\n\rfive", "one two three four five"),
        ("a\tb\vc\fd\\\te", "a b c d e"),
        ("\\", "\\"),
    ],
)
def test_escapes_and_line_breaks_are_read_as_sgf_says(raw: str, text: str) -> None:
    assert plain_text(raw) == text


# ---- set-up positions


@pytest.mark.parametrize(
    ("setup", "color"),
    [
        ("AB[e10]", "orange"),
        ("AB[e10]PL[W]", "orange"),
        ("A1[e10]A2[j5]PL[1]", "purple"),
        ("AB[e10]AW[i5,j5]AB[f9,f8]PL[W]", "orange"),
        ("AB[e10][f9,f8]AW[j5]AE[f9,f8]", "purple"),
        ("PL[B]", "purple"),
    ],
)
def test_position_in_the_first_node_is_set_up(setup: str, color: str) -> None:
    game = load(f"(;GM[Blokus Duo]{setup};C[go])").game
    assert game.color == color
    assert not game.events()


def test_player_may_be_one_who_is_blocked() -> None:
    game = random_game("duo", 8)
    while game.has_move("purple") or game.is_over:
        game.undo()
    text = dump(Game.from_position("duo", pieces_of(game)))
    assert "PL[W]" in text
    assert load(text.replace("PL[W]", "PL[B]")).game.color == "orange"


@pytest.mark.parametrize(
    ("setup", "column", "detail"),
    [
        ("AB[e10][e10]", 25, "this piece is set up twice"),
        ("AB[e10][f9]AW[j5]", 25, "piece already used: "),
        ("AB[e10]AW[e10]", 27, "overlap: "),
        ("AB[e10][e8,e9]", 25, "edge contact: "),
        ("AB[e10][e7,e8]", 25, "no corner contact: "),
        ("AB[a1]", 20, "start square: "),
        ("AB[e10,a1]", 20, "not a piece: "),
        ("AB[]", 20, "expected a cell such as e10, got '];C[go])'"),
        ("AB[e10]AE[f9]", 27, "expected a piece that was set up, to take it off again"),
        ("A3[e10]", 17, "expected a color of duo (B, W), got A3"),
        ("AB[e10]PL[B]", 27, "it is the turn of orange by the numbers of pieces, not of purple"),
        ("PL[green]", 20, "expected one of B, W, 1, 2, BLUE, GREEN, got 'green'"),
    ],
)
def test_bad_position_is_refused_at_its_place(setup: str, column: int, detail: str) -> None:
    error = refusal(f"(;GM[Blokus Duo]{setup};C[go])")
    assert (error.line, error.column) == (1, column)
    assert error.detail.startswith(detail)


def test_numbers_of_pieces_that_taking_turns_cannot_give_are_refused() -> None:
    error = refusal("(;GM[Blokus Duo]AB[e10][f9,f8])")
    assert (error.line, error.column) == (1, 20)
    assert error.detail.startswith("taking turns cannot lead to 2 pieces of purple")


@pytest.mark.parametrize("setup", ["AB[e10]", "AW[j5]", "A1[e10]", "AE[e10]", "PL[B]"])
def test_setup_behind_the_first_node_is_refused(setup: str) -> None:
    error = refusal(f"(;GM[Blokus Duo]\n;B[e10]\n;C[x]{setup})")
    assert (error.line, error.column) == (3, 6)
    assert error.detail == f"expected {setup[:2]} in the first node only"


# ---- files that are no games of ours

KNOWN = "Blokus, Blokus Two-Player, Blokus Three-Player, Blokus Duo"


@pytest.mark.parametrize(
    "name",
    ["Blokus Trigon", "Nexos", "Callisto", "Blokus Junior", "GembloQ Two-Player", "1", "", "blokus duo", " Blokus"],
)
def test_other_games_are_refused_by_name(name: str) -> None:
    error = refusal(f"(\n;GM[{name}])")
    assert (error.line, error.column, error.detail) == (2, 5, f"expected one of the games {KNOWN}, got {name!r}")


@pytest.mark.parametrize(
    ("text", "line", "column", "detail"),
    [
        ("", 1, 1, "expected '(' and a game tree, got the end of the text"),
        ("\n hello", 2, 2, "expected '(' and a game tree, got 'hello'"),
        (";GM[Blokus]", 1, 1, "expected '(' and a game tree, got ';GM[Blokus]'"),
        ("(", 1, 2, "expected ';' and a node after '(', got the end of the text"),
        ("()", 1, 2, "expected ';' and a node after '(', got ')'"),
        ("((;GM[Blokus]))", 1, 2, "expected ';' and a node after '(', got '(;GM[Blokus]'"),
        ("(;)", 1, 2, "expected the game's name in the first node, "),
        ("(;C[x]\n;GM[Blokus])", 1, 2, "expected the game's name in the first node, "),
        ("(;GM)", 1, 5, "expected '[' and the value of GM, got ')'"),
        ("(;GM[Blokus", 1, 5, "expected ']' after this '[', got the end of the text"),
        ("(;GM[Blokus\\]", 1, 5, "expected ']' after this '[', got the end of the text"),
        ("(;GM[Blokus]", 1, 13, "expected a property, ';', '(' or ')', got the end of the text"),
        ("(;GM[Blokus]]", 1, 13, "expected a property, ';', '(' or ')', got ']'"),
        ("(;GM[Blokus]\n\n ,)", 3, 2, "expected a property, ';', '(' or ')', got ',)'"),
        ("(;GM[Blokus](;C[x]);C[y])", 1, 20, "expected another variation or ')' after a variation, got ';C[y])'"),
        ("(;GM[Blokus](;C[x])", 1, 20, "expected another variation or ')' after a variation, got the end of the text"),
        ("(;GM[Blokus](;C[x])(;C[y)", 1, 23, "expected ']' after this '[', got the end of the text"),
        ("(;GM[Blokus]XV[duo])", 1, 16, "expected one of classic, teams, solo, solo-descending, got 'duo'"),
        ("(;GM[Blokus]XS[1])", 1, 16, "expected one of 15/5, 10/5, got '1'"),
        ("(;GM[Blokus]XF[4])", 1, 16, "expected one of 0, 1, 2, 3, got '4'"),
        ("(;GM[Blokus]XF[1][1])", 1, 19, "seat 1 cannot forfeit: it has nothing left to play, or has forfeited before"),
        ("(;GM[Blokus];C[a\x00b])", 1, 17, "expected text, got a NUL character"),
    ],
)
def test_malformed_file_is_refused_at_its_place(text: str, line: int, column: int, detail: str) -> None:
    error = refusal(text)
    assert (error.line, error.column) == (line, column)
    assert error.detail.startswith(detail)


@pytest.mark.parametrize(
    ("nodes", "line", "column", "detail"),
    [
        (";B[]", 2, 4, "expected a cell such as e10, got '])'"),
        (";B[e]", 2, 4, "expected a cell such as e10, got 'e])'"),
        (";B[e10,]", 2, 8, "expected a cell such as e10, got '])'"),
        (";B[e10;f10]", 2, 7, "expected ',' or ']' after a point, got ';f10])'"),
        (";B[e10,o1]", 2, 8, "o1 is off the board: columns a to n, rows 1 to 14"),
        (";B[e10,e15]", 2, 8, "e15 is off the board: columns a to n, rows 1 to 14"),
        (";B[e10,e10]", 2, 4, "not a piece: "),
        (";B[e10,g10]", 2, 4, "not a piece: "),
        (";B[e10,f10,g10,h10,i10,j10]", 2, 4, "not a piece: "),
        (";B[e10]W[j5]", 2, 8, "expected one move a node, got W too"),
        (";B[e10]B[f9]", 2, 8, "expected one move a node, got B too"),
        (";W[j5]", 2, 2, "purple can still move, but the file goes on with orange"),
        (";B[e10]\n ;B[d9]", 3, 3, "orange can still move, but the file goes on with purple"),
        (";3[e10]", 2, 2, "expected a color of duo (B, W), got 3"),
        (";YELLOW[e10]", 2, 2, "expected a color of duo (B, W), got YELLOW"),
        (";C[x]XF[0][1]\n;B[e10]", 3, 2, "I1 by purple: game over: "),
    ],
)
def test_bad_move_is_refused_at_its_place(nodes: str, line: int, column: int, detail: str) -> None:
    error = refusal(f"(;GM[Blokus Duo]\n{nodes})")
    assert (error.line, error.column) == (line, column)
    assert error.detail.startswith(detail)


@pytest.mark.parametrize(
    ("node", "rule"),
    [
        (";B[a1]", "no corner contact"),
        (";B[e9]", "edge contact"),
        (";B[j5]", "overlap"),
        (";B[f9,g9]", "piece already used"),
    ],
)
def test_illegal_move_is_refused_with_its_rule(node: str, rule: str) -> None:
    error = refusal(f"(;GM[Blokus Duo];B[d10,e10];W[j5]\n  {node})")
    assert (error.line, error.column) == (2, 4)
    assert isinstance(error.__cause__, IllegalMove)
    assert error.__cause__.rule == rule
    assert f" by purple: {rule}: " in error.detail


def test_color_that_is_not_played_is_refused() -> None:
    text = "(;GM[Blokus Three-Player];1[a20];2[t20];3[t1];4[a1])"
    assert load(text).game.turn == 4
    assert refusal(text, "three-open").detail == "expected a color of three-open (1, 2, 3), got 4"
    assert refusal("(;GM[Blokus];B[a20])").detail == "expected a color of classic (1, 2, 3, 4), got B"


def test_skipping_a_color_that_forfeited_is_fine() -> None:
    skipped = ";1[a20];3[t1]"
    assert load(f"(;GM[Blokus]XF[1]{skipped})").game.color == "green"
    error = refusal(f"(;GM[Blokus]{skipped})")
    assert (error.column, error.detail) == (21, "yellow can still move, but the file goes on with red")


# ---- size and damage


def test_no_nesting_is_too_deep() -> None:
    deep = 100_000
    assert refusal("(" * deep).column == 2
    assert refusal("(;" * deep).column == 2
    assert refusal("(;GM[Blokus]" + "(;" * deep).column == 12 + 2 * deep + 1
    assert refusal("(;GM[Blokus]" + "(;" * deep + ")" * deep).column == 12 + 3 * deep + 1
    assert load("(;GM[Blokus]" + "(;" * deep + ")" * deep + ")").game.turn == 0
    assert len(list(main_line("(;GM[Blokus]" + "(;" * deep + ")" * deep + ")"))) == deep + 1


@pytest.mark.parametrize(
    "text",
    [
        "x" * 10**7,
        " " * 10**7,
        "(;GM[" + "\\]" * 5 * 10**6,
        "(;GM[" + "x" * 10**7 + "])",
        "(;" + "G" * 10**7,
        "(;GM[Blokus]" + ";" * 10**5,
        "(;GM[Blokus]" + "C[x]" * 10**5,
        "(;GM[Blokus]C" + "[x]" * 10**5,
        "(;GM[Blokus]1[" + "a1," * 10**5,
        "(;GM[Blokus]1[" + "a1" * 10**5 + "])",
        "(;GM[Blokus](;)" + "(;)" * 10**5,
    ],
)
def test_long_junk_is_refused_in_a_short_message(text: str) -> None:
    assert len(refusal(text).detail) < 200


@pytest.mark.parametrize("variant", ON_ITS_BOARDS)
def test_damaged_file_is_refused_or_tells_another_game(variant: str) -> None:
    rng = Random(31)
    game = random_game(variant, 3, plies=8, forfeits=0.1, scoring="10/5")
    text = dump(game, ["a]\\b"] * len(game.variant.seats), "today").replace("XF", "C[x]XF")
    texts = [*truncations(text), *mutations(text, rng, 1500, ALPHABET), *junk(rng, 300, ALPHABET)]
    records = [record for _, record in accepted(load, texts)]
    assert len(records) > 100
    for record in records:
        twin = again(record)
        assert facts_of(twin.game) == facts_of(record.game)
        assert (twin.names, twin.date) == (record.names, record.date)


def test_damaged_position_is_refused_or_shows_another() -> None:
    rng = Random(32)
    x, i1, i2 = parse_game("duo X@d11 I1@j5 I2a@f9").moves()
    text = dump(Game.from_position("duo", {"purple": [x, i2], "orange": [i1]})).replace("PL", "AE[a1]PL")
    texts = [*truncations(text), *mutations(text.replace("AE[a1]", ""), rng, 3000, ALPHABET)]
    for _, record in accepted(load, texts):
        assert facts_of(again(record).game) == facts_of(record.game)
