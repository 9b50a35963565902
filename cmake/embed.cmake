# SPDX-License-Identifier: Apache-2.0
# Called with -P by tessera_embed(): writes OUTPUT from PAIRS ("SYMBOL=FILE|SYMBOL=FILE").

file(WRITE ${OUTPUT}.part "// Made by cmake/embed.cmake.\nnamespace ${NAMESPACE} {\n")
string(REPLACE "|" ";" pairs "${PAIRS}")
foreach(pair IN LISTS pairs)
  string(REGEX REPLACE "=.*$" "" symbol "${pair}")
  string(REGEX REPLACE "^[^=]*=" "" path "${pair}")
  file(READ ${path} text)
  string(FIND "${text}" ")embedded\"" clash)
  if(NOT clash EQUAL -1)
    message(FATAL_ERROR "${path} has the text that ends an embedded file")
  endif()
  file(APPEND ${OUTPUT}.part "extern const char* const ${symbol};\n")
  file(APPEND ${OUTPUT}.part "const char* const ${symbol} = R\"embedded(${text})embedded\";\n")
endforeach()
file(APPEND ${OUTPUT}.part "}\n")
file(RENAME ${OUTPUT}.part ${OUTPUT})
