// What a maxim is: a named piece of playing knowledge with its source, which proposes an action or
// does not apply (RULES I; METHODS section 6; "W" = Wiesegger, Schafkopf-Buch, with its chapter).
#pragma once

#include <string_view>

namespace schafkopf {

/// What a person reads of a maxim. All texts live as long as the program.
struct MaximText {
  std::string_view name;
  std::string_view source;    // "I-13; W 10.3"
  std::string_view sentence;  // why, in English
};

/// A maxim about decisions seen as `Seen`; proposes a `Proposal` or says that it does not apply.
template <class Seen, class Proposal>
struct MaximOf {
  std::string_view name;
  std::string_view source;
  std::string_view sentence;
  Proposal (*propose)(const Seen&);
};

}  // namespace schafkopf
