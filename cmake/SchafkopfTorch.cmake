# LibTorch from the pip package torch of the project's interpreter, CPU or CUDA build, as the target schafkopf_torch.
# Not find_package(Torch): with the CUDA build that looks for a CUDA toolkit and fails without one (pytorch#73427).
execute_process(
  COMMAND ${Python_EXECUTABLE} -c "import importlib.util, pathlib; spec = importlib.util.find_spec('torch'); print(pathlib.Path(spec.origin).parent if spec else '')"
  OUTPUT_VARIABLE SCHAFKOPF_TORCH_DIR OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT SCHAFKOPF_TORCH_DIR)
  message(FATAL_ERROR "torch is not installed for ${Python_EXECUTABLE}: run ./run build, or with pip install torch first "
    "and give --no-build-isolation, or configure with -DSCHAFKOPF_TRAINING=OFF")
endif()
set(torch_api_dir ${SCHAFKOPF_TORCH_DIR}/include/torch/csrc/api/include)
if(NOT EXISTS ${torch_api_dir}/torch/torch.h)
  message(FATAL_ERROR "${SCHAFKOPF_TORCH_DIR} has no C++ headers (torch/torch.h): install another torch build, "
    "or configure with -DSCHAFKOPF_TRAINING=OFF")
endif()
file(STRINGS ${SCHAFKOPF_TORCH_DIR}/version.py torch_version_line REGEX "^__version__")
string(REGEX MATCH "[0-9][^'\"]*" SCHAFKOPF_TORCH_VERSION "${torch_version_line}")
set(torch_libraries ${SCHAFKOPF_TORCH_DIR}/lib/libtorch_cpu.so ${SCHAFKOPF_TORCH_DIR}/lib/libc10.so)
if(EXISTS ${SCHAFKOPF_TORCH_DIR}/lib/libtorch_cuda.so)
  set(torch_variant CUDA)
else()
  set(torch_variant CPU)
endif()
message(STATUS "LibTorch ${SCHAFKOPF_TORCH_VERSION} (${torch_variant}) in ${SCHAFKOPF_TORCH_DIR}")

add_library(schafkopf_torch INTERFACE IMPORTED)
target_include_directories(schafkopf_torch SYSTEM INTERFACE ${SCHAFKOPF_TORCH_DIR}/include ${torch_api_dir})
# Torch brings headers of another fmt than the system's, and no library of it.
target_compile_definitions(schafkopf_torch INTERFACE FMT_HEADER_ONLY=1)
# libtorch.so has no symbol that we call; without --no-as-needed the linker drops it and with it the CUDA kernels.
target_link_libraries(schafkopf_torch INTERFACE
  -Wl,--push-state,--no-as-needed ${SCHAFKOPF_TORCH_DIR}/lib/libtorch.so -Wl,--pop-state ${torch_libraries})

# c10d's header of Gloo includes headers that are not in the package: each becomes gloo_names.h, which declares the
# names. Only files that talk to other processes see them.
set(SCHAFKOPF_GLOO_DIR ${SCHAFKOPF_TORCH_DIR}/include)
if(NOT EXISTS ${SCHAFKOPF_GLOO_DIR}/gloo/context.h)
  set(SCHAFKOPF_GLOO_DIR ${PROJECT_BINARY_DIR}/gloo_names)
  foreach(header algorithm common/error context rendezvous/store transport/device)
    file(CONFIGURE OUTPUT ${SCHAFKOPF_GLOO_DIR}/gloo/${header}.h
      CONTENT "#include \"${CMAKE_CURRENT_LIST_DIR}/gloo_names.h\"\n" @ONLY)
  endforeach()
endif()
function(schafkopf_talks_to_processes)  # schafkopf_talks_to_processes(FILE...)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON
    INCLUDE_DIRECTORIES ${SCHAFKOPF_GLOO_DIR} COMPILE_DEFINITIONS "USE_DISTRIBUTED;USE_C10D_GLOO")
endfunction()
