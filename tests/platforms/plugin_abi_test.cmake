# SPDX-License-Identifier: Apache-2.0
# The hash that a plugin is known by changes with any header, such as a policy's interface, and with
# nothing else.
cmake_minimum_required(VERSION 3.25)

function(hash_of_headers)
  execute_process(COMMAND ${CMAKE_COMMAND} -DSOURCE=${WORK} -DOUTPUT=${WORK}/plugin_abi.h -P ${SCRIPT}
                  COMMAND_ERROR_IS_FATAL ANY)
  file(READ ${WORK}/plugin_abi.h text)
  if(NOT text MATCHES "kPluginAbi = 0x[0-9a-f]+;")
    message(FATAL_ERROR "no hash in\n${text}")
  endif()
  set(hash "${CMAKE_MATCH_0}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
file(WRITE ${WORK}/policies/mine.h "virtual int a(); virtual int b();")
file(WRITE ${WORK}/policies/mine.cpp "int x;")
hash_of_headers()
set(first "${hash}")
file(WRITE ${WORK}/policies/mine.cpp "int y;")
hash_of_headers()
if(NOT hash STREQUAL first)
  message(FATAL_ERROR "a source changed the hash")
endif()
# Of the same size, in another order.
file(WRITE ${WORK}/policies/mine.h "virtual int b(); virtual int a();")
hash_of_headers()
if(hash STREQUAL first)
  message(FATAL_ERROR "a changed interface has the hash of the old one")
endif()
