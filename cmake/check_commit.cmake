# cmake -P check_commit.cmake NAME COMMIT, in a clone: stops where a tag has come to name another commit than the one that
# was chosen.
set(name ${CMAKE_ARGV3})
set(commit ${CMAKE_ARGV4})
execute_process(COMMAND git rev-parse HEAD OUTPUT_VARIABLE head OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
if(NOT head STREQUAL commit)
  message(FATAL_ERROR "the tag of ${name} names commit ${head}, not ${commit}, which cmake/SchafkopfDependencies.cmake "
    "has: it is not compiled")
endif()
