# The Python interpreter (that of .venv unless told otherwise) and, for the modules, pybind11 from its site-packages.
if(NOT Python_EXECUTABLE AND EXISTS ${PROJECT_SOURCE_DIR}/.venv/bin/python)
  set(Python_EXECUTABLE ${PROJECT_SOURCE_DIR}/.venv/bin/python)
endif()
set(PYBIND11_FINDPYTHON ON)
if(SCHAFKOPF_PYTHON)
  find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module)
  if(NOT pybind11_DIR)
    # Not `-m pybind11 --cmakedir`, which quotes a path with spaces for the shell.
    execute_process(COMMAND ${Python_EXECUTABLE} -c "import pybind11; print(pybind11.get_cmake_dir())"
      OUTPUT_VARIABLE pybind11_DIR OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE pybind11_missing)
    if(pybind11_missing)
      message(FATAL_ERROR "pybind11 is not installed for ${Python_EXECUTABLE}: run ./run build, "
        "or ${Python_EXECUTABLE} -m pip install pybind11, or configure with -DSCHAFKOPF_PYTHON=OFF")
    endif()
  endif()
  find_package(pybind11 3 CONFIG REQUIRED)
else()
  find_package(Python 3.10 REQUIRED COMPONENTS Interpreter)
endif()

# In the build tree a module is written into python/schafkopf, so that the package imports from the source tree.
function(schafkopf_python_module name)
  # Without pybind11's link-time optimisation and with -O2: the engine does the work and has its own flags; what is
  # compiled here converts arguments.
  pybind11_add_module(${name} MODULE NO_EXTRAS ${ARGN})
  if(SCHAFKOPF_SANITIZE)
    target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests/sanitize/planted_faults.cpp)
    set_source_files_properties(${PROJECT_SOURCE_DIR}/tests/sanitize/planted_faults.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")  # as a library, which Python is to load first
      execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libclang_rt.asan-${CMAKE_SYSTEM_PROCESSOR}.so
        OUTPUT_VARIABLE runtime OUTPUT_STRIP_TRAILING_WHITESPACE)
      get_filename_component(runtime_dir ${runtime} DIRECTORY)
      target_link_options(${name} PRIVATE -shared-libsan LINKER:-rpath,${runtime_dir})
    endif()
  else()
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O2>)
    if(CMAKE_BUILD_TYPE STREQUAL "Release")
      pybind11_strip(${name})
    endif()
  endif()
  target_link_libraries(${name} PRIVATE schafkopf_flags)
  # The module's own pybind11 comes before every other one, torch's included.
  target_include_directories(${name} SYSTEM BEFORE PRIVATE ${pybind11_INCLUDE_DIR})
  set_target_properties(${name} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  if(SCHAFKOPF_SANITIZE)  # apart: a program loads it only where the sanitizers are loaded first
    set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/package)
  elseif(NOT SKBUILD)
    set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_SOURCE_DIR}/python/schafkopf)
  endif()
endfunction()
