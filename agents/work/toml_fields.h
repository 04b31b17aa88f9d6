// Reading configuration files.
#pragma once

#include <string>
#include <string_view>

namespace schafkopf {

/// Content of a file, cut behind the longest that is allowed. Raises std::runtime_error "cannot
/// read WHAT PATH: cause".
[[nodiscard]] std::string text_of_file(const std::string& path, std::string_view what);

}  // namespace schafkopf
