# Files that are compiled for an instruction set, whatever the rest is compiled for, and chosen at run time
# (env/base/instruction_set.h): the step of blocks of games and the writing of observation rows. Alone, without the
# precompiled header and always optimised: nothing of them may be shared with files that run on every processor
# (tests/python/batch/test_lanes.py).
function(schafkopf_kernels target)
  if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
    return()
  endif()
  target_compile_definitions(${target} PRIVATE SCHAFKOPF_KERNELS=1)
  set(flags_avx2 -mavx2 -mbmi -mbmi2 -mpopcnt -mlzcnt)
  set(flags_avx512 ${flags_avx2} -mavx512f -mavx512bw -mavx512dq -mavx512vl -mprefer-vector-width=512)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # which takes the undefined operand of its own headers for a mistake (12)
    list(APPEND flags_avx512 -Wno-maybe-uninitialized -Wno-uninitialized)
  endif()
  foreach(isa avx2 avx512)
    set_source_files_properties(env/lanes/kernel_${isa}.cpp env/view/rows_${isa}.cpp PROPERTIES
      COMPILE_OPTIONS "-O3;-Wno-psabi;${flags_${isa}}" SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
    # Where an instruction has several forms: those that g++ takes for any processor make a step of a block slower, on Zen 5
    # as well. Rows gain nothing.
    set_property(SOURCE env/lanes/kernel_${isa}.cpp APPEND PROPERTY COMPILE_OPTIONS -mtune=skylake-avx512)
  endforeach()
endfunction()
