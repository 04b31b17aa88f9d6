# C++ libraries: the system's package first (Debian: libfmt-dev libeigen3-dev libgtest-dev libgmock-dev libbenchmark-dev
# libcli11-dev libtomlplusplus-dev nlohmann-json3-dev), a pinned download second.
include(FetchContent)

FetchContent_Declare(fmt GIT_REPOSITORY https://github.com/fmtlib/fmt.git GIT_TAG 9.1.0 GIT_SHALLOW ON
  SYSTEM FIND_PACKAGE_ARGS 9)
FetchContent_Declare(Eigen3 GIT_REPOSITORY https://gitlab.com/libeigen/eigen.git GIT_TAG 3.4.0 GIT_SHALLOW ON
  SYSTEM FIND_PACKAGE_ARGS 3.4)
FetchContent_Declare(GTest GIT_REPOSITORY https://github.com/google/googletest.git GIT_TAG release-1.12.1 GIT_SHALLOW ON
  SYSTEM FIND_PACKAGE_ARGS 1.12)
FetchContent_Declare(benchmark GIT_REPOSITORY https://github.com/google/benchmark.git GIT_TAG v1.7.1 GIT_SHALLOW ON
  SYSTEM FIND_PACKAGE_ARGS 1.7)
FetchContent_Declare(CLI11 GIT_REPOSITORY https://github.com/CLIUtils/CLI11.git GIT_TAG v2.3.2 GIT_SHALLOW ON
  SYSTEM FIND_PACKAGE_ARGS 2.1)
FetchContent_Declare(tomlplusplus GIT_REPOSITORY https://github.com/marzer/tomlplusplus.git GIT_TAG v3.3.0 GIT_SHALLOW ON
  SYSTEM FIND_PACKAGE_ARGS 3)
FetchContent_Declare(nlohmann_json GIT_REPOSITORY https://github.com/nlohmann/json.git GIT_TAG v3.11.2 GIT_SHALLOW ON
  SYSTEM FIND_PACKAGE_ARGS 3.10)
set(BENCHMARK_ENABLE_TESTING OFF)
set(EIGEN_BUILD_DOC OFF)
set(INSTALL_GTEST OFF)

# A macro, not a function: imported targets that find_package makes must be visible to the caller.
macro(schafkopf_require)
  FetchContent_MakeAvailable(${ARGN})
endmacro()

# toml++ is compiled once, in env/rules/toml_library.cpp: Debian's package would link its shared library, which a wheel
# cannot count on.
schafkopf_require(tomlplusplus)
add_library(schafkopf_toml INTERFACE)
get_target_property(toml_includes tomlplusplus::tomlplusplus INTERFACE_INCLUDE_DIRECTORIES)
if(toml_includes)
  target_include_directories(schafkopf_toml SYSTEM INTERFACE ${toml_includes})
endif()
target_compile_definitions(schafkopf_toml INTERFACE TOML_HEADER_ONLY=0)
