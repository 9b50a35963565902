// SPDX-License-Identifier: Apache-2.0
// Calls and returns of out-of-line functions, and the stack.

#include <algorithm>

#include "stimuli/ptx/decoder.h"

namespace tessera::ptx {

namespace {
constexpr std::int64_t kMostAlignment = 1 << 23;  ///< of alloca (PTX ISA, alloca)
}  // namespace

/// The registers and the launch constant of the stack.
void Decoder::place_stack() {
  if (!flat_.uses_stack) return;
  kernel_->stack_top_offset = kernel_->launch_bytes;
  kernel_->launch_bytes += kVector64;
  kernel_->stack_alignment = static_cast<std::uint32_t>(flat_.stack_alignment);
  kernel_->stack_pointer = Slot{BankId::kRegisters, registers_.at(kStackPointer).offset};
  if (flat_.first_call.empty()) return;
  kernel_->return_address = Slot{BankId::kRegisters, registers_.at(kReturnAddress).offset};
}

bool Decoder::decode_stack() {
  const std::string& op = in_->opcode;
  if (op == kCallOpcode) {
    decode_call();
  } else if (op == kReturnOpcode) {
    reads(registers_.at(kReturnAddress));
    d_.action = Action::kReturn;
    const auto n = static_cast<std::size_t>(in_ - function_.body.data());
    const auto of = std::find_if(flat_.functions.begin(), flat_.functions.end(),
                                 [&](const OutOfLineFunction& f) { return n + 1 == f.end; });
    d_.aux = static_cast<std::uint32_t>(of - flat_.functions.begin());
    emit(Unit::kAlu, 1);
  } else if (op == kLandOpcode) {
    d_.run = entry("_nothing").run;
    emit(Unit::kAlu, 1);
  } else if (op == "alloca") {
    decode_alloca();
  } else {
    return false;
  }
  return true;
}

void Decoder::decode_call() {
  CallSite site;
  if (operand(0).kind != Operand::Kind::kSink) site.target = source(operand(0), Kind::kI64);
  for (const Operand& o : operand(1).elements) site.results.push_back(call_data(o.name));
  for (const Operand& o : operand(2).elements) site.arguments.push_back(call_data(o.name));
  for (std::size_t k = 3; k < in_->operands.size(); ++k) {
    const auto n = static_cast<std::uint32_t>(operand(k).integer);
    const OutOfLineFunction& f = flat_.functions[n];
    const auto check = [&](const std::vector<CallData>& actual,
                           const std::vector<std::string>& formal) {
      for (std::size_t i = 0; i < actual.size(); ++i) {
        const std::uint64_t bytes = find_place(formal[i])->bytes;
        if (actual[i].bytes == bytes) continue;
        refuse("a variable of " + std::to_string(actual[i].bytes) + " bytes is passed for one of " +
               std::to_string(bytes) + " bytes of '" + f.name + "'");
      }
    };
    check(site.results, f.results);
    check(site.arguments, f.parameters);
    site.functions.push_back(n);
  }
  d_.action = Action::kCall;
  d_.aux = static_cast<std::uint32_t>(kernel_->call_sites.size());
  kernel_->call_sites.push_back(std::move(site));
  reads(registers_.at(kStackPointer));
  writes(registers_.at(kReturnAddress));
  emit(Unit::kAlu, 1);
  // The return address is the callee's. The caller's own must be preserved.
  flow_.back().writes.clear();
}

CallData Decoder::call_data(const std::string& variable) const {
  const Place* place = find_place(variable);
  if (place == nullptr) refuse("'" + variable + "' is not declared");
  return CallData{Slot{place->is_entry_parameter ? BankId::kParam : BankId::kLocal,
                       static_cast<std::uint32_t>(place->offset)},
                  static_cast<std::uint32_t>(place->bytes)};
}

void Decoder::decode_alloca() {
  constexpr const char* kForms = "supported: alloca.{u32,u64} with an alignment of up to 2^23";
  expect_operands(2, 3);
  const bool wide = in_->modifiers.size() == 1 && in_->modifiers[0] == "u64";
  const bool narrow = in_->modifiers.size() == 1 && in_->modifiers[0] == "u32";
  if (!wide && !narrow) refuse(kForms);
  auto alignment = static_cast<std::int64_t>(flat_.stack_alignment);
  if (in_->operands.size() == 3) {
    const Operand& o = operand(2);
    const bool is_power = o.integer > 0 && (o.integer & (o.integer - 1)) == 0;
    if (o.kind != Operand::Kind::kInteger || !is_power || o.integer > kMostAlignment) {
      refuse(kForms);
    }
    alignment = std::max(alignment, o.integer);
  }
  const Kind kind = wide ? Kind::kI64 : Kind::kI32;
  d_.slot[1] = source(operand(1), kind);
  d_.slot[0] = result(operand(0), kind);
  d_.memory.wide_register = wide;
  d_.displacement = alignment;
  d_.action = Action::kAlloca;
  reads(registers_.at(kStackPointer));
  writes(registers_.at(kStackPointer));
  emit(Unit::kAlu, 2);
}

void Decoder::finish_functions() {
  for (const OutOfLineFunction& f : flat_.functions) {
    KernelFunction k;
    k.name = f.name;
    k.address = f.address;
    k.entry = code_of_[f.begin];
    k.frame_bytes = f.frame_bytes;
    for (const std::string& r : f.results) k.results.push_back(call_data(r));
    for (const std::string& p : f.parameters) k.parameters.push_back(call_data(p));
    kernel_->functions.push_back(std::move(k));
  }
  const auto& sites = kernel_->call_sites;
  const bool has_indirect = std::any_of(sites.begin(), sites.end(),
                                        [](const CallSite& s) { return s.target.has_value(); });
  if (!has_indirect) return;
  for (std::size_t n = 0; n < module_.functions.size(); ++n) {
    const Function& f = module_.functions[n];
    if (!f.is_entry) kernel_->function_names[code_address(n)] = {f.name, !f.is_declaration};
  }
}

std::vector<FlowNode> Decoder::flow_of_returns() const {
  std::vector<FlowNode> flow = flow_;
  for (const OutOfLineFunction& f : flat_.functions) {
    const std::uint32_t last = code_of_[f.end - 1];
    for (std::uint32_t pc = code_of_[f.begin]; pc < last; ++pc) {
      if (!flow[pc].falls_through && flow[pc].target < 0) flow[pc].target = last;
    }
  }
  return flow;
}

}  // namespace tessera::ptx
