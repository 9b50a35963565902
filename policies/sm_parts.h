// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tessera {

/// The SMs of a GPU, divided into equal parts (KernelScheduler::parts()). Each innermost node gives
/// each part the same number of SMs, so that a part has the shape of the whole GPU. SMs of a part
/// are numbered from 0, in ascending order.
class SmParts {
 public:
  /// `sms_per_node`: of the GPU's innermost nodes; a multiple of `parts`.
  SmParts(std::uint32_t sms_per_gpu, std::uint32_t sms_per_node, std::uint32_t parts)
      : sms_(sms_per_gpu), per_node_(sms_per_node), own_(sms_per_node / parts), parts_(parts) {}

  std::uint32_t count() const { return parts_; }
  /// SMs of a part.
  std::uint32_t size() const { return sms_ / parts_; }
  /// The part of an SM of the GPU, and its number there.
  std::uint32_t part_of(std::uint32_t sm) const { return parts_ == 1 ? 0 : sm % per_node_ / own_; }
  std::uint32_t number_of(std::uint32_t sm) const {
    return sm / per_node_ * own_ + sm % per_node_ % own_;
  }
  /// The SM of a number in a part.
  std::uint32_t sm_of(std::uint32_t part, std::uint32_t number) const {
    return number / own_ * per_node_ + part * own_ + number % own_;
  }

 private:
  std::uint32_t sms_;
  std::uint32_t per_node_;
  std::uint32_t own_;  ///< SMs of a node that one part has
  std::uint32_t parts_;
};

}  // namespace tessera
