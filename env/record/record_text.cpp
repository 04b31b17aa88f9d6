// Game records and running games as text for people.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "env/base/input_limits.h"
#include "env/base/nearest.h"
#include "env/record/json_values.h"
#include "env/record/record.h"
#include "env/record/record_parts.h"

namespace schafkopf {
namespace {

/// A mistake of one line, which the message names.
class LineError : public std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

[[noreturn]] void reject(std::size_t line, const std::string& message) {
  throw LineError(fmt::format("text line {}: {}", line, message));
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

std::string amounts_line(const std::array<std::int32_t, kNumSeats>& values, int seats, int scale) {
  std::string text;
  for (int seat = 0; seat < seats; ++seat) {
    if (seat > 0) text += ' ';
    text += amount_text(values[static_cast<std::size_t>(seat)], scale);
  }
  return text;
}

bool touches_stock(const Settlement& settlement) {
  return settlement.stock_payoffs != std::array<std::int32_t, kNumSeats>{};
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
  if (result.thrown_in) return "result: " + result.ended;
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
    const int scale = result.tariff_scale;
    lines.push_back("payoffs: " + amounts_line(result.settlement.payoffs, result.seats, scale));
    if (touches_stock(result.settlement)) {
      lines.push_back(
          fmt::format("stock: {}, then in it {}",
                      amounts_line(result.settlement.stock_payoffs, result.seats, scale),
                      amount_text(result.session.context.stock, scale)));
    }
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

/// "2 CLAIM_REST before card 12"
std::string event_text(const TableEvent& event) {
  return fmt::format("{} {} before card {}", event.seat, event_name(event), event.card_index);
}

std::string step_text(const AuctionStep& step) {
  return fmt::format("{} {}", step.seat, action_name(step.action));
}

std::string doubling_text(const Doubling& doubling) {
  return fmt::format("{} before card {}", doubling.seat, doubling.card_index);
}

/// "0 to 2 H7"
std::string exchange_text(const Exchange& exchange) {
  return fmt::format("{} to {} {}", exchange.from, exchange.to, to_string(exchange.cards));
}

/// "key: item, item"; nothing for an empty list.
template <class Item>
void add_list(std::vector<std::string>& lines, std::string_view key, const std::vector<Item>& list,
              std::string (*text)(const Item&)) {
  if (list.empty()) return;
  std::vector<std::string> words;
  std::ranges::transform(list, std::back_inserter(words), text);
  lines.push_back(fmt::format("{}: {}", key, fmt::join(words, ", ")));
}

std::string contract_line(const GameRecord& record) {
  std::string line = "contract: " + contract_text(*record.contract);
  if (record.contract->declarer >= 0) line += fmt::format(" by {}", record.contract->declarer);
  if (record.partner >= 0) line += fmt::format(" with {}", record.partner);
  return line;
}

/// The lines that hold what people did.
std::vector<std::string> given_lines(const GameRecord& record) {
  const Json json = Json::parse(to_json(record));
  std::vector<std::string> lines;
  for (const char* key : {"id", "seed", "rules", "session", "places"}) {
    if (!json.contains(key)) continue;
    const bool plain = std::string_view(key) == "rules" && json[key].is_string();
    lines.push_back(fmt::format("{}: {}", key, plain ? record.preset : json[key].dump()));
  }
  lines.push_back(fmt::format("dealer: {}", record.dealer));
  for (std::size_t seat = 0; seat < record.hands.size(); ++seat) {
    lines.push_back(fmt::format("hand {}: {}", seat, hand_text(record.hands[seat])));
  }
  if (!record.laid.empty()) lines.push_back(fmt::format("legen: {}", fmt::join(record.laid, " ")));
  if (record.contract) {
    lines.push_back(contract_line(record));
  } else if (record.auction.empty()) {
    lines.emplace_back("auction: ");
  }
  add_list(lines, "auction", record.auction, step_text);
  add_list(lines, "exchange", record.exchange, exchange_text);
  add_list(lines, "doublings", record.doublings, doubling_text);
  add_list(lines, "claims", record.claims, event_text);
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
  if (!digits) reject(line, fmt::format("\"{}\" is no number", quotable(word)));
  return std::stoi(word);
}

Json json_of(std::string_view text, std::size_t line) {
  try {
    return parse_json(text);
  } catch (const Json::exception& error) {
    reject(line, quotable(reason_of(error)));
  } catch (const std::invalid_argument& error) {
    reject(line, error.what());
  }
}

/// The text up to the next line break, which goes too.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

bool is_comment(std::string_view line) { return line.empty() || line[0] == '#'; }

/// A line of the text: "key rest: value".
struct Line {
  std::size_t number = 0;
  std::string key, rest;
  std::string value;
  std::string text;
};

constexpr std::string_view kTextKeys[] = {"id",       "seed",      "rules",  "session", "places",
                                          "dealer",   "hand",      "legen",  "auction", "contract",
                                          "exchange", "doublings", "claims", "trick",   "result",
                                          "payoffs",  "stock",     "next",   "meta",    "expect"};

/// Lines that follow from the others.
bool follows(std::string_view key) {
  return key == "trick" || key == "result" || key == "payoffs" || key == "stock" || key == "next";
}

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
    reject(number, fmt::format("unknown word \"{}\"{}", quotable(line.key),
                               nearest_hint(line.key, kTextKeys)));
  }
  if (colon == std::string_view::npos)
    reject(number, fmt::format("\"{}:\" expected", quotable(head)));
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

/// "SOLO_TOUT in H by 2", "RUF on EA renonce by 0", "HOCHZEIT by 1 with 3", "RAMSCH".
void read_contract(const Line& line, Json& json) {
  const std::vector<std::string> words = words_of(line.value, " ");
  const NamedContract named = words.empty() ? NamedContract{} : parse_contract(words[0]);
  Json contract = {{"class", named.row != nullptr ? std::string(named.row->name) : line.value}};
  if (named.tout) contract["tout"] = true;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "renonce") {
      contract["renonce"] = true;
      continue;
    }
    if (i + 1 == words.size()) {
      reject(line.number,
             "allowed: CLASS [on CARD] [in SUIT] [bid N] [renonce] [by SEAT] [with SEAT]");
    }
    const std::string& word = words[i++];
    if (word == "on") {
      contract["called"] = words[i];
    } else if (word == "in") {
      contract["suit"] = words[i];
    } else if (word == "bid") {
      contract["bid"] = number_of(words[i], line.number);
    } else if (word == "by") {
      json["declarer"] = number_of(words[i], line.number);
    } else if (word == "with") {
      json["partner"] = number_of(words[i], line.number);
    } else {
      reject(line.number,
             fmt::format("\"{}\", allowed: on, in, bid, renonce, by, with", quotable(word)));
    }
  }
  json["contract"] = contract;
}

void read_legen(const Line& line, Json& json) {
  json["legen"] = Json::array();
  for (const std::string& seat : words_of(line.value, " ")) {
    json["legen"].push_back(number_of(seat, line.number));
  }
}

void read_exchange(const Line& line, Json& json) {
  for (const std::string& item : words_of(line.value, ",")) {
    const std::vector<std::string> words = words_of(item, " ");
    if (words.size() < 4 || words[1] != "to") {
      reject(line.number, "allowed: SEAT to SEAT CARD CARD ..., ...");
    }
    json["exchange"].push_back(
        Json::array({number_of(words[0], line.number), number_of(words[2], line.number),
                     std::vector<std::string>(words.begin() + 3, words.end())}));
  }
}

/// "2 CLAIM_REST before card 12", "1 CARD EA before card 3"
void read_claims(const Line& line, Json& json) {
  for (const std::string& item : words_of(line.value, ",")) {
    const std::vector<std::string> words = words_of(item, " ");
    const std::size_t n = words.size();
    if (n < 5 || n > 6 || words[n - 3] != "before" || words[n - 2] != "card") {
      reject(line.number, "allowed: SEAT EVENT before card INDEX, ...");
    }
    const std::string name = n == 5 ? words[1] : words[1] + " " + words[2];
    json["claims"].push_back(Json::array(
        {number_of(words[0], line.number), name, nullptr, number_of(words[n - 1], line.number)}));
  }
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
  if (line.key != "hand" && !follows(line.key) && json.contains(line.key)) {
    reject(line.number, fmt::format("\"{}\" comes twice", line.key));
  }
  if (line.key == "hand") {
    read_hand(line, json);
  } else if (line.key == "auction") {
    read_auction(line, json);
  } else if (line.key == "contract") {
    read_contract(line, json);
  } else if (line.key == "legen") {
    read_legen(line, json);
  } else if (line.key == "exchange") {
    read_exchange(line, json);
  } else if (line.key == "doublings") {
    read_doublings(line, json);
  } else if (line.key == "claims") {
    read_claims(line, json);
  } else if (line.key == "trick") {
    const std::string_view cards = std::string_view(line.value).substr(0, line.value.find("->"));
    for (const std::string& card : words_of(cards, " ")) json["plays"].push_back(card);
  } else if (line.key == "dealer") {
    json["dealer"] = number_of(line.value, line.number);
  } else if (line.key == "rules" && !line.value.starts_with('{')) {
    json["rules"] = line.value;
  } else if (!follows(line.key)) {
    json[line.key] = json_of(line.value, line.number);
  }
}

/// Its words with cards by their names: they may be written otherwise (`e7`, `HZ`).
std::string with_card_names(std::string_view text) {
  std::vector<std::string> words = words_of(text, " ");
  for (std::string& word : words) {
    const bool comma = word.ends_with(',');
    const std::optional<Card> card = parse_card(word.substr(0, word.size() - (comma ? 1 : 0)));
    if (card) word = card_name(*card) + (comma ? "," : "");
  }
  return fmt::format("{}", fmt::join(words, " "));
}

/// A trick may be written without its winner, and without its points.
bool is_short_trick(std::string_view text, std::string_view whole) {
  if (whole.find("->") == std::string_view::npos) return false;
  return text == trimmed(whole.substr(0, whole.find("->"))) ||
         text == whole.substr(0, whole.rfind(','));
}

/// What the text says about tricks, result and payoffs must follow from the cards.
void check_played_lines(const std::vector<Line>& lines, const GameRecord& record) {
  const std::vector<std::string> expected = played_lines(record, replay_game(record));
  const auto tricks = std::ranges::count_if(
      expected, [](const std::string& text) { return text.starts_with("trick "); });
  for (const Line& line : lines) {
    const std::string trick = line.rest.substr(0, line.rest.find(','));
    const auto begins = [&](const std::string& text) {
      return text.starts_with(line.key == "trick" ? fmt::format("trick {},", trick) : line.key);
    };
    if (!follows(line.key)) continue;
    const auto found = std::ranges::find_if(expected, begins);
    if (found == expected.end() && line.key == "trick") {
      reject(line.number, fmt::format("trick {}, allowed: 1..{}", quotable(trick), tricks));
    }
    const std::string should = found == expected.end() ? "no such line" : *found;
    const std::string text = with_card_names(line.text);
    if (text != should && !(line.key == "trick" && is_short_trick(text, should))) {
      reject(line.number, fmt::format("\"{}\" does not follow from the cards: \"{}\"",
                                      quotable(line.text), should));
    }
  }
}

/// Lines with which a game begins, as given_lines() writes them.
constexpr std::string_view kFirstKeys[] = {"id", "seed", "rules", "session", "places", "dealer"};

}  // namespace

std::vector<TextGame> split_text(std::string_view text) {
  std::vector<TextGame> games;
  const char* begin = text.data();  // of the running game
  int first_line = 1, number = 1;
  std::vector<std::string_view> seen;  // its first keys
  bool has_hand = false, apart = true;
  const auto add = [&](const char* end) {
    if (has_hand || !seen.empty()) {
      games.push_back({first_line, {begin, static_cast<std::size_t>(end - begin)}});
    }
    begin = end;
    first_line = number;
    seen.clear();
    has_hand = false;
  };
  for (; !text.empty(); ++number) {
    const char* const start = text.data();
    const std::string_view line = trimmed(take_line(text));
    const std::string_view key = line.substr(0, std::min(line.find_first_of(" :,"), line.size()));
    if (std::ranges::find(kFirstKeys, key) != std::end(kFirstKeys)) {
      const bool twice = std::ranges::find(seen, key) != seen.end();
      if (has_hand && (apart || twice)) add(start);
      if (!has_hand && seen.empty()) {  // after comments
        begin = start;
        first_line = number;
      }
      seen.push_back(key);
    } else if (!is_comment(line)) {
      has_hand = true;  // a hand, or what comes after the hands
    }
    apart = is_comment(line);
  }
  add(text.data());
  return games;
}

std::string contract_text(const Contract& contract) {
  check_numbers(contract.contract, contract.suit);
  const ContractRow& row = contract_row(contract.contract);
  std::string text(contract_name(contract.contract, contract.tout));
  if (row.parties == Parties::kCalledCard) text += " on " + card_name(contract.called);
  if (row.trump_suit == TrumpSuit::kAnnounced)
    text += fmt::format(" in {}", to_string(contract.suit));
  if (contract.bid > 0) text += fmt::format(" bid {}", contract.bid);
  if (contract.renonce) text += " renonce";
  return text;
}

std::string to_text(const GameRecord& record) {
  std::vector<std::string> lines = given_lines(record);
  for (const std::string& line : played_lines(record, replay_game(record))) lines.push_back(line);
  if (!record.meta.empty()) lines.push_back("meta: " + record.meta);
  if (!record.expect.empty()) lines.push_back("expect: " + record.expect);
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

namespace {

GameRecord read_text(std::string_view text, std::size_t first_line) {
  std::vector<Line> lines;
  Json json = Json::object();
  json["hands"] = Json::array();
  for (std::size_t number = first_line; !text.empty(); ++number) {
    const std::string_view line = trimmed(take_line(text));
    if (is_comment(line)) continue;
    lines.push_back(line_of(line, number));
    read_line(lines.back(), json);
  }
  // words that are no UTF-8 are no cards or names either; the record says where they stand
  const GameRecord record = parse_record(json.dump(-1, ' ', false, Json::error_handler_t::replace));
  check_played_lines(lines, record);
  return record;
}

}  // namespace

GameRecord parse_text(std::string_view text, int first_line) {
  try {
    return read_text(text, static_cast<std::size_t>(std::max(first_line, 1)));
  } catch (const LineError&) {
    throw;
  } catch (const std::invalid_argument& error) {
    if (first_line <= 0) throw;
    throw std::invalid_argument(fmt::format("game at line {}: {}", first_line, error.what()));
  }
}

}  // namespace schafkopf
