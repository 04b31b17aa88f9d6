// Memory that is left, asked before much of it is taken: a machine that swaps or kills is worse
// than an error.
#pragma once

#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <utility>

namespace schafkopf {

/// Bytes that this process can still take: what the machine has, or what its control groups leave
/// of their limits if that is less. Nothing where the system does not say (it is read from /proc
/// and /sys/fs/cgroup).
///
/// root  folder that holds proc and sys, for tests
[[nodiscard]] std::optional<std::uint64_t> available_memory(const std::string& root = "");

/// What this process can still take, where that is less than `needed`; nothing where it is enough, where
/// little is needed, which is tried, or where the system does not say.
[[nodiscard]] std::optional<std::uint64_t> memory_short_of(std::uint64_t needed);

/// "1.5 GB", "12 MB"
[[nodiscard]] std::string bytes_text(std::uint64_t bytes);

/// Throws NotEnoughMemory where `what`, "keeping 3 worlds", needs more than there is.
void require_memory(const std::string& what, std::uint64_t needed);

/// Says what needs more memory than there is.
class NotEnoughMemory : public std::bad_alloc {
 public:
  explicit NotEnoughMemory(std::string text) : text_(std::move(text)) {}
  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

/// What a refusal says; one of the system has nothing but its name.
[[nodiscard]] inline const char* text_of(const std::bad_alloc& error) {
  const auto* own = dynamic_cast<const NotEnoughMemory*>(&error);
  return own != nullptr ? own->what() : "the system gave no more memory";
}

}  // namespace schafkopf
