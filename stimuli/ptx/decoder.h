// SPDX-License-Identifier: Apache-2.0
#pragma once

// Decodes one kernel: assigns a location to every register, constant and variable, and a handler to
// every instruction. decoder.cpp contains the frame, operands.cpp the operands, and the
// decode_*.cpp the instructions.

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "stimuli/ptx/alu_table.h"
#include "stimuli/ptx/calls.h"
#include "stimuli/ptx/cfg.h"
#include "stimuli/ptx/kernel.h"
#include "stimuli/ptx/matrix.h"
#include "stimuli/ptx/mma.h"
#include "stimuli/ptx/module.h"
#include "stimuli/ptx/video.h"

namespace tessera::ptx {

/// The control flow of a decoded function, and the registers that each instruction names.
struct RegisterTrace {
  struct Name {
    std::string name;
    unsigned bytes = 0;  ///< 0: predicate
  };
  std::vector<Name> registers;  ///< by index in FlowNode
  std::vector<FlowNode> flow;
  std::vector<std::uint32_t> code_of;  ///< of each instruction: its first index in `flow`
};

class Decoder {
 public:
  /// `kernel`: of expand_calls(). It must outlive the decoder.
  Decoder(const Module& module, const FlatKernel& kernel);
  std::shared_ptr<const Kernel> run();
  /// Decodes the kernel as run() does, for add_frames().
  RegisterTrace trace();

 private:
  struct Register {
    std::uint32_t offset = 0;
    std::uint32_t name = 0;  ///< scoreboard name
    unsigned bytes = 0;      ///< 0: predicate
    Type type = Type::kNone;
  };
  /// A variable outside the register space: offset within its space.
  struct Place {
    StateSpace space = StateSpace::kGlobal;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    bool is_entry_parameter = false;
  };
  /// Address operand, resolved.
  struct AddressOperand {
    StateSpace space = StateSpace::kGeneric;  ///< of the symbol; kGeneric without a symbol
    bool has_symbol = false;
    bool is_entry_parameter = false;
    Slot base;
    bool wide = true;
    std::int64_t displacement = 0;
  };

  // Frame (decoder.cpp).
  void place_registers();
  void place_variables();
  void place_parameters();
  void place_shared();
  void decode_body();
  void decode_one(const Instruction& instruction);
  void finish_flow();
  void find_read_only_loads();
  [[noreturn]] void refuse(const std::string& why) const;
  void begin(const Instruction& instruction);
  /// Appends the instruction under construction.
  void emit(Unit unit, unsigned cost);
  const AluEntry& entry(const std::string& name) const;

  // Operands (operands.cpp).
  const Register* find_register(const Operand& operand) const;
  const Place* find_place(const std::string& name) const;
  bool is_sink(const Operand& operand) const;
  const Operand& operand(std::size_t i) const;
  void expect_operands(std::size_t least, std::size_t most) const;
  Slot source(const Operand& operand, Kind kind);
  Slot predicate_source(const Operand& operand, std::uint32_t& flip);
  Slot result(const Operand& operand, Kind kind);
  /// A register of any width of 1 byte or more (ld, st, cvt).
  Slot any_source(const Operand& operand, Kind kind, unsigned& bytes);
  Slot any_result(const Operand& operand, unsigned& bytes);
  /// The low and the high 64 bits of a 128-bit register.
  std::array<Slot, 2> wide_source(const Operand& operand);
  std::array<Slot, 2> wide_result(const Operand& operand);
  Slot constant(const Operand& operand, Kind kind);
  std::int64_t immediate(const Operand& operand) const;
  Slot constant32(std::uint32_t value);
  Slot constant64(std::uint64_t value);
  Slot constant_vector(const std::array<std::uint32_t, kWarpLanes>& lanes);
  Slot constant_mask(std::uint32_t mask);
  /// Stores plain data of a handler in the constant bank.
  Slot constant_bytes(const void* data, std::size_t bytes);
  /// The slots of registers that do not fit Decoded::slot.
  Slot slot_list(const std::vector<Slot>& slots) {
    return constant_bytes(slots.data(), slots.size() * sizeof(Slot));
  }
  bool special_register(const std::string& name, Slot& slot);
  Slot symbol_address(const std::string& name, std::int64_t offset, Kind kind);
  Slot launch_symbol(const std::string& name, std::int64_t addend);
  AddressOperand address(const Operand& operand);
  void reads(const Register& r);
  void writes(const Register& r);

  // Compute instructions (decode_alu.cpp).
  void decode_alu();
  void decode_plain(const AluEntry& e);
  void decode_compare();
  void decode_move();
  void decode_convert();
  void decode_across_lanes();
  void emit_sync(const AluEntry& e, const std::string& name);
  void decode_carry();
  void decode_space_test();
  void decode_lop3();
  bool decode_pack(const Operand& to, const Operand& from);
  void decode_move128(const Operand& to, const Operand& from);
  std::string canonical_name() const;

  // Video instructions (decode_video.cpp).
  bool decode_video();
  bool parse_video(VideoForm& form) const;

  // Memory (decode_memory.cpp, decode_atomic.cpp).
  void decode_memory();
  void decode_atomic();
  Type parse_atomic_modifiers(unsigned& vector);
  void atomic_operands(std::size_t first, Type type, unsigned vector);
  bool take_cache_hint(const std::string& modifier);
  static bool parse_space(const std::string& modifier, StateSpace& space);
  void expect_with_policy(std::size_t count);
  void decode_fixed(const AddressOperand& from, bool is_store);
  void data_operands(const Operand& operand, Type type, bool is_store);
  void parse_memory_modifiers(bool is_store, Type& type);
  void emit_fence();
  bool fence_before_ = false;
  bool fence_after_ = false;
  bool hinted_ = false;  ///< .L2::cache_hint: the last operand is a policy

  // Matrices (decode_matrix.cpp).
  struct WmmaForm;
  WmmaForm parse_wmma() const;
  void decode_wmma();
  void decode_wmma_multiply(const WmmaForm& form);
  StateSpace emit_fragment_address(const WmmaForm& form, FragmentAddress at, unsigned line_elements,
                                   const std::vector<Operand>& unused, bool is_store);
  void emit_transpose(const FragmentTranspose& form, const std::vector<Operand>& data,
                      bool to_hidden);
  std::vector<Operand> fragment(const Operand& operand, unsigned expected) const;
  // mma (decode_mma.cpp).
  MmaForm parse_mma() const;
  void decode_mma();
  void decode_matrix_access();
  void decode_matrix_move();
  // Textures and surfaces (decode_texture.cpp). A fetch is decoded to loads of its texels and to a
  // filter, emitted as late as possible, so that fetches of one warp overlap like loads.
  struct PendingFilter {
    const Instruction* instruction = nullptr;
    Decoded decoded;
    unsigned cost = 1;
    unsigned set = 0;
    std::vector<std::uint32_t> texels;   ///< scoreboard names
    std::vector<std::uint32_t> results;  ///< scoreboard names
  };
  bool decode_texture();
  void decode_fetch();
  void decode_surface();
  void decode_query();
  bool parse_geometry(const std::string& word, TextureForm& form) const;
  void texture_operand(const Operand& operand, TextureForm& form);
  bool is_texture_reference(const std::string& name) const;
  Slot texture_reference(const std::string& name);
  void place_texels();
  void emit_texel_loads(TextureForm& form, unsigned corners, unsigned cost);
  void emit_filter(const PendingFilter& pending);
  /// Emits the filters that must precede the function's instruction `n`.
  void flush_filters(std::size_t n);
  std::vector<PendingFilter> pending_filters_;  ///< oldest first
  std::uint32_t texel_names_ = 0;               ///< first scoreboard name
  std::uint32_t texel_offset_ = 0;              ///< first buffer
  unsigned texel_corners_ = 0;                  ///< buffers of a set
  unsigned next_texel_set_ = 0;

  // Asynchronous copies and mbarriers (decode_async.cpp).
  class Modifiers;
  bool decode_async();
  void decode_copy(Modifiers& modifiers);
  void decode_bulk_copy(Modifiers& modifiers);
  void decode_mbarrier();
  AsyncAddress async_address(const Operand& operand, StateSpace space);
  void emit_async(const AsyncForm& form, Unit unit);

  // Control (decode_control.cpp).
  bool decode_control();
  void decode_branch();
  void decode_barrier();
  void decode_fence();
  void decode_policy();
  void decode_system_call();

  // Calls of out-of-line functions and the stack (decode_calls.cpp).
  bool decode_stack();
  void decode_call();
  void decode_alloca();
  CallData call_data(const std::string& variable) const;
  void place_stack();
  void finish_functions();
  /// The flow graph for reconvergence: lanes of a function that end do not return.
  std::vector<FlowNode> flow_of_returns() const;

  const Module& module_;
  const FlatKernel& flat_;
  const Function& function_;
  std::shared_ptr<Kernel> kernel_;
  const AluTable& alu_;

  std::unordered_map<std::string, Register> registers_;
  std::unordered_map<std::string, Place> places_;
  std::map<std::pair<unsigned, std::uint64_t>, std::uint32_t> constant_offsets_;
  std::map<std::pair<std::string, std::int64_t>, std::uint32_t> launch_symbols_;
  std::unordered_map<std::string, std::size_t> labels_;
  std::vector<std::uint32_t> code_of_;  ///< instruction index to code index
  std::vector<FlowNode> flow_;          ///< parallel to the code
  std::vector<std::pair<std::uint32_t, std::size_t>> branches_;  ///< code index, target instruction
  std::vector<std::uint8_t> units_;    ///< per scoreboard name: 32-bit registers
  std::uint32_t reserved_shared_ = 0;  ///< offset of %reserved_smem_offset_1
  Slot scratch_;
  Slot scratch_predicate_;
  Register carry_;

  // The instruction under construction.
  const Instruction* in_ = nullptr;
  Decoded d_;
  std::vector<std::uint32_t> read_names_;
  std::vector<std::uint32_t> write_names_;
};

/// Throws InputError with the nearest name if the module has no such kernel.
const Function& entry_function(const Module& module, const std::string& entry);

/// Opcodes of the instructions that replace calls of system functions. The operands are the call's
/// .param variables, results first.
inline constexpr const char* kPrintCall = "_vprintf";
inline constexpr const char* kAssertCall = "_assertfail";
inline constexpr const char* kMallocCall = "_malloc";
inline constexpr const char* kFreeCall = "_free";

/// Adds the hidden registers that wmma instructions need. Defined in decode_matrix.cpp.
void declare_matrix_registers(Function& function);

}  // namespace tessera::ptx
