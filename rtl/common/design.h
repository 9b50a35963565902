// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "modules/bridge/axi4_pins.h"
#include "modules/bridge/line_pins.h"
#include "modules/bridge/rtl_model.h"

namespace tessera {

/// A design with one side where requests arrive and, unless it is a memory, one where they leave.
/// RtlBlock puts it into a platform. tessera_add_rtl_block() (cmake/TesseraRtl.cmake) makes one
/// from SystemVerilog.
class Design : public RtlModel {
 public:
  enum class Port : std::uint8_t { kNone, kAxi4, kLines };

  Port above = Port::kAxi4;  ///< where requests arrive; not kNone
  Port below = Port::kNone;  ///< kNone: a memory
  unsigned line_bytes = 0;   ///< of kLines

  // The pins of the sides that the design has.
  Axi4Pins axi4_above;
  Axi4Shape above_shape;
  LineRequestPins requests_above;
  LineResponsePins responses_above;
  Axi4Pins axi4_below;
  Axi4Shape below_shape;
  LineRequestPins requests_below;
  LineResponsePins responses_below;

  /// False: the model does not know whether it is busy (busy() is false). Its clock runs while
  /// requests are in the block, and RtlBlockConfig::quiet_cycles longer.
  bool knows_busy = false;
  /// Bits of LineRequestPins::id that the design returns (kLines).
  unsigned line_id_bits = 16;

  /// An output that has changed with an input of the same cycle in the last step; null if there is
  /// none.
  virtual const char* broken_rule() const { return nullptr; }
};

/// `name`: of the block, for waveforms.
using DesignFactory = std::function<std::unique_ptr<Design>(const std::string& name)>;

/// Registers "name" as an implementation of the family "rtl_link" if the design has a side below,
/// and as one of "dram" if it is a memory.
void register_design(const std::string& name, bool memory, DesignFactory make);

}  // namespace tessera
