// SPDX-License-Identifier: Apache-2.0
#pragma once

// The variables of index expressions: the prime variables of LADM III-C (thread and CTA indices,
// dimensions, scalar parameters, induction variables), integer functions of them that are not
// polynomials (a division, a minimum), and values that are unknown before the launch.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stimuli/ptx/analysis/polynomial.h"

namespace tessera::ptx {

enum class SymbolKind : std::uint8_t {
  kTid,        ///< %tid, axis 0 to 2
  kCtaid,      ///< %ctaid
  kNtid,       ///< %ntid: threads of a CTA
  kNctaid,     ///< %nctaid: CTAs of the grid
  kParameter,  ///< an integer kernel parameter, or 1 to 8 bytes of one
  kVariable,   ///< the address of a .global variable
  kIteration,  ///< iterations of a loop so far, from 0: the canonical induction variable
  kTrips,      ///< iterations of a loop's last execution; 0 if it was not entered
  kFunction,   ///< an integer function of other expressions
  kOpaque,     ///< a value that the analysis does not know; `why` explains
  kPending,    ///< internal: a merged value whose solution is not known yet
};

/// Operations of SymbolKind::kFunction. Operands and result have Symbol::bits bits.
enum class IndexFunction : std::uint8_t {
  kDivide,      ///< truncated quotient of two operands
  kShiftRight,  ///< quotient by a power of two, rounded down
  kMinimum,
  kMaximum,
  kAnd,
  kOr,
  kXor,
  kShiftLeft,
  kMultiplyHigh,  ///< upper half of a product
  kAbsolute,
  kTruncate,  ///< the value's lowest bits
  kSelectGe,  ///< operands e, a, b: e >= 0 ? a : b
  kSelectEq,  ///< operands e, a, b: e == 0 ? a : b
};

struct Symbol {
  SymbolKind kind = SymbolKind::kOpaque;
  unsigned axis = 0;                 ///< kTid to kNctaid: 0 = x
  std::size_t parameter = 0;         ///< kParameter: index
  std::uint32_t offset = 0;          ///< kParameter: byte in the parameter
  std::uint32_t bytes = 0;           ///< kParameter
  std::string name;                  ///< kParameter, kVariable
  unsigned loop = 0;                 ///< kIteration, kTrips: index of the loop
  IndexFunction function{};          ///< kFunction
  unsigned bits = 64;                ///< kFunction: 8 to 64
  bool is_signed = true;             ///< kFunction
  std::vector<Polynomial> operands;  ///< kFunction
  unsigned nesting = 0;    ///< kFunction: 1 + the largest nesting of the operands' symbols
  unsigned line = 0;       ///< kOpaque: of the instruction
  bool is_loaded = false;  ///< kOpaque: loaded by `instruction`
  /// kOpaque: one of several values that are the same for all threads, by the path taken.
  bool is_uniform_choice = false;
  std::size_t instruction = 0;  ///< kOpaque, is_loaded: index in the function's body
  int part = -1;                ///< kOpaque, is_loaded: element of a vector, or -1
  std::uint32_t block = 0;      ///< kOpaque: basic block that defines it
  std::string why;              ///< kOpaque: "a loaded value ('ld.global.u32 ...')"
};

/// Values of symbols, for evaluation. Function symbols are not asked for.
class SymbolValues {
 public:
  SymbolValues() = default;
  virtual ~SymbolValues() = default;
  SymbolValues(const SymbolValues&) = delete;
  SymbolValues& operator=(const SymbolValues&) = delete;

  /// Empty if the value is not known.
  virtual std::optional<std::int64_t> value(SymbolId id, const Symbol& symbol) const = 0;
};

/// The smallest and largest value of an expression, or unlimited.
struct Interval {
  static constexpr std::int64_t kUnlimited = std::int64_t{1} << 62;
  std::int64_t low = -kUnlimited;
  std::int64_t high = kUnlimited;

  bool within(std::int64_t least, std::int64_t most) const { return least <= low && high <= most; }
};

/// The symbols of one kernel. Equal symbols have equal ids, except opaque and pending ones.
class SymbolTable {
 public:
  const Symbol& operator[](SymbolId id) const { return symbols_[id]; }
  std::size_t size() const { return symbols_.size(); }

  SymbolId index(SymbolKind kind, unsigned axis);
  SymbolId parameter(std::size_t parameter, const std::string& name, std::uint32_t offset,
                     std::uint32_t bytes);
  SymbolId variable(const std::string& name);
  SymbolId iteration(unsigned loop) { return of_loop(SymbolKind::kIteration, loop); }
  SymbolId trips(unsigned loop) { return of_loop(SymbolKind::kTrips, loop); }
  SymbolId function(IndexFunction function, unsigned bits, bool is_signed,
                    std::vector<Polynomial> operands);
  SymbolId opaque(unsigned line, std::uint32_t block, const std::string& why);
  /// An opaque symbol with is_uniform_choice.
  SymbolId choice(unsigned line, std::uint32_t block, const std::string& why);
  SymbolId loaded(unsigned line, std::uint32_t block, std::size_t instruction, int part,
                  const std::string& why);
  SymbolId pending(std::uint32_t block);

  /// Name in expressions: "tid.x", "p+8", "m1" (iteration of loop 1), "trips1", "(a / b)".
  std::string text(SymbolId id) const;
  /// "4*tid.x + 64*ctaid.x + p"; "0".
  std::string text(const Polynomial& p) const;

  /// Whether a symbol of the polynomial, or of a function's operands, satisfies the condition.
  template <class Condition>
  bool any(const Polynomial& p, const Condition& condition) const {
    std::vector<bool> seen(symbols_.size());
    return any_unseen(p, condition, seen);
  }

  /// Replaces symbols, also in the operands of functions. `value` returns nothing for symbols that
  /// stay.
  Polynomial substituted(const Polynomial& p,
                         const std::function<std::optional<Polynomial>(SymbolId)>& value);

  Interval range(const Polynomial& p) const;
  std::optional<std::int64_t> evaluate(const Polynomial& p, const SymbolValues& values) const;

 private:
  /// Operands are shared: each symbol is visited once.
  template <class Condition>
  bool any_unseen(const Polynomial& p, const Condition& condition, std::vector<bool>& seen) const {
    for (const SymbolId id : p.symbols()) {
      if (seen[id]) continue;
      seen[id] = true;
      if (condition(id, symbols_[id])) return true;
      for (const Polynomial& operand : symbols_[id].operands) {
        if (any_unseen(operand, condition, seen)) return true;
      }
    }
    return false;
  }

  using Known = std::map<SymbolId, std::optional<std::int64_t>>;

  using Key =
      std::pair<std::array<std::uint64_t, 5>, std::pair<std::string, std::vector<Polynomial>>>;

  SymbolId intern(Symbol symbol);
  SymbolId of_loop(SymbolKind kind, unsigned loop);
  Polynomial substituted(const Polynomial& p,
                         const std::function<std::optional<Polynomial>(SymbolId)>& value,
                         std::map<SymbolId, std::optional<Polynomial>>& known);
  Interval range_of(SymbolId id) const;
  std::optional<std::int64_t> evaluate(const Polynomial& p, const SymbolValues& values,
                                       Known& known) const;
  std::optional<std::int64_t> evaluate_function(const Symbol& s, const SymbolValues& values,
                                                Known& known) const;

  std::vector<Symbol> symbols_;
  std::map<Key, SymbolId> ids_;
  mutable std::map<SymbolId, Interval> ranges_;  ///< of functions; a symbol's never changes
};

/// The largest k <= 62 for which every value of the polynomial is a multiple of 2^k.
unsigned trailing_zeros(const Polynomial& p);

}  // namespace tessera::ptx
