// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "modules/noc/noc_config.h"
#include "modules/noc/switch_state.h"
#include "policies/arbiter.h"

namespace tessera {

/// The virtual output queues of one stage of switches: at each switch input, one first-in-first-out
/// queue for each output. The queues of an input share its buffer (dynamically allocated queues,
/// Tamir and Frazier, ISCA 1988).
///
/// A switch matches inputs with outputs as iSLIP does (McKeown, IEEE/ACM Transactions on Networking
/// 7(2), 1999): each free output grants one of the inputs that request it, each input accepts one
/// of its grants, and further iterations match what is left. Only the first iteration moves the
/// pointers, and only if its grant is accepted. A packet holds its input and output until its tail
/// has left, so that matchings are between what is free (packet mode; Ajmone Marsan et al.,
/// IEEE/ACM Transactions on Networking 10(5), 2002). The arbiter of grants and accepts is the
/// fabric's: `round-robin` gives iSLIP, `oldest-first` an oldest-cell-first matching.
class VirtualQueues {
 public:
  /// One switch in one step.
  struct Matching {
    std::uint64_t outputs = 0;                 ///< free outputs
    std::array<std::uint64_t, 64> requests{};  ///< [output]: free inputs with a ready head for it
    std::array<std::uint64_t, 64> grants{};    ///< [input]: outputs that grant it
    std::array<std::uint8_t, 64> input_of{};   ///< [output]: its match
    std::uint64_t matched = 0;                 ///< outputs
    std::uint64_t stalled = 0;                 ///< outputs whose selected head has no space
  };

  VirtualQueues(const SwitchStage& shape, std::size_t buffers, std::size_t links,
                std::uint32_t iterations, const Arbiter& arbiter,
                std::vector<NetworkPacket>& packets);

  std::uint32_t outputs() const { return outputs_; }
  /// Outputs for which the buffer has packets.
  std::uint64_t occupied(std::uint32_t buffer) const { return occupied_[buffer]; }
  std::uint32_t head(std::uint32_t buffer, std::uint32_t output) const {
    return queue(buffer, output).head;
  }
  /// Returns true if the packet is its queue's new head.
  bool push(std::uint32_t buffer, std::uint32_t output, std::uint32_t index);
  std::uint32_t pop(std::uint32_t buffer, std::uint32_t output);
  void clear();

  /// Matches the switch whose first input is `buffer` and whose first output is `link`.
  /// `fits(output, index)`: whether the packet has space downstream.
  template <class Fits>
  void match(Matching& m, std::uint32_t buffer, std::uint32_t link, std::uint64_t cycle,
             Fits&& fits) {
    std::uint64_t inputs = ~std::uint64_t{0};  // not matched
    for (std::uint32_t i = 0; i < iterations_; ++i) {
      std::uint64_t granted = 0;
      for (std::uint64_t left = m.outputs & ~m.matched; left != 0; left &= left - 1) {
        const auto output = static_cast<std::uint32_t>(__builtin_ctzll(left));
        const std::uint64_t requests = m.requests[output] & inputs;
        if (requests == 0) continue;
        const std::uint32_t input = grant(buffer, output, link, requests, cycle);
        m.stalled &= ~(std::uint64_t{1} << output);
        if (!fits(output, head(buffer + input, output))) {
          m.stalled |= std::uint64_t{1} << output;
          continue;
        }
        if ((granted >> input & 1) == 0) m.grants[input] = 0;
        granted |= std::uint64_t{1} << input;
        m.grants[input] |= std::uint64_t{1} << output;
      }
      if (granted == 0) return;
      for (std::uint64_t left = granted; left != 0; left &= left - 1) {
        const auto input = static_cast<std::uint32_t>(__builtin_ctzll(left));
        const std::uint32_t output = accept(buffer + input, m.grants[input], cycle);
        m.matched |= std::uint64_t{1} << output;
        m.input_of[output] = static_cast<std::uint8_t>(input);
        inputs &= ~(std::uint64_t{1} << input);
        if (i != 0) continue;
        last_input_[link + output] = static_cast<std::uint8_t>(input);
        last_output_[buffer + input] = static_cast<std::uint8_t>(output);
      }
    }
  }

 private:
  struct Queue {
    std::uint32_t head = kNoPacket;
    std::uint32_t tail = kNoPacket;
  };
  const Queue& queue(std::uint32_t buffer, std::uint32_t output) const {
    return queues_[std::size_t{buffer} * outputs_ + output];
  }
  Queue& queue(std::uint32_t buffer, std::uint32_t output) {
    return queues_[std::size_t{buffer} * outputs_ + output];
  }
  std::uint32_t grant(std::uint32_t buffer, std::uint32_t output, std::uint32_t link,
                      std::uint64_t inputs, std::uint64_t cycle);
  std::uint32_t accept(std::uint32_t buffer, std::uint64_t outputs, std::uint64_t cycle);
  /// Arrival of a queue's head at the network, as a cycle.
  std::uint64_t arrival(std::uint32_t buffer, std::uint32_t output, std::uint64_t cycle) const;

  std::uint32_t outputs_;  ///< of a switch
  std::uint32_t iterations_;
  const Arbiter& arbiter_;
  const bool by_age_;
  std::vector<NetworkPacket>& packets_;
  std::vector<Queue> queues_;
  std::vector<std::uint64_t> occupied_;      ///< [buffer]
  std::vector<std::uint8_t> last_input_;     ///< [link], of its grants that were accepted
  std::vector<std::uint8_t> last_output_;    ///< [buffer], that it accepted
  std::array<std::uint64_t, 64> arrived_{};  ///< ArbitrationRequests::arrived
};

}  // namespace tessera
