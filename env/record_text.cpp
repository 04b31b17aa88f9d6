// Game records and running games as text for people.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "env/nearest.h"
#include "env/record.h"

namespace schafkopf {
namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void reject(std::size_t line, const std::string& message) {
  throw std::invalid_argument(fmt::format("text line {}: {}", line, message));
}

// Writing

std::string names_of_cards(std::span<const Card> cards) {
  std::string text;
  for (const Card card : cards) {
    if (!text.empty()) text += ' ';
    text += card_name(card);
  }
  return text;
}

std::string amounts(const Settlement& settlement, int seats, int scale) {
  std::string text;
  for (int seat = 0; seat < seats; ++seat) {
    const int amount = settlement.payoffs[static_cast<std::size_t>(seat)];
    if (seat > 0) text += ' ';
    text += amount % scale == 0 ? fmt::format("{}", amount / scale)
                                : fmt::format("{:.1f}", static_cast<double>(amount) / scale);
  }
  return text;
}

/// "RUF on EA", "SOLO_TOUT in H", "WENZ".
std::string contract_text(const Contract& contract) {
  const ContractRow& row = contract_row(contract.contract);
  std::string text(contract_name(contract.contract, contract.tout));
  if (row.parties == Parties::kCalledCard) text += " on " + card_name(contract.called);
  if (row.trump_suit == TrumpSuit::kAnnounced)
    text += fmt::format(" in {}", to_string(contract.suit));
  return text;
}

std::string seats_text(std::uint8_t mask) {
  std::string text;
  for (int seat = 0; seat < kNumSeats; ++seat) {
    if (((mask >> seat) & 1) != 0) text += fmt::format(" {}", seat);
  }
  return text;
}

/// "result: seats 1 3 won with 75 points, Schneider, 3 Laufende"
std::string result_text(const ReplayResult& result) {
  const Settlement& settlement = result.settlement;
  if (result.thrown_in) return "result: thrown in";
  std::string text;
  if (result.everyone_alone) {
    text = settlement.march >= 0 ? fmt::format("result: seat {} marched through", settlement.march)
                                 : fmt::format("result: seat {} lost", settlement.loser);
    if (settlement.virgins != 0) text += ", without a trick:" + seats_text(settlement.virgins);
  } else {
    text = fmt::format("result: party{} {} with {} points", seats_text(result.declarer_party),
                       settlement.won ? "won" : "lost", settlement.declarer_points);
    if (settlement.schwarz) {
      text += ", Schwarz";
    } else if (settlement.schneider) {
      text += ", Schneider";
    }
    if (settlement.laufende > 0) text += fmt::format(", {} Laufende", settlement.laufende);
  }
  if (settlement.multiplier > 1) text += fmt::format(", x{}", settlement.multiplier);
  if (!result.ended.empty()) text += fmt::format(" (ended early: {})", result.ended);
  return text;
}

/// Lines that follow from the rest of the record: tricks with their winners, result, payoffs.
std::vector<std::string> played_lines(const GameRecord& record, const ReplayedGame& replayed) {
  const ReplayResult& result = replayed.result;
  const auto seats = static_cast<std::size_t>(result.seats);
  std::vector<std::string> lines;
  int leader = replayed.game.forehand();
  for (std::size_t first = 0; first < record.plays.size(); first += seats) {
    const std::size_t count = std::min(seats, record.plays.size() - first);
    const auto cards = std::span(record.plays).subspan(first, count);
    std::string line =
        fmt::format("trick {}, seat {}: {}", first / seats + 1, leader, names_of_cards(cards));
    if (count == seats) {
      int points = 0;
      for (const Card card : cards) points += points_of(card);
      leader = result.trick_winners[first / seats];
      line += fmt::format(" -> seat {}, {} points", leader, points);
    }
    lines.push_back(line);
  }
  if (result.finished) {
    lines.push_back(result_text(result));
    lines.push_back("payoffs: " + amounts(result.settlement, result.seats, result.tariff_scale));
  } else {
    lines.push_back(
        fmt::format("next: seat {}: {}", result.to_move, fmt::join(result.legal, ", ")));
  }
  return lines;
}

std::string hand_text(const std::vector<Card>& hand) {
  const auto cards = std::span(hand);
  const std::size_t half = hand.size() / 2;
  return names_of_cards(cards.first(half)) + " | " + names_of_cards(cards.subspan(half));
}

/// The lines that hold what people did.
std::vector<std::string> given_lines(const GameRecord& record) {
  const Json json = Json::parse(to_json(record));
  std::vector<std::string> lines;
  for (const char* key : {"id", "seed", "rules"}) {
    if (!json.contains(key)) continue;
    const bool plain = std::string_view(key) == "rules" && json[key].is_string();
    lines.push_back(fmt::format("{}: {}", key, plain ? record.preset : json[key].dump()));
  }
  lines.push_back(fmt::format("dealer: {}", record.dealer));
  for (std::size_t seat = 0; seat < record.hands.size(); ++seat) {
    lines.push_back(fmt::format("hand {}: {}", seat, hand_text(record.hands[seat])));
  }
  if (record.contract) {
    std::string line = "contract: " + contract_text(*record.contract);
    if (record.contract->declarer >= 0) line += fmt::format(" by {}", record.contract->declarer);
    lines.push_back(line);
  } else {
    std::vector<std::string> steps;
    for (const AuctionStep& step : record.auction) {
      steps.push_back(fmt::format("{} {}", step.seat, action_name(step.action)));
    }
    lines.push_back(fmt::format("auction: {}", fmt::join(steps, ", ")));
  }
  if (!record.doublings.empty()) {
    std::vector<std::string> list;
    for (const Doubling& doubling : record.doublings) {
      list.push_back(fmt::format("{} before card {}", doubling.seat, doubling.card_index));
    }
    lines.push_back(fmt::format("doublings: {}", fmt::join(list, ", ")));
  }
  return lines;
}

// Reading

std::vector<std::string> words_of(std::string_view text, std::string_view separators) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(separators), text.size());
    if (end > 0) words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
}

Json number_of(const std::string& word, std::size_t line) {
  const bool digits = !word.empty() && word.size() < 10 &&
                      std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
  if (!digits) reject(line, fmt::format("\"{}\" is no number", word));
  return std::stoi(word);
}

Json json_of(std::string_view text, std::size_t line) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    reject(line, error.what());
  }
}

/// A line of the text: "key rest: value".
struct Line {
  std::size_t number = 0;
  std::string key, rest;
  std::string value;
  std::string text;
};

constexpr std::string_view kTextKeys[] = {"id",      "seed",     "rules",     "dealer", "hand",
                                          "auction", "contract", "doublings", "trick",  "result",
                                          "payoffs", "next",     "meta",      "expect"};

Line line_of(std::string_view text, std::size_t number) {
  Line line;
  line.number = number;
  line.text = fmt::format("{}", fmt::join(words_of(text, " \t\r"), " "));
  const std::size_t colon = text.find(':');
  const std::string_view head = trimmed(text.substr(0, std::min(colon, text.size())));
  const std::size_t end = std::min(head.find_first_of(" ,"), head.size());
  line.key = std::string(head.substr(0, end));
  line.rest = std::string(trimmed(head.substr(std::min(end + 1, head.size()))));
  if (std::ranges::find(kTextKeys, line.key) == std::end(kTextKeys)) {
    reject(number, fmt::format("unknown word \"{}\"; the nearest one is \"{}\"", line.key,
                               nearest_word(line.key, kTextKeys)));
  }
  if (colon == std::string_view::npos) reject(number, fmt::format("\"{}:\" expected", head));
  line.value = std::string(trimmed(text.substr(colon + 1)));
  return line;
}

void read_auction(const Line& line, Json& json) {
  json["auction"] = Json::array();
  for (const std::string& step : words_of(line.value, ",")) {
    const std::string_view text = trimmed(step);
    const std::size_t blank = text.find(' ');
    if (blank == std::string_view::npos) reject(line.number, "allowed: SEAT ACTION, ...");
    json["auction"].push_back(
        Json::array({number_of(std::string(text.substr(0, blank)), line.number),
                     std::string(trimmed(text.substr(blank)))}));
  }
}

/// "SOLO_TOUT in H by 2", "RUF on EA by 0", "RAMSCH".
void read_contract(const Line& line, Json& json) {
  const std::vector<std::string> words = words_of(line.value, " ");
  const NamedContract named = words.empty() ? NamedContract{} : parse_contract(words[0]);
  Json contract = {{"class", named.row != nullptr ? std::string(named.row->name) : line.value}};
  if (named.tout) contract["tout"] = true;
  for (std::size_t i = 1; i < words.size(); i += 2) {
    if (i + 1 == words.size()) reject(line.number, "allowed: CLASS [on CARD] [in SUIT] [by SEAT]");
    if (words[i] == "on") {
      contract["called"] = words[i + 1];
    } else if (words[i] == "in") {
      contract["suit"] = words[i + 1];
    } else if (words[i] == "by") {
      json["declarer"] = number_of(words[i + 1], line.number);
    } else {
      reject(line.number, fmt::format("\"{}\", allowed: on, in, by", words[i]));
    }
  }
  json["contract"] = contract;
}

void read_doublings(const Line& line, Json& json) {
  for (const std::string& item : words_of(line.value, ",")) {
    const std::vector<std::string> words = words_of(item, " ");
    if (words.size() != 4 || words[1] != "before" || words[2] != "card") {
      reject(line.number, "allowed: SEAT before card INDEX, ...");
    }
    json["doublings"].push_back(
        Json::array({number_of(words[0], line.number), number_of(words[3], line.number)}));
  }
}

void read_hand(const Line& line, Json& json) {
  Json& hands = json["hands"];
  if (line.rest != std::to_string(hands.size())) {
    reject(line.number, fmt::format("\"hand {}\" expected", hands.size()));
  }
  hands.push_back(words_of(line.value, " |"));
}

void read_line(const Line& line, Json& json) {
  if (line.key != "hand" && line.key != "trick" && line.key != "payoffs" && line.key != "result" &&
      line.key != "next" && json.contains(line.key)) {
    reject(line.number, fmt::format("\"{}\" comes twice", line.key));
  }
  if (line.key == "hand") {
    read_hand(line, json);
  } else if (line.key == "auction") {
    read_auction(line, json);
  } else if (line.key == "contract") {
    read_contract(line, json);
  } else if (line.key == "doublings") {
    read_doublings(line, json);
  } else if (line.key == "trick") {
    const std::string_view cards = std::string_view(line.value).substr(0, line.value.find("->"));
    for (const std::string& card : words_of(cards, " ")) json["plays"].push_back(card);
  } else if (line.key == "dealer") {
    json["dealer"] = number_of(line.value, line.number);
  } else if (line.key == "rules" && !line.value.starts_with('{')) {
    json["rules"] = line.value;
  } else if (line.key != "result" && line.key != "payoffs" && line.key != "next") {
    json[line.key] = json_of(line.value, line.number);
  }
}

/// What the text says about tricks, result and payoffs must follow from the cards.
void check_played_lines(const std::vector<Line>& lines, const GameRecord& record) {
  const std::vector<std::string> expected = played_lines(record, replay_game(record));
  for (const Line& line : lines) {
    const auto begins = [&](const std::string& text) {
      return text.starts_with(line.key == "trick" ? fmt::format("trick {}", line.rest) : line.key);
    };
    if (line.key != "trick" && line.key != "result" && line.key != "payoffs" && line.key != "next")
      continue;
    const auto found = std::ranges::find_if(expected, begins);
    const std::string should = found == expected.end() ? "no such line" : *found;
    const bool short_trick =
        line.key == "trick" && should.starts_with(line.text) && !line.text.ends_with("points");
    if (should != line.text && !short_trick) {
      reject(line.number,
             fmt::format("\"{}\" does not follow from the cards: \"{}\"", line.text, should));
    }
  }
}

// Display

/// Cards of a hand, trumps first, strongest first; without a contract in the order of a Rufspiel.
std::vector<Card> sorted_hand(const Game& game, CardSet hand) {
  const ContractClass contract = game.has_contract() ? game.contract().contract : ContractClass{};
  const Suit suit = game.has_contract() ? game.contract().suit : Suit::kHerz;
  const TrumpList trumps = game.rules().trumps(contract, suit);
  std::vector<Card> cards;
  for (int i = 0; i < trumps.count; ++i) {
    const Card card = trumps.cards[static_cast<std::size_t>(i)];
    if (!hand.contains(card)) continue;
    cards.push_back(card);
    hand.remove(card);
  }
  for (int plain = 0; plain < kNumSuits; ++plain) {
    for (int rank = kNumRanks - 1; rank >= 0; --rank) {
      const Card card = make_card(static_cast<Suit>(plain), static_cast<Rank>(rank));
      if (hand.contains(card)) cards.push_back(card);
    }
  }
  return cards;
}

std::string table_text(const Game& game) {
  std::string text;
  const int seats = game.seats();
  const int first = game.num_plays() - game.num_plays() % seats;
  for (int i = first; i < game.num_plays(); ++i) {
    text += fmt::format(" {}:{}", game.played_by(i), card_name(game.played_card(i)));
  }
  return text;
}

}  // namespace

std::string to_text(const GameRecord& record) {
  std::vector<std::string> lines = given_lines(record);
  for (std::string& line : played_lines(record, replay_game(record))) lines.push_back(line);
  if (!record.meta.empty()) lines.push_back("meta: " + record.meta);
  if (!record.expect.empty()) lines.push_back("expect: " + record.expect);
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

GameRecord parse_text(std::string_view text) {
  std::vector<Line> lines;
  Json json = Json::object();
  json["hands"] = Json::array();
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line[0] == '#') continue;
    lines.push_back(line_of(line, number));
    read_line(lines.back(), json);
  }
  const GameRecord record = parse_record(json.dump());
  check_played_lines(lines, record);
  return record;
}

std::string display(const Game& game) {
  std::string text = game.has_contract() ? contract_text(game.contract()) : "no contract yet";
  if (game.has_contract() && game.contract().declarer >= 0) {
    text += fmt::format(" by seat {}", game.contract().declarer);
  }
  if (game.doubling_level() > 0) text += fmt::format(", doubled {} times", game.doubling_level());
  text += fmt::format(" | dealer {}\n", game.dealer());
  for (int seat = 0; seat < game.seats(); ++seat) {
    text += fmt::format(
        "seat {}{} {:<32} {:>3} points\n", seat, seat == game.current_player() ? '*' : ' ',
        names_of_cards(sorted_hand(game, game.hand(seat))), points_of(game.captured(seat)));
  }
  if (game.is_terminal()) {
    return text + fmt::format("over, payoffs: {}", amounts(game.settlement(), game.seats(),
                                                           game.rules().tariff_scale()));
  }
  if (game.phase() == Phase::kPlay) {
    text += fmt::format("trick {}:{}\n", game.num_plays() / game.seats() + 1, table_text(game));
  }
  return text + fmt::format("{}: seat {} to act, legal: {}", phase_name(game.phase()),
                            game.current_player(), to_string(game.legal_actions()));
}

}  // namespace schafkopf
