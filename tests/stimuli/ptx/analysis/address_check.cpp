// SPDX-License-Identifier: Apache-2.0
#include "tests/stimuli/ptx/analysis/address_check.h"

#include <algorithm>
#include <cstring>
#include <sstream>
#include <stdexcept>

#include "stimuli/ptx/decoder.h"

namespace tessera::test {

namespace {

constexpr std::size_t kNone = ~std::size_t{0};

std::int64_t extended(std::uint64_t v, unsigned bytes, bool is_signed) {
  const unsigned unused = 64 - 8 * bytes;
  if (!is_signed) return static_cast<std::int64_t>(v << unused >> unused);
  return static_cast<std::int64_t>(v << unused) >> unused;
}

}  // namespace

class AddressCheck::Values final : public ptx::SymbolValues {
 public:
  Values(const AddressCheck& check, const Thread& thread) : check_(check), thread_(thread) {}

  std::optional<std::int64_t> value(ptx::SymbolId id, const ptx::Symbol& s) const override {
    const auto axis = [&](const Dim3& d) {
      return std::int64_t{s.axis == 0 ? d.x : s.axis == 1 ? d.y : d.z};
    };
    switch (s.kind) {
      case ptx::SymbolKind::kTid:
        return axis(thread_.tid);
      case ptx::SymbolKind::kCtaid:
        return axis(check_.ctaid_);
      case ptx::SymbolKind::kNtid:
        return axis(check_.request_->block);
      case ptx::SymbolKind::kNctaid:
        return axis(check_.request_->grid);
      case ptx::SymbolKind::kIteration:
        return thread_.iterations[s.loop];
      case ptx::SymbolKind::kTrips:
        return thread_.trips[s.loop];
      case ptx::SymbolKind::kParameter: {
        const auto& bytes = check_.request_->arguments.at(s.parameter).bytes;
        std::uint64_t v = 0;
        std::memcpy(&v, bytes.data() + s.offset, s.bytes);
        return extended(v, s.bytes, true);
      }
      case ptx::SymbolKind::kOpaque: {
        if (id == chosen) return choice;
        if (!s.is_loaded) return std::nullopt;
        const auto it = thread_.loaded.find({s.instruction, s.part});
        if (it == thread_.loaded.end()) return std::nullopt;
        return it->second;
      }
      default:
        return std::nullopt;
    }
  }

  ptx::SymbolId chosen = ~ptx::SymbolId{0};
  std::int64_t choice = 0;

 private:
  const AddressCheck& check_;
  const Thread& thread_;
};

AddressCheck::AddressCheck(const ptx::Module& module, const std::string& kernel)
    : table_(ptx::make_locality_table(module, kernel)),
      function_(ptx::expand_calls(module, ptx::entry_function(module, kernel)).function),
      nest_(function_) {
  checks_.resize(table_.analysis().accesses.size());
  for (std::size_t i = 0; i < function_.body.size(); ++i) {
    if (!instruction_of_.emplace(function_.body[i].line, i).second) {
      obstacle_ = "line " + std::to_string(function_.body[i].line) + " has several instructions";
    }
  }
  for (std::size_t a = 0; a < checks_.size(); ++a) {
    access_of_[table_.analysis().accesses[a].instruction] = a;
  }
  for (std::size_t g = 0; g < table_.groups().size(); ++g) {
    for (const std::size_t a : table_.groups()[g].accesses) group_of_[a] = g;
  }
  for (const ptx::BasicBlock& b : nest_.blocks()) {
    markers_.push_back(kNone);
    for (std::size_t i = b.last + std::size_t{1}; i-- > b.first;) {
      // Branches of one target for all lanes are issued without lanes that go on.
      if (function_.body[i].guard.empty() && function_.body[i].opcode != "bra") markers_.back() = i;
    }
  }
}

void AddressCheck::run(KernelProgram& program, const LaunchRequest& request,
                       const FlatMemory& memory) {
  request_ = &request;
  memory_ = &memory;
  const std::uint64_t ctas = request.grid.count();
  const std::uint64_t step = (ctas + kMostCtas - 1) / kMostCtas;
  for (std::uint64_t c = 0; c < ctas; ++c) {
    const bool checked = c % step == 0 || c + 1 == ctas;
    run_cta(program, CtaId(static_cast<std::uint32_t>(c)), checked);
  }
}

void AddressCheck::run_cta(KernelProgram& program, CtaId id, bool checked) {
  const Dim3 grid = request_->grid;
  const std::uint32_t linear = id.value;
  ctaid_ = {linear % grid.x, linear / grid.x % grid.y, linear / grid.x / grid.y};
  const Dim3 block = request_->block;
  threads_.assign(block.count(), Thread{});
  for (std::uint32_t t = 0; t < threads_.size(); ++t) {
    Thread& thread = threads_[t];
    thread.tid = {t % block.x, t / block.x % block.y, t / block.x / block.y};
    thread.inside.assign(nest_.loops().size(), false);
    thread.iterations.assign(nest_.loops().size(), 0);
    thread.trips.assign(nest_.loops().size(), 0);
  }
  const auto cta = program.start_cta(id);
  IssueResult result;
  while (cta->live_warps() != 0) {
    bool progress = false;
    for (unsigned w = 0; w < cta->warp_count(); ++w) {
      for (int n = 0; n < 256; ++n) {
        if (((cta->waiting_warps() | cta->ended_warps()) >> w & 1u) != 0) break;
        progress = true;
        const OpInfo info = cta->warp(w).next();
        IssueContext context;
        context.warp_slot = w;
        cta->warp(w).issue(context, result);
        if (checked) issued(info, result, w);
        if (result.kind == IssueResult::Kind::kBarrier) cta->arrive(w, result);
        if (result.kind == IssueResult::Kind::kExit && result.warp_done) cta->end_warp(w);
      }
    }
    for (unsigned b = 0; b < CtaProgram::kBarriers; ++b)
      progress = cta->release(b) != 0 || progress;
    if (!progress) throw std::logic_error("the CTA makes no progress");
  }
}

void AddressCheck::issued(const OpInfo& info, const IssueResult& result, unsigned warp) {
  const auto at = instruction_of_.find(info.line);
  if (at == instruction_of_.end()) return;
  const std::size_t i = at->second;
  const std::uint32_t block = nest_.block_of(i);
  const auto access = access_of_.find(i);
  for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
    if ((result.active >> lane & 1u) == 0) continue;
    Thread& t = threads_.at(warp * kWarpLanes + lane);
    if (i == markers_[block]) enter_after(t, block);
    if (result.kind != IssueResult::Kind::kMemory) continue;
    const std::uint64_t address = result.memory.address[lane];
    if (result.memory.space == Space::kGlobal && access != access_of_.end()) {
      compare(access->second, t, address);
    }
    if (result.memory.space == Space::kGlobal) record_loads(i, t, address);
  }
}

void AddressCheck::reset_inside(Thread& t, unsigned loop) {
  for (unsigned l = 0; l < nest_.loops().size(); ++l) {
    if (l == loop || !nest_.loops()[loop].blocks[nest_.loops()[l].header]) continue;
    t.inside[l] = false;
    t.trips[l] = 0;
  }
}

/// Blocks without a marker, such as a header that only branches, are found as the shortest path
/// from the last block.
void AddressCheck::enter_after(Thread& t, std::uint32_t block) {
  std::map<std::uint32_t, std::uint32_t> from;  // by block: its predecessor on the path
  std::vector<std::uint32_t> work;
  const auto visit = [&](std::uint32_t b, std::uint32_t predecessor) {
    if (b >= nest_.blocks().size() || !from.emplace(b, predecessor).second) return;
    if (b == block || markers_[b] == kNone) work.push_back(b);
  };
  if (t.block == ptx::kNoBlock) {
    visit(0, ptx::kNoBlock);
  } else {
    for (const std::uint32_t s : nest_.blocks()[t.block].successors) visit(s, ptx::kNoBlock);
  }
  for (std::size_t n = 0; n < work.size() && from.count(block) == 0; ++n) {
    for (const std::uint32_t s : nest_.blocks()[work[n]].successors) visit(s, work[n]);
  }
  std::vector<std::uint32_t> path;
  for (std::uint32_t b = block; b != ptx::kNoBlock && from.count(b) != 0; b = from[b]) {
    path.push_back(b);
  }
  if (path.empty()) obstacle_ = "a path of blocks cannot be followed";
  for (auto it = path.rbegin(); it != path.rend(); ++it) enter(t, *it);
  t.block = block;
}

void AddressCheck::enter(Thread& t, std::uint32_t block) {
  for (unsigned l = 0; l < nest_.loops().size(); ++l) {
    const ptx::Loop& loop = nest_.loops()[l];
    if (t.inside[l] && !loop.blocks[block]) {
      t.inside[l] = false;
      t.trips[l] = t.iterations[l] + (loop.exits_at_latches ? 1 : 0);
    }
  }
  for (unsigned l = 0; l < nest_.loops().size(); ++l) {
    if (nest_.loops()[l].header != block) continue;
    t.iterations[l] = t.inside[l] ? t.iterations[l] + 1 : 0;
    t.inside[l] = true;
    reset_inside(t, l);
  }
}

void AddressCheck::record_loads(std::size_t instruction, Thread& t, std::uint64_t address) {
  const ptx::Instruction& in = function_.body[instruction];
  if (in.opcode != "ld" || in.modifiers.empty()) return;
  const ptx::Type type = ptx::type_from_name(in.modifiers.back());
  const unsigned bytes = ptx::type_bytes(type);
  if (bytes == 0 || bytes > 8) return;
  const bool is_narrow = bytes < 4;
  const bool is_signed = is_narrow ? in.modifiers.back()[0] == 's' : true;
  const bool is_vector = in.operands[0].kind == ptx::Operand::Kind::kVector;
  const std::size_t parts = is_vector ? in.operands[0].elements.size() : 1;
  for (std::size_t k = 0; k < parts; ++k) {
    std::uint64_t v = 0;
    std::memcpy(&v, memory_->at(address + k * bytes), bytes);
    t.loaded[{instruction, is_vector ? static_cast<int>(k) : -1}] = extended(v, bytes, is_signed);
  }
}

void AddressCheck::compare(std::size_t index, const Thread& t, std::uint64_t address) {
  const ptx::GlobalAccess& access = table_.analysis().accesses[index];
  const ptx::SymbolTable& symbols = table_.analysis().symbols;
  AccessCheck& check = checks_[index];
  ++check.executed;
  if (!access.problem.empty() || !access.origin) return;
  Values values(*this, t);
  std::optional<std::int64_t> offset = symbols.evaluate(access.offset, values);
  std::uint64_t base = 0;
  if (access.origin->is_variable) {
    if (!offset) return;
    const std::uint64_t implied = address - static_cast<std::uint64_t>(*offset);
    base = variables_.emplace(access.origin->name, implied).first->second;
  } else {
    std::memcpy(
        &base,
        request_->arguments.at(access.origin->parameter).bytes.data() + access.origin->offset, 8);
  }
  if (!offset) {
    // One choice between uniform values: the address implies it.
    for (const ptx::SymbolId id : access.offset.symbols()) {
      if (symbols[id].is_uniform_choice) values.chosen = id;
    }
    if (values.chosen == ~ptx::SymbolId{0}) return;
    const auto without = symbols.evaluate(access.offset, values);
    const auto factor = symbols.evaluate(access.offset.factor(values.chosen), values);
    if (!without || !factor || *factor == 0) return;
    const std::int64_t rest = static_cast<std::int64_t>(address - base) - *without;
    if (rest % *factor == 0) check.implied.insert(rest / *factor);
    offset = *without + rest / *factor * *factor;
  }
  ++check.compared;
  const auto fail = [&](const std::string& what) {
    ++check.wrong;
    if (!check.first_wrong.empty()) return;
    std::ostringstream text;
    text << "line " << access.line << " '" << access.text << "': " << what << ", executed offset "
         << static_cast<std::int64_t>(address - base) << ", expression "
         << symbols.text(access.offset) << ", tid (" << t.tid.x << "," << t.tid.y << "," << t.tid.z
         << "), ctaid (" << ctaid_.x << "," << ctaid_.y << "," << ctaid_.z << ")";
    for (std::size_t l = 0; l < t.iterations.size(); ++l) {
      text << ", m" << l + 1 << "=" << t.iterations[l] << " trips" << l + 1 << "=" << t.trips[l];
    }
    check.first_wrong = text.str();
  };
  if (base + static_cast<std::uint64_t>(*offset) != address) {
    return fail("predicted offset " + std::to_string(*offset));
  }
  // The group's form: invariant + start + inner + stride * (unrolled * m + k) + piece.
  const auto group = group_of_.find(index);
  if (group == group_of_.end() || values.chosen != ~ptx::SymbolId{0}) return;
  const ptx::AccessGroup& g = table_.groups()[group->second];
  const bool has_bound = symbols.any(access.offset, [](ptx::SymbolId, const ptx::Symbol& s) {
    return s.kind == ptx::SymbolKind::kFunction;
  });
  if (!g.problem.empty() || has_bound) return;
  const auto first = symbols.evaluate(g.invariant + g.start + g.inner, values);
  const auto stride = symbols.evaluate(g.stride, values);
  if (!first || !stride) return fail("the group has no value");
  const std::int64_t m = g.loop ? t.iterations[*g.loop] : 0;
  for (unsigned k = 0; k < g.unrolled; ++k) {
    const std::int64_t rest = *offset - *first - *stride * (std::int64_t{g.unrolled} * m + k);
    for (const ptx::Piece& p : g.pieces) {
      if (p.offset == rest) return;
    }
  }
  fail("no piece of the group has this offset");
}

}  // namespace tessera::test
