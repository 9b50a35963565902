// SPDX-License-Identifier: Apache-2.0
#include "modules/noc/virtual_queues.h"

#include <algorithm>

#include "common/bits.h"

namespace tessera {
namespace {

constexpr std::uint8_t kBeforeFirst = 63;

}  // namespace

VirtualQueues::VirtualQueues(const SwitchStage& shape, std::size_t buffers, std::size_t links,
                             std::uint32_t iterations, const Arbiter& arbiter,
                             std::vector<NetworkPacket>& packets)
    : outputs_(shape.outputs),
      iterations_(iterations),
      arbiter_(arbiter),
      by_age_(arbiter.compares_age()),
      packets_(packets),
      queues_(buffers * shape.outputs),
      occupied_(buffers, 0),
      last_input_(links, kBeforeFirst),
      last_output_(buffers, kBeforeFirst) {}

void VirtualQueues::clear() {
  std::fill(queues_.begin(), queues_.end(), Queue{});
  std::fill(occupied_.begin(), occupied_.end(), 0);
  std::fill(last_input_.begin(), last_input_.end(), kBeforeFirst);
  std::fill(last_output_.begin(), last_output_.end(), kBeforeFirst);
}

bool VirtualQueues::push(std::uint32_t buffer, std::uint32_t output, std::uint32_t index) {
  Queue& q = queue(buffer, output);
  packets_[index].next = kNoPacket;
  const bool first = q.head == kNoPacket;
  if (first) {
    q.head = index;
    occupied_[buffer] |= std::uint64_t{1} << output;
  } else {
    packets_[q.tail].next = index;
  }
  q.tail = index;
  return first;
}

std::uint32_t VirtualQueues::pop(std::uint32_t buffer, std::uint32_t output) {
  Queue& q = queue(buffer, output);
  const std::uint32_t index = q.head;
  q.head = packets_[index].next;
  if (q.head == kNoPacket) occupied_[buffer] &= ~(std::uint64_t{1} << output);
  return index;
}

std::uint64_t VirtualQueues::arrival(std::uint32_t buffer, std::uint32_t output,
                                     std::uint64_t cycle) const {
  // The low bits of the arrival, which is in the past.
  return cycle - (static_cast<std::uint32_t>(cycle) - packets_[head(buffer, output)].arrived);
}

std::uint32_t VirtualQueues::grant(std::uint32_t buffer, std::uint32_t output, std::uint32_t link,
                                   std::uint64_t inputs, std::uint64_t cycle) {
  if (at_most_one_bit(inputs)) return lowest_bit(inputs);
  ArbitrationRequests requests{inputs, last_input_[link + output], nullptr};
  if (by_age_) {
    for (std::uint64_t left = inputs; left != 0; left &= left - 1) {
      const std::uint32_t input = lowest_bit(left);
      arrived_[input] = arrival(buffer + input, output, cycle);
    }
    requests.arrived = arrived_.data();
  }
  return arbiter_.choose(requests);
}

std::uint32_t VirtualQueues::accept(std::uint32_t buffer, std::uint64_t outputs,
                                    std::uint64_t cycle) {
  if (at_most_one_bit(outputs)) return lowest_bit(outputs);
  ArbitrationRequests requests{outputs, last_output_[buffer], nullptr};
  if (by_age_) {
    for (std::uint64_t left = outputs; left != 0; left &= left - 1) {
      const std::uint32_t output = lowest_bit(left);
      arrived_[output] = arrival(buffer, output, cycle);
    }
    requests.arrived = arrived_.data();
  }
  return arbiter_.choose(requests);
}

}  // namespace tessera
