# One INTERFACE target carries the language standard, the warnings and the instrumentation of every room.
add_library(schafkopf_flags INTERFACE)
target_compile_features(schafkopf_flags INTERFACE cxx_std_20)
target_include_directories(schafkopf_flags INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
# Names of files in messages are those of the tree: no object depends on where it lies.
target_compile_options(schafkopf_flags INTERFACE "$<BUILD_INTERFACE:-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=>")

if(PROJECT_IS_TOP_LEVEL)  # the targets of a project that uses the libraries get these flags too, and have warnings of their own
  target_compile_options(schafkopf_flags INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow
    -Wnon-virtual-dtor -Woverloaded-virtual)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")  # of inline functions of libstdc++; for this tree alone, not for who links it
  add_compile_options(-Wno-deprecated-declarations)
endif()
if(PROJECT_IS_TOP_LEVEL AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # clang takes double{x} for an accident as well
  target_compile_options(schafkopf_flags INTERFACE -Wuseless-cast -Wlogical-op -Wdouble-promotion)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 warns about "x" + std::string and about choosing between two literals for a std::string inside its own
  # header (GCC bug 105651 and its relatives), and about fmt::format.
  set(false_warnings -Wno-restrict -Wno-stringop-overflow -Wno-array-bounds -Wno-stringop-overread)
  if(PROJECT_IS_TOP_LEVEL)
    target_compile_options(schafkopf_flags INTERFACE ${false_warnings})
  else()  # some come unasked, and that project may take warnings for errors; for this tree alone, too
    add_compile_options(${false_warnings})
  endif()
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
  # Games, views and results are some hundred bytes: stores one after the other clear and copy them in less time than it
  # takes a string instruction, GCC's choice, to begin.
  # Not in a debug build, whose compile commands clang-tidy reads: clang has no such options.
  target_compile_options(schafkopf_flags INTERFACE
    "$<$<NOT:$<CONFIG:Debug>>:-mmemset-strategy=vector_loop:512:noalign,libcall:-1:noalign>"
    "$<$<NOT:$<CONFIG:Debug>>:-mmemcpy-strategy=unrolled_loop:1024:noalign,libcall:-1:noalign>")
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
    -fno-omit-frame-pointer -g1 "$<BUILD_INTERFACE:-fdebug-prefix-map=${PROJECT_SOURCE_DIR}/=>")
  target_link_options(schafkopf_flags INTERFACE -fsanitize=${SCHAFKOPF_SANITIZE})
endif()
if(SCHAFKOPF_FUZZ)  # what libFuzzer looks at to see that an input does something new; its main() is linked in tests/fuzz
  target_compile_options(schafkopf_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# schafkopf_cover(<target>...): counts the lines and branches of these rooms. The tests stay as they are, so they come
# out of the compiler cache; schafkopf_link_covered takes the counting copy of what both define. Not -O1: gcc 12.2 then
# drops `a ==` from `return a == b ? 1 : -1` where `a` was tested before (seen in SolverSearch::outlook: with counters and
# its tree-forwprop pass; six lines without a class of ours show it, -O2 and -O1 without counters do not).
function(schafkopf_cover)
  if(NOT SCHAFKOPF_COVERAGE)
    return()
  endif()
  foreach(target IN LISTS ARGN)
    if(TARGET ${target})
      target_compile_options(${target} PRIVATE --coverage -fprofile-update=atomic -O2)
    endif()
  endforeach()
  target_link_options(schafkopf_flags INTERFACE --coverage)
endfunction()

# schafkopf_link_covered(<program> <room>...): the rooms come first, as a whole.
function(schafkopf_link_covered program)
  if(NOT SCHAFKOPF_COVERAGE)
    return()
  endif()
  list(TRANSFORM ARGN REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE files)
  target_link_options(${program} PRIVATE LINKER:--whole-archive ${files} LINKER:--no-whole-archive)
endfunction()
