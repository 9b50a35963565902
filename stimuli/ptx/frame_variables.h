// SPDX-License-Identifier: Apache-2.0
#pragma once

// The local variables of an out-of-line function while its code is appended to a kernel. Internal
// to inline.cpp.

#include <cstdint>
#include <string>
#include <unordered_map>

#include "stimuli/ptx/module.h"

namespace tessera::ptx {

/// Whether a load of parameter space has a register as its address ("ld.param.u32 %r1, [%rd1]"). In
/// a device function it is the address of a parameter of that function.
bool loads_parameter_by_register(const Function& f, const Instruction& load);
/// Parameters of device functions are in local memory if they have an address.
void make_local(Instruction& load);

class FrameVariables {
 public:
  /// `base`: the register that holds the frame's address. Added code and registers go to `flat`,
  /// which must outlive the object.
  FrameVariables(Function& flat, std::string base) : flat_(flat), base_(std::move(base)) {}

  /// Gives a variable its place in the frame.
  void place(const Variable& v);
  /// Makes a parameter a variable of the frame, with code at the line of `at` that copies it.
  void copy_parameter(const Instruction& at, const Variable& parameter);
  /// The end of the variables, and its reset at the end of an expanded function: expansions that
  /// follow each other share their part of the frame.
  std::uint64_t mark() const { return end_; }
  void release(std::uint64_t mark) { end_ = mark; }
  /// Replaces variables of the frame in an instruction by their addresses.
  void replace(Instruction& i);

  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t alignment() const { return alignment_; }

 private:
  void replace(const Instruction& i, Operand& o);
  std::string declare(const std::string& name, Type type);

  Function& flat_;
  std::string base_;
  std::unordered_map<std::string, std::uint64_t> offsets_;
  std::uint64_t end_ = 0;
  std::uint64_t bytes_ = 0;  ///< the largest end_
  std::uint64_t alignment_ = 1;
};

}  // namespace tessera::ptx
