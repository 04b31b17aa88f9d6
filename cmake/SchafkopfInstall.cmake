# cmake --install: the libraries of the rooms and their headers for other projects, found by find_package(schafkopf).
# The Python modules belong to the package, which pip installs (scikit-build: nothing of this file then).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# schafkopf_install(<room>...): the headers keep their paths from the root of the tree, env/game/game.h, within a folder
# of the project.
function(schafkopf_install)
  if(NOT SCHAFKOPF_INSTALL)
    return()
  endif()
  if(SCHAFKOPF_SANITIZE OR SCHAFKOPF_FUZZ OR SCHAFKOPF_COVERAGE)
    message(STATUS "schafkopf: no rule to install the libraries, they are instrumented; allowed: a build without "
      "SCHAFKOPF_SANITIZE, SCHAFKOPF_FUZZ and SCHAFKOPF_COVERAGE")
    return()
  endif()
  foreach(target IN LISTS ARGN)
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "INTERFACE_LIBRARY")  # a tree without the files of a room
      return()
    endif()
  endforeach()
  if(NOT SCHAFKOPF_HEADER_ONLY)  # a compiled fmt of our own tree would have to be installed too
    get_target_property(found fmt::fmt IMPORTED)
    if(NOT found)
      message(STATUS "schafkopf: no rule to install the libraries, fmt was downloaded; allowed: the system's package, or "
        "-DSCHAFKOPF_HEADER_ONLY=ON")
      return()
    endif()
  endif()
  foreach(target IN LISTS ARGN)
    string(REPLACE schafkopf_ "" name ${target})
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
    target_compile_features(${target} PUBLIC cxx_std_20)
    if(NOT SCHAFKOPF_HEADER_ONLY)
      target_link_libraries(${target} PRIVATE $<INSTALL_INTERFACE:fmt::fmt>)
    endif()
    target_include_directories(${target} PUBLIC $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/schafkopf>)
    install(TARGETS ${target} EXPORT schafkopf ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libraries)
    # json_values.h names the types of another library and serves files of ours alone.
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/${name} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/schafkopf COMPONENT libraries
      FILES_MATCHING PATTERN "*.h" PATTERN json_values.h EXCLUDE)
  endforeach()
  set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/schafkopf)
  install(EXPORT schafkopf NAMESPACE schafkopf:: FILE schafkopf-targets.cmake DESTINATION ${folder} COMPONENT libraries)
  set(config ${PROJECT_BINARY_DIR}/generated/schafkopf-config.cmake)
  file(CONFIGURE OUTPUT ${config} @ONLY CONTENT [[
include(CMakeFindDependencyMacro)
find_dependency(Threads)
if(NOT "@SCHAFKOPF_HEADER_ONLY@")
  find_dependency(fmt)
endif()
include(${CMAKE_CURRENT_LIST_DIR}/schafkopf-targets.cmake)
set(schafkopf_components env agents)
foreach(component IN LISTS schafkopf_FIND_COMPONENTS)
  if(component IN_LIST schafkopf_components)
    set(schafkopf_${component}_FOUND TRUE)
  elseif(schafkopf_FIND_REQUIRED_${component})
    set(schafkopf_FOUND FALSE)
    set(schafkopf_NOT_FOUND_MESSAGE "schafkopf has no component ${component}, allowed: env, agents")
  endif()
endforeach()
]])
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/generated/schafkopf-config-version.cmake
    VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
  install(FILES ${config} ${PROJECT_BINARY_DIR}/generated/schafkopf-config-version.cmake DESTINATION ${folder}
    COMPONENT libraries)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT libraries)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/licences DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT libraries)
endfunction()
