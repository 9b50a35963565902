// SPDX-License-Identifier: Apache-2.0
// contents PLAN FOLDER: writes the initial contents of each array of a plan, for
// measure_gpu_test.py.

#include "scripts/measure_gpu/contents.h"

#include <fstream>
#include <iostream>

int main(int argc, char** argv) {
  try {
    if (argc != 3) throw std::runtime_error("wrong arguments");
    const measure_gpu::Plan plan = measure_gpu::read_plan(argv[1], 1);
    for (const measure_gpu::Array& array : plan.arrays) {
      const measure_gpu::Bytes all = measure_gpu::Contents(plan, array, 1).all();
      std::ofstream file(std::string(argv[2]) + "/" + array.name, std::ios::binary);
      file.write(reinterpret_cast<const char*>(all.data()),
                 static_cast<std::streamsize>(all.size()));
    }
    return 0;
  } catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
  }
}
