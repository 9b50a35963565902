// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <tuple>

#include "stimuli/ptx/analysis/classify.h"

namespace tessera::ptx {

namespace {

constexpr int kMostUnrolled = 64;

struct Member {
  std::size_t access = 0;
  std::uint32_t bytes = 0;
  Polynomial offset;
};

/// The accesses of a loop with the same coefficient of its iteration.
struct Pool {
  std::vector<unsigned> loops;
  std::optional<unsigned> loop;
  Polynomial step;
  std::vector<Member> members;
};

/// Whether the pieces, repeated every `period` bytes, leave no gap.
bool covers(const std::vector<Piece>& pieces, std::int64_t period) {
  if (period <= 0 || period > 4096) return false;
  std::vector<bool> covered(static_cast<std::size_t>(period), false);
  for (const Piece& p : pieces) {
    for (std::uint32_t b = 0; b < p.bytes; ++b) {
      const std::int64_t at = ((p.offset + b) % period + period) % period;
      covered[static_cast<std::size_t>(at)] = true;
    }
  }
  return std::all_of(covered.begin(), covered.end(), [](bool c) { return c; });
}

std::vector<Piece> pieces_of(const std::vector<Member>& members, std::int64_t first) {
  std::set<std::pair<std::int64_t, std::uint32_t>> found;
  for (const Member& m : members) found.emplace(m.offset.coefficient({}) - first, m.bytes);
  std::vector<Piece> pieces;
  for (const auto& [offset, bytes] : found) pieces.push_back(Piece{offset, bytes});
  return pieces;
}

class Grouper {
 public:
  explicit Grouper(IndexAnalysis& analysis) : analysis_(analysis) {}

  std::vector<AccessGroup> run(const std::vector<std::size_t>& accesses) {
    for (const std::size_t a : accesses) add(a);
    for (const Pool& pool : pools_) group(pool);
    std::sort(groups_.begin(), groups_.end(), [](const AccessGroup& a, const AccessGroup& b) {
      return a.accesses.front() < b.accesses.front();
    });
    return std::move(groups_);
  }

 private:
  void add(std::size_t index) {
    const GlobalAccess& access = analysis_.accesses[index];
    if (!access.problem.empty()) return add_problem(index, access.problem);
    const Polynomial offset = without_bounds(analysis_.symbols, access.offset);
    std::optional<unsigned> loop;
    const Polynomial without_start = offset - start_of(access.loops, offset);
    for (const unsigned l : access.loops) {
      if (!loop && analysis_.varies_in(without_start, l)) loop = l;
    }
    for (const unsigned l : access.loops) {
      if (is_linear(analysis_.symbols.iteration(l), offset)) continue;
      return add_problem(index, "its index is not linear in the iteration of the loop at line " +
                                    std::to_string(analysis_.loops[l].line));
    }
    Polynomial step;
    if (loop) step = offset.factor(analysis_.symbols.iteration(*loop));
    const auto same = [&](const Pool& p) {
      return p.loops == access.loops && p.loop == loop && p.step == step;
    };
    auto pool = std::find_if(pools_.begin(), pools_.end(), same);
    if (pool == pools_.end()) {
      pools_.push_back(Pool{access.loops, loop, step, {}});
      pool = pools_.end() - 1;
    }
    pool->members.push_back(Member{index, access.bytes, offset});
  }

  /// The terms of an earlier loop's trips, or of a uniform value, whose factor is a multiple of a
  /// loop's stride: the iterations that preceded this loop.
  Polynomial start_of(const std::vector<unsigned>& loops, const Polynomial& offset) {
    Polynomial start;
    for (const SymbolId id : offset.symbols()) {
      const Symbol& s = analysis_.symbols[id];
      const bool counts = s.kind == SymbolKind::kTrips || s.is_uniform_choice;
      if (!counts || offset.degree(id) != 1) continue;
      const Polynomial factor = offset.factor(id);
      const bool continues = std::any_of(loops.begin(), loops.end(), [&](unsigned l) {
        const Polynomial stride = offset.factor(analysis_.symbols.iteration(l));
        const bool is_multiple =
            integer_ratio(factor, stride) || integer_ratio(stride, factor).value_or(0) != 0;
        return is_multiple && !analysis_.varies_in(Polynomial::symbol(id), l);
      });
      if (continues) start += factor * Polynomial::symbol(id);
    }
    return start;
  }

  /// Whether a function in the polynomial depends on the symbol.
  bool is_operand(SymbolId id, const Polynomial& p) const {
    const std::vector<SymbolId> all = p.symbols();
    return std::any_of(all.begin(), all.end(), [&](SymbolId f) {
      const std::vector<Polynomial>& operands = analysis_.symbols[f].operands;
      return std::any_of(operands.begin(), operands.end(), [&](const Polynomial& operand) {
        return analysis_.symbols.any(operand, [&](SymbolId s, const Symbol&) { return s == id; });
      });
    });
  }

  /// Whether the offset is stride * iteration + rest, with a stride that is the same for all
  /// threads and iterations.
  bool is_linear(SymbolId iteration, const Polynomial& offset) const {
    return offset.degree(iteration) <= 1 && !is_operand(iteration, offset) &&
           is_uniform(analysis_.symbols, offset.factor(iteration));
  }

  void add_problem(std::size_t index, const std::string& problem) {
    const GlobalAccess& access = analysis_.accesses[index];
    for (AccessGroup& g : groups_) {
      if (g.problem != problem || g.loops != access.loops) continue;
      g.accesses.push_back(index);
      g.element_bytes = std::min(g.element_bytes, access.bytes);
      return;
    }
    AccessGroup g;
    g.accesses = {index};
    g.element_bytes = access.bytes;
    g.loops = access.loops;
    g.problem = problem;
    groups_.push_back(std::move(g));
  }

  /// Members that differ only by constants, by their common part.
  static std::map<Polynomial, std::vector<Member>> by_base(const std::vector<Member>& members) {
    std::map<Polynomial, std::vector<Member>> classes;
    for (const Member& m : members) {
      classes[m.offset - Polynomial(m.offset.coefficient({}))].push_back(m);
    }
    return classes;
  }

  void group(const Pool& pool) {
    std::vector<Member> rest;
    const std::optional<std::int64_t> period = pool.step.constant();
    for (const auto& [base, members] : by_base(pool.members)) {
      const bool is_contiguous =
          period && *period != 0 && covers(pieces_of(members, 0), std::abs(*period));
      if (!is_contiguous) {
        rest.insert(rest.end(), members.begin(), members.end());
        continue;
      }
      // Accesses of one size are repetitions of an original iteration's.
      const std::uint32_t element = members[0].bytes;
      const bool is_even = std::abs(*period) % element == 0 &&
                           std::all_of(members.begin(), members.end(),
                                       [&](const Member& m) { return m.bytes == element; });
      const auto unrolled = is_even ? static_cast<unsigned>(std::abs(*period) / element) : 1u;
      const std::vector<Member> first = first_repetition(members, *period, unrolled);
      if (first.empty()) {
        finish(pool, members, members, 1);
      } else {
        finish(pool, first, members, unrolled);
      }
    }
    if (!pool.step.is_zero()) rest = roll(pool, std::move(rest));
    for (const auto& [base, members] : by_base(rest)) finish(pool, members, members, 1);
  }

  /// The members of an original iteration: the ones whose last repetition is a member, too.
  static std::vector<Member> first_repetition(const std::vector<Member>& members,
                                              std::int64_t period, unsigned unrolled) {
    const std::int64_t to_last = period - period / std::int64_t{unrolled};
    std::int64_t lowest = members[0].offset.coefficient({});
    std::int64_t highest = lowest;
    for (const Member& m : members) {
      lowest = std::min(lowest, m.offset.coefficient({}));
      highest = std::max(highest, m.offset.coefficient({}));
    }
    std::vector<Member> first;
    for (const Member& m : members) {
      const std::int64_t last = m.offset.coefficient({}) + to_last;
      if (lowest <= last && last <= highest) first.push_back(m);
    }
    return first;
  }

  /// Groups members that are repeated at multiples of step / n; returns the others.
  std::vector<Member> roll(const Pool& pool, std::vector<Member> members) {
    for (int n = std::min<int>(kMostUnrolled, static_cast<int>(members.size())); n > 1; --n) {
      const std::optional<Polynomial> stride = pool.step.divided(n);
      if (!stride) continue;
      std::map<Polynomial, std::vector<Member>> left;
      for (const Member& m : members) left[m.offset].push_back(m);
      std::vector<Member> first;
      std::vector<Member> repeated;
      // The first iteration of each sequence has no member one stride before it.
      std::vector<Polynomial> starts;
      for (const auto& [offset, all] : left) {
        if (left.count(offset - *stride) == 0) starts.push_back(offset);
      }
      for (const Polynomial& start : starts) {
        std::vector<Polynomial> sequence;
        for (Polynomial at = start; left.count(at) != 0; at += *stride) sequence.push_back(at);
        const auto count = static_cast<std::size_t>(n);
        if (sequence.size() < count) continue;
        // A stencil's sequences are longer than n: an iteration accesses several of their members.
        for (std::size_t k = 0; k < sequence.size(); ++k) {
          for (const Member& m : left[sequence[k]]) {
            repeated.push_back(m);
            if (k + count <= sequence.size()) first.push_back(m);
          }
        }
      }
      if (repeated.empty()) continue;
      members = without(std::move(members), repeated);
      rolled(pool, first, repeated, static_cast<unsigned>(n));
    }
    return members;
  }

  static std::vector<Member> without(std::vector<Member> members,
                                     const std::vector<Member>& removed) {
    const auto is_removed = [&](const Member& m) {
      return std::any_of(removed.begin(), removed.end(),
                         [&](const Member& r) { return r.access == m.access; });
    };
    members.erase(std::remove_if(members.begin(), members.end(), is_removed), members.end());
    return members;
  }

  void rolled(const Pool& pool, const std::vector<Member>& first,
              const std::vector<Member>& repeated, unsigned n) {
    const Polynomial stride = *pool.step.divided(n);
    std::vector<Member> left = repeated;
    for (const auto& [base, members] : by_base(first)) {
      // All iterations of these members.
      std::set<Polynomial> offsets;
      for (const Member& m : members) {
        Polynomial at = m.offset;
        for (unsigned k = 0; k < n; ++k, at += stride) offsets.insert(at);
      }
      std::vector<Member> mine;
      for (const Member& m : left) {
        if (offsets.count(m.offset) != 0) mine.push_back(m);
      }
      if (mine.empty()) continue;
      left = without(std::move(left), mine);
      finish(pool, members, mine, n);
    }
  }

  /// `first`: the members of an original iteration; `all`: with their repetitions.
  void finish(const Pool& pool, const std::vector<Member>& first, const std::vector<Member>& all,
              unsigned unrolled) {
    AccessGroup g;
    for (const Member& m : all) g.accesses.push_back(m.access);
    std::sort(g.accesses.begin(), g.accesses.end());
    g.loops = pool.loops;
    g.loop = pool.loop;
    g.unrolled = unrolled;
    g.stride = unrolled == 1 ? pool.step : *pool.step.divided(unrolled);
    const auto lowest =
        std::min_element(first.begin(), first.end(), [](const Member& a, const Member& b) {
          return a.offset.coefficient({}) < b.offset.coefficient({});
        });
    g.element_bytes = first[0].bytes;
    for (const Member& m : first) g.element_bytes = std::min(g.element_bytes, m.bytes);
    g.pieces = pieces_of(first, lowest->offset.coefficient({}));
    const Polynomial offset = lowest->offset;
    g.start = start_of(g.loops, offset);
    const auto has_iteration = [&](const Monomial& monomial) {
      return std::any_of(monomial.begin(), monomial.end(), [&](SymbolId id) {
        return analysis_.symbols[id].kind == SymbolKind::kIteration;
      });
    };
    const SymbolId iteration = pool.loop ? analysis_.symbols.iteration(*pool.loop) : ~SymbolId{0};
    g.invariant = (offset - g.start).filtered([&](const Monomial& monomial) {
      return !has_iteration(monomial);
    });
    g.inner = offset.filtered([&](const Monomial& monomial) {
      return has_iteration(monomial) &&
             std::find(monomial.begin(), monomial.end(), iteration) == monomial.end();
    });
    g.datablock = datablock(g);
    groups_.push_back(std::move(g));
  }

  /// Sum of the contiguous ranges of the pieces. Neighbouring threads access the rest of a range
  /// that is longer than their distance (0: unknown).
  static std::int64_t bytes_of_thread(const std::vector<Piece>& pieces, std::int64_t distance) {
    std::int64_t total = 0;
    std::int64_t range = 0;
    std::int64_t end = 0;
    const auto add_range = [&] { total += distance == 0 ? range : std::min(range, distance); };
    for (const Piece& p : pieces) {
      if (p.offset > end) {
        add_range();
        range = 0;
        end = p.offset;
      }
      const std::int64_t to = std::max(end, p.offset + std::int64_t{p.bytes});
      range += to - end;
      end = to;
    }
    add_range();
    return total;
  }

  /// Bytes of a thread times the threads along the axes on which the address depends.
  std::optional<Polynomial> datablock(const AccessGroup& g) {
    const SymbolTable& symbols = analysis_.symbols;
    const bool is_opaque = symbols.any(
        g.invariant, [](SymbolId, const Symbol& s) { return s.kind == SymbolKind::kOpaque; });
    if (is_opaque || !g.inner.is_zero()) return std::nullopt;
    const std::optional<std::int64_t> distance =
        g.invariant.factor(analysis_.symbols.index(SymbolKind::kTid, 0)).constant();
    const std::int64_t most = distance && *distance != 0 ? std::abs(*distance) : 0;
    const std::int64_t bytes = bytes_of_thread(g.pieces, most);
    Polynomial block(bytes);
    for (unsigned axis = 0; axis < 3; ++axis) {
      const SymbolId tid = analysis_.symbols.index(SymbolKind::kTid, axis);
      const bool is_used =
          symbols.any(g.invariant, [&](SymbolId id, const Symbol&) { return id == tid; });
      if (is_used) {
        block = block * Polynomial::symbol(analysis_.symbols.index(SymbolKind::kNtid, axis));
      }
    }
    return block;
  }

  IndexAnalysis& analysis_;
  std::vector<Pool> pools_;
  std::vector<AccessGroup> groups_;
};

}  // namespace

std::vector<AccessGroup> group_accesses(IndexAnalysis& analysis,
                                        const std::vector<std::size_t>& accesses) {
  return Grouper(analysis).run(accesses);
}

}  // namespace tessera::ptx
