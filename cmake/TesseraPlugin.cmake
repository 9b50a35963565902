# SPDX-License-Identifier: Apache-2.0
# tessera_add_plugin(NAME SOURCES...): a shared object NAME.so for `tessera run --plugin`. It does
# not link Tessera's libraries, because it must use the copies in the command.
function(tessera_add_plugin name)
  add_library(${name} MODULE ${ARGN})
  set_target_properties(${name} PROPERTIES PREFIX "" CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON
                                           CXX_EXTENSIONS OFF)
  foreach(target tessera::kernel tessera::platforms SystemC::systemc nlohmann_json::nlohmann_json)
    target_include_directories(${name} SYSTEM PRIVATE
      $<TARGET_PROPERTY:${target},INTERFACE_INCLUDE_DIRECTORIES>)
    target_compile_definitions(${name} PRIVATE
      $<TARGET_PROPERTY:${target},INTERFACE_COMPILE_DEFINITIONS>)
  endforeach()
  # Like Tessera's own code, so that statistics are equal on every machine.
  target_compile_options(${name} PRIVATE -ffp-contract=off)
endfunction()
