# SPDX-License-Identifier: Apache-2.0
# cmake -DCLANG=... -DSOURCE=x.cu -DOUTPUT=x.ptx -P compile_ptx.cmake
# Compiles CUDA to PTX with clang alone (no SDK) and puts the licence on top. docs/guide/
# your-own-kernel.md gives the same command for users.
execute_process(
  COMMAND ${CLANG} -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-path=/nonexistent
          -Wno-unknown-cuda-version --cuda-gpu-arch=sm_70 -Xclang -target-feature -Xclang +ptx60
          -std=c++17 -O3 -S ${SOURCE} -o ${OUTPUT}.raw
  RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  file(REMOVE ${OUTPUT}.raw)
  message(FATAL_ERROR "clang could not compile ${SOURCE}")
endif()
# Not file(READ): PTX has semicolons and brackets, which CMake lists would mangle.
file(WRITE ${OUTPUT} "// SPDX-License-Identifier: Apache-2.0\n")
execute_process(COMMAND ${CMAKE_COMMAND} -E cat ${OUTPUT}.raw OUTPUT_VARIABLE text)
file(APPEND ${OUTPUT} "${text}")
file(REMOVE ${OUTPUT}.raw)
