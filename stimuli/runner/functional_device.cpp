// SPDX-License-Identifier: Apache-2.0
#include "stimuli/runner/functional_device.h"

#include <sstream>
#include <utility>

#include "common/error.h"
#include "stimuli/functional_run.h"

namespace tessera::kernels {

Address FunctionalDevice::allocate(const std::string& name, std::uint64_t bytes) {
  const Address begin = allocations_.allocate(name, bytes).begin;
  memory_.cover(allocations_.top());
  return begin;
}

void FunctionalDevice::check(const char* what, Address address, std::uint64_t bytes) const {
  if (allocations_.find(address, bytes) != nullptr) return;
  std::ostringstream message;
  message << "the host " << what << " " << bytes << " bytes at 0x" << std::hex << address
          << ", which no allocation holds";
  throw RunError(message.str());
}

void FunctionalDevice::write(Address to, const void* from, std::uint64_t bytes) {
  if (bytes == 0) return;
  check("writes", to, bytes);
  memory_.write(to, from, bytes);
}

void FunctionalDevice::defer(Address to, std::uint64_t bytes, Contents contents) {
  check("writes", to, bytes);
  memory_.defer(to, bytes, std::move(contents));
}

void FunctionalDevice::read(void* to, Address from, std::uint64_t bytes) {
  if (bytes == 0) return;
  check("reads", from, bytes);
  memory_.read(to, from, bytes);
}

void FunctionalDevice::launch(const LaunchRequest& request) {
  const auto program = source_of(request).make(request, {&memory_, on_race_});
  instructions_ += run_functionally(*program, instruction_budget_).warp_instructions;
  ctas_ += request.grid.count();
  ++launches_;
}

}  // namespace tessera::kernels
