// SPDX-License-Identifier: Apache-2.0
#include "stimuli/ptx/decoder.h"

#include <algorithm>

#include "common/error.h"
#include "common/suggest.h"
#include "stimuli/ptx/flat_code.h"
#include "stimuli/ptx/program.h"
#include "stimuli/ptx/read_only.h"
#include "stimuli/ptx/refusal.h"
#include "stimuli/ptx/video.h"

namespace tessera::ptx {

namespace {

/// Registers of machine code in addition to the live values of the PTX: address and loop
/// temporaries and reserved registers.
constexpr std::uint32_t kExtraRegisters = 6;
constexpr std::uint32_t kLeastRegisters = 16;
constexpr std::uint32_t kRegisterUnit = 8;
constexpr std::uint32_t kMostAllocated = 255;

/// Instructions that are not modelled, independent of their modifiers.
struct OutsideModel {
  const char* opcode;
  const char* why;
};
constexpr const char* kMatrix =
    "this form of tensor core instruction is not modelled; supported: mma, wmma, ldmatrix";
constexpr OutsideModel kOutside[] = {
    {"wgmma", kMatrix},
    {"tcgen05", kMatrix},
    {"sured", "reductions on surfaces are not modelled; supported: suld.b, sust.b, red.global"},
    {"brx", "indirect branches are not supported; supported: bra"},
    {"max3", "PTX has no such opcode; PTX 8.8 writes max.f32 with three sources"},
    {"min3", "PTX has no such opcode; PTX 8.8 writes min.f32 with three sources"},
    {"tensormap", "tensor maps are not modelled; supported: cp.async.bulk without a tensor map"},
    {"clusterlaunchcontrol", "clusters are not modelled; supported: grids of CTAs"},
    {"multimem", "multicast memory is not modelled; compile for sm_75"},
};

}  // namespace

Decoder::Decoder(const Module& module, const FlatKernel& kernel)
    : module_(module),
      flat_(kernel),
      function_(kernel.function),
      kernel_(std::make_shared<Kernel>()),
      alu_(AluTable::get()) {
  kernel_->name = function_.name;
  kernel_->file = module.file;
  kernel_->linked_files = module.linked_files;
  kernel_->source_files = module.source_files;
  kernel_->max_threads = function_.max_threads;
  kernel_->required_threads = function_.required_threads;
  kernel_->launch_bytes = LaunchBank::kSymbols;
  kernel_->code.reserve(function_.body.size() + 1);
}

std::shared_ptr<const Kernel> Decoder::run() {
  decode_body();
  finish_flow();
  finish_functions();
  find_read_only_loads();
  return kernel_;
}

RegisterTrace Decoder::trace() {
  decode_body();
  finish_flow();
  RegisterTrace t;
  t.registers.resize(units_.size());
  for (const auto& [name, r] : registers_) t.registers[r.name] = {name, r.bytes};
  t.flow = std::move(flow_);
  t.code_of = std::move(code_of_);
  return t;
}

void Decoder::decode_body() {
  place_registers();
  place_parameters();
  place_variables();
  place_shared();
  place_stack();
  for (const Label& label : function_.labels) labels_[label.name] = label.position;
  constant_mask(kAllLanes);  // offset 0: the guard of unguarded instructions
  for (std::size_t n = 0; n < function_.body.size(); ++n) {
    if (!pending_filters_.empty()) flush_filters(n);
    code_of_.push_back(static_cast<std::uint32_t>(kernel_->code.size()));
    decode_one(function_.body[n]);
  }
  if (!pending_filters_.empty()) flush_filters(function_.body.size());
  code_of_.push_back(static_cast<std::uint32_t>(kernel_->code.size()));
  // The end of the body is a return.
  Instruction end;
  end.line = function_.body.empty() ? function_.line : function_.body.back().line;
  end.opcode = "ret";
  end.text = "(end of kernel)";
  decode_one(end);
}

void Decoder::place_registers() {
  std::uint32_t offset = 0;
  const auto add = [&](const std::string& name, Type type, unsigned bytes, std::uint32_t cell) {
    Register r{offset, static_cast<std::uint32_t>(units_.size()), bytes, type};
    registers_[name] = r;
    units_.push_back(static_cast<std::uint8_t>(bytes == 0 ? 0 : (bytes + 3) / 4));
    offset += cell;
  };
  static constexpr const char* kComponents[] = {".x", ".y", ".z", ".w"};
  const auto each = [&](bool predicates) {
    for (const Variable& v : function_.variables) {
      if (v.space != StateSpace::kReg || (v.type == Type::kPred) != predicates) continue;
      const unsigned bytes = type_bytes(v.type);
      if (!predicates && bytes == 0) {
        throw InputError(module_.where(v.line) + ": register '" + v.name + "' of type ." +
                         type_name(v.type) + " is not supported: registers have 8 to 128 bits");
      }
      const std::uint32_t cell = predicates   ? 4
                                 : bytes > 8  ? 2 * kVector64
                                 : bytes == 8 ? kVector64
                                              : kVector32;
      if (v.vector > 1) {
        for (unsigned c = 0; c < v.vector; ++c) add(v.name + kComponents[c], v.type, bytes, cell);
      } else {
        add(v.name, v.type, bytes, cell);
      }
    }
  };
  each(true);
  add("(carry flag)", Type::kPred, 0, 4);
  carry_ = registers_["(carry flag)"];
  scratch_predicate_ = Slot{BankId::kRegisters, offset};
  offset = static_cast<std::uint32_t>(align_up(offset + 4, 64));
  each(false);
  offset = static_cast<std::uint32_t>(align_up(offset, 64));
  scratch_ = Slot{BankId::kRegisters, offset};
  kernel_->register_bytes = offset + kVector64;
  if (units_.size() > 0xffff) {
    throw InputError(module_.where(function_.line) + ": kernel '" + function_.name +
                     "' has more than 65535 registers");
  }
  kernel_->register_names = static_cast<std::uint32_t>(units_.size());
}

void Decoder::place_parameters() {
  std::uint64_t offset = 0;
  for (const Variable& p : function_.parameters) {
    offset = align_up(offset, alignment_of(p));
    places_[p.name] = Place{StateSpace::kParam, offset, p.bytes(), true};
    kernel_->parameters.push_back(KernelParameter{p.name, static_cast<std::uint32_t>(offset),
                                                  static_cast<std::uint32_t>(p.bytes())});
    offset += p.bytes();
  }
  kernel_->parameter_bytes = static_cast<std::uint32_t>(offset);
}

// Local variables and parameters of device functions, both in local memory.
void Decoder::place_variables() {
  std::uint64_t offset = 0;
  for (const Variable& v : function_.variables) {
    if (v.space != StateSpace::kLocal && v.space != StateSpace::kParam) continue;
    offset = align_up(offset, alignment_of(v));
    places_[v.name] = Place{v.space, offset, v.bytes(), false};
    offset += v.bytes();
  }
  if (offset > kMostLocalBytes) {
    throw InputError(module_.where(function_.line) + ": kernel '" + function_.name + "' needs " +
                     std::to_string(offset) + " bytes of local memory a thread; at most " +
                     std::to_string(kMostLocalBytes) + " are supported");
  }
  kernel_->local_bytes = static_cast<std::uint32_t>(align_up(offset, 16));
  for (const Variable& v : module_.variables) {
    if (v.space == StateSpace::kGlobal || v.space == StateSpace::kConst) {
      places_[v.name] = Place{v.space, 0, v.bytes(), false};
    }
  }
}

// Shared variables of the function, then those of the module that the kernel uses, the region
// reserved for libraries, and the unsized extern array.
void Decoder::place_shared() {
  std::vector<const Variable*> found;
  for (const Variable& v : function_.variables) {
    if (v.space == StateSpace::kShared) found.push_back(&v);
  }
  const auto named = [&](const std::string& name) {
    const auto mentions = [&](const auto& self, const Operand& o) -> bool {
      if (o.name == name) return true;
      return std::any_of(o.elements.begin(), o.elements.end(),
                         [&](const Operand& e) { return self(self, e); });
    };
    return std::any_of(function_.body.begin(), function_.body.end(), [&](const Instruction& i) {
      return std::any_of(i.operands.begin(), i.operands.end(),
                         [&](const Operand& o) { return mentions(mentions, o); });
    });
  };
  for (const Variable& v : module_.variables) {
    if (v.space == StateSpace::kShared && named(v.name)) found.push_back(&v);
  }
  std::uint64_t offset = 0;
  for (const Variable* v : found) {
    if (v->is_extern) continue;
    offset = align_up(offset, alignment_of(*v));
    places_[v->name] = Place{StateSpace::kShared, offset, v->bytes(), false};
    offset += v->bytes();
  }
  // Cooperative groups of several warps store their barriers there, at most 288 bytes.
  static constexpr std::uint64_t kReservedShared = 1024;
  if (named("%reserved_smem_offset_1")) {
    offset = align_up(offset, 16);
    reserved_shared_ = static_cast<std::uint32_t>(offset);
    offset += kReservedShared;
  }
  const bool dynamic =
      std::any_of(found.begin(), found.end(), [](const Variable* v) { return v->is_extern; });
  if (dynamic) offset = align_up(offset, 16);
  for (const Variable* v : found) {
    if (v->is_extern) places_[v->name] = Place{StateSpace::kShared, offset, 0, false};
  }
  if (offset > kSharedWindowEnd - kSharedWindow) {
    throw InputError(module_.where(function_.line) + ": kernel '" + function_.name + "' has " +
                     std::to_string(offset) +
                     " bytes of shared memory; at most 16 MiB can be addressed");
  }
  kernel_->static_shared = static_cast<std::uint32_t>(offset);
}

void Decoder::begin(const Instruction& instruction) {
  in_ = &instruction;
  d_ = Decoded{};
  read_names_.clear();
  write_names_.clear();
  d_.guard = Slot{BankId::kConstants, 0};
  if (!instruction.guard.empty()) {
    const auto it = registers_.find(instruction.guard);
    if (it == registers_.end()) refuse("guard '" + instruction.guard + "' is not declared");
    if (it->second.bytes != 0) refuse("guard '" + instruction.guard + "' is not a predicate");
    d_.guard = Slot{BankId::kRegisters, it->second.offset};
    d_.guard_flip = instruction.guard_negated ? kAllLanes : 0;
    reads(it->second);
  }
}

void Decoder::emit(Unit unit, unsigned cost) {
  OpInfo info;
  info.unit = unit;
  info.cost = static_cast<std::uint8_t>(cost);
  info.pc = static_cast<std::uint32_t>(kernel_->code.size());
  info.line = in_->line;
  if (read_names_.size() + write_names_.size() > OpInfo::kMaxRegisters) {
    refuse("it names more than " + std::to_string(OpInfo::kMaxRegisters) + " registers");
  }
  std::size_t n = 0;
  for (const std::uint32_t r : read_names_) info.registers[n++] = static_cast<std::uint16_t>(r);
  for (const std::uint32_t r : write_names_) info.registers[n++] = static_cast<std::uint16_t>(r);
  info.read_count = static_cast<std::uint8_t>(read_names_.size());
  info.write_count = static_cast<std::uint8_t>(write_names_.size());

  FlowNode node;
  node.reads = read_names_;
  node.writes = write_names_;
  node.predicated = !in_->guard.empty();
  if (d_.action == Action::kExit || d_.action == Action::kReturn) {
    node.falls_through = node.predicated;
  }
  kernel_->code.push_back(d_);
  kernel_->info.push_back(info);
  kernel_->text.push_back(in_->text);
  kernel_->sources.push_back(in_->source);
  flow_.push_back(std::move(node));
}

void Decoder::decode_one(const Instruction& instruction) {
  begin(instruction);
  if (decode_control() || decode_stack() || decode_texture() || decode_async()) return;
  const std::string& op = instruction.opcode;
  if (op == "ld" || op == "st" || op == "ldu" || op == kSaveOpcode || op == kRestoreOpcode) {
    decode_memory();
  } else if (op == "atom" || op == "red") {
    decode_atomic();
  } else if (op == "wmma") {
    decode_wmma();
  } else if (op == "mma") {
    decode_mma();
  } else if (op == "ldmatrix" || op == "stmatrix") {
    decode_matrix_access();
  } else if (op == "movmatrix") {
    decode_matrix_move();
  } else {
    decode_alu();
  }
}

void Decoder::finish_flow() {
  for (const auto& [code, target] : branches_) {
    const std::uint32_t to = code_of_[target];
    kernel_->code[code].target = to;
    flow_[code].target = to;
    flow_[code].falls_through = flow_[code].predicated;
  }
  const std::vector<std::uint32_t> points =
      reconvergence_points(flat_.functions.empty() ? flow_ : flow_of_returns());
  for (const auto& branch : branches_) {
    kernel_->code[branch.first].reconverge = points[branch.first];
  }
  const std::uint32_t live = max_live(flow_, units_) + kExtraRegisters;
  kernel_->registers_per_thread = std::min<std::uint32_t>(
      kMostAllocated,
      static_cast<std::uint32_t>(align_up(std::max(live, kLeastRegisters), kRegisterUnit)));
}

void Decoder::find_read_only_loads() {
  ReadOnlyReport report = find_read_only(module_, flat_);
  kernel_->writes_anywhere = report.writes_anywhere;
  kernel_->written_surfaces = std::move(report.written_surfaces);
  kernel_->pointers.reserve(report.pointers.size());
  for (PointerReport& p : report.pointers) {
    kernel_->pointers.push_back(KernelPointer{std::move(p.origin), p.use});
  }
  for (ReadOnlyLoad& l : report.loads) {
    // A wmma.load is decoded to several loads.
    for (std::uint32_t pc = code_of_[l.instruction]; pc < code_of_[l.instruction + 1]; ++pc) {
      const Action action = kernel_->code[pc].action;
      if (action != Action::kLoad && action != Action::kAsync) continue;
      kernel_->read_only_loads.push_back(KernelLoad{pc, l.pointers});
    }
  }
}

void Decoder::refuse(const std::string& why) const {
  throw Refusal(module_.where(in_->line), in_->line, in_->text, why);
}

const AluEntry& Decoder::entry(const std::string& name) const {
  const AluEntry* e = alu_.find(name);
  if (e != nullptr) return *e;
  const std::string opcode = in_->opcode;
  for (const OutsideModel& o : kOutside) {
    if (opcode == o.opcode) refuse(o.why);
  }
  const std::string known = alu_.names_of(opcode);
  if (!known.empty()) refuse("no such combination of modifiers; supported: " + known);
  std::vector<std::string> opcodes = alu_.opcodes();
  std::string list;
  for (const char* more : {"ld",
                           "st",
                           "atom",
                           "red",
                           "bra",
                           "bar",
                           "barrier",
                           "call",
                           "ret",
                           "exit",
                           "membar",
                           "fence",
                           "trap",
                           "brkpt",
                           "prefetch",
                           "prefetchu",
                           "nanosleep",
                           "pmevent",
                           "createpolicy",
                           "discard",
                           "applypriority",
                           "griddepcontrol",
                           "setmaxnreg",
                           "alloca",
                           "stacksave",
                           "stackrestore",
                           "wmma",
                           "mma",
                           "ldmatrix",
                           "stmatrix",
                           "movmatrix",
                           "tex",
                           "tld4",
                           "txq",
                           "suld",
                           "sust",
                           "suq",
                           "cp",
                           "mbarrier"}) {
    opcodes.emplace_back(more);
  }
  for (const std::string& more : video_opcodes()) opcodes.push_back(more);
  std::sort(opcodes.begin(), opcodes.end());
  for (const std::string& o : opcodes) list += (list.empty() ? "" : ", ") + o;
  refuse("unknown instruction '" + opcode + "'" + did_you_mean(opcode, opcodes) +
         "; supported: " + list);
}

const Function& entry_function(const Module& module, const std::string& entry) {
  const Function* function = module.function(entry);
  if (function == nullptr || !function->is_entry || function->is_declaration) {
    throw InputError(module.file + ": there is no kernel '" + entry + "'" +
                     did_you_mean(entry, module.entries()));
  }
  return *function;
}

namespace {

/// A kernel that requires clusters of several CTAs cannot be launched.
void check_cluster(const Module& module, const Function& function) {
  const auto size = function.directives.find("reqnctapercluster");
  if (size == function.directives.end()) return;
  const std::string& text = size->second;  // "2, 1, 1"
  const bool ones = text.find_first_not_of(" ,1") == std::string::npos;
  if (ones && text.find("11") == std::string::npos) return;
  throw InputError(module.where(function.line) + ": kernel '" + function.name +
                   "' needs clusters of " + text +
                   " CTAs (.reqnctapercluster); supported: clusters of one CTA");
}

}  // namespace

std::shared_ptr<const Kernel> decode(const Module& module, const std::string& entry) {
  FlatKernel flat = expand_calls(module, entry_function(module, entry));
  declare_matrix_registers(flat.function);
  add_frames(module, flat);
  check_cluster(module, flat.function);
  return Decoder(module, flat).run();
}

}  // namespace tessera::ptx
