# SPDX-License-Identifier: Apache-2.0
# Compiler settings shared by all targets, and the functions that create targets.

set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

find_program(TESSERA_CCACHE ccache)
if(TESSERA_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # ccache needs this sloppiness (and -fpch-preprocess, below) for precompiled headers. The base
  # directory makes clones share cached objects.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${TESSERA_CCACHE})
endif()

add_library(tessera_flags INTERFACE)
# No contraction of a*b+c and no fast maths, because statistics must be equal on every machine.
target_compile_options(tessera_flags INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor
                       -Woverloaded-virtual -Wimplicit-fallthrough -ffp-contract=off
                       $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>
                       # Fewer collections of the compiler's memory: a twentieth of its time.
                       "$<$<CXX_COMPILER_ID:GNU>:SHELL:--param ggc-min-expand=300 --param ggc-min-heapsize=262144>"
                       # Permits direct calls between functions of position-independent code.
                       $<$<CXX_COMPILER_ID:GNU>:-fno-semantic-interposition>
                       $<$<BOOL:${TESSERA_WERROR}>:-Werror>)
if(TESSERA_SANITIZE)
  # GCC's maybe-uninitialized gives false positives in instrumented standard headers. Without enum,
  # because targets read invalid TLM commands to reject them. Without null and object-size, because
  # AddressSanitizer reports the same errors and they take a fifth of the compile time.
  target_compile_options(tessera_flags INTERFACE -Wno-maybe-uninitialized
                         -fsanitize=address,undefined -fno-sanitize=enum,null,object-size
                         -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(tessera_flags INTERFACE -fsanitize=address,undefined)
endif()

# Link-time optimisation of the command and the benchmark (tessera_optimise_link) saves a tenth of
# the time per access. Objects also contain machine code for all other executables.
option(TESSERA_LTO "Optimise the command and the benchmark at link time (GCC, Release)" ON)
add_library(tessera_lto INTERFACE)
if(TESSERA_LTO AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_BUILD_TYPE STREQUAL "Release"
   AND NOT TESSERA_SANITIZE)
  set(TESSERA_LTO_USED ON)
  target_compile_options(tessera_lto INTERFACE -flto=auto -ffat-lto-objects)
  set(lto_link -flto=auto)
endif()

# tessera_optimise_link(EXECUTABLE): for the command and the benchmark. tests/ sets -fno-lto.
function(tessera_optimise_link executable)
  target_link_options(${executable} PRIVATE ${lto_link})
endfunction()

# Sources of a target are compiled in units of up to TESSERA_UNIT_FILES, because most
# of the compile time goes into headers and into instances of templates that all of them need.
# Names in a source's anonymous namespace must therefore differ within a target: a source that only
# registers itself, or only tests, has a namespace of its own. OFF: each source alone, as clang-tidy
# reads it.
option(TESSERA_UNITS "Compile several sources of a target as one unit" ON)
set(TESSERA_UNIT_FILES 24)

# tessera_units(TARGET [FILES n] [APART...]): compiles the C++ sources of a target in units of at most
# n; APART in units of their own.
function(tessera_units target)
  cmake_parse_arguments(ARG "" "FILES" "APART" ${ARGN})
  if(NOT TESSERA_UNITS)
    return()
  endif()
  if(NOT ARG_FILES)
    set(ARG_FILES ${TESSERA_UNIT_FILES})
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(files_together ${target} SOURCES)
  list(FILTER files_together INCLUDE REGEX "[.]cpp$")
  set(files_apart ${ARG_APART})
  if(ARG_APART)
    list(REMOVE_ITEM files_together ${ARG_APART})
  endif()
  foreach(group together apart)
    # Units of about the same number of files.
    list(LENGTH files_${group} count)
    math(EXPR units "(${count} + ${ARG_FILES} - 1) / ${ARG_FILES}")
    set(at 0)
    foreach(source IN LISTS files_${group})
      math(EXPR unit "${at} * ${units} / ${count}")
      set_source_files_properties(${source} TARGET_DIRECTORY ${target}
                                  PROPERTIES UNITY_GROUP ${group}_${unit})
      math(EXPR at "${at} + 1")
    endforeach()
  endforeach()
endfunction()

# The quickstart's choice: less time to build, more to run (docs/performance.md).
option(TESSERA_FAST_BUILD "Optimise all code but the interpreter of PTX less" OFF)

# tessera_library(NAME [COLD] SOURCES... [PLAIN...] DEPENDS...): a static library of one component.
# COLD: code that runs once in a run, not once per access. It is optimised less, in two thirds of the
# compile time. PLAIN: sources that include no block, in units of their own, which a change of the
# blocks' interface does not compile again.
function(tessera_library name)
  cmake_parse_arguments(ARG "COLD" "" "SOURCES;PLAIN;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES} ${ARG_PLAIN})
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/tessera>)
  target_compile_features(${name} PUBLIC cxx_std_17)
  target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:tessera_flags>
                        $<BUILD_INTERFACE:tessera_lto> PUBLIC ${ARG_DEPENDS})
  if(TESSERA_PRECOMPILED)
    target_precompile_headers(${name} REUSE_FROM ${TESSERA_PRECOMPILED})
  endif()
  tessera_units(${name} APART ${ARG_PLAIN})
  if(ARG_COLD OR TESSERA_FAST_BUILD)
    tessera_cold(${name})
  endif()
endfunction()

# A target whose tests compute much: with sanitizers optimised also where the build is not
# (scripts/test).
function(tessera_hot target)
  if(TESSERA_SANITIZE)
    target_compile_options(${target} PRIVATE -O1)
    # GCC refuses a precompiled header of another optimisation.
    set_target_properties(${target} PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
  endif()
endfunction()

function(tessera_cold target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# tessera_policy_library(NAME [COLD] SOURCES... [PLAIN...] DEPENDS...): a room with policies or roles. Each registers
# itself and no other file names it, so that the linker must take every object of the archive
# (NAME_files).
function(tessera_policy_library name)
  tessera_library(${name}_files ${ARGN})
  cmake_parse_arguments(ARG "COLD" "" "SOURCES;PLAIN;DEPENDS" ${ARGN})
  add_library(${name} INTERFACE)
  # CMake adds no namespace to names within LINK_LIBRARY when it exports them.
  string(REPLACE "tessera_" "tessera::" installed ${name}_files)
  target_link_libraries(${name} INTERFACE
    $<BUILD_INTERFACE:$<LINK_LIBRARY:WHOLE_ARCHIVE,${name}_files>>
    $<INSTALL_INTERFACE:$<LINK_LIBRARY:WHOLE_ARCHIVE,${installed}>> ${ARG_DEPENDS})
endfunction()
