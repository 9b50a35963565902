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
# the time per access. Objects also contain machine code for all other executables. Without it
# (TESSERA_LTO_ONLY, scripts/quickstart), compilation takes a third less time.
option(TESSERA_LTO "Optimise the command and the benchmark at link time (GCC, Release)" ON)
option(TESSERA_LTO_ONLY "No machine code in objects: the command and the benchmark alone can be linked" OFF)
if(TESSERA_LTO_ONLY AND TESSERA_TESTS)
  message(FATAL_ERROR "Tests cannot link what TESSERA_LTO_ONLY makes: set it, or TESSERA_TESTS, OFF")
endif()
add_library(tessera_lto INTERFACE)
if(TESSERA_LTO AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_BUILD_TYPE STREQUAL "Release"
   AND NOT TESSERA_SANITIZE)
  set(TESSERA_LTO_USED ON)
  if(TESSERA_LTO_ONLY)
    set(CMAKE_AR ${CMAKE_CXX_COMPILER_AR})
    set(CMAKE_RANLIB ${CMAKE_CXX_COMPILER_RANLIB})
    target_compile_options(tessera_lto INTERFACE -flto=auto -fno-fat-lto-objects)
  else()
    target_compile_options(tessera_lto INTERFACE -flto=auto -ffat-lto-objects)
  endif()
  set(lto_link -flto=auto)
endif()

# tessera_optimise_link(EXECUTABLE): for the command and the benchmark. tests/ sets -fno-lto.
function(tessera_optimise_link executable)
  target_link_options(${executable} PRIVATE ${lto_link})
endfunction()

# tessera_library(NAME SOURCES... DEPENDS...): a static library of one component.
function(tessera_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/tessera>)
  target_compile_features(${name} PUBLIC cxx_std_17)
  target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:tessera_flags>
                        $<BUILD_INTERFACE:tessera_lto> PUBLIC ${ARG_DEPENDS})
  if(TESSERA_PRECOMPILED)
    target_precompile_headers(${name} REUSE_FROM ${TESSERA_PRECOMPILED})
  endif()
endfunction()

# tessera_policy_library(NAME SOURCES... DEPENDS...): a room with policies or roles. Each registers
# itself and no other file names it, so that the linker must take every object of the archive
# (NAME_files).
function(tessera_policy_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  tessera_library(${name}_files SOURCES ${ARG_SOURCES} DEPENDS ${ARG_DEPENDS})
  add_library(${name} INTERFACE)
  # CMake adds no namespace to names within LINK_LIBRARY when it exports them.
  string(REPLACE "tessera_" "tessera::" installed ${name}_files)
  target_link_libraries(${name} INTERFACE
    $<BUILD_INTERFACE:$<LINK_LIBRARY:WHOLE_ARCHIVE,${name}_files>>
    $<INSTALL_INTERFACE:$<LINK_LIBRARY:WHOLE_ARCHIVE,${installed}>> ${ARG_DEPENDS})
endfunction()
