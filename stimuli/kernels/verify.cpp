// SPDX-License-Identifier: Apache-2.0
#include "stimuli/kernels/verify.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "common/error.h"

namespace tessera::kernels {
namespace {

constexpr std::size_t kMaxMessages = 8;
/// Elements read back at a time.
constexpr std::uint64_t kChunk = std::uint64_t{1} << 20;

std::string describe(Element type, const std::byte* got, const Element64& want) {
  std::ostringstream out;
  if (is_float(type)) {
    out.precision(9);
    out << load_float(type, got) << ", expected " << want.value << " within " << want.allowed;
  } else {
    out << load_integer(type, got) << ", expected " << want.integer;
  }
  return out.str();
}

}  // namespace

void compare(Device& device, const ArraySpec& array, std::uint64_t count,
             const Expectation& expectation, Verification& into) {
  const Allocation* allocation = device.allocations().find(array.name);
  if (allocation == nullptr) throw RunError("the array '" + array.name + "' was never allocated");
  const unsigned step = element_bytes(array.type);
  std::vector<std::byte> chunk;
  for (std::uint64_t begin = 0; begin < count; begin += kChunk) {
    const std::uint64_t elements = std::min(kChunk, count - begin);
    chunk.resize(elements * step);
    device.read(chunk.data(), allocation->begin + begin * step, chunk.size());
    for (std::uint64_t i = 0; i < elements; ++i) {
      const std::byte* at = chunk.data() + i * step;
      const Element64 want = expectation.element(begin + i);
      double error = 0;
      bool wrong = false;
      if (is_float(array.type)) {
        error = std::fabs(load_float(array.type, at) - want.value);
        wrong = !(error <= want.allowed);
        if (std::isnan(error)) error = std::numeric_limits<double>::infinity();
      } else {
        const std::int64_t got = load_integer(array.type, at);
        wrong = got != want.integer;
        error = std::fabs(static_cast<double>(got) - static_cast<double>(want.integer));
      }
      into.worst_error = std::max(into.worst_error, error);
      if (!wrong) continue;
      ++into.wrong;
      if (into.messages.size() < kMaxMessages) {
        into.messages.push_back(array.name + "[" + std::to_string(begin + i) + "] is " +
                                describe(array.type, at, want));
      }
    }
    into.compared += elements;
  }
}

void conclude(Verification& verification) {
  verification.passed = verification.compared > 0 && verification.wrong == 0;
}

}  // namespace tessera::kernels
