# SPDX-License-Identifier: Apache-2.0
# tessera_add_plugin(NAME SOURCES...): a shared object NAME.so for `tessera run --plugin`. It links none
# of Tessera's libraries: the command has them, and there must be one of each.
function(tessera_add_plugin name)
  add_library(${name} MODULE ${ARGN})
  set_target_properties(${name} PROPERTIES PREFIX "" CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON
                                           CXX_EXTENSIONS OFF)
  foreach(target tessera::core tessera::platforms SystemC::systemc nlohmann_json::nlohmann_json)
    target_include_directories(${name} SYSTEM PRIVATE
      $<TARGET_PROPERTY:${target},INTERFACE_INCLUDE_DIRECTORIES>)
    target_compile_definitions(${name} PRIVATE
      $<TARGET_PROPERTY:${target},INTERFACE_COMPILE_DEFINITIONS>)
  endforeach()
  # As Tessera's own code: statistics are the same on every machine.
  target_compile_options(${name} PRIVATE -ffp-contract=off)
endfunction()
