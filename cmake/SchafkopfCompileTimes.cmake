# What keeps builds short (env/PERFORMANCE.md): compiled libraries instead of header-only ones, precompiled headers.
if(SKBUILD)  # a number of scikit-build, which option() would take for OFF
  set(header_only_default ON)
else()
  set(header_only_default OFF)
endif()
option(SCHAFKOPF_HEADER_ONLY "Take fmt from its headers alone: slower to compile, nothing to link (wheels)"
  ${header_only_default})

# schafkopf_fmt: fmt as a library, or from its headers.
schafkopf_require(fmt)
add_library(schafkopf_fmt INTERFACE)
if(SCHAFKOPF_HEADER_ONLY)
  target_link_libraries(schafkopf_fmt INTERFACE fmt::fmt-header-only)
else()
  target_link_libraries(schafkopf_fmt INTERFACE fmt::fmt)
endif()

# schafkopf_precompile(<target> <header>...), or with REUSE_FROM <other target> of equal flags. Only headers of the
# standard library and of other projects, so that no change of this tree builds them again. A file must still include
# what it uses: clang-tidy and the instruction counts compile without them.
function(schafkopf_precompile target)
  get_target_property(type ${target} TYPE)
  if(CMAKE_CXX_CLANG_TIDY OR type STREQUAL "INTERFACE_LIBRARY")  # a tree without the files of a room
    return()
  elseif(ARGV1 STREQUAL "REUSE_FROM")
    target_precompile_headers(${target} REUSE_FROM ${ARGV2})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
    if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")  # or a compiler cache takes a header that is made again for another one
      target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
    endif()
  endif()
endfunction()

option(SCHAFKOPF_TOGETHER "Compile the files of a sub-room in one go: a full build takes less, a touched file more" ON)

# schafkopf_together(<target> [FILES <n>]): the files of a folder are compiled together, <n> at a time (8). Files with
# options of their own are not, nor anything under clang-tidy (names its files).
function(schafkopf_together target)
  cmake_parse_arguments(TOGETHER "" "FILES" "" ${ARGN})
  if(NOT TOGETHER_FILES)
    set(TOGETHER_FILES 8)
  endif()
  get_target_property(type ${target} TYPE)
  if(NOT SCHAFKOPF_TOGETHER OR CMAKE_CXX_CLANG_TIDY OR type STREQUAL "INTERFACE_LIBRARY")
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  list(SORT sources)
  foreach(source ${sources})
    get_filename_component(folder ${source} DIRECTORY)
    file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${folder})
    string(MAKE_C_IDENTIFIER "${folder}" group)
    math(EXPR part "${count_${group}} + 0" OUTPUT_FORMAT DECIMAL)
    math(EXPR number "${part} / ${TOGETHER_FILES}")
    math(EXPR count_${group} "${part} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP "${group}_${number}")
  endforeach()
endfunction()
