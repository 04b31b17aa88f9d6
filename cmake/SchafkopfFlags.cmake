# One INTERFACE target carries the language standard, the warnings and the instrumentation of every room.
add_library(schafkopf_flags INTERFACE)
target_compile_features(schafkopf_flags INTERFACE cxx_std_20)
target_include_directories(schafkopf_flags INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)

target_compile_options(schafkopf_flags INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow
  -Wnon-virtual-dtor -Woverloaded-virtual -Wdouble-promotion)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(schafkopf_flags INTERFACE -Wuseless-cast -Wlogical-op)
  if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # GCC 12 warns about "x" + std::string and about choosing between two literals for a std::string inside its own
    # header (GCC bug 105651 and its relatives), and about fmt::format.
    target_compile_options(schafkopf_flags INTERFACE -Wno-restrict -Wno-stringop-overflow -Wno-array-bounds
      -Wno-stringop-overread)
  endif()
endif()
if(SCHAFKOPF_WERROR)
  target_compile_options(schafkopf_flags INTERFACE -Werror)
endif()
if(SCHAFKOPF_NATIVE)
  target_compile_options(schafkopf_flags INTERFACE -march=native)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # GCC 12 warns inside its own AVX-512 header wherever Eigen uses it (GCC bug 105593).
    target_compile_options(schafkopf_flags INTERFACE -Wno-maybe-uninitialized -Wno-uninitialized)
  endif()
endif()

# Assertions: in debug builds, under sanitizers, or on request.
if(SCHAFKOPF_ASSERTIONS OR SCHAFKOPF_SANITIZE)
  target_compile_definitions(schafkopf_flags INTERFACE SCHAFKOPF_ASSERTIONS=1 _GLIBCXX_ASSERTIONS)
else()
  target_compile_definitions(schafkopf_flags INTERFACE $<$<CONFIG:Debug>:SCHAFKOPF_ASSERTIONS=1 _GLIBCXX_ASSERTIONS>)
endif()

if(SCHAFKOPF_SANITIZE)
  target_compile_options(schafkopf_flags INTERFACE -fsanitize=${SCHAFKOPF_SANITIZE} -fno-sanitize-recover=all
    -fno-omit-frame-pointer -g1)
  target_link_options(schafkopf_flags INTERFACE -fsanitize=${SCHAFKOPF_SANITIZE})
endif()
if(SCHAFKOPF_FUZZ)  # what libFuzzer looks at to see that an input does something new; its main() is linked in tests/fuzz
  target_compile_options(schafkopf_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(SCHAFKOPF_COVERAGE)
  target_compile_options(schafkopf_flags INTERFACE --coverage -g)
  target_link_options(schafkopf_flags INTERFACE --coverage)
endif()
