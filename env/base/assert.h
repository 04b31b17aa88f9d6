// SCHAFKOPF_ASSERT: conditions that only our own mistakes can break; never for input from outside.
// On in debug builds, under sanitizers and with -DSCHAFKOPF_ASSERTIONS=ON; else the condition is
// not evaluated.
#pragma once

namespace schafkopf {

/// Report a broken assertion.
///
/// Raises std::logic_error with condition, file and line; a library neither prints nor aborts, and
/// Python shows the text. In a noexcept function the program ends.
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line);

}  // namespace schafkopf

#if defined(SCHAFKOPF_ASSERTIONS) && SCHAFKOPF_ASSERTIONS
#define SCHAFKOPF_ASSERT(condition)   \
  ((condition) ? static_cast<void>(0) \
               : ::schafkopf::assertion_failed(#condition, __FILE__, __LINE__))
#else
#define SCHAFKOPF_ASSERT(condition) static_cast<void>(sizeof((condition) ? 1 : 0))
#endif
