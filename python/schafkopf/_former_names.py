"""Names that stood in `schafkopf` itself before 0.1.0 was sorted; they go with version 0.2."""

PLACES = {
    "actions": "ACTION_VERSION action_name parse_action phase_name",
    "agents": "explain generator_names maxims",
    "bidding": "calibration",
    "cards": "card_maps card_name from_canonical laufende legal mask_from_canonical "
    "mask_to_canonical parse_card to_canonical trick_winner",
    "exploitation": "Endgame endgame_kinds endgame_list local_best_response",
    "games": "DealContext League Refusal",
    "observations": "OBSERVATION_VERSION observation_size observation_table rule_feature_sections",
    "records": "RECORD_VERSION from_text record_of replayed_game text_of",
    "rules": "rule_fields",
    "search": "ExactPosterior inferred_worlds search_cards",
    "settlement": "Outcome game_settlement settlement_steps",
    "tournaments": "run_tournament",
    "views": "CARDS_DTYPE EVENTS_DTYPE FULL_VIEW_DTYPE NO_SEAT ORDER_DTYPE VIEW_DTYPE VIEW_VERSION "
    "unpack_cards unpack_events unpack_plays",
}
# old name -> (module, name there)
FORMER = {name: (module, name) for module, names in PLACES.items() for name in names.split()}
FORMER["callable"] = ("cards", "callable_cards")
