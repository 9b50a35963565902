// SPDX-License-Identifier: Apache-2.0
// Frames of out-of-line functions. A function's registers exist once for each lane, so that a call
// that re-enters it would overwrite them. Therefore, a function stores the registers (and .param
// variables) that keep a value over a call in its frame before the call, and loads them after it.
// The kernel's own code is never re-entered and stores nothing, as on hardware, where functions
// preserve registers for their caller and a kernel has none.

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "stimuli/ptx/calls.h"
#include "stimuli/ptx/decoder.h"
#include "stimuli/ptx/flat_code.h"

namespace tessera::ptx {

namespace {

constexpr std::uint64_t kFrameUnit = 16;  ///< bytes of the widest access of a lane
constexpr unsigned kPredicatesOfWord = 32;

/// A .param variable's bytes as names of the liveness analysis.
struct ParamCells {
  std::uint32_t first = 0;
  Variable variable;
};

/// The instructions around a call.
struct Saves {
  std::vector<Instruction> before;
  std::vector<Instruction> after;
  std::uint64_t bytes = 0;
};

class FrameBuilder {
 public:
  FrameBuilder(const Module& module, FlatKernel& kernel)
      : kernel_(kernel), function_(kernel.function), trace_(Decoder(module, kernel).trace()) {}

  void run() {
    name_param_cells();
    add_param_accesses();
    find_saves();
    place_frames();
    rewrite();
  }

 private:
  // Liveness.

  void name_param_cells() {
    names_ = static_cast<std::uint32_t>(trace_.registers.size());
    for (const Variable& v : function_.variables) {
      if (v.space != StateSpace::kParam) continue;
      params_[v.name] = params_in_order_.size();
      params_in_order_.push_back(ParamCells{names_, v});
      names_ += static_cast<std::uint32_t>(v.bytes());
    }
  }

  /// Adds the accesses to .param variables to the flow graph, which has those to registers.
  void add_param_accesses() {
    for (const Instruction& i : function_.body) find_addressed(i);
    for (std::size_t n = 0; n < function_.body.size(); ++n) {
      add_param_accesses(function_.body[n], trace_.flow[trace_.code_of[n]]);
    }
    for (const OutOfLineFunction& f : kernel_.functions) {
      FlowNode& last = trace_.flow[trace_.code_of[f.end - 1]];
      for (const std::string& r : f.results) add_cells(r, last.reads);
    }
  }

  void add_param_accesses(const Instruction& i, FlowNode& node) const {
    const bool is_load = i.opcode == "ld";
    if ((is_load || i.opcode == "st") && i.operands.size() == 2) {
      const Operand& at = i.operands[is_load ? 1 : 0];
      add_cells(at.name, at.integer, access_bytes(i, i.operands[is_load ? 0 : 1]),
                is_load ? node.reads : node.writes);
      if (!is_load || params_.count(at.name) != 0) return;
      for (const std::string& name : addressed_) add_cells(name, node.reads);
    } else if (i.opcode == kCallOpcode) {
      for (const Operand& o : i.operands[1].elements) add_cells(o.name, node.writes);
      for (const Operand& o : i.operands[2].elements) add_cells(o.name, node.reads);
    } else if (is_system_call(i)) {
      const bool returns =
          i.opcode == kMallocCall || (i.opcode == kPrintCall && i.operands.size() == 3);
      for (std::size_t k = 0; k < i.operands.size(); ++k) {
        add_cells(i.operands[k].name, returns && k == 0 ? node.writes : node.reads);
      }
    }
  }

  static bool is_system_call(const Instruction& i) {
    return i.opcode == kPrintCall || i.opcode == kAssertCall || i.opcode == kMallocCall ||
           i.opcode == kFreeCall;
  }

  /// The .param variables with an address: every load by a register can read them.
  void find_addressed(const Instruction& i) {
    if (i.opcode == kCallOpcode || is_system_call(i)) return;
    for (const Operand& o : i.operands) {
      if (o.kind != Operand::Kind::kAddress && params_.count(o.name) != 0) {
        addressed_.insert(o.name);
      }
    }
  }

  static unsigned access_bytes(const Instruction& i, const Operand& data) {
    const Type type = i.modifiers.empty() ? Type::kNone : type_from_name(i.modifiers.back());
    const bool is_vector = data.kind == Operand::Kind::kVector;
    return type_bytes(type) * (is_vector ? static_cast<unsigned>(data.elements.size()) : 1);
  }

  void add_cells(const std::string& name, std::vector<std::uint32_t>& to) const {
    const auto p = params_.find(name);
    if (p != params_.end()) add_cells(name, 0, params_in_order_[p->second].variable.bytes(), to);
  }

  void add_cells(const std::string& name, std::int64_t offset, std::uint64_t bytes,
                 std::vector<std::uint32_t>& to) const {
    const auto p = params_.find(name);
    if (p == params_.end()) return;
    const std::uint32_t first =
        params_in_order_[p->second].first + static_cast<std::uint32_t>(offset);
    for (std::uint32_t k = 0; k < bytes; ++k) to.push_back(first + k);
  }

  void find_saves() {
    std::vector<std::uint32_t> roots;
    std::vector<std::uint32_t> defined;
    for (std::uint32_t r = 0; r < trace_.registers.size(); ++r) {
      if (trace_.registers[r].name == kReturnAddress) defined.push_back(r);
    }
    for (const OutOfLineFunction& f : kernel_.functions) {
      roots.push_back(trace_.code_of[f.begin]);
      for (const std::string& p : f.parameters) add_cells(p, defined);
    }
    std::vector<std::pair<const OutOfLineFunction*, std::size_t>> calls;
    std::vector<std::uint32_t> nodes;
    for (const OutOfLineFunction& f : kernel_.functions) {
      for (std::size_t n = f.begin; n < f.end; ++n) {
        if (function_.body[n].opcode != kCallOpcode) continue;
        calls.emplace_back(&f, n);
        nodes.push_back(trace_.code_of[n]);
      }
    }
    const auto kept = kept_over(trace_.flow, names_, nodes, roots, defined);
    for (std::size_t k = 0; k < calls.size(); ++k) {
      const auto& [of, n] = calls[k];
      const OutOfLineFunction& f = *of;
      // Without alloca, the saved registers follow the local variables. With it, the distance from
      // the stack pointer to the frame is not known, and each call moves the stack pointer.
      const bool moves = f.base != kStackPointer;
      Saves s = saves(function_.body[n], kept[k], moves ? 0 : align_up(f.frame_bytes, kFrameUnit));
      if (moves && s.bytes != 0) {
        s.before.insert(s.before.begin(), move_sp(n, "sub.u64", s.bytes));
        s.after.push_back(move_sp(n, "add.u64", s.bytes));
      }
      saves_.emplace(n, std::move(s));
    }
  }

  Instruction move_sp(std::size_t n, const char* name, std::uint64_t bytes) const {
    const Operand sp = register_operand(kStackPointer);
    return made(function_.body[n], name, {sp, sp, integer_operand(std::int64_t(bytes))});
  }

  // Code of the saves.

  /// The registers and words of `kept`, saved at [@sp + offset].
  Saves saves(const Instruction& call, const std::vector<std::uint32_t>& kept,
              std::uint64_t offset) {
    Saves s;
    std::map<unsigned, std::vector<Operand>, std::greater<>> by_bytes;
    std::vector<Operand> predicates;
    for (const std::uint32_t r : kept) {
      if (r >= trace_.registers.size()) break;
      const RegisterTrace::Name& name = trace_.registers[r];
      // The carry flag is not preserved over calls (PTX ISA 9.7.2).
      if (name.name == kStackPointer || name.name[0] == '(') continue;
      const Operand o = register_operand(name.name);
      if (name.bytes == 0) {
        predicates.push_back(o);
      } else {
        by_bytes[name.bytes].push_back(o);
      }
    }
    std::vector<Instruction> late;  // after the loads
    save_predicates(call, predicates, s, late, by_bytes[4]);
    save_params(call, kept, s, late, by_bytes);
    std::uint64_t at = offset;
    for (const auto& [bytes, registers] : by_bytes) {
      at = store_registers(call, bytes, registers, at, s);
    }
    s.after.insert(s.after.end(), late.begin(), late.end());
    s.bytes = align_up(at - offset, kFrameUnit);
    return s;
  }

  /// A hidden register for values on their way to and from the frame.
  Operand temporary(unsigned index, unsigned bytes) {
    const std::string name = "@save" + std::to_string(8 * bytes) + "_" + std::to_string(index);
    if (temporaries_.insert(name).second) {
      function_.variables.push_back(
          flat_register(name, bytes == 4 ? Type::kB32 : Type::kB16, function_.line));
    }
    return register_operand(name);
  }

  /// Packs predicates as bits of words.
  void save_predicates(const Instruction& call, const std::vector<Operand>& predicates, Saves& s,
                       std::vector<Instruction>& late, std::vector<Operand>& words) {
    const Operand bit = temporary(0, 4);
    for (std::size_t k = 0; k < predicates.size(); ++k) {
      const bool is_first = k % kPredicatesOfWord == 0;
      if (is_first) words.push_back(temporary(++words_used_, 4));
      const Operand word = words.back();
      const Operand value = integer_operand(std::int64_t{1} << k % kPredicatesOfWord);
      s.before.push_back(made(call, "selp.b32",
                              {is_first ? word : bit, value, integer_operand(0), predicates[k]}));
      if (!is_first) s.before.push_back(made(call, "or.b32", {word, word, bit}));
      late.push_back(made(call, "and.b32", {bit, word, value}));
      late.push_back(made(call, "setp.ne.u32", {predicates[k], bit, integer_operand(0)}));
    }
  }

  /// Words of .param variables pass through registers.
  void save_params(const Instruction& call, const std::vector<std::uint32_t>& kept, Saves& s,
                   std::vector<Instruction>& late,
                   std::map<unsigned, std::vector<Operand>, std::greater<>>& by_bytes) {
    for (const ParamCells& cells : params_in_order_) {
      const Variable& v = cells.variable;
      const unsigned bytes = word_bytes(v);
      const std::string type = "b" + std::to_string(8 * bytes);
      for (std::uint64_t k = 0; k < v.bytes(); k += bytes) {
        const auto first = cells.first + static_cast<std::uint32_t>(k);
        const auto at = std::lower_bound(kept.begin(), kept.end(), first);
        if (at == kept.end() || *at >= first + bytes) continue;
        const Operand word = temporary(++words_used_, bytes);
        by_bytes[bytes].push_back(word);
        const Operand place = address_operand(v.name, k);
        s.before.push_back(made(call, "ld.param." + type, {word, place}));
        late.push_back(made(call, "st.param." + type, {place, word}));
      }
    }
    words_used_ = 0;
  }

  /// Stores and loads registers of one width from offset `at` on. Returns the next free offset.
  static std::uint64_t store_registers(const Instruction& call, unsigned bytes,
                                       const std::vector<Operand>& registers, std::uint64_t at,
                                       Saves& s) {
    for (std::size_t k = 0; k < registers.size();) {
      std::size_t count = std::min<std::size_t>(4, kFrameUnit / bytes);
      while (count > registers.size() - k || at % (count * bytes) != 0) count /= 2;
      const auto begin = registers.begin() + static_cast<std::ptrdiff_t>(k);
      const std::vector<Operand> part(begin, begin + static_cast<std::ptrdiff_t>(count));
      const Operand data = count == 1 ? part[0] : list_operand(part, Operand::Kind::kVector);
      const std::string form = std::string(".local.") +
                               (count == 1 ? "" : "v" + std::to_string(count) + ".") + "b" +
                               std::to_string(8 * bytes);
      const Operand place = address_operand(kStackPointer, at);
      s.before.push_back(made(call, kSaveOpcode + form, {place, data}));
      s.after.push_back(made(call, kRestoreOpcode + form, {data, place}));
      k += count;
      at += count * bytes;
    }
    return at;
  }

  // Layout.

  void place_frames() {
    for (OutOfLineFunction& f : kernel_.functions) {
      std::uint64_t saved = 0;
      for (const auto& [n, s] : saves_) {
        if (n >= f.begin && n < f.end) saved = std::max(saved, s.bytes);
      }
      f.frame_bytes = align_up(f.frame_bytes, kFrameUnit);
      if (f.base == kStackPointer) f.frame_bytes += saved;
      f.frame_bytes = align_up(f.frame_bytes, kernel_.stack_alignment);
      set_frame(f);
    }
  }

  /// Completes the prologue's "sub" and the epilogue's "add".
  void set_frame(const OutOfLineFunction& f) {
    const auto bytes = static_cast<std::int64_t>(f.frame_bytes);
    for (const std::size_t n : {f.begin, f.end - 2}) {
      Instruction& i = function_.body[n];
      i.operands[2].integer = bytes;
      if (bytes == 0 && i.operands[1].name == kStackPointer) dropped_.insert(n);
    }
  }

  void rewrite() {
    std::set<std::size_t> labelled;
    for (const Label& l : function_.labels) labelled.insert(l.position);
    std::vector<Instruction> body;
    std::vector<std::size_t> moved_to(function_.body.size() + 1);
    Instruction start;
    start.line = function_.line;
    body.push_back(
        made(start, "mov.u64", {register_operand(kStackPointer), symbol_operand(kStackTop)}));
    for (std::size_t n = 0; n < function_.body.size(); ++n) {
      moved_to[n] = body.size();
      if (dropped_.count(n) != 0) continue;
      const auto s = saves_.find(n);
      if (s != saves_.end())
        body.insert(body.end(), s->second.before.begin(), s->second.before.end());
      const bool is_call = function_.body[n].opcode == kCallOpcode;
      body.push_back(std::move(function_.body[n]));
      if (!is_call) continue;
      const bool restores = s != saves_.end() && !s->second.after.empty();
      if (restores) {
        body.insert(body.end(), s->second.after.begin(), s->second.after.end());
      } else if (labelled.count(n + 1) != 0) {
        body.push_back(made(body.back(), kLandOpcode, {}));
      }
    }
    moved_to.back() = body.size();
    for (Label& l : function_.labels) l.position = moved_to[l.position];
    for (OutOfLineFunction& f : kernel_.functions) {
      f.begin = moved_to[f.begin];
      f.end = moved_to[f.end];
    }
    function_.body = std::move(body);
  }

  FlatKernel& kernel_;
  Function& function_;
  RegisterTrace trace_;
  std::uint32_t names_ = 0;  ///< registers, then bytes of .param variables
  std::map<std::string, std::size_t> params_;
  std::vector<ParamCells> params_in_order_;
  std::set<std::string> addressed_;
  std::map<std::size_t, Saves> saves_;  ///< by instruction
  std::set<std::size_t> dropped_;       ///< instructions of empty frames
  std::set<std::string> temporaries_;
  unsigned words_used_ = 0;  ///< by the call
};

}  // namespace

void add_frames(const Module& module, FlatKernel& kernel) {
  if (kernel.uses_stack) FrameBuilder(module, kernel).run();
}

}  // namespace tessera::ptx
