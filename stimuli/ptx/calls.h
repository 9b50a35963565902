// SPDX-License-Identifier: Apache-2.0
#pragma once

// Calls of device functions. A direct call of a function that is not recursive is expanded in
// place. Recursive functions and the possible targets of indirect calls are out of line: their code
// follows the kernel's, and they have frames on a stack in local memory. docs/decisions/calls.md.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/text.h"
#include "stimuli/ptx/module.h"

namespace tessera::ptx {

/// Addresses of functions: kCodeWindow + kCodeStep * (index in Module::functions). No allocation
/// and no other window has addresses there.
inline constexpr std::uint64_t kCodeWindow = 0x0300'0000;
inline constexpr std::uint64_t kCodeStep = 16;
constexpr std::uint64_t code_address(std::uint64_t index) {
  return kCodeWindow + kCodeStep * index;
}
/// Return addresses: kReturnWindow + kCodeStep * (index in Kernel::call_sites).
inline constexpr std::uint64_t kReturnWindow = 0x0400'0000;

/// Opcodes that replace `call` and `ret` of out-of-line functions. `_call` has the operands target
/// (a register or, of a direct call, a kSink), results, arguments, and for each possible target a
/// list of two lists: the function's results and its parameters, with the index of the function in
/// FlatKernel::functions in `integer`. All results and arguments are .param variables.
inline constexpr const char* kCallOpcode = "_call";
inline constexpr const char* kReturnOpcode = "_return";
/// The instruction at which a call returns, where the next one can also be reached by a branch.
inline constexpr const char* kLandOpcode = "_land";
/// st.local and ld.local of registers around a call.
inline constexpr const char* kSaveOpcode = "_save";
inline constexpr const char* kRestoreOpcode = "_restore";

/// Hidden registers of 64 bits. PTX names have no '@'.
inline constexpr const char* kStackPointer = "@sp";
inline constexpr const char* kReturnAddress = "@ra";
/// A register with the stack pointer of the entry, of functions with alloca.
inline constexpr const char* kFramePointer = "@fp";
/// A constant of the launch: the address behind the stack, which grows down.
inline constexpr const char* kStackTop = "@stack_top";

/// Whether a register holds an address of the stack: kStackPointer or a kFramePointer.
inline bool is_stack_register(const std::string& name) {
  return name == kStackPointer || begins_with(name, kFramePointer);
}

/// A function whose code is not expanded in place.
struct OutOfLineFunction {
  std::string name;
  std::uint64_t address = 0;
  std::vector<std::string> results;     ///< .param variables of the flat function
  std::vector<std::string> parameters;  ///< .param variables of the flat function
  std::size_t begin = 0;                ///< its instructions in the flat function: [begin, end)
  std::size_t end = 0;
  /// The frame: local variables, then registers that calls preserve. Offsets are relative to
  /// `base`: the stack pointer, or a register with its value at the entry if the function has
  /// alloca.
  std::string base = kStackPointer;
  std::uint64_t frame_bytes = 0;
};

/// A kernel's code without calls of PTX: calls are expanded or replaced by kCallOpcode.
struct FlatKernel {
  Function function;
  std::vector<OutOfLineFunction> functions;
  bool uses_stack = false;
  std::uint64_t stack_alignment = 16;  ///< of the stack pointer; every frame is a multiple
  /// The first call that is not expanded, and why. Empty if there is none. A kernel can have such
  /// calls and no functions, if no function fits.
  std::string first_call;
};

/// Replaces the calls of a kernel. Throws InputError for functions without a body and for an
/// expansion of more than a million instructions. Defined in inline.cpp.
FlatKernel expand_calls(const Module& module, const Function& entry);

/// Adds the frames of out-of-line functions: the code that moves the stack pointer, and saves and
/// restores the registers that a call must preserve. Defined in frames.cpp.
void add_frames(const Module& module, FlatKernel& kernel);

/// A function's address as a value, or 0 if the module has no function of that name that is no
/// kernel.
std::uint64_t function_address(const Module& module, const std::string& name);

/// Direct calls and addresses of functions in a module.
class CallGraph {
 public:
  explicit CallGraph(const Module& module);

  /// The function of that name if it has a body and is no kernel; else nullptr.
  const Function* body_of(const std::string& name) const;
  /// Whether the function can reach itself by direct calls.
  bool is_recursive(const Function& f);
  /// Whether the function, or one that is expanded in it, moves the stack pointer.
  bool moves_stack(const Function& f);
  /// Whether an instruction takes the address of the parameter: "mov.b64 %rd1, parameter".
  static bool takes_address(const Function& f, const std::string& parameter);
  /// The possible targets of an indirect call in `caller`: the functions of the list `list` (a
  /// label of .calltargets or a variable with an initialiser), or the functions that fit the
  /// prototype `list` and whose address is taken in the module. None if `list` names neither.
  std::optional<std::vector<const Function*>> targets(const Function& caller,
                                                      const std::string& list);

 private:
  /// The functions whose address is taken, in the order of the text.
  const std::vector<const Function*>& address_taken();
  /// The variable with an initialiser of that name; else nullptr.
  const Variable* table(const Function& caller, const std::string& name) const;

  bool reaches_itself(const Function& f) const;

  const Module& module_;
  std::unordered_map<std::string, const Function*> bodies_;  ///< by name or alias
  std::optional<std::vector<const Function*>> address_taken_;
  std::map<const Function*, bool> recursive_;
  std::map<const Function*, bool> moves_stack_;
};

/// The operand of a `call` that names its target; nullptr if it is missing.
const Operand* call_target(const Instruction& call);

/// Whether the instruction is alloca, stacksave or stackrestore.
bool is_stack_move(const Instruction& i);

}  // namespace tessera::ptx
