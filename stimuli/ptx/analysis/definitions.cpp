// SPDX-License-Identifier: Apache-2.0
#include "stimuli/ptx/analysis/definitions.h"

#include <algorithm>
#include <array>

namespace tessera::ptx {

namespace {

bool writes_nothing(const std::string& op) {
  static const std::array<const char*, 19> kNames = {
      "st",     "red",   "bra",      "bar",       "barrier",    "ret",   "exit",
      "membar", "fence", "prefetch", "prefetchu", "trap",       "brkpt", "pmevent",
      "sust",   "brx",   "_free",    "nanosleep", "_assertfail"};
  return std::any_of(kNames.begin(), kNames.end(), [&](const char* n) { return op == n; });
}

}  // namespace

Definitions::Definitions(const Function& function, const LoopNest& nest, const Variables& variables)
    : nest_(nest), by_block_(nest.blocks().size()) {
  for (std::size_t i = 0; i < function.body.size(); ++i) {
    const Instruction& in = function.body[i];
    if (in.operands.empty()) continue;
    const Operand& first = in.operands[0];
    if (first.kind == Operand::Kind::kAddress) {
      const auto variable = variables.find(first.name);
      const bool is_argument = in.opcode == "st" && variable != variables.end() &&
                               variable->second == StateSpace::kParam;
      if (is_argument && in.operands.size() == 2) define(argument_name(first), i, -1);
      continue;
    }
    if (!writes_nothing(in.opcode)) define(first, i, -1);
  }
}

std::string Definitions::name_of(const Operand& operand) {
  constexpr std::array<const char*, 4> kComponents = {".x", ".y", ".z", ".w"};
  if (operand.component < 0) return operand.name;
  return operand.name + kComponents[static_cast<std::size_t>(operand.component)];
}

std::string Definitions::argument_name(const Operand& address) {
  return address.name + "+" + std::to_string(address.integer);
}

Definitions::Id Definitions::add(Definition definition) {
  all_.push_back(std::move(definition));
  return static_cast<Id>(all_.size() - 1);
}

void Definitions::define(const Operand& operand, std::size_t instruction, int part) {
  if (operand.kind == Operand::Kind::kVector || operand.kind == Operand::Kind::kParenList) {
    for (std::size_t k = 0; k < operand.elements.size(); ++k) {
      define(operand.elements[k], instruction, static_cast<int>(k));
    }
    return;
  }
  define(name_of(operand), instruction, part);
  define(operand.second_name, instruction, part);
}

void Definitions::define(const std::string& name, std::size_t instruction, int part) {
  if (name.empty()) return;
  const auto r =
      registers_.try_emplace(name, static_cast<RegisterId>(registers_.size())).first->second;
  Definition d;
  d.kind = Definition::Kind::kInstruction;
  d.block = nest_.block_of(instruction);
  d.instruction = instruction;
  d.part = part;
  d.name = name;
  by_block_[d.block][r].emplace_back(instruction, add(d));
}

std::optional<Definitions::Id> Definitions::reaching(const std::string& name,
                                                     std::size_t instruction) {
  const auto known = registers_.find(name);
  if (known == registers_.end()) return std::nullopt;
  const RegisterId r = known->second;
  const std::uint32_t block = nest_.block_of(instruction);
  const auto local = by_block_[block].find(r);
  if (local != by_block_[block].end()) {
    const auto& in_block = local->second;
    for (auto it = in_block.rbegin(); it != in_block.rend(); ++it) {
      if (it->first < instruction) return it->second;
    }
  }
  return at_entry(r, block);
}

Definitions::Id Definitions::at_end(RegisterId r, std::uint32_t block) {
  const auto local = by_block_[block].find(r);
  if (local != by_block_[block].end()) return local->second.back().second;
  return at_entry(r, block);
}

/// The blocks where definitions of the register meet.
const std::vector<bool>& Definitions::merge_blocks(RegisterId r) {
  const auto known = merge_blocks_.find(r);
  if (known != merge_blocks_.end()) return known->second;
  std::vector<std::uint32_t> defining;
  for (std::uint32_t b = 0; b < by_block_.size(); ++b) {
    if (nest_.is_reachable(b) && by_block_[b].count(r) != 0) defining.push_back(b);
  }
  return merge_blocks_.emplace(r, nest_.merge_blocks(defining)).first->second;
}

Definitions::Id Definitions::at_entry(RegisterId r, std::uint32_t block) {
  const auto known = entry_values_.find({r, block});
  if (known != entry_values_.end()) return known->second;
  // Up the dominators to the block that decides, without recursion: a kernel can have many blocks.
  std::vector<std::uint32_t> through;
  std::optional<Id> id;
  for (std::uint32_t b = block; !id;) {
    const auto found = entry_values_.find({r, b});
    if (found != entry_values_.end()) {
      id = found->second;
      break;
    }
    through.push_back(b);
    Definition d;
    d.block = b;
    if (b == 0) {
      // If the entry is a loop's header, the register has no initial value.
      id = add(d);
    } else if (merge_blocks(r)[b]) {
      d.kind = Definition::Kind::kMerge;
      id = add(d);
      unfilled_.push_back({r, *id});
    } else {
      b = nest_.immediate_dominator(b);
      const auto local = by_block_[b].find(r);
      if (local != by_block_[b].end()) id = local->second.back().second;
    }
  }
  for (const std::uint32_t b : through) entry_values_[{r, b}] = *id;
  fill_merges();
  return *id;
}

/// The incoming values of merges. They can have merges of their own.
void Definitions::fill_merges() {
  if (is_filling_) return;
  is_filling_ = true;
  while (!unfilled_.empty()) {
    const auto [r, id] = unfilled_.back();
    unfilled_.pop_back();
    for (const std::uint32_t p : nest_.predecessors(all_[id].block)) {
      const Id incoming = at_end(r, p);
      all_[id].incoming.push_back(incoming);
    }
  }
  is_filling_ = false;
}

}  // namespace tessera::ptx
