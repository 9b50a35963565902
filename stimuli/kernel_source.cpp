// SPDX-License-Identifier: Apache-2.0
#include "stimuli/kernel_source.h"

#include <algorithm>

#include "common/error.h"

namespace tessera {

KernelSource& source_of(const LaunchRequest& request) {
  if (request.source == nullptr) {
    throw InputError("kernel '" + request.kernel + "': the launch names no kernel source");
  }
  return *request.source;
}

std::vector<std::byte> argument_block(const std::string& kernel,
                                      const std::vector<KernelParameter>& parameters,
                                      std::uint32_t bytes,
                                      const std::vector<KernelArgument>& arguments) {
  if (arguments.size() != parameters.size()) {
    throw InputError("kernel '" + kernel + "' takes " + std::to_string(parameters.size()) +
                     " arguments, not " + std::to_string(arguments.size()));
  }
  std::vector<std::byte> block(bytes);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::vector<std::byte>& from = arguments[i].bytes;
    if (from.size() != parameters[i].bytes) {
      throw InputError("kernel '" + kernel + "': argument " + std::to_string(i + 1) + " ('" +
                       parameters[i].name + "') has " + std::to_string(from.size()) +
                       " bytes; expected " + std::to_string(parameters[i].bytes));
    }
    std::copy(from.begin(), from.end(), block.begin() + parameters[i].offset);
  }
  return block;
}

std::vector<KernelArgument> arguments_of(const KernelFacts& facts,
                                         const std::vector<std::byte>& block) {
  std::vector<KernelArgument> arguments;
  for (const KernelParameter& p : facts.parameters) {
    const auto from = block.begin() + p.offset;
    arguments.push_back({std::vector<std::byte>(from, from + p.bytes)});
  }
  return arguments;
}

}  // namespace tessera
