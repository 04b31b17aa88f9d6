// Keys of JSON objects that come twice. The parser is a parameter, so that this room needs none.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace schafkopf {

/// Watches a parser for a key that an object has twice, at every depth.
template <class Json>
class KeyWatch {
 public:
  /// What Json::parse calls; valid as long as this object.
  [[nodiscard]] auto callback() {
    return [this](int, Json::parse_event_t event, Json& parsed) {
      if (event == Json::parse_event_t::object_start) open_.emplace_back();
      if (event == Json::parse_event_t::object_end) open_.pop_back();
      if (event == Json::parse_event_t::key) {
        std::string key = parsed.template get<std::string>();
        if (!open_.back().insert(key).second) twice_ = std::move(key);
      }
      return true;
    };
  }
  [[nodiscard]] const std::optional<std::string>& twice() const { return twice_; }

 private:
  std::vector<std::set<std::string>> open_;
  std::optional<std::string> twice_;
};

}  // namespace schafkopf
