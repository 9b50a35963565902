// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "modules/vp/iss.h"
#include "modules/vp/iss_debug.h"

namespace tessera {

/// A function, or what else has a symbol.
struct TraceSymbol {
  std::string name;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;  ///< address of the next symbol
};

/// What a trace uses of its machine.
struct InstructionTraceSite {
  std::function<std::optional<TraceSymbol>(std::uint64_t pc)> symbol;
  /// Name of the device at a physical address; empty for memory.
  std::function<std::string(std::uint64_t physical)> device;
  /// In ns, before an instruction of the core's present quantum (IssInstruction::instructions).
  std::function<std::uint64_t(std::uint32_t hart, std::uint64_t instructions)> time_ns;
  std::function<void(const std::string& line)> write;
};

/// Writes a line for each instruction that the cores begin, and for each trap. Format:
/// docs/guide/virtual-platform.md, "Trace".
class InstructionTrace {
 public:
  InstructionTrace(std::uint32_t harts, InstructionTraceSite site);

  void instruction(std::uint32_t hart, const IssInstruction& instruction);
  /// `instructions`: of the core (Iss::instructions()).
  void trap(std::uint32_t hart, const IssFault& fault, std::uint64_t instructions);

 private:
  struct Core {
    bool begun = false;
    std::uint64_t time_ns = 0;  ///< of the last line
    std::optional<TraceSymbol> symbol;
  };

  std::string symbol_text(Core& core, std::uint64_t pc) const;
  std::string access_text(const IssInstruction& i) const;

  const InstructionTraceSite site_;
  std::vector<Core> cores_;
};

}  // namespace tessera
