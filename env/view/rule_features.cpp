// Rule features: every switch of the field table as a few numbers 0..255, each in its own place of
// the row.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <concepts>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "env/base/assert.h"
#include "env/base/refuse.h"
#include "env/rules/rule_fields.h"
#include "env/rules/rules.h"
#include "env/view/encoder.h"

namespace schafkopf {
namespace {

constexpr int kLargest = 255;

/// How many numbers a switch has in the rows of v1 and v2, and in those of v3.
struct Place {
  std::string_view key;
  int v1 = 0;
  int v3 = 0;
};

/// Amounts of the tariff, then the factors. A further amount stands behind the factors, and v3
/// alone has room for it.
constexpr int kTariffAmounts = 22, kTariffFactors = 3;
static_assert(
    kNumTariffKeys == kTariffAmounts,
    "the tariff has another number of amounts: observations v1 and v2 show 22, in v3 "
    "there is room behind the factors; write them there (RuleWriter) and count them here");

/// Numbers that a switch writes, by its type.
template <class T>
struct NumbersOf {
  static constexpr int kValue = 1;
};
template <class E>
  requires std::is_enum_v<E>
struct NumbersOf<E> {
  static constexpr int kValue = std::max(kNumValues<E> - 1, 1);
};
template <class E>
struct NumbersOf<EnumSet<E>> {
  static constexpr int kValue = kNumValues<E>;
};
template <>
struct NumbersOf<Tariff> {
  static constexpr int kValue = kTariffAmounts + kTariffFactors;
};
template <>
struct NumbersOf<RoundTriggers> {
  static constexpr int kValue = kNumValues<RoundEvent>;
};
/// `contracts` of v1 and v2 may be cut off: kLaterClasses in sections.h counts what they do not
/// show, and check_observable refuses rules that play it.
template <class T>
constexpr bool kMayBeCut = std::same_as<T, EnumSet<ContractClass>>;

template <auto kMember>
struct TypeOfMember;
template <class T, T RuleSet::* kMember>
struct TypeOfMember<kMember> {
  using Type = T;
};

/// A switch whose values outgrow its place does not compile: it needs another layout.
template <auto kMember>
consteval Place place(std::string_view key, int v1, int v3) {
  using T = TypeOfMember<kMember>::Type;
  constexpr int kNumbers = NumbersOf<T>::kValue;
  if (kNumbers > v3) throw "this switch has more numbers than its place in observation v3";
  if (kNumbers > v1 && v1 > 0 && !kMayBeCut<T>) {
    throw "this switch has more numbers than its place in observations v1 and v2";
  }
  return {key, v1, v3};
}

// The switches that were released with observations v1 and v2, in the order of the rows, wherever
// they stand in the field table. It never grows: a further switch stands in kFurtherSwitches (beside
// the field table) and is shown by v3 alone, where it takes the next of 32 further places. A switch
// whose values outgrow its place needs another layout.
constexpr std::size_t kReleasedSwitches = 90, kFurtherPlaces = 32;
constexpr int kFurtherNumbers = 4;
// clang-format off
constexpr Place kPlaces[] = {
    place<&RuleSet::deck>("deck", 1, 1),
    place<&RuleSet::players>("players", 1, 1),
    place<&RuleSet::two_player_extension>("two_player_extension", 1, 1),
    place<&RuleSet::three_player_contracts>("three_player_contracts", 1, 1),
    place<&RuleSet::partner_trump_suit>("partner_trump_suit", 3, 4),
    place<&RuleSet::deal_packets>("deal_packets", 5, 8),
    place<&RuleSet::deal_direction>("deal_direction", 1, 1),
    place<&RuleSet::cut_min_cards>("cut_min_cards", 1, 1),
    place<&RuleSet::cut_max_times>("cut_max_times", 1, 1),
    place<&RuleSet::knock_allowed>("knock_allowed", 1, 1),
    place<&RuleSet::cutter_also_shuffles>("cutter_also_shuffles", 1, 1),
    place<&RuleSet::misdeal_policy>("misdeal_policy", 1, 1),
    place<&RuleSet::misdeal_penalty_per_player>("misdeal_penalty_per_player", 1, 1),
    place<&RuleSet::first_dealer>("first_dealer", 2, 4),
    place<&RuleSet::contracts>("contracts", 19, 32),
    place<&RuleSet::tout_enabled>("tout_enabled", 1, 1),
    place<&RuleSet::sie_enabled>("sie_enabled", 1, 1),
    place<&RuleSet::sie_short_deck>("sie_short_deck", 1, 1),
    place<&RuleSet::herz_solo_precedence>("herz_solo_precedence", 1, 1),
    place<&RuleSet::hochzeit>("hochzeit", 2, 4),
    place<&RuleSet::hochzeit_card_open>("hochzeit_card_open", 1, 1),
    place<&RuleSet::hochzeit_return_nontrump>("hochzeit_return_nontrump", 1, 1),
    place<&RuleSet::hochzeit_solo_override>("hochzeit_solo_override", 1, 1),
    place<&RuleSet::bauernhochzeit>("bauernhochzeit", 1, 1),
    place<&RuleSet::doppelte_hochzeit>("doppelte_hochzeit", 1, 1),
    place<&RuleSet::renonce>("renonce", 2, 4),
    place<&RuleSet::auction_style>("auction_style", 1, 1),
    place<&RuleSet::solo_contest>("solo_contest", 1, 1),
    place<&RuleSet::steigern_jump>("steigern_jump", 1, 1),
    place<&RuleSet::suit_public_when_named>("suit_public_when_named", 1, 1),
    place<&RuleSet::all_pass>("all_pass", 7, 8),
    place<&RuleSet::last_chooses_options>("last_chooses_options", 3, 4),
    place<&RuleSet::thrown_in_counts>("thrown_in_counts", 1, 1),
    place<&RuleSet::muss_card>("muss_card", 1, 1),
    place<&RuleSet::muss_threshold>("muss_threshold", 1, 1),
    place<&RuleSet::muss_blocked>("muss_blocked", 1, 1),
    place<&RuleSet::muss_solo_allowed>("muss_solo_allowed", 1, 1),
    place<&RuleSet::muss_kontra>("muss_kontra", 1, 1),
    place<&RuleSet::called_discard_window>("called_discard_window", 1, 1),
    place<&RuleSet::runaway_enabled>("runaway_enabled", 1, 1),
    place<&RuleSet::runaway_min_others>("runaway_min_others", 1, 1),
    place<&RuleSet::claims_enabled>("claims_enabled", 1, 1),
    place<&RuleSet::early_termination>("early_termination", 1, 1),
    place<&RuleSet::infraction_policy>("infraction_policy", 2, 4),
    place<&RuleSet::history_view>("history_view", 1, 1),
    place<&RuleSet::brett_reveal>("brett_reveal", 1, 1),
    place<&RuleSet::legen>("legen", 3, 4),
    place<&RuleSet::legen_dealer_cards>("legen_dealer_cards", 2, 4),
    place<&RuleSet::kontra_window>("kontra_window", 3, 4),
    place<&RuleSet::kontra_ask_before_first>("kontra_ask_before_first", 1, 1),
    place<&RuleSet::max_doublings_partner>("max_doublings_partner", 1, 1),
    place<&RuleSet::max_doublings_solo>("max_doublings_solo", 1, 1),
    place<&RuleSet::max_doublings_per_seat>("max_doublings_per_seat", 1, 1),
    place<&RuleSet::kontra_takeover>("kontra_takeover", 1, 1),
    place<&RuleSet::kontra_scope>("kontra_scope", 2, 4),
    place<&RuleSet::kreuz_each_partner_doubles>("kreuz_each_partner_doubles", 1, 1),
    place<&RuleSet::ramsch_kontra>("ramsch_kontra", 1, 1),
    place<&RuleSet::doubling_names>("doubling_names", 1, 1),
    place<&RuleSet::tariff>("tariff", 25, 32),
    place<&RuleSet::solo_schneider_schwarz>("solo_schneider_schwarz", 1, 1),
    place<&RuleSet::laufende_min_ober>("laufende_min_ober", 1, 1),
    place<&RuleSet::laufende_min_wenz>("laufende_min_wenz", 1, 1),
    place<&RuleSet::laufende_cap>("laufende_cap", 1, 1),
    place<&RuleSet::laufende_by_claim>("laufende_by_claim", 1, 1),
    place<&RuleSet::schwarz_by_claim>("schwarz_by_claim", 1, 1),
    place<&RuleSet::ramsch_trumps>("ramsch_trumps", 1, 1),
    place<&RuleSet::ramsch_payers>("ramsch_payers", 1, 1),
    place<&RuleSet::ramsch_virgin>("ramsch_virgin", 3, 4),
    place<&RuleSet::ramsch_virgin_announced>("ramsch_virgin_announced", 1, 1),
    place<&RuleSet::ramsch_march>("ramsch_march", 2, 4),
    place<&RuleSet::ramsch_shift>("ramsch_shift", 1, 1),
    place<&RuleSet::stock_games>("stock_games", 2, 4),
    place<&RuleSet::stock_owner>("stock_owner", 1, 1),
    place<&RuleSet::reuegeld>("reuegeld", 1, 1),
    place<&RuleSet::bock_triggers>("bock_triggers", 9, 16),
    place<&RuleSet::bock_length>("bock_length", 1, 1),
    place<&RuleSet::bock_stacking>("bock_stacking", 1, 1),
    place<&RuleSet::special_round>("special_round", 12, 16),
    place<&RuleSet::special_round_games>("special_round_games", 1, 1),
    place<&RuleSet::special_round_triggers>("special_round_triggers", 9, 16),
    place<&RuleSet::schieber_variant>("schieber_variant", 1, 1),
    place<&RuleSet::schieber_cards>("schieber_cards", 1, 1),
    place<&RuleSet::session_tables>("session_tables", 1, 1),
    place<&RuleSet::session_rounds>("session_rounds", 1, 1),
    place<&RuleSet::last_round_dealer_old_one>("last_round_dealer_old_one", 1, 1),
    place<&RuleSet::last_round_mode>("last_round_mode", 2, 4),
    place<&RuleSet::participation_bonus>("participation_bonus", 1, 1),
    place<&RuleSet::participation_min_games>("participation_min_games", 1, 1),
    place<&RuleSet::tie_break>("tie_break", 1, 1),
    place<&RuleSet::round_time_limit_min>("round_time_limit_min", 1, 1),
};
// clang-format on
static_assert(std::size(kPlaces) == kReleasedSwitches,
              "a further switch has its place in kFurtherSwitches (env/rules/rule_fields.h)");

constexpr int length_of(const Place& place, ObservationVersion version) {
  return version >= ObservationVersion::kV3 ? place.v3 : place.v1;
}
constexpr int released_numbers(ObservationVersion version) {
  int numbers = 0;
  for (const Place& place : kPlaces) numbers += length_of(place, version);
  return numbers;
}
constexpr auto kV1 = ObservationVersion::kV1, kV3 = ObservationVersion::kV3;
constexpr int kSizeV1 = layout::v1::kSections[layout::v1::kRules].length;
constexpr int kSizeV3 = layout::v3::kRuleNumbers;
static_assert(released_numbers(kV1) == 188 && released_numbers(kV1) <= kSizeV1,
              "the first 90 switches are released with observations v1 and v2: their places never "
              "change");
static_assert(
    kFurtherSwitches.size() <= kFurtherPlaces,
    "observation v3 has places for 32 further switches (kFurtherSwitches): all are taken");
template <class T, auto... kMembers>
// NOLINTNEXTLINE(readability-redundant-typename): gcc 12 needs it in an argument
constexpr bool kIsTypeOf = (std::same_as<T, typename TypeOfMember<kMembers>::Type> || ...);
/// Types of more than four numbers that released switches have.
template <class T>
constexpr bool kIsReleased =
    kIsTypeOf<T, &RuleSet::deal_packets, &RuleSet::contracts, &RuleSet::all_pass, &RuleSet::tariff,
              &RuleSet::bock_triggers, &RuleSet::special_round, &RuleSet::special_round_triggers>;
constexpr std::size_t kNumSwitches = kReleasedSwitches + kFurtherSwitches.size();
/// Stands for a member of any type.
struct Anything {
  template <class T>
  operator T() const;  // NOLINT(google-explicit-constructor): that is what it is for
};
template <std::size_t... kMembers>
constexpr bool rule_set_has(std::index_sequence<kMembers...>) {
  return requires { RuleSet{(static_cast<void>(kMembers), Anything{})...}; };
}
static_assert(!rule_set_has(std::make_index_sequence<kNumSwitches + 1>()),
              "a switch of RuleSet has no place in the rows of rule features: append its key to "
              "kFurtherSwitches (env/rules/rule_fields.h)");
static_assert(
    rule_set_has(std::make_index_sequence<kNumSwitches>()),
    "kFurtherSwitches (env/rules/rule_fields.h) has a key for a switch that RuleSet does not have");
static_assert(released_numbers(kV3) + static_cast<int>(kFurtherPlaces) * kFurtherNumbers == kSizeV3,
              "the rule section of observation v3 (env/view/sections.h) is as long as its places");

/// Amounts without a small bound: eight steps per factor of two, 0 for 0, exact below 16.
int amount_code(int amount) {
  const auto value = static_cast<unsigned>(std::max(amount, 0));
  if (value == 0) return 0;
  const int width = 32 - std::countl_zero(value);
  const unsigned mantissa = width <= 4 ? (value << (4 - width)) : (value >> (width - 4));
  return 8 * width + static_cast<int>(mantissa & 7u);
}

/// Where the switches stand in the rows of a version.
struct Layout {
  ObservationVersion version;
  std::map<std::string_view, Section> by_key;
  std::vector<Section> sections;  // in row order, and what is reserved
};

/// Writes each switch to its place.
class RuleWriter {
 public:
  RuleWriter(const Layout& layout, std::span<float> row) : layout_(layout), row_(row) {}

  template <class T>
  void operator()(const Field& field, const T& value) {
    const Section& place = layout_.by_key.at(field.key);
    next_ = place.offset;
    end_ = place.offset + place.length;
    write(field, value);
  }

 private:
  void write(const Field&, bool value) { put(value ? kLargest : 0); }
  void write(const Field& field, int value) {
    const int least = static_cast<int>(field.min);
    const int range = static_cast<int>(field.max) - least;
    put(range > kLargest ? amount_code(value) : (value - least) * kLargest / range);
  }
  void write(const Field&, Card card) { put(card * kLargest / (kNumCards - 1)); }
  /// One slot per value but the first.
  template <class E>
    requires std::is_enum_v<E>
  void write(const Field&, E value) {
    for (int i = 1; i <= NumbersOf<E>::kValue; ++i)
      put(static_cast<int>(value) == i ? kLargest : 0);
  }
  template <class E>
  void write(const Field&, const EnumSet<E>& set) {
    for (int i = 0; i < kNumValues<E>; ++i) {
      put(set.contains(static_cast<E>(i)) ? kLargest : 0);
    }
  }
  /// Amounts in half units, then the factors.
  void write(const Field&, const Tariff& tariff) {
    for (const int amount : tariff.amounts) put(amount_code(2 * amount / tariff.scale));
    put(amount_code(tariff.tout_factor));
    put(amount_code(tariff.sie_factor));
    put(amount_code(tariff.hochzeit_factor));
  }
  void write(const Field&, const std::vector<std::string>& names) {
    put(std::min(static_cast<int>(names.size()), kLargest));
  }
  void write(const Field&, const RoundTriggers& triggers) {
    for (const SpecialRound mode : triggers) {
      put(static_cast<int>(mode) * kLargest / (kNumValues<SpecialRound> - 1));
    }
  }

  /// The next number of the place; those that it has no room for are left out (see kPlaces).
  void put(int value) {
    SCHAFKOPF_ASSERT(value >= 0 && value <= kLargest);
    if (next_ < end_) row_[static_cast<std::size_t>(next_++)] = static_cast<float>(value);
  }

  const Layout& layout_;
  std::span<float> row_;
  int next_ = 0, end_ = 0;
};

/// Gives each switch of the field table its place.
class PlaceReader {
 public:
  explicit PlaceReader(ObservationVersion version) : layout_{version, {}, {}} {
    for (const Place& place : kPlaces) add(place.key, length_of(place, version));
    for (const std::string_view key : kFurtherSwitches) {
      add(key, version == kV3 ? kFurtherNumbers : 0);
    }
  }
  template <class T>
  void operator()(const Field& field, const T&) {
    static_assert(
        NumbersOf<T>::kValue <= kFurtherNumbers || kIsReleased<T>,
        "a further switch has room for 4 numbers in observation v3 (kFurtherNumbers); one "
        "of this type has more and needs another layout");
    read(field, NumbersOf<T>::kValue);
  }
  [[nodiscard]] Layout layout(int row_size) && {
    for (const std::string_view key : keys_) {
      const Section& section = layout_.by_key.at(key);
      if (section.meaning.empty()) {
        throw std::logic_error("no switch of the field table has the key " + std::string(key) +
                               ": kFurtherSwitches (env/rules/rule_fields.h)");
      }
      if (section.length > 0) layout_.sections.push_back(section);
    }
    if (size_ < row_size) {
      layout_.sections.push_back(
          {"reserved", size_, row_size - size_, layout::kRuleScale, "always 0"});
    }
    return std::move(layout_);
  }

 private:
  void read(const Field& field, int numbers) {
    const auto place = layout_.by_key.find(field.key);
    if (place == layout_.by_key.end()) {
      refuse(field, "has no place in the rows of rule features: append it to kFurtherSwitches");
    }
    const int length = place->second.length;
    const bool of_contracts = field.key == "contracts";  // kLaterClasses in sections.h
    if (numbers > length && length > 0 && !(of_contracts && layout_.version != kV3)) {
      refuse(field,
             "has " + std::to_string(numbers) + " numbers, its place " + std::to_string(length));
    }
    place->second.meaning = field.meaning;
  }
  [[noreturn]] static void refuse(const Field& field, const std::string& what) {
    throw std::logic_error("switch " + std::string(field.key) + ' ' + what +
                           " (env/rules/rule_fields.h, env/view/rule_features.cpp)");
  }
  void add(std::string_view key, int length) {
    layout_.by_key[key] = {key, size_, length, layout::kRuleScale, {}};
    keys_.push_back(key);
    size_ += length;
  }

  Layout layout_;
  std::vector<std::string_view> keys_;
  int size_ = 0;
};

Layout make_layout(ObservationVersion version, int size) {
  PlaceReader reader(version);
  const RuleSet rules;
  visit_fields(rules, reader);
  return std::move(reader).layout(size);
}

const Layout& layout_of(ObservationVersion version) {
  static const Layout v1 = make_layout(kV1, kSizeV1), v3 = make_layout(kV3, kSizeV3);
  return version >= kV3 ? v3 : v1;
}

}  // namespace

std::span<const Section> rule_feature_sections(ObservationVersion version) {
  return layout_of(version).sections;
}
int rule_feature_size(ObservationVersion version) { return version >= kV3 ? kSizeV3 : kSizeV1; }

void write_rule_features(const CompiledRules& rules, ObservationVersion version,
                         std::span<float> row) {
  if (row.size() != static_cast<std::size_t>(rule_feature_size(version))) {
    refuse(fmt::format("row: {} elements, allowed: {}", row.size(), rule_feature_size(version)));
  }
  std::ranges::fill(row, 0.0F);
  visit_fields(rules.rules(), RuleWriter(layout_of(version), row));
}

std::span<const Section> rule_feature_sections() { return rule_feature_sections(kV1); }
int rule_feature_size() { return kSizeV1; }
void write_rule_features(const CompiledRules& rules, std::span<float> row) {
  write_rule_features(rules, kV1, row);
}

}  // namespace schafkopf
