# SPDX-License-Identifier: Apache-2.0
# tessera_embed(OUTPUT NAMESPACE SYMBOL=FILE...): generates a C++ source that defines one
# `const char* const SYMBOL` per text file, again if a file changes.

set(TESSERA_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/embed.cmake)

function(tessera_embed output namespace)
  set(files)
  foreach(pair IN LISTS ARGN)
    string(REGEX REPLACE "^[^=]*=" "" file "${pair}")
    list(APPEND files ${file})
  endforeach()
  string(REPLACE ";" "|" pairs "${ARGN}")
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DNAMESPACE=${namespace} "-DPAIRS=${pairs}"
            -P ${TESSERA_EMBED_SCRIPT}
    DEPENDS ${files} ${TESSERA_EMBED_SCRIPT}
    COMMENT "Embedding files into ${output}"
    VERBATIM)
endfunction()
