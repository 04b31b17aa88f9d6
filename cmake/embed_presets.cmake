# Writes a C++ file that holds every rule file as text (env/rules/embedded_presets.h).
#
# Run as a script:  cmake -DOUTPUT=FILE.cpp -DRULES_DIR=configs/rules -P cmake/embed_presets.cmake
# Or included:      schafkopf_embed_presets(TARGET) adds the generated file to a target and rebuilds it when a
#                   rule file changes.
if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  cmake_policy(VERSION 3.25)  # as CMakeLists.txt
endif()

function(schafkopf_write_embedded_presets rules_dir output)
  file(GLOB files "${rules_dir}/*.toml")
  if(NOT files)
    message(FATAL_ERROR "RULES_DIR = ${rules_dir}: no rule file, allowed: configs/rules of the source tree")
  endif()
  list(SORT files)
  set(entries "")
  foreach(file IN LISTS files)
    get_filename_component(stem "${file}" NAME_WE)
    file(READ "${file}" text)
    string(APPEND entries "    {\"${stem}\", R\"toml(${text})toml\"},\n")
  endforeach()
  file(CONFIGURE OUTPUT "${output}" @ONLY CONTENT
"// Generated from configs/rules by cmake/embed_presets.cmake; do not edit.
#include \"env/rules/embedded_presets.h\"

namespace schafkopf {
namespace {
constexpr EmbeddedPreset kPresets[] = {
@entries@};
}  // namespace

std::span<const EmbeddedPreset> embedded_presets() { return kPresets; }

}  // namespace schafkopf
")
endfunction()

function(schafkopf_embed_presets target)
  set(rules_dir "${PROJECT_SOURCE_DIR}/configs/rules")
  set(output "${PROJECT_BINARY_DIR}/generated/embedded_presets.cpp")
  file(GLOB files CONFIGURE_DEPENDS "${rules_dir}/*.toml")
  set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  schafkopf_write_embedded_presets("${rules_dir}" "${output}")
  target_sources(${target} PRIVATE "${output}")
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  if("${OUTPUT}" STREQUAL "")
    message(FATAL_ERROR "OUTPUT = , allowed: the file that is written")
  elseif("${RULES_DIR}" STREQUAL "")
    message(FATAL_ERROR "RULES_DIR = , allowed: configs/rules of the source tree")
  endif()
  schafkopf_write_embedded_presets("${RULES_DIR}" "${OUTPUT}")
endif()
