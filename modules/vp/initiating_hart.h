// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <tlm>

namespace tessera {

/// The hart that a transaction comes from.
struct InitiatingHart final : tlm::tlm_extension<InitiatingHart> {
  std::uint32_t hart = 0;

  tlm::tlm_extension_base* clone() const override { return new InitiatingHart(*this); }
  void copy_from(const tlm::tlm_extension_base& from) override {
    hart = static_cast<const InitiatingHart&>(from).hart;
  }
};

}  // namespace tessera
