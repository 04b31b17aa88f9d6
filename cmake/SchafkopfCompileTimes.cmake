# What keeps builds short (env/PERFORMANCE.md): compiled libraries instead of header-only ones, precompiled headers.
option(SCHAFKOPF_HEADER_ONLY "Take fmt from its headers alone: slower to compile, nothing to link (wheels)" ${SKBUILD})

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
# what it uses: clang-tidy, wheels and the instruction counts compile without them.
function(schafkopf_precompile target)
  get_target_property(type ${target} TYPE)
  if(SKBUILD OR CMAKE_CXX_CLANG_TIDY OR type STREQUAL "INTERFACE_LIBRARY")  # a tree without the files of a room
    return()
  elseif(ARGV1 STREQUAL "REUSE_FROM")
    target_precompile_headers(${target} REUSE_FROM ${ARGV2})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()
