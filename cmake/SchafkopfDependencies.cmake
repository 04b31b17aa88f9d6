# C++ libraries: the system's package first (Debian: libfmt-dev libeigen3-dev libgtest-dev libgmock-dev libbenchmark-dev
# libcli11-dev libtomlplusplus-dev nlohmann-json3-dev), a pinned download second: a tag, which must still name the commit
# that it named when it was chosen.
include(FetchContent)
set(at_commit ${CMAKE_COMMAND} -P ${CMAKE_CURRENT_LIST_DIR}/check_commit.cmake)

FetchContent_Declare(fmt GIT_REPOSITORY https://github.com/fmtlib/fmt.git GIT_TAG 9.1.0 GIT_SHALLOW ON
  PATCH_COMMAND ${at_commit} fmt a33701196adfad74917046096bf5a2aa0ab0bb50
  SYSTEM FIND_PACKAGE_ARGS 9)
FetchContent_Declare(Eigen3 GIT_REPOSITORY https://gitlab.com/libeigen/eigen.git GIT_TAG 3.4.0 GIT_SHALLOW ON
  PATCH_COMMAND ${at_commit} Eigen3 3147391d946bb4b6c68edd901f2add6ac1f31f8c
  SYSTEM FIND_PACKAGE_ARGS 3.4)
FetchContent_Declare(GTest GIT_REPOSITORY https://github.com/google/googletest.git GIT_TAG release-1.12.1 GIT_SHALLOW ON
  PATCH_COMMAND ${at_commit} GTest 58d77fa8070e8cec2dc1ed015d66b454c8d78850
  SYSTEM FIND_PACKAGE_ARGS 1.12)
FetchContent_Declare(benchmark GIT_REPOSITORY https://github.com/google/benchmark.git GIT_TAG v1.7.1 GIT_SHALLOW ON
  PATCH_COMMAND ${at_commit} benchmark d572f4777349d43653b21d6c2fc63020ab326db2
  SYSTEM FIND_PACKAGE_ARGS 1.7)
FetchContent_Declare(CLI11 GIT_REPOSITORY https://github.com/CLIUtils/CLI11.git GIT_TAG v2.3.2 GIT_SHALLOW ON
  PATCH_COMMAND ${at_commit} CLI11 291c58789c031208f08f4f261a858b5b7083e8e2
  SYSTEM FIND_PACKAGE_ARGS 2.1)
FetchContent_Declare(tomlplusplus GIT_REPOSITORY https://github.com/marzer/tomlplusplus.git GIT_TAG v3.3.0 GIT_SHALLOW ON
  PATCH_COMMAND ${at_commit} tomlplusplus c635f218c0aefc801d9748841930365e54fe3089
  SYSTEM FIND_PACKAGE_ARGS 3)
FetchContent_Declare(nlohmann_json GIT_REPOSITORY https://github.com/nlohmann/json.git GIT_TAG v3.11.2 GIT_SHALLOW ON
  PATCH_COMMAND ${at_commit} nlohmann_json bc889afb4c5bf1c0d8ee29ef35eaaf4c8bef8a5d
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
# Under a name of our own, as Eigen: a program that uses another copy of it must not get its functions for ours, of
# another version, or compiled for another processor.
target_compile_definitions(schafkopf_toml INTERFACE TOML_HEADER_ONLY=0 toml=schafkopf_toml)
add_library(schafkopf_eigen INTERFACE)
target_link_libraries(schafkopf_eigen INTERFACE Eigen3::Eigen)
target_compile_definitions(schafkopf_eigen INTERFACE Eigen=schafkopf_eigen)
