# SPDX-License-Identifier: Apache-2.0
# Finds SystemC by its CMake package (Accellera's own build), otherwise by pkg-config (Debian).
# Defines the target SystemC::systemc.

find_package(SystemCLanguage CONFIG QUIET)
if(NOT TARGET SystemC::systemc)
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(SYSTEMC IMPORTED_TARGET systemc)
  if(NOT SYSTEMC_FOUND)
    message(FATAL_ERROR "SystemC was found neither as a CMake package (SystemCLanguage) nor by "
                        "pkg-config. On Debian: apt-get install libsystemc-dev")
  endif()
  add_library(SystemC::systemc INTERFACE IMPORTED GLOBAL)
  target_link_libraries(SystemC::systemc INTERFACE PkgConfig::SYSTEMC)
endif()

# Enables sc_spawn before SystemC 3.
set_property(TARGET SystemC::systemc APPEND PROPERTY INTERFACE_COMPILE_DEFINITIONS
             SC_INCLUDE_DYNAMIC_PROCESSES)

include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_LIBRARIES SystemC::systemc)
set(CMAKE_REQUIRED_FLAGS "-std=c++17")
check_cxx_source_compiles(
  "#include <systemc>
   #include <tlm>
   int sc_main(int, char**) { return sc_core::sc_time_stamp() == sc_core::SC_ZERO_TIME ? 0 : 1; }"
  TESSERA_SYSTEMC_LINKS)
unset(CMAKE_REQUIRED_LIBRARIES)
unset(CMAKE_REQUIRED_FLAGS)
if(NOT TESSERA_SYSTEMC_LINKS)
  message(FATAL_ERROR "SystemC was found but a C++17 program does not link with it: it was "
                      "probably built for another C++ standard (see CMakeFiles/CMakeError.log)")
endif()
