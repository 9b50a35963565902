# SPDX-License-Identifier: Apache-2.0
# Precompiled headers for sources that use SystemC or nlohmann-json; they save a third of the
# compile time of these sources (and none of others). The libraries of a folder reuse the headers
# named by TESSERA_PRECOMPILED. Sources must still include all headers that they use, because
# clang-tidy (scripts/test) and the tests of the installed package compile without precompiled
# headers.

# tessera_precompile(NAME LIBRARIES... HEADERS...)
function(tessera_precompile name)
  cmake_parse_arguments(ARG "" "" "LIBRARIES;HEADERS" ${ARGN})
  # CMake precompiles headers only for a target with a source.
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp CONTENT "")
  add_library(${name} STATIC ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  target_link_libraries(${name} PRIVATE tessera_flags tessera_lto ${ARG_LIBRARIES})
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
endfunction()

# Without <iostream>, which creates a static object in each source.
set(headers <algorithm> <array> <cmath> <filesystem> <functional> <map> <memory> <optional> <set>
            <sstream> <string> <vector>)
tessera_precompile(tessera_precompiled_json
                   LIBRARIES nlohmann_json::nlohmann_json
                   HEADERS ${headers} ${PROJECT_SOURCE_DIR}/common/json.h)
# Without nlohmann-json, which costs each source 1 s even when it is precompiled: few blocks use it.
tessera_precompile(tessera_precompiled_systemc
                   LIBRARIES SystemC::systemc
                   HEADERS <systemc> <tlm> <tlm_utils/passthrough_target_socket.h>
                           <tlm_utils/simple_initiator_socket.h> ${headers})
unset(headers)
