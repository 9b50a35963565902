// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <tlm>

namespace tessera {

/// The hart that a transaction comes from.
struct InitiatingHart final : tlm::tlm_extension<InitiatingHart> {
  std::uint32_t hart = 0;
  /// Fences of memory writes before device writes that it has executed.
  std::uint64_t fences = 0;

  tlm::tlm_extension_base* clone() const override { return new InitiatingHart(*this); }
  void copy_from(const tlm::tlm_extension_base& from) override {
    const auto& other = static_cast<const InitiatingHart&>(from);
    hart = other.hart;
    fences = other.fences;
  }
};

}  // namespace tessera
