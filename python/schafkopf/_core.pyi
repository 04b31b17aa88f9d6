"""Types of the compiled module; its docstrings say what each function does."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, NoReturn, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

__version__: str
ACTION_VERSION: int
VIEW_VERSION: int
OBSERVATION_VERSION: int
RECORD_VERSION: int
NUM_ACTIONS: int
NO_SEAT: int

def nearest_hint(word: str, words: Sequence[str]) -> str:
    """'; the nearest one is "x"' for messages, or "" where every word is far from `word`."""

def refuse_keyword(function: str, keyword: str, known: Sequence[str]) -> NoReturn:
    """Raise the TypeError for a keyword that a function does not have."""

CONTRACT_CLASSES: tuple[str, ...]
SPECIAL_ROUNDS: tuple[str, ...]
CARDS_DTYPE: np.dtype[np.void]
ORDER_DTYPE: np.dtype[np.void]
EVENTS_DTYPE: np.dtype[np.void]
VIEW_DTYPE: np.dtype[np.void]
FULL_VIEW_DTYPE: np.dtype[np.void]

class RuleSet:
    """House rules of a table: a preset or a TOML file, plus changed switches.

    Args:    preset: name of a preset or path of a TOML file; "" starts from the defaults.
             **switches: any switch, as in configs/rules/*.toml.
    Raises:  ValueError: unknown preset or switch, wrong type or value, or a combination that RULES J
             rejects; of a file with its line.  OSError: the file cannot be read.

    Every switch is an attribute with the value that is played.
    """
    def __init__(self, preset: str | os.PathLike[str] = "research", **switches: Any) -> None: ...
    @property
    def name(self) -> str:
        """Name of the preset or file that the rules came from."""
    @property
    def hash(self) -> int:
        """Hash of all switches, 0..2^64-1: equal rules have the same, and results name it."""
    @property
    def seats(self) -> int:
        """Seats that play, 3 or 4 (RULES B.2); with five players the dealer sits out."""
    @property
    def tariff_scale(self) -> int:
        """Parts of a tariff unit that amounts are counted in; payoffs are multiples of 1/tariff_scale."""
    def replace(self, **switches: Any) -> RuleSet:
        """Copy with changed switches.

        Args:    **switches: any switch, as in configs/rules/*.toml.
        Raises:  ValueError: unknown switch, wrong type or value, or a combination that RULES J rejects.
        """
    def to_dict(self) -> dict[str, Any]:
        """All switches by name."""
    def to_toml(self) -> str:
        """Complete rule file with comments."""
    def __getattr__(self, key: str) -> Any: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

_Rules = RuleSet | str | os.PathLike[str] | dict[str, Any]
_Int = int | np.integer[Any]
_Card = _Int | str
_Cards = str | Iterable[_Card]
_Action = _Int | str
_Views = np.void | NDArray[np.void]
_CardMap = _Int | NDArray[np.integer[Any]] | list[int] | _Views
_Cell = TypeVar("_Cell", bound=np.generic)
_Integer = TypeVar("_Integer", bound=np.integer[Any])

class Contract:
    """Class, declarer and what was named with it.

    Args:    name: class, "_TOUT" behind it or tout=True: for all tricks.
             declarer: seat; -1 = none, or not known yet.
             suit: trump suit of the classes that name one (SOLO, FARBWENZ, ...), and only of those.
             called: called card of RUF and MUSS, and only of those;  renonce: called without a card of
             its suit.
             bid: 70..120 of a contest for points, 0 = none.
    Raises:  ValueError: an unknown class, or something missing or named that the class has not.
    """
    def __init__(
        self,
        name: str,
        declarer: _Int = -1,
        suit: str | None = None,
        called: _Card | None = None,
        tout: bool = False,
        bid: _Int = 0,
        renonce: bool = False,
    ) -> None: ...
    @property
    def name(self) -> str:
        """Name of the class, "RUF", "SOLO" ... (RULES A.2); `tout` tells whether all tricks were announced."""
    @property
    def declarer(self) -> int:
        """Seat of the declarer 0..3; -1 = nobody, or not known yet."""
    @property
    def tout(self) -> bool:
        """Whether all tricks were announced (RULES C.18)."""
    @property
    def bid(self) -> int:
        """Points that were bid, 70..120 (RULES D.5); 0 = none."""
    @property
    def renonce(self) -> bool:
        """Whether the declarer holds no plain card of the called suit (RULES C.2)."""
    @property
    def suit(self) -> str | None:
        """Letter of the trump suit, "E", "G", "H" or "S", of contracts that name one; otherwise None."""
    @property
    def called(self) -> str | None:
        """Name of the called card, "EA"; None where no card is called."""
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

class DealContext:
    """What a deal inherits from its session.

    Args:    stock: pot in 1/tariff_scale units.
             bock: number of factors 2.
             special_round: name of the mode, as in the switch of that name.
             games_left: games of the mode, this one included.
             owed: per seat, games owed in an Allgaeuer Runde: 1 RUF + 2 WENZ + 4 SOLO.
    Raises:  ValueError: a value out of range, an unknown mode.
    """
    def __init__(
        self,
        stock: _Int = 0,
        bock: _Int = 0,
        special_round: str = "none",
        games_left: _Int = 0,
        owed: list[int] = ...,
    ) -> None: ...
    @staticmethod
    def first(rules: _Rules = "research") -> DealContext:
        """Context of a first deal: the special round that the rules name.

        Raises:  ValueError: unknown rules.
        """
    @property
    def stock(self) -> int:
        """Pot in 1/tariff_scale units (RULES G.7)."""
    @property
    def bock(self) -> int:
        """Number of factors 2 on the price of this deal (RULES G.8)."""
    @property
    def special_round(self) -> str:
        """Name of the mode of the deal, as in the switch special_round (RULES C.20); "none" = a normal deal."""
    @property
    def games_left(self) -> int:
        """Games of the special round that are still to be played, this one included."""
    @property
    def owed(self) -> list[int]:
        """Per seat, games owed in an Allgaeuer Runde as a sum: 1 RUF + 2 WENZ + 4 SOLO (RULES C.20)."""
    def __eq__(self, other: object) -> bool: ...
    __hash__: None  # type: ignore[assignment]

class Outcome:
    """What happened in a deal: all that its price depends on.

    Args:    contract: what was played, and by whom [Contract, its name or a dict; None with thrown_in]
             declarer_party=[]: seats of the declarer's party [list of integer 0..3, at most 4]
             points=[]: card points of each seat [list of integer 0..120, at most 4]
             tricks=[]: tricks of each seat [list of integer 0..8, at most 4]
             trumps_taken=[]: Ramsch only, for ties: trumps in the tricks of each seat [list of integer 0..32, at most 4]
             highest_trump=[]: Ramsch only, for ties: the highest of them [list of one card per seat, None where a seat has none]
             laufende=0: payable number, after minimum and cap [integer 0..32]
             doublings=0: Stoß, Re and so on: how many [integer 0..15]
             defenders_doubled_last=false: the last of them was said by the defenders [true, false]
             legen=0: how many have doubled before the cards [integer 0..4]
             forehand=0: seat that leads to the first trick [integer 0..3]
             thrown_in=false: all passed, nothing was played [true, false]
             stock_deposit=false: all passed, everybody pays into the Stock [true, false]
             announced=[]: seats that announced the Jungfrau [list of integer 0..3, at most 4]
             claimed_laufende=None: Laufende that were claimed; None: paid unasked [integer 0..14, None]
             claimed_schwarz=None: whether Schwarz was claimed; None: paid unasked [true, false, None]
             infraction=NONE: what ended the play [NONE, INF_WRONG_LEAD, INF_REVOKE, INF_REVOKE_LATE, INF_CARD_COUNT, INF_TALK]
             offender=None: whose infraction it was [integer 0..3, None]
    Raises:  ValueError: a value out of range, or points or tricks missing that the price depends on.
             TypeError: an unknown keyword, with the nearest one.
    """
    def __init__(
        self,
        contract: Contract | str | dict[str, Any] | None,
        *,
        declarer_party: list[int] = ...,
        points: list[int] = ...,
        tricks: list[int] = ...,
        laufende: _Int = 0,
        doublings: _Int = 0,
        legen: _Int = 0,
        forehand: _Int = 0,
        trumps_taken: list[int] = ...,
        highest_trump: Sequence[_Card | None] = ...,
        thrown_in: bool = False,
        stock_deposit: bool = False,
        defenders_doubled_last: bool = False,
        announced: list[int] = ...,
        claimed_laufende: _Int | None = None,
        claimed_schwarz: bool | None = None,
        infraction: str = "NONE",
        offender: _Int | None = None,
    ) -> None: ...
    @property
    def contract(self) -> Contract | None:
        """What was played, and by whom: a Contract; None of a deal that was thrown in."""
    @property
    def declarer_party(self) -> list[int]:
        """Seats of the declarer's party, lowest first."""
    @property
    def points(self) -> list[int]:
        """Card points of each seat, 120 together in a deck of 32 (RULES A.3)."""
    @property
    def tricks(self) -> list[int]:
        """Tricks that each seat won itself."""
    @property
    def trumps_taken(self) -> list[int]:
        """Trumps in the tricks of each seat; decides ties of the Ramsch only (RULES C.6)."""
    @property
    def highest_trump(self) -> list[str | None]:
        """Highest trump in the tricks of each seat, None where it has none; for ties of the Ramsch (RULES C.6)."""
    @property
    def laufende(self) -> int:
        """Payable number of Laufende, after minimum and cap (RULES G.4)."""
    @property
    def doublings(self) -> int:
        """How many doublings there were by Kontra and its answers (RULES F.3)."""
    @property
    def legen(self) -> int:
        """How many seats doubled before they had all cards (RULES F.1)."""
    @property
    def thrown_in(self) -> bool:
        """Whether all passed and nothing was played (RULES D.6)."""
    @property
    def stock_deposit(self) -> bool:
        """Whether all passed and everybody pays into the Stock (RULES G.7)."""
    @property
    def defenders_doubled_last(self) -> bool:
        """Whether the defenders said the last doubling: it shifts the points they need (RULES F.5)."""
    @property
    def announced(self) -> list[int]:
        """Seats that announced the Jungfrau, lowest first (RULES C.6)."""
    @property
    def infraction(self) -> str:
        """Name of what ended the play, "INF_REVOKE" ... (RULES E.6); "NONE" = nothing."""
    @property
    def offender(self) -> int | None:
        """Seat whose infraction it was, None without one."""
    @property
    def forehand(self) -> int:
        """Seat that led to the first trick."""
    @property
    def claimed_laufende(self) -> int | None:
        """Laufende that were claimed, None where they are paid unasked (RULES G.5)."""
    @property
    def claimed_schwarz(self) -> bool | None:
        """Whether Schwarz was claimed, None where it is paid unasked (RULES G.5)."""
    def __eq__(self, other: object) -> bool: ...
    __hash__: None  # type: ignore[assignment]

class Deal:
    """Cards as dealt.

    Args:    hands: one list per seat, the first half-hand first; the order in a half is not kept.
             rules: give deck and hand size.
             dealer: seat, -1 = the last; context: DealContext, None = DealContext.first(rules): special
             rounds keep cards back (RULES C.20).
             zupf: number of the card that is drawn in a Zupf-Solo, among the cards the other seat held.
    Raises:  ValueError: a card that is missing or comes twice, a wrong hand size, a dealer that is no
             seat, a zupf that no hand has, unknown rules, a context that is none.
    """
    def __init__(
        self,
        hands: Iterable[_Cards],
        rules: _Rules = "research",
        dealer: _Int = -1,
        context: DealContext | None = None,
        zupf: _Int = 0,
    ) -> None: ...
    @staticmethod
    def random(
        seed: _Int,
        rules: _Rules = "research",
        dealer: _Int = -1,
        context: DealContext | None = None,
    ) -> Deal:
        """Uniformly random deal; a fixed function of the arguments.

        Args:    seed: 0..2^64-1;  rules, dealer, context: as of a Deal.
        Raises:  ValueError: a seed out of range, a dealer that is no seat, unknown rules, a context that is
                 none.
        """
    @staticmethod
    def from_order(
        order: _Cards,
        dealer: _Int = -1,
        rules: _Rules = "research",
        context: DealContext | None = None,
    ) -> Deal:
        """Deal of a deck order, order[0] dealt first (RULES B.3.3); dealer -1 = the last seat.

        Args:    order: all cards of the deck, each once;  rules, context: as of a Deal.
        Raises:  ValueError: a card that is missing or comes twice, a dealer that is no seat, unknown rules,
                 a context that is none.
        """
    @property
    def hands(self) -> list[list[str]]:
        """Names of the cards of each seat, the first half-hand first, each half by card number."""
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

class Refusal:
    """Why an action is illegal.

    Attributes: seat, phase: whose turn it is and what is asked; -1 and "DONE" when the deal is over.
                action: what was asked for;  legal: the legal ones, as numbers.
                ground: what makes it illegal, a word for programs: "follow", "searched", ...
                reason: the same in words;  cards: names of the cards in it.
                rule: row or chapter of RULES, "R-115"; "" where no rule decides.
    """
    @property
    def seat(self) -> int:
        """Seat whose turn it is; -1 when the deal is over."""
    @property
    def phase(self) -> str:
        """Name of what is asked now; "DONE" when the deal is over."""
    @property
    def action(self) -> int:
        """Number of the action that was asked for, 0..127, or what came instead, -1 or 200."""
    @property
    def ground(self) -> str:
        """What makes it illegal, a word for programs: "follow", "searched" ..."""
    @property
    def reason(self) -> str:
        """What makes it illegal, in words for people."""
    @property
    def rule(self) -> str:
        """Row or chapter of RULES that decides, "R-115"; "" where none does."""
    @property
    def cards(self) -> list[str]:
        """Names of the cards that the reason speaks of."""
    @property
    def legal(self) -> list[int]:
        """Numbers of the legal actions, lowest first."""
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

class WrongArgument(ValueError):
    """What is wrong with one argument, in words that begin with its name.

    Attributes: argument: its name;  text: what follows the name at once, " = 5, allowed: 0..4".
    """
    @property
    def argument(self) -> str:
        """Name of the argument."""
    @property
    def text(self) -> str:
        """What follows the name at once, " = 5, allowed: 0..4"."""

class IllegalAction(ValueError):
    """An action that is not legal; nothing was done.

    Attributes: those of a Refusal;  env: row of the batch that refused it, None = a single game. A
                batch counts the cards in `action` and `legal` as its option `cards` says.
    """
    @property
    def seat(self) -> int:
        """Seat whose turn it is; -1 when the deal is over."""
    @property
    def phase(self) -> str:
        """Name of what is asked now; "DONE" when the deal is over."""
    @property
    def action(self) -> int:
        """Number of the action that was asked for, 0..127, or what came instead, -1 or 200, cards counted as the batch counts them."""
    @property
    def ground(self) -> str:
        """What makes it illegal, a word for programs: "follow", "searched" ..."""
    @property
    def reason(self) -> str:
        """What makes it illegal, in words for people."""
    @property
    def rule(self) -> str:
        """Row or chapter of RULES that decides, "R-115"; "" where none does."""
    @property
    def cards(self) -> list[str]:
        """Names of the cards that the reason speaks of."""
    @property
    def legal(self) -> list[int]:
        """Numbers of the legal actions, lowest first, cards counted as the batch counts them."""
    @property
    def env(self) -> int | None:
        """Row of the batch that refused it; None: a single game."""

class Game:
    """One deal from the first question to the payoffs.

    It holds the whole truth, all hands; what a seat may know of it is view(seat). Cards and actions are
    given by name or number and come back by name; two games are equal if everything in them is::

        game = schafkopf.Game(seed=1)
        while not game.is_terminal:
            game.apply(game.legal_names()[-1])  # the last legal action of game.current_player
        print(game.contract, game.payoffs())

    A game follows its rule set: where that knows claims, CLAIM_REST and CONCEDE_REST are legal and stand in
    views. VectorEnv (unless claim_actions asks for them), tournaments, trainers and rollout() leave them
    out, as random play would end most deals with them; encode(game.view(seat)) is then not the row of the
    batch in the sections of these two actions.

    Args:    rules: preset name, path, dict (without "preset" the defaults of the switches) or
             RuleSet.
             deal: Deal or list of hands; or seed: number of a random deal.
             dealer: seat of the dealer, -1 = the last seat.
             context: DealContext, None = DealContext.first(rules).
    Raises:  ValueError: impossible hands, unknown rules, neither deal nor seed or both, a dealer that is
             no seat, a context whose numbers are out of range. Of a context everything counts, whether
             the rules lead to it or not.
    """
    def __init__(
        self,
        rules: _Rules = "research",
        deal: Deal | Iterable[_Cards] | None = None,
        dealer: _Int = -1,
        seed: _Int | None = None,
        context: DealContext | None = None,
    ) -> None: ...
    @staticmethod
    def with_contract(
        contract: Contract | str | dict[str, Any],
        rules: _Rules = "research",
        deal: Deal | Iterable[_Cards] | None = None,
        dealer: _Int = -1,
        seed: _Int | None = None,
        partner: _Int = -1,
        laid: Iterable[int] = ...,
        exchange: Iterable[tuple[int, int, _Cards]] = ...,
        context: DealContext | None = None,
    ) -> Game:
        """Start at card play with a given contract.

        Args:    contract: Contract with its declarer, name or dict;  deal, dealer, seed: as of a Game without
                 a context: a special round that deals otherwise changes no hand here.
                 partner: seat that accepted a Hochzeit, else -1.
                 laid: seats that laid, in order.
                 exchange: (from, to, cards) passed before the play; the deal has the hands before it.
                 context: DealContext, None = DealContext(), that of a deal without a session.
                 Not asked: whether all_pass, hochzeit or the mode lead to the contract, nor what a Hochzeit
                 or a Muss-Spiel wants of the declarer's hand (RULES C.3, C.4).
        Raises:  ValueError: a contract without its declarer or that the rules or the hands do not allow, a
                 partner or laid that cannot be under it, an exchange of cards that the giver has not, that
                 come back or leave hands of another size (not whether a rule has it), impossible hands,
                 unknown rules, neither deal nor seed or both.  TypeError: context is no DealContext.
        """
    @staticmethod
    def from_position(
        contract: Contract | str | dict[str, Any],
        hands: Iterable[_Cards],
        captured: Iterable[_Cards] | None = None,
        leader: _Int = 0,
        dealer: _Int = -1,
        rules: _Rules = "research",
        partner: _Int = -1,
    ) -> Game:
        """Endgame: remaining cards without history; Laufende are not counted.

        Args:    hands: per seat, equally many cards;  captured: per seat the cards of its tricks so far,
                 None = nobody has any;  all cards of the deck are needed.
                 leader: seat that leads the next trick, 0 unless given;  dealer: seat, -1 = the last one.
                 partner: of the declarer, where no hand shows it: the called card has been played, or a
                 Hochzeit was accepted; else -1.
        Raises:  ValueError: a contract without its declarer or that the rules do not allow; hands that are
                 not equally long, or with the captured cards not the whole deck; a called card that the
                 declarer cannot have called (C.1, C.4); a leader, dealer or partner that cannot be;
                 unknown rules.
        """
    @property
    def phase(self) -> str:
        """Name of what is asked now, "PLAY", "AUCTION_ROUND" ... (RULES D.1); "DONE" when the deal is over."""
    @property
    def is_terminal(self) -> bool:
        """Whether the deal is over, so that payoffs() has an answer."""
    @property
    def current_player(self) -> int:
        """Seat whose turn it is, -1 when the deal is over."""
    @property
    def seats(self) -> int:
        """Number of seats that play, 3 or 4."""
    @property
    def dealer(self) -> int:
        """Seat that dealt; forehand sits to its left."""
    @property
    def forehand(self) -> int:
        """Seat that speaks first and leads to the first trick."""
    @property
    def rules_name(self) -> str:
        """Name of the rule set of the game."""
    @property
    def contract(self) -> Contract | None:
        """The Contract that is played, None before there is one."""
    @property
    def declarer_party(self) -> list[int]:
        """Seats of the declarer's party, lowest first, whether others know it or not."""
    @property
    def doubling_level(self) -> int:
        """Doublings so far by Kontra and its answers (RULES F.3)."""
    @property
    def max_doublings(self) -> int:
        """How many doublings the rules allow in this contract, where they ask for any (RULES F.3); 0 without one."""
    @property
    def plays(self) -> list[tuple[int, str]]:
        """(seat, card) in the order played."""
    @property
    def events(self) -> list[dict[str, Any]]:
        """Events before and between the cards, in order; secret ones are known to their seat alone."""
    @property
    def context(self) -> DealContext:
        """DealContext: what the deal inherited from its session."""
    @property
    def partner(self) -> int:
        """Partner of the declarer, hidden or not; -1 = none."""
    @property
    def num_laid(self) -> int:
        """How many seats doubled on half a hand (Legen, RULES F.1)."""
    @property
    def open_cards(self) -> list[str]:
        """Cards of the declarer that lie open (Bettel-Brett)."""
    def given(self, seat: _Int) -> list[str]:
        """Cards that a seat passed on before the play.

        Raises:  ValueError: a seat that is none of 0..3.
        """
    def received(self, seat: _Int) -> list[str]:
        """Cards that a seat got before the play.

        Raises:  ValueError: a seat that is none of 0..3.
        """
    def hand(self, seat: _Int) -> list[str]:
        """Cards that a seat holds now.

        Raises:  ValueError: a seat that is none of 0..3.
        """
    def dealt(self, seat: _Int) -> list[str]:
        """Cards that a seat was dealt, before any exchange.

        Raises:  ValueError: a seat that is none of 0..3.
        """
    def captured(self, seat: _Int) -> list[str]:
        """Cards in the tricks that a seat won.

        Raises:  ValueError: a seat that is none of 0..3.
        """
    def legal_actions(self) -> list[int]:
        """Numbers of the legal actions, lowest first; empty when the deal is over."""
    def legal_names(self) -> list[str]:
        """Names of the legal actions."""
    def legal_mask(self) -> NDArray[np.uint8]:
        """uint8 [128]: 1 on legal actions.

        As the rule set has them, claims (CLAIM_REST, CONCEDE_REST) included: see Game.
        """
    def apply(self, action: _Action) -> None:
        """Apply a legal action, by number or name.

        Raises:  IllegalAction, a ValueError with seat, phase, action, reason, rule and the legal ones as
                 attributes.  ValueError: no action at all. The game is then unchanged.
        """
    def infract(self, seat: _Int, infraction: str) -> None:
        """An infraction of a seat during card play (RULES E.6), such as "INF_REVOKE".

        Raises:  ValueError: unknown infraction, wrong seat, or not during card play.
        """
    def why_illegal(self, action: _Action) -> str:
        """Why an action is illegal now; empty if it is legal.

        Raises:  ValueError: neither a number 0..127 nor a name of an action.
        """
    def refusal(self, action: _Action) -> Refusal | None:
        """Why an action is illegal now, in parts: a Refusal. None if it is legal.

        Raises:  ValueError: neither a number 0..127 nor a name of an action.
        """
    def rollout(self, games: _Int, seed: _Int = 0) -> tuple[NDArray[np.float64], int]:
        """Play copies of the game to the end by random legal actions that are no claims.

        Args:    games: number of copies, 1..2^31-1;  seed: of their draws, 0..2^64-1.
        Returns: (mean payoffs float64 [seats] in tariff units, number of decisions taken).
        Raises:  ValueError: a number out of range.
        """
    def payoffs(self) -> list[float]:
        """Payoffs per seat in tariff units, without what goes into the Stock or comes out of it:
        game_settlement(game)["stock_payoffs"].

        Raises:  ValueError: the deal is not over.
        """
    def settlement_steps(self) -> list[str]:
        """How the price of the finished game comes about, one step per line.

        Raises:  ValueError: the game is not over.
        """
    def outcome(self) -> Outcome:
        """Outcome of the finished game, as `settle` takes it.

        Raises:  ValueError: the game is not over.
        """
    def view(self, seat: _Int) -> np.void:
        """What a seat may know: a record of VIEW_DTYPE (192 bytes).

        Raises:  ValueError: a seat that the game has not.
        """
    def public_actions(self) -> list[tuple[int, str]]:
        """(seat, action) of the public actions so far; view_at counts them."""
    def view_at(self, ply: _Int, seat: _Int, hand: _Cards) -> np.void:
        """The view that a seat would have had with a hypothetical hand.

        Args:    ply: before this public action; the number of all of them = now.
                 seat: of the game;  hand: the cards that the seat was dealt.
        Raises:  ValueError: a hand that is impossible after what everybody saw, a number of public actions
                 that were not done, a seat that the game has not.
        """
    def full_view(self, seat: _Int) -> np.void:
        """The hidden truth, for critics only: a record of FULL_VIEW_DTYPE.

        Its seats count from this one on: hands[0] is what `seat` holds, hands[1] its left neighbour; so do
        dealt, declarer_party and owner.

        Raises:  ValueError: a seat that the game has not.
        """
    def copy(self) -> Game:
        """Independent copy, under the same rules."""
    def __copy__(self) -> Game: ...
    def __deepcopy__(self, memo: dict[int, Any]) -> Game: ...
    def serialize(self) -> bytes:
        """Bytes that rebuild the game under the same rules."""
    @staticmethod
    def deserialize(data: bytes | bytearray | memoryview, rules: _Rules = "research") -> Game:
        """Inverse of serialize.

        Raises:  ValueError: bytes of a game under other rules, or that are none.  TypeError: no bytes.
        """
    def __eq__(self, other: object) -> bool: ...
    __hash__: None  # type: ignore[assignment]

class Session:
    """Consecutive deals at one table: dealer, account, Stock, Bock and special rounds, end.

    next_game() gives the deal to be played, finish(game) enters it once it is over. A place is a chair
    of the table; at a table of five the dealer sits out, and `places` says who sits where.

    Args:    rules: preset name, path, dict (without "preset" the defaults of the switches) or RuleSet.
             seed: of all its deals and of the first dealer, 0..2^64-1.
    Raises:  ValueError: unknown rules, or a seed out of range.
    """
    def __init__(self, rules: _Rules = "research", seed: _Int = 0) -> None: ...
    def next_game(self) -> Game:
        """The next deal, not yet played.

        Raises:  ValueError: the session is over.
        """
    def finish(self, game: Game) -> None:
        """Enter the deal that next_game() gave, played to its end.

        Raises:  ValueError: a game that is not over, another deal than that of next_game() or one whose
                 contract was given, or the session is over.  TypeError: no Game.
        """
    def misdeal(self) -> list[float]:
        """The dealer misdealt (RULES B.3.6): he deals again, or pays under redeal_then_penalty.

        Returns: what the places get, in tariff units.
        Raises:  ValueError: the session is over.
        """
    def start_special_round(self, mode: str = "none") -> None:
        """Start a special round with the next deal; "none" = the one of the trigger MANUAL.

        Args:    mode: name, as in the switch special_round (RULES C.20).
        Raises:  ValueError: no text, an unknown mode, one that the rules cannot play, or the session is
                 over.
        """
    @property
    def is_over(self) -> bool:
        """Whether the last deal of the session was entered."""
    @property
    def totals(self) -> list[float]:
        """Account of each place in tariff units."""
    @property
    def stock(self) -> float:
        """The pot in tariff units."""
    @property
    def kitty(self) -> float:
        """Reuegeld in tariff units."""
    @property
    def context(self) -> DealContext:
        """What the next deal inherits."""
    @property
    def rounds(self) -> dict[str, Any]:
        """dict: running mode, games_left, queued [(mode, games)]."""
    @property
    def places(self) -> list[int]:
        """Place of each seat of the next game."""
    @property
    def round(self) -> int:
        """Round of the next deal, from 0 (RULES H.1); the number of rounds when the session is over."""
    @property
    def num_deals(self) -> int:
        """Deals that were entered, those thrown in included."""
    @property
    def num_thrown_in(self) -> int:
        """Deals of the session that nobody played."""
    @property
    def dealer(self) -> int:
        """Place that deals next."""
    def __eq__(self, other: object) -> bool: ...
    __hash__: None  # type: ignore[assignment]

class League:
    """A league day (RULES H.3): players are drawn to tables anew in every sitting.

    Args:    players: number registered, a multiple of the players of a table, at most 10000.
             rules: preset name, path, dict (without "preset" the defaults of the switches) or RuleSet.
             seed: of the draw of the tables and of all deals, 0..2^64-1.
    Raises:  ValueError: another number of players, unknown rules, a seed out of range.

    next_game(sitting, table) gives the deal to be played, finish(...) enters it into the list.
    """
    def __init__(
        self, players: _Int, rules: _Rules = "tournament_2024", seed: _Int = 0
    ) -> None: ...
    def next_game(self, sitting: _Int, table: _Int) -> Game:
        """The next deal of a table.

        Raises:  ValueError: a sitting or table that there is not, or one that is over.
        """
    def finish(self, sitting: _Int, table: _Int, game: Game) -> None:
        """Enter the deal that next_game() gave, played to its end.

        Raises:  ValueError: a sitting or table that there is not or that is over, a game that is not over,
                 another deal than that of next_game(), or one whose contract was given.  TypeError: no Game.
        """
    def misdeal(self, sitting: _Int, table: _Int) -> list[float]:
        """The dealer of a table misdealt (RULES B.3.6): he deals again, or pays under
        redeal_then_penalty, which ends the deal.

        Returns: what the places get, in tariff units.
        Raises:  ValueError: a sitting or table that there is not, or one that is over.
        """
    def deals(self, sitting: _Int, table: _Int) -> list[list[float]]:
        """The list of a table (R-184): what each deal so far brought the places, in tariff units.

        Raises:  ValueError: a sitting or table that there is not.
        """
    def players_at(self, sitting: _Int, table: _Int) -> list[int]:
        """Players of a table by place.

        Raises:  ValueError: a sitting or table that there is not.
        """
    def is_over(self, sitting: _Int, table: _Int) -> bool:
        """Whether a table has played all its games of a sitting.

        Raises:  ValueError: a sitting or table that there is not.
        """
    def ranking(self) -> list[dict[str, Any]]:
        """Standings, best first: player, rank, total and bonus in tariff units, games."""
    @property
    def num_sittings(self) -> int:
        """Sittings of the day; the tables are drawn anew for each."""
    @property
    def num_tables(self) -> int:
        """Tables of a sitting, numbered from 0."""
    @property
    def games_per_sitting(self) -> int:
        """Games that a table plays in a sitting."""
    def __eq__(self, other: object) -> bool: ...
    __hash__: None  # type: ignore[assignment]

class Agent:
    """A player by name: views in, probabilities or actions out.

    It keeps no state between calls: the same views have the same probabilities however the batch is
    cut. What `act` draws depends on the seed, the view and its row.
    """
    @property
    def name(self) -> str:
        """Name with all parameters that matter, as results show it; "python:NAME" of an object with act()."""
    @property
    def sees_hidden_hands(self) -> bool:
        """Whether this is a cheating baseline, which needs full_views."""
    @property
    def failures(self) -> dict[str, int] | None:
        """Decisions that were drawn because the program of an `engine:` failed, since it was made, by
        kind: timeout, crash, illegal, garbage, error. None for players that are no programs.

        Of all copies together: of an opponent in a batch too, which was given as this object.
        """
    @property
    def first_failure(self) -> str:
        """The first of `failures` in words; empty where there is none."""
    def __copy__(self) -> Agent: ...
    def __deepcopy__(self, memo: dict[int, Any]) -> Agent: ...
    def policy(
        self,
        views: _Views,
        rules: _Rules = "research",
        full_views: _Views | None = None,
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Distributions over actions, and values.

        Args:    views: one view or an array [B] of VIEW_DTYPE.
                 rules: those that the views were seen under.
                 full_views: one or an array [B] of FULL_VIEW_DTYPE, read by cheating baselines only.
        Returns: probabilities float32 [B, 128], 0 on illegal actions; values float32 [B], expected own
                 payoff in tariff units, NaN where the agent has none.
        Raises:  ValueError: no views or such as no game gives, unknown rules, full_views that are missing or
                 not one for each view where they are read, an illegal action of an object with act(). What
                 such an object raises passes on.
        """
    def act(
        self,
        views: _Views,
        seed: _Int = 0,
        rules: _Rules = "research",
        full_views: _Views | None = None,
    ) -> NDArray[np.int32]:
        """int32 [B]: one action per view, a fixed function of views and seed.

        Args:    views, rules, full_views: as of `policy`; each view of the seat that is to act.
                 seed: of the draws, 0..2^64-1.
        Raises:  ValueError: as `policy`; a seat that is not to act while its game goes on, a seed out of
                 range. What an object with act() raises passes on.
        """
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

class EngineSession:
    """The engine's side of a conversation: any player behind it.

    Args:    agent: an Agent, a registry string or an object with act(views).
    Raises:  ValueError: a player that sees hidden hands, or no player.
    """
    def __init__(self, agent: Agent | str | object) -> None: ...
    def answer(self, line: str) -> str | None:
        """The answer to a line, None where there is none. What is wrong is an answer "error TEXT".

        Raises:  ValueError: no text.  KeyboardInterrupt and the like: Ctrl-C, or from an object's act(). What
                 a handler of signals raises passes on.
        """
    @property
    def is_over(self) -> bool:
        """Whether `quit` has come."""

class Solver:
    """Exact play with open cards, for games that are in card play.

    Args:    table_bytes: size of the table of positions, 2^16..2^36 bytes, rounded down to a power of two.
    Raises:  ValueError: another size.  MemoryError: there is not so much memory.

    Questions take a Game and the seats of a side (None = the declarer party); points already taken
    count. Solvers with tables of the same size are equal; a copy or a pickle begins with an empty
    table.
    """
    def __init__(self, table_bytes: _Int = 2097152) -> None: ...
    def points(self, game: Game, side: Sequence[int] | None = None) -> int:
        """Card points that the side takes if both sides play best, 0..120.

        Raises:  ValueError: a game that is not in card play, a side that is none.  TypeError: no Game.
        """
    def reaches(self, game: Game, points: _Int, side: Sequence[int] | None = None) -> bool:
        """Whether the side takes at least so many card points: faster than `points`.

        Args:    points: 0..121, which nobody takes.
        Raises:  ValueError: a game that is not in card play, points out of range, a side that is none.
                 TypeError: no Game.
        """
    def fewest_points(self, game: Game, seat: _Int) -> int:
        """Card points of a seat that wants few while all others play against it (Ramsch).

        Raises:  ValueError: a game that is not in card play, a seat that is none of the game's.
                 TypeError: no Game.
        """
    def takes_all(self, game: Game, side: Sequence[int] | None = None) -> bool:
        """Whether the side can take all tricks from now on, the running one included.

        Raises:  ValueError: a game that is not in card play, a side that is none.  TypeError: no Game.
        """
    def takes_none(self, game: Game, side: Sequence[int] | None = None) -> bool:
        """Whether the side, which wants none, keeps clear of all tricks from now on.

        Raises:  ValueError: a game that is not in card play, a side that is none.  TypeError: no Game.
        """
    def payoff_class(self, game: Game, side: Sequence[int] | None = None) -> str:
        """Best result that the side can force at 31, 61 and 91 points: "no_trick", "schneider",
        "lost", "won", "won_schneider" or "all_tricks".

        Raises:  ValueError: a game that is not in card play, a side that is none.  TypeError: no Game.
        """
    def card_points(self, game: Game, side: Sequence[int] | None = None) -> dict[str, int]:
        """{card: points of the side after it} for the legal cards of the seat to play.

        Raises:  ValueError: a game that is not in card play, a side that is none.  TypeError: no Game.
        """
    def __eq__(self, other: object) -> bool: ...
    __hash__: None  # type: ignore[assignment]

class WorldSampler:
    """Hidden hands that fit a view, all equally likely.

    Hands are uint32 [n, 4]: one bit per card (bit 8 * suit + rank), relative seats, 0 = the viewer.

    Args:    view: what a seat knows, as Game.view gives it.
             rules: preset name, path, dict (without "preset" the defaults of the switches) or
             RuleSet of the game.
    Raises:  ValueError: not exactly one view, one that no deal explains, unknown rules.
    """
    def __init__(self, view: _Views, rules: _Rules = "research") -> None: ...
    @property
    def count(self) -> int:
        """Number of worlds that fit."""
    def sample(self, n: _Int = 1, seed: _Int = 0) -> NDArray[np.uint32]:
        """n worlds: uint32 [n, 4], the same for a seed.

        Args:    n: 1..10^9, 16 bytes each;  seed: 0..2^64-1; world i does not depend on n.
        Raises:  ValueError: a number out of range.  MemoryError: there is not so much memory.
        """
    def enumerate(self, most: _Int = 1000000) -> NDArray[np.uint32]:
        """Every world once: uint32 [count, 4].

        Raises:  ValueError: there are more than `most`.
        """
    def __eq__(self, other: object) -> bool: ...
    __hash__: None  # type: ignore[assignment]

class ExactPosterior:
    """Exact distribution of hidden hands late in a deal.

    Args:    view, rules: as for WorldSampler.
             policy: how the others are believed to play, where no claims are offered (CLAIM_REST,
             CONCEDE_REST), as in VectorEnv and tournaments; of a network "net:FILE,greedy=false", since
             "net:FILE" never draws and excludes what it would not do.
             alpha, floor: each of their actions counts max(probability, floor)^alpha, both 0..1.
             most_worlds: refused if more fit the view.
             silence: whether answers that leave no trace (RULES D.1) count too: nothing doubled, laid
             or offered by a seat that, with its hand in a world, was asked. Those after the last public
             action count if the viewing seat is to act.
    Raises:  ValueError: too many worlds, a past that the view does not show, a policy that excludes
             every world; not exactly one view, no policy, unknown rules, a number out of range.
    """
    def __init__(
        self,
        view: _Views,
        policy: Any,
        rules: _Rules = "research",
        alpha: float = 1.0,
        floor: float = 0.0,
        most_worlds: _Int = 2000000,
        silence: bool = True,
    ) -> None: ...
    def __len__(self) -> int: ...
    @property
    def worlds(self) -> NDArray[np.uint32]:
        """Consistent worlds: uint32 [n, 4]."""
    @property
    def probabilities(self) -> NDArray[np.float64]:
        """float64 [n], sum 1."""
    def holds(self, seat: _Int, card: _Card) -> float:
        """Probability that a relative seat holds a card.

        Raises:  ValueError: a seat that is none of 0..3, or no card.
        """
    def __eq__(self, other: object) -> bool: ...
    __hash__: None  # type: ignore[assignment]

def inferred_worlds(
    view: _Views,
    policy: Any,
    rules: _Rules = "research",
    drawn: _Int = 100,
    kept: _Int = 30,
    seed: _Int = 0,
    alpha: float = 0.75,
    floor: float = 0.02,
    silence: bool = False,
) -> NDArray[np.uint32]:
    """Worlds resampled by how likely a policy's actions make them: uint32 [kept, 4].

    Args:    policy: registry string, agent, or object with act(views) and, for its probabilities,
             policy(views): how the others are believed to play, where no claims are offered (CLAIM_REST,
             CONCEDE_REST), as in VectorEnv and tournaments. "net:FILE" never draws: its
             probabilities are 1 and 0, which another player's actions refute; "net:FILE,greedy=false"
             has those of the network.
             drawn: worlds that are weighted; kept: worlds returned.
             alpha, floor: each action counts max(probability, floor)^alpha, both 0..1.
             silence: whether answers that leave no trace (RULES D.1) count too: nothing doubled, laid
             or offered by a seat that, with its hand in a world, was asked.
    Raises:  ValueError: not exactly one view, one that no deal explains or that does not show the past,
             no policy or one that excludes every world, unknown rules, a number out of range.
             MemoryError: more worlds than there is memory for. What an object with act() raises passes
             on.
    """

def search_cards(
    view: _Views,
    rules: _Rules = "research",
    worlds: _Int = 30,
    ms: float = 0.0,
    seed: _Int = 0,
) -> dict[str, float]:
    """{card: mean payoff in tariff units} over sampled worlds that are played exactly (PIMC); in a
    Ramsch minus the card points that the seat comes to in steps (module search), with ramsch_shift minus its right neighbour's.

    Args:    view: of a seat that is to play a card.
             worlds: number of worlds; ms: time limit, 0 = none.
    Raises:  ValueError: not exactly one view, nothing to search, unknown rules, values out of range.
    """

class BatchEnv:
    """N games over contiguous buffers; schafkopf.VectorEnv is its face."""
    def __init__(self, num_envs: _Int, **options: Any) -> None: ...
    def buffers(self) -> dict[str, NDArray[Any]]:
        """Views of the buffers by name, without a copy.

        They stay valid as long as they live, also after the environment is gone; their contents change with
        every call. Writing to them changes no game: they are only shown. Buffers that were not asked for are
        missing.
        """
    def advance(self, actions: NDArray[np.integer[Any]] | Sequence[int] | Any) -> None:
        """Step every game by one action.

        Args:    actions: integers [num_envs], each legal for that game's current seat: any integer array
                 (int32 and int64 are read without a copy), a list, a tuple or a tensor in the main memory.
        Raises:  ValueError: wrong shape or type; IllegalAction, a ValueError with env, seat, action, reason,
                 rule and the legal ones as attributes. Nothing was stepped.  RuntimeError: the environment
                 is closed.
        """
    def step_random(self, steps: _Int = 1) -> None:
        """Step by uniformly random legal actions without leaving the library.

        Args:    steps: how many, 0..2^31-1.
        Raises:  ValueError: a number out of range.  RuntimeError: the environment is closed.
        """
    def random_actions(self, out: NDArray[np.int32] | None = None) -> NDArray[np.int32]:
        """int32 [num_envs]: uniformly random legal actions, into `out` where it is given.

        Drawn from the legal actions by absolute number, then counted as `cards` says: the games of a seed
        are the same either way.

        Raises:  ValueError: `out` is no contiguous and aligned int32 [num_envs] that can be written.
                 RuntimeError: the environment is closed.
        """
    def restart(self, seed: _Int | None = None, reset_mask: NDArray[Any] | None = None) -> None:
        """Start new deals: all of them, or those of the mask; a seed restarts episodes at 0.

        Args:    seed: 0..2^64-1, None = the next episodes;  reset_mask: bool or uint8 [num_envs], None = all rows.
        Raises:  ValueError: a seed out of range, or a mask that is no bool [num_envs].
                 RuntimeError: the environment is closed.
        """
    def get_game(self, env: _Int) -> Game:
        """Copy of the game of one row.

        It follows the rule set: where its rules know claims, it allows CLAIM_REST and CONCEDE_REST, which the
        row masks unless claim_actions asks for them.

        Raises:  ValueError: a row that there is not.  RuntimeError: the environment is closed.
        """
    def set_game(self, env: _Int, game: Game) -> None:
        """Put a game into a row, which goes on from it.

        running_seed and, at its end, episode_seed stay those of the deal that the row would have had: they
        do not deal this game.

        Raises:  ValueError: its rules are not the row's, it is over, or it plays for another Stock than the
                 row's session; a row that there is not.  TypeError: no Game.
                 RuntimeError: the environment is closed.
        """
    def views(self) -> NDArray[np.void]:
        """Array [N] of VIEW_DTYPE with absolute cards, a copy; needs view_lines=True.

        Raises:  ValueError: made without view_lines.  RuntimeError: the environment is closed.
        """
    def agent_actions(self, agent: Agent, rows: NDArray[Any] | None = None) -> NDArray[np.int32]:
        """int32 [num_envs]: what an agent does in every row, as step takes it; needs view_lines=True, for
        an agent that sees hidden hands full_view=True too. rows: bool [num_envs], the agent is asked in
        these rows only, the others get 0.

        Draws depend on (seed, env, episode, decision, seat) only, not on the batch.

        Raises:  ValueError: made without view_lines, or without the full_view that the agent needs, or
                 `rows` is no bool [num_envs].  TypeError: no Agent.  RuntimeError: the environment is
                 closed. What an object with act() raises passes on.
        """
    def card_map_numbers(self) -> NDArray[np.uint8]:
        """uint8 [N]: number of the card map of the seat to act in each row, for to_canonical and its
        inverse; 0 before card play.
        """
    def close(self) -> None:
        """Let the games go. Whatever needs them raises RuntimeError from then on; a second call does
        nothing.
        """
    @property
    def closed(self) -> bool:
        """Whether close() has let the games go."""
    @property
    def kernel(self) -> str:
        """Who steps the games in card play: scalar, avx2 or avx512 (option kernel)."""
    @property
    def is_fresh(self) -> bool:
        """Whether nothing happened since construction: a first reset of all rows keeps episode 0."""
    def snapshot(self) -> bytes:
        """Bytes from which `restore` goes on with the same games.

        Raises:  RuntimeError: an exception left the batch in the middle of a step, or the environment is
                 closed.
        """
    def restore(self, data: bytes | bytearray | memoryview) -> None:
        """Go on from a snapshot of an environment with the same options; what is shown (observation,
        view_lines ...), cards, kernel, num_threads and the opponents may differ. final_observation is
        not in it and stays as it is; the environment is not fresh then (`is_fresh`).

        Raises:  ValueError: bytes that are damaged, or taken with other options, naming the env; the
                 environment is then unchanged.  TypeError: no bytes.  RuntimeError: it is closed.
        """
    @property
    def card_index(self) -> str:
        """How cards are counted in observations, masks and actions: "absolute" or "canonical"."""
    @property
    def num_envs(self) -> int:
        """N, the number of games in the batch."""
    @property
    def num_decisions(self) -> int:
        """Decisions taken since construction in all rows, by whomever: caller, opponents, skip_forced."""
    @property
    def num_deals(self) -> int:
        """Deals that ended since construction, in all rows."""
    @property
    def skipped_deals(self) -> int:
        """Deals since construction that asked the caller for nothing and were dealt again."""
    @property
    def skipped_return(self) -> list[float]:
        """Payoffs of the skipped deals: sum per absolute seat in tariff units, 4 numbers."""

class ReplayedGames:
    """Games as values: the seed of a deal and the actions since.

    For programs that keep no environment and step many games as functions do (schafkopf.adapters.pgx): what
    a game shows is found by playing it again from its deal. Claims of the rest are not offered.

    Args:    rules: as in VectorEnv.
             generator: who declares what where games start at card play, as in VectorEnv; None: they start
             with the deal.
    Raises:  ValueError: unknown rules or generator.
    """
    def __init__(self, rules: _Rules = "research", generator: str | None = None) -> None: ...
    @property
    def longest(self) -> int:
        """int: no game of these rules has more actions."""
    def game(self, seed: int, actions: Iterable[_Action]) -> Game:
        """The Game after these actions; what is not legal when its turn comes ends them.

        Args:    seed: of the deal, 0..2^64-1, whose dealer is seat seed % seats;  actions: numbers or names.
        Raises:  ValueError: no seed, no actions.
        """
    def show(
        self,
        seeds: NDArray[np.uint64],
        actions: NDArray[np.uint8],
        counts: NDArray[np.int32],
        seats: NDArray[np.int32],
    ) -> dict[str, NDArray[Any]]:
        """What B games show.

        Args:    seeds: uint64 [B].  actions: uint8 [B, longest].  counts: int32 [B], how many of them are
                 meant; what is not legal when its turn comes ends them.
                 seats: int32 [B], whose view is shown; -1: of who is to act, or acted last.
        Returns: dict with views [B] of VIEW_DTYPE; legal uint64 [B, 2], bit a = action a, none when a deal
                 is over; current_player int8 [B], who acted last when a deal is over; rewards float32
                 [B, 4] in tariff units, Stock and Reuegeld included, 0 before the end; terminated uint8 [B].
        Raises:  ValueError: another shape or dtype, or a seat that there is not.
        """

def card_name(card: _Card) -> str:
    """Name of a card number 0..31: "EO".

    Raises:  ValueError: neither a number 0..31 nor a name.
    """

def parse_card(name: _Card) -> int:
    """Number 0..31 of a card; X, T and Z stand for 10.

    Raises:  ValueError: neither a name nor a number 0..31.
    """

def action_name(action: _Int) -> str:
    """Name of an action number 0..127: "PASS", "CARD EA", "C_SOLO".

    Raises:  ValueError: a number that is none of these, or no integer.
    """

def parse_action(name: str) -> int:
    """Number 0..127 of an action name; a bare card means CARD.

    Raises:  ValueError: no name of an action, with the nearest one.  TypeError: no text.
    """

def phase_name(phase: _Int) -> str:
    """Name of a phase number, as in VectorEnv.phase.

    Raises:  ValueError: a number that no phase has, or no integer.
    """

def preset_names() -> list[str]:
    """Names of the shipped rule sets."""

def rule_fields() -> list[dict[str, Any]]:
    """The switches: key, group, meaning, source, allowed values, default."""

def contract_table() -> list[dict[str, Any]]:
    """The contracts, one dict per row of env/cards/contract.cpp."""

def tariff_table() -> list[dict[str, Any]]:
    """The tariffs by name: unit, amounts per payer, factors."""

def tariff_of(rules: _Rules) -> dict[str, Any]:
    """The tariff of a rule set, in the form of a row of tariff_table().

    Raises:  ValueError: unknown rules.
    """

def preset_title(name: str) -> str:
    """What a shipped rule set is, in one line.

    Raises:  ValueError: no name of a preset.  TypeError: no text.
    """

def result_limits(
    contract: Contract | str | dict[str, Any], rules: _Rules = "research"
) -> dict[str, Any]:
    """What the numbers of a result may be at most.

    Returns: dict: points and tricks of a deal, bock; (most, what sets it) of doublings, legen and bid;
             highest_trump, None where there are no trumps.
    Raises:  ValueError: no contract, or unknown rules.
    """

def points_in_tricks(tricks: _Int, rules: _Rules = "research") -> tuple[int, int]:
    """(least, most) card points that so many tricks can have.

    Raises:  WrongArgument: more tricks than a deal has, or no integer.  ValueError: unknown rules.
    """

def declarer_party(
    contract: Contract | str | dict[str, Any], partner: _Int = -1, rules: _Rules = "research"
) -> list[int]:
    """Seats of the declarer party.

    Args:    partner: of the declarer in partner games; -1 = none, or the one who sits opposite.
    Raises:  ValueError: a declarer or partner that is missing or has no place in the contract.
    """

def payable_run(
    contract: Contract | str | dict[str, Any], run: _Int, rules: _Rules = "research"
) -> int:
    """Payable Laufende of a top run of trumps, after minimum and cap (RULES G.4).

    Raises:  ValueError: a run that is none of 0..32, no contract, unknown rules.
    """

def price_factor(doublings: _Int) -> int:
    """What the price is multiplied with after so many doublings: Kontras, those who laid, Bock.

    Raises:  WrongArgument: doublings that are none of 0..62.
    """

def price_result(
    rules: _Rules = "research", **entered: Any
) -> tuple[Outcome, DealContext, list[str]]:
    """Price of a result as a person enters it.

    Args:    contract: "SOLO_TOUT"; None = the deal was thrown in;  stock_deposit: and all paid into
             the Stock.
             declarer, partner: seats;  points, tricks: a list of one number, of the declarer party, or
             of one per seat where everybody plays alone.
             trumps_taken, highest_trump: ties of the Ramsch, one per seat; None or "-" = no trump.
             laufende: the top run, before minimum and cap;  bid, forehand, stock (tariff units).
             doublings, legen, bock: how many;  announced: seats that announced the Jungfrau.
             claimed_laufende, claimed_schwarz, infraction, offender: as in Outcome.
             What the price does not depend on may be left out.
    Raises:  WrongArgument: what no deal under these rules has, or a number that decides is missing.
    Returns: (Outcome, DealContext, the price in words, one step per entry).
    """

def settle(
    outcome: Outcome, rules: _Rules = "research", context: DealContext | None = None
) -> dict[str, Any]:
    """Price of a deal and who pays it (RULES G).

    Args:    context: DealContext, None = DealContext(), that of a deal without a session.
    Raises:  ValueError: an outcome that no deal under these rules has, one without the declarer that
             Stock and Reuegeld depend on, unknown rules.  TypeError: no Outcome, or no DealContext.
    Returns: dict: payoffs and stock_payoffs per seat in tariff units, price per payer, reuegeld,
             declarer_points, won, schneider, schwarz, laufende, multiplier; schwarz_paid and
             laufende_paid: what of them is paid, less where it has to be claimed; loser, virgins and
             march of a Ramsch, elsewhere None and [].
    """

def settlement_steps(
    outcome: Outcome, rules: _Rules = "research", context: DealContext | None = None
) -> list[str]:
    """The price of `settle` in words, one step per line.

    Args:    context: as of `settle`.
    Raises:  ValueError, TypeError: as `settle`.
    """

def settlement_parts(game: Game) -> list[dict[str, Any]]:
    """How the price of a finished game comes about, for those who name players themselves.

    Returns: dicts: kind ("other", "loser", "stock", "payoffs"), pattern with {game} and {seat} where
             their names belong, seat that it means or None, amounts per seat in tariff units.
    Raises:  ValueError: the game is not over.
    """

def game_settlement(game: Game) -> dict[str, Any]:
    """Settlement of a finished game, as `settle` gives it.

    Raises:  ValueError: the game is not over.  TypeError: no Game.
    """

def legal(
    hand: _Cards,
    trick: _Cards,
    contract: str,
    suit: str | None = None,
    called: _Card | None = None,
    released: bool = False,
    rules: _Rules = "research",
) -> list[str]:
    """Legal cards of a hand (RULES E.3); hands may be partial.

    Args:    hand: cards, none twice;  trick: cards on the table in order, fewer than there are seats.
             contract: class;  suit: trump suit of the classes that name one (SOLO, FARBWENZ, ...), and
             only of those.
             called: called card, if there is one.
             released: the called card is free (its owner ran away, or it was searched).
             rules: preset name, path, dict (without "preset" the defaults of the switches) or RuleSet.
    Raises:  ValueError: what is no card, one that comes twice or is in hand and trick, a trick that is
             full, an unknown class, a suit that is missing, a suit or called card that the class has
             not, unknown rules.
    """

def card_points(cards: _Cards) -> int:
    """Card points of cards (RULES A.3).

    Raises:  ValueError: what is no card, or one that comes twice.
    """

def sorted_hand(
    cards: _Cards,
    contract: str | None = None,
    suit: str | None = None,
    rules: _Rules = "research",
) -> list[tuple[str, list[str]]]:
    """Cards as a player sorts them: ("trump", cards), then ("E", cards) ... of the plain suits that
    there are, each strongest first.

    Args:    contract: class, None = that of a called partner.
             suit: trump suit where the class announces one, None = not named yet.
    Raises:  ValueError: what is no card, one that comes twice, an unknown class or suit, a suit of a
             class that names none, unknown rules.
    """

def callable_cards(hand: _Cards, rules: _Rules = "research") -> list[str]:
    """Aces that a hand may call, by name; without one (gesperrt) those of a Renonce call, where the
    rules have it (R-027..R-030).

    Raises:  ValueError: what is no card, one that comes twice, unknown rules.
    """

def laufende(
    party: _Cards, contract: str, suit: str | None = None, rules: _Rules = "research"
) -> int:
    """Payable Laufende of the cards that a party was dealt (RULES G.4).

    Args:    party: cards, none twice.
             contract: class;  suit: trump suit of the classes that name one, and only of those.
    Raises:  ValueError: what is no card, one that comes twice, an unknown class, a suit that is missing
             or that the class has not, unknown rules.
    """

def trick_winner(
    trick: _Cards, contract: str, suit: str | None = None, rules: _Rules = "research"
) -> int:
    """Index in the trick of the winning card (RULES E.1).

    Args:    trick: cards in the order played, at least one and at most one for each seat.
             contract: class;  suit: trump suit of the classes that name one, and only of those.
    Raises:  ValueError: an empty trick, too many cards, what is no card, one that comes twice, an unknown
             class, a suit that is missing or that the class has not, unknown rules.
    """

def card_maps() -> NDArray[np.uint8]:
    """uint8 [M, 32]: canonical index of each absolute card, by card-map number."""

@overload
def to_canonical(action: _Action, card_map: _CardMap) -> int:
    """Actions with their cards by the canonical index of a card map.

    Args:    action: a number, a name or integers [N]; numbers that are no card stay.
             card_map: number of the map, or [N] of them, or the views [N] that show them
             (views["order"]["card_map"]).
    Returns: int, or an array [N] of the dtype that came.
    Raises:  ValueError: neither an action nor integers [N], or no map for each of them.
    """

@overload
def to_canonical(action: NDArray[_Integer], card_map: _CardMap) -> NDArray[_Integer]: ...
@overload
def to_canonical(action: list[int] | tuple[int, ...], card_map: _CardMap) -> NDArray[np.int64]: ...
@overload
def from_canonical(action: _Action, card_map: _CardMap) -> int:
    """Inverse of to_canonical: from canonical cards back to absolute ones.

    Raises:  ValueError: as to_canonical.
    """

@overload
def from_canonical(action: NDArray[_Integer], card_map: _CardMap) -> NDArray[_Integer]: ...
@overload
def from_canonical(
    action: list[int] | tuple[int, ...], card_map: _CardMap
) -> NDArray[np.int64]: ...
def mask_to_canonical(masks: NDArray[_Cell], card_map: _CardMap) -> NDArray[_Cell]:
    """Masks with their cards by the canonical index of a card map.

    Args:    masks: uint64 [N, 2] as bits, or [N, 128] of any numbers (masks, probabilities, logits).
             card_map: as in to_canonical.
    Returns: a new array of the same shape and dtype.
    Raises:  ValueError: an array of another shape or dtype, or no map for each row.
    """

def mask_from_canonical(masks: NDArray[_Cell], card_map: _CardMap) -> NDArray[_Cell]:
    """Inverse of mask_to_canonical: from canonical cards back to absolute ones.

    Raises:  ValueError: as mask_to_canonical.
    """

def observation_sections(version: _Int = 1) -> dict[str, slice]:
    """Sections of an observation row of a version, 1 to 4: name -> slice.

    Raises:  ValueError: another version, or no integer.
    """

def observation_table(version: _Int = 1) -> list[dict[str, Any]]:
    """Sections of an observation row as rows: name, offset, length, scale, meaning.

    Raises:  ValueError: a version that is none of 1 to 4.
    """

def rule_feature_sections(version: _Int = 1) -> dict[str, slice]:
    """Sections of the rule features in the rows of a version: name -> slice.

    Raises:  ValueError: a version that is none of 1 to 4.
    """

def observation_size(version: _Int = 1) -> int:
    """F, the length of an observation row of a version, 1 to 4.

    Raises:  ValueError: another version, or no integer.
    """

PACKED_ROW_BYTES: int
PACKED_LOSSES: str

def packed_table() -> list[dict[str, Any]]:
    """Sections of a packed row, in order: name, offset, width, count, places, first.

    A section is `count` numbers of `width` bits from bit `offset` on (bit i is bit i % 8 of byte i / 8),
    the lowest first. places = 0: the number is the feature `first` of version 1 and those behind it,
    unscaled. Otherwise it is a place: k > 0 sets feature first + index * places + k - 1, 0 sets none.
    """

def _expand_packed(
    rows: NDArray[np.uint8], dtype: str
) -> NDArray[np.uint8] | NDArray[np.float32]: ...
@overload
def encode(
    views: _Views,
    rules: _Rules = "research",
    dtype: Literal["float32"] | type[np.float32] | np.dtype[np.float32] = "float32",
    version: _Int = 1,
    cards: str = "absolute",
) -> NDArray[np.float32]:
    """Observations of views, as VectorEnv writes them.

    Args:    views: one view or an array [B] of VIEW_DTYPE.
             rules: those that the views were seen under. A view does not say which: under others the
             sections that depend on them are wrong.
             dtype: "float32", scaled for a network; "uint8", unscaled counts, to be multiplied by the
             scale of observation_table() before a network; "packed", 64 bytes a row (expand_packed).
             NumPy's np.float32 and np.uint8 do as well.
             version: layout of the rows, 1 to 4 (observation_table names their sections); 1 if packed.
             cards: how cards and suits are counted, "absolute" as in VectorEnv unless it is asked for
             the other, or "canonical" as the networks of this package read them.
    Returns: array [B, F] of float32 or uint8; uint8 [B, 64] if packed.
    Raises:  ValueError: no views or such as no game gives, unknown rules, another dtype, version or way
             to count cards, packed rows of another version than 1.
    """

@overload
def encode(
    views: _Views,
    rules: _Rules,
    dtype: Literal["uint8", "packed"] | type[np.uint8] | np.dtype[np.uint8],
    version: _Int = 1,
    cards: str = "absolute",
) -> NDArray[np.uint8]: ...
@overload
def encode(
    views: _Views,
    rules: _Rules = "research",
    *,
    dtype: Literal["uint8", "packed"] | type[np.uint8] | np.dtype[np.uint8],
    version: _Int = 1,
    cards: str = "absolute",
) -> NDArray[np.uint8]: ...
@overload
def encode(
    views: _Views,
    rules: _Rules = "research",
    dtype: str = "float32",
    version: _Int = 1,
    cards: str = "absolute",
) -> NDArray[np.uint8] | NDArray[np.float32]: ...
def read_network(
    path: str,
) -> tuple[dict[str, NDArray[np.float32]], dict[str, str], dict[str, Any]]:
    """Tensors, metadata and shape of a network's weights.

    Args:    path: a weights file, or the name of weights that come with the library.
    Returns: ({name: float32 array}, {key: text}, {architecture, trunk, width, layers, inputs,
             observation_version, input_sections, input_pieces, value_scale}); input_pieces are
             (offset, length) in an observation row.
    Raises:  RuntimeError: the file cannot be read.  ValueError: it is damaged, or no network that this
             version plays.
    """

def write_network(
    path: str,
    tensors: Mapping[str, NDArray[np.float32]],
    metadata: Mapping[str, str],
    half: bool = False,
) -> None:
    """Write a network's weights as a file that net:FILE plays.

    Args:    tensors: {name: float32 array};  metadata: {key: text}, as describe_network gives them.
             half: float16, at half the size.
    Raises:  ValueError: they are no network, or a number is not finite or beyond half precision.
             RuntimeError: disk. Nothing is written then.
    """

def net_player(file: str) -> str:
    """Registry string of the player of a weights file, "net:FILE".

    It never means weights that come with the library: those are "net:baseline", a file of that name
    "net:./baseline".
    """

def player_files(spec: str) -> str:
    """Words for the bytes of the files that a player is made of; empty: of none, or a program."""

def spec_values(spec: str) -> list[str]:
    """Values in a registry string, without keys and quotes; some may be files."""

def players_in(players: str) -> list[str]:
    """Registry strings with ; between them: what stands in quotes divides nothing."""

def describe_network(
    architecture: str,
    observation_version: _Int,
    input_sections: Sequence[str],
    value_scale: float,
) -> tuple[dict[str, Any], dict[str, str]]:
    """(shape as read_network gives it, metadata) of a network.

    Args:    architecture: "mlp:<width>x<layers>" or "residual:<width>x<blocks>".
             input_sections: names of observation_sections(version), [] = all but the rule features.
    Raises:  ValueError: unknown architecture or sections.
    """

def sample(
    logits: NDArray[np.floating[Any]],
    legal: NDArray[np.uint64],
    rng: np.random.Generator | _Int,
    out: NDArray[np.int32] | None = None,
) -> NDArray[np.int32]:
    """Draw a legal action for each row with the probabilities softmax(logits).

    Args:    logits: float32 [N, 128]; float64 and float16 are copied. Those of illegal actions are not
             read.
             legal: uint64 [N, 2], as VectorEnv.legal: bit a of a row = action a; schafkopf.sample makes
             it of masks [N, 128]. Cards are counted alike in both, and in what comes back.
             rng: a numpy.random.Generator, which gives one number for the call, or a seed 0..2^64-1; a
             seed gives the same actions again, and row i does not depend on the others.
             out: int32 [N], for the result.
    Returns: int32 [N], as VectorEnv.step takes it without a copy.
    Raises:  ValueError: wrong shapes or dtypes, or a row without an action to draw.
    """

def legal_mask(views: _Views, cards: str = "absolute") -> NDArray[np.uint8]:
    """uint8 [B, 128]: legal actions of views; all zero where the seat is not to act.

    Args:    views, cards: as in encode.
    Raises:  ValueError: no views or such as no game gives, another way to count cards.
    """

def unpack_cards(cards: _Views) -> Any:
    """Fields of cards lines that share a byte, by name.

    Args:    cards: lines of CARDS_DTYPE, one or an array [...]: view["cards"],
             env.cards.view(CARDS_DTYPE).
    Returns: record or array [...] of uint8 seat (absolute, of the viewer), trick, cards_on_table,
             declarer, leader, partner (relative seats, NO_SEAT = none or not known), doubling_level;
             int8 contract (index of CONTRACT_CLASSES, -1 = none or not public); bool tout, may_claim,
             may_concede, partner_known, ran_away, owns_called, to_act, done, renonce.
    Raises:  ValueError: another dtype.
    """

def unpack_plays(order: _Views) -> NDArray[np.void]:
    """Cards played, in order.

    Args:    order: lines of ORDER_DTYPE, one or an array [...]: view["order"].
    Returns: array [..., 32] of uint8 card, uint8 seat (relative), bool known: false from num_plays on,
             and for cards that history_view = last_trick has forgotten; card and seat are then 0.
    Raises:  ValueError: another dtype.
    """

def unpack_events(events: _Views) -> NDArray[np.void]:
    """Public events, in order.

    Args:    events: lines of EVENTS_DTYPE, one or an array [...]: view["events"].
    Returns: array [..., 32] of uint8 action, uint8 seat (relative), uint8 cards_before (cards played
             before it, modulo 32: 0 too where all were, as of a claim on demand), bool flag (a called card: its owner ran away), bool known: false from
             num_events on; everything is then 0.
    Raises:  ValueError: another dtype.
    """

def make_agent(player: Any, num_threads: _Int = 1) -> Agent:
    """Agent by registry string ("random", "rules", "net:PATH"), or of an object with act().

    Args:    player: an object is asked by one thread at a time, whoever else asks the same one.
             num_threads: threads that share the rows of a batch, 0 = all processors; worth it for
             searchers ("pimc:30"), the answers do not depend on it.
    Raises:  ValueError: unknown name, with the known ones; a file of weights that cannot be read, or a
             program that cannot be started; a class instead of its object; None; num_threads out of
             range.
    """

def agent_names() -> list[dict[str, Any]]:
    """Players that make_agent knows: name, description, parameters, sees_hidden_hands."""

def generator_names() -> list[dict[str, Any]]:
    """Contract generators that VectorEnv and tournaments know: rows as those of agent_names."""

def explain(view: _Views, rules: _Rules = "research", version: _Int = 3) -> dict[str, Any]:
    """What the rule agent does with one view, and why, in every phase.

    Args:    view: one, of a seat that is to act;  rules: those that it was seen under.
             version: of the rule agent, as in "rules:version=1".
    Returns: dict with action (int), maxim, source ("I-13; W 10.3") and sentence, the reason in English.
    Raises:  ValueError: not exactly one view, a seat that is not to act, unknown rules or version.
    """

def maxims(version: _Int = 3) -> list[dict[str, str]]:
    """The maxims of a version of the rule agent: dicts with maxim, source and sentence.

    Raises:  ValueError: an unknown version.
    """

def tournament_json(
    toml: str,
    *,
    file: str = "tournament",
    settings: Sequence[str] = ...,
    agents: dict[str, Any] = ...,
    keywords: dict[str, Any] = ...,
    journal: str = "",
    resume: bool = False,
    progress: Callable[[int, int], object] | None = None,
) -> tuple[str, str, NDArray[np.void] | None]:
    """Duplicate tournament or league day; schafkopf.tournament is its face.

    Gives (JSON, table, games); None for the games of a league day.
    """

def tournament_part(
    toml: str,
    first_block: _Int,
    first_table: _Int,
    *,
    file: str = "tournament",
    settings: Sequence[str] = ...,
    agents: dict[str, Any] = ...,
    keywords: dict[str, Any] = ...,
    journal: str = "",
    progress: Callable[[int, int], object] | None = None,
) -> NDArray[np.void]:
    """Games of the blocks from first_block and the random tables from first_table to those of the settings.

    Journals of parts, the first whole and the others without their first line, make one journal.
    """

def tournament_toml(
    toml: str,
    *,
    file: str = "tournament",
    settings: Sequence[str] = ...,
    agents: dict[str, Any] = ...,
    keywords: dict[str, Any] = ...,
    journal: str = "",
    absolute: bool = False,
) -> str:
    """A tournament file with every key, after --set key=value and keywords.

    Everything that would keep it from being played is found: agents, rules, lists, and a journal that
    holds other games. absolute: paths of files are written as absolute ones.
    """

def tournament_fields() -> list[dict[str, Any]]:
    """Keys of a tournament: key, group, meaning, unit, allowed, names, default."""

def table_agents(seed: _Int, block: _Int, agents: _Int, seats: _Int = 4) -> list[int]:
    """Indices of the agents of a block's random table, clockwise from the seat in `seats`."""

def journal_damage(path: str) -> str:
    """What is damaged in a journal, "" where it is whole or was cut off by a kill."""

def checksum_of(content: bytes) -> int:
    """The checksum that files of the engine have of what stands in them."""

def tournament_games(path: str) -> NDArray[np.void]:
    """Games of a journal, in the order in which they were finished."""

def contract_keys() -> list[str]:
    """Names of the column `contract` of tournament games: RUF, ..., SOLO_TOUT."""

class Endgame:
    """The last tricks as a game of their own.

    Contract, declarer, points so far, leader and the remaining cards are common knowledge; every deal
    of these cards that the contract allows is equally likely. endgame_list gives them.
    """
    @property
    def kind(self) -> str:
        """Which contract, and whether the called card has been played."""
    def deals(self) -> NDArray[np.uint32]:
        """All deals, each once: card sets uint32 [deals, 4] by seat."""
    def game(self, hands: Sequence[int] | NDArray[np.uint32]) -> Game:
        """Game of one deal, the leader to act. Claims may be legal; the measures leave them out.

        Args:    hands: card set per seat, a row of deals().
        Raises:  ValueError: hands that do not fit the endgame.
        """
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

def endgame_kinds() -> list[str]:
    """Kinds of endgames of a list, in its order."""

def endgame_list(
    rules: _Rules = "research", tricks: _Int = 2, endgames: _Int = 10, seed: _Int = 1
) -> list[Endgame]:
    """The endgames that `exploit` measures, in its order: kind after kind.

    Args:    tricks: 2 or 3;  endgames: of each kind; those of a kind do not depend on their number.
             seed: the same seed and rules give the same list.
    Raises:  ValueError: a number out of range, unknown rules, or such without four players and 32
             cards.
    """

def exploit_json(
    agent: Any,
    *,
    rules: _Rules,
    keywords: Mapping[str, Any],
    progress: Callable[[int, int], object] | None = None,
) -> tuple[str, str]:
    """NashConv on endgames; schafkopf.exploit is its face. Gives (JSON, table)."""

def local_best_response_json(
    agent: Any,
    *,
    rules: _Rules,
    keywords: Mapping[str, Any],
    progress: Callable[[int, int], object] | None = None,
) -> tuple[str, str]:
    """Local best response from trick 5; schafkopf.exploitation.local_best_response is its face."""

def calibration_rows(
    agent: Any,
    opponent: Any,
    *,
    rules: _Rules,
    keywords: Mapping[str, Any],
    progress: Callable[[int, int], object] | None = None,
) -> NDArray[np.void]:
    """Deals from every seat: as the agent bids, with the opponent's words, with passes.

    schafkopf.bidding.calibration is its face.

    Returns: structured array [blocks * seats]: block, seat (of the agent), contract (index into
             contract_keys(), -1 = thrown in), declarer, won, payoff; other_contract, other_declarer,
             other_won, other_payoff with the opponent's words; passed_payoff. Payoffs are the agent's
             seat's in 1/tariff_scale units. Where it declares: expected_won, expected_payoff (tariff
             units) over the worlds and value, what the agent itself says; NaN = there is none.
    """

def mean_interval(values: Sequence[float]) -> tuple[float, float]:
    """Mean of independent values and the half width of its 95 % interval (Student's t).

    Raises:  ValueError: no value.
    Returns: (mean, half_width); half_width is infinite for one value and where all are the same.
    """

def fields(table: str) -> list[dict[str, Any]]:
    """The keys of a table of options ("tournament", "exploit", "local_best_response", "calibration").

    Returns: dicts with key, group, meaning, unit, allowed, names, default.
    """

def read_field(table: str, key: str, text: str) -> Any:
    """Value of a key from a text without quotation marks, as a command line has it.

    Raises:  WrongArgument: "KEY = VALUE, allowed: ...", `text` without the key.
    """

def vector_env_fields() -> list[dict[str, Any]]:
    """Keywords of VectorEnv: key, group, meaning, unit, allowed, names, default."""

def outcome_fields() -> list[dict[str, Any]]:
    """Keywords of Outcome: key, group, meaning, unit, allowed, names, default."""

def replay_json(line: str, line_number: _Int = 0) -> str:
    """Replay one game record, a JSON line, and give the result as a JSON line.

    Raises:  ValueError: unknown key, impossible card or illegal play; names line, trick, seat, card and
             the legal cards.
    """

def check_json(line: str, line_number: _Int = 0) -> tuple[str, list[str]]:
    """Result of a replay and its differences to the record's `expect`."""

def record_to_text(line: str, line_number: _Int = 0) -> str:
    """Readable text of a record given as JSON line."""

def text_to_record(text: str, first_line: _Int = 0) -> str:
    """JSON line of a record given as readable text; first_line numbers its lines in messages where it is a part of a file."""

def split_text(text: str) -> list[tuple[int, str]]:
    """(number of the first line, text) of each game of a file in readable text."""

def record_json(game: Game, deal: Deal | None = None) -> str:
    """Record of a game at any moment, as a JSON line; `deal` keeps the order of the hands.

    Silent questions are not recorded: one that is open is answered with no, and so is an action without
    alternative, when the record is replayed; of an unfinished game that may stop at a later question.
    """

def replay_game(line: str, line_number: _Int = 0) -> Game:
    """Game at the end of a record."""

def display(game: Game, claims: bool = True) -> str:
    """State of a running game for people: contract, hands, trick, who is to act and what is legal; claims: CLAIM_REST and CONCEDE_REST too, where the rules have them."""
