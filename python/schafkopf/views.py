"""What a seat may know, as bytes with names: the lines of a view, and what shares bytes in them.

A view is a record of VIEW_DTYPE, three lines of 64 bytes: cards, order, events. Game.view gives it,
VectorEnv(view_lines=True) shows it for a batch, and players get it. Seats in it count from the
viewer on, clockwise; so do those of a record of FULL_VIEW_DTYPE, the hidden truth for critics:
hands[0] is the viewer's. Sets of cards are masks, bit c = card c (8 * suit + rank).

CARDS_DTYPE, for playing cards; bits that share a byte have names in unpack_cards::

    hand             own cards; in phase LEGEN the half by which the viewer decides
    legal            legal ones where a card is an action (play, call, return ...)
    phase            number of the phase, actions.phase_name; for who is not asked PLAY in place of
                     DOUBLE, and in place of HZ_OFFER AUCTION_ROUND or AUCTION_DIRECT
    contract         bits 0-4 index of CONTRACT_CLASSES + 1, 0 = none or not public; bit 5 Tout;
                     from the naming of the class on, or of the suit where others may still beat it
    called_card      0..31, 255 = none or not public
    trump_suit       0..3 = E, G, H, S, 4 = none or not public
    declarer_leader  bits 0-2 declarer, bits 3-5 leader of the trick once cards are played or
                     doubled, NO_SEAT = none
    partner_level    bits 0-2 partner of the declarer, in a Kreuzbock of the viewer, as far as it is
                     known, else NO_SEAT; bits 3-6 doublings
    seat_trick       bits 0-1 absolute seat of the viewer, 2-5 trick 0..8, 6-7 cards on the table
    flags            bits of unpack_cards, from bit 0: may_claim, may_concede, partner_known,
                     ran_away, owns_called, to_act, done, renonce; partner_known: all know it
                     (false where there is none, as in single games)
    played           cards that each relative seat has played, the table included; all after
                     CLAIM_REST or CONCEDE_REST; those of the running trick and the one before where
                     history_view = last_trick
    table            in phase PLAY the card of each relative seat on the table, else the bits of
                     the 128 legal actions, 32 in each number
    captured         cards of the tricks that each relative seat has won, of the last complete one
                     where history_view = last_trick

ORDER_DTYPE, the course of the deal and what it inherits; plays are unpacked by unpack_plays::

    plays            cards in order: bits 0-4 card, 5-6 relative seat, bit 7 played; 0 = not yet,
                     or forgotten (history_view = last_trick)
    dealer           relative seat
    num_plays        cards played, 0..32
    num_events       public events that are shown, 0..32
    card_map         number of the viewer's map of canonical cards, a row of cards.card_maps()
    seats            3 or 4
    legen            how many have laid
    bid              of Steigern that is held, not one to be answered: 0 or 70..120
    bock             number of factors 2
    special_round    index of rules.SPECIAL_ROUNDS
    games_left       games of that round, this one included
    owed             by relative seat 1 RUF + 2 WENZ + 4 SOLO (Allgaeuer Runde)
    deck             0 = 32 cards, 1 = 24, without 7s and 8s
    stock            pot, in 1/tariff_scale of a tariff unit (RuleSet.tariff_scale)
    open             cards of the declarer that lie open (Bettel-Brett)
    given            own cards passed on before the play
    received         cards that the viewer got before the play

EVENTS_DTYPE, the last 32 public events, which unpack_events unpacks. Cards that are passed on face
down are none, nor are NO_LAY, NO_DOUBLE, NO_JUNGFRAU, HZ_NO_OFFER and HZ_REFUSE; cards that are
shown with a Hochzeit follow its offer as CARD events::

    events           bits 0-6 action, 7 the owner of this called card ran away, 8-9 relative
                     seat, 10-14 cards played before it, 15 there is one; 0 = none

FULL_VIEW_DTYPE, what no player may see::

    hands            cards that each relative seat holds now
    dealt            cards that each relative seat was dealt
    declarer_party   bit s: relative seat s belongs to it
    owner            relative seat that was dealt the called card, NO_SEAT = none

Byte 47 of the order line has no name, nor have bytes 34 to 63 of a FULL_VIEW_DTYPE: they are kept
free for later, and 0 as the engine gives them. Nobody reads them, and NumPy does not keep them:
where it joins records (np.array([view, view]), np.concatenate) byte 47 is left out and a view has
191 bytes; astype(VIEW_DTYPE) makes it 192 again, with anything in that byte. Views are the same
whose fields are.
"""

from schafkopf._core import (
    CARDS_DTYPE,
    EVENTS_DTYPE,
    FULL_VIEW_DTYPE,
    NO_SEAT,
    ORDER_DTYPE,
    VIEW_DTYPE,
    VIEW_VERSION,
    unpack_cards,
    unpack_events,
    unpack_plays,
)

__all__ = [
    "CARDS_DTYPE",
    "EVENTS_DTYPE",
    "FULL_VIEW_DTYPE",
    "NO_SEAT",
    "ORDER_DTYPE",
    "VIEW_DTYPE",
    "VIEW_VERSION",
    "unpack_cards",
    "unpack_events",
    "unpack_plays",
]
