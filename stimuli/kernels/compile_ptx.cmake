# SPDX-License-Identifier: Apache-2.0
# cmake -DCLANG=... (or -DNVCC=...) -DSOURCE=x.cu -DOUTPUT=x.ptx -P compile_ptx.cmake
# Compiles CUDA to PTX with clang (without SDK) or with nvcc, and adds the licence line.
# docs/guide/your-own-kernel.md describes the same commands for users.
if(NVCC)
  set(compile ${NVCC} -ptx -arch=sm_75 -std=c++17 -O3 ${SOURCE})
else()
  set(compile
      ${CLANG} -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-path=/nonexistent
      -Wno-unknown-cuda-version --cuda-gpu-arch=sm_70 -Xclang -target-feature -Xclang +ptx60
      -std=c++17 -O3 -S ${SOURCE})
endif()
execute_process(COMMAND ${compile} -o ${OUTPUT}.raw RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  file(REMOVE ${OUTPUT}.raw)
  message(FATAL_ERROR "${CLANG}${NVCC} could not compile ${SOURCE}")
endif()
# Not file(READ), because CMake lists would corrupt the semicolons and brackets of PTX.
file(WRITE ${OUTPUT} "// SPDX-License-Identifier: Apache-2.0\n")
execute_process(COMMAND ${CMAKE_COMMAND} -E cat ${OUTPUT}.raw OUTPUT_VARIABLE text)
file(APPEND ${OUTPUT} "${text}")
file(REMOVE ${OUTPUT}.raw)
