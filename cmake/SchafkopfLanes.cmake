# Kernels of env/lanes: one file for each instruction set, compiled for it whatever the rest is compiled for, and chosen
# at run time. Alone, without the precompiled header and always optimised: nothing of them may be shared with files that
# run on every processor (tests/lane_symbols.py).
function(schafkopf_lanes target)
  if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
    return()
  endif()
  set(flags_avx2 -mavx2 -mbmi -mbmi2 -mpopcnt)
  set(flags_avx512 ${flags_avx2} -mavx512f -mavx512bw -mavx512dq -mavx512vl -mprefer-vector-width=512)
  foreach(isa avx2 avx512)
    set_source_files_properties(env/lanes/kernel_${isa}.cpp PROPERTIES COMPILE_OPTIONS "-O3;-Wno-psabi;${flags_${isa}}"
      SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
  endforeach()
  set_source_files_properties(env/lanes/lane_kernels.cpp PROPERTIES COMPILE_DEFINITIONS SCHAFKOPF_LANES=1
    SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
