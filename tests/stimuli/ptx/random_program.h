// SPDX-License-Identifier: Apache-2.0
#pragma once

// Random structured kernels: trees of arithmetic, ifs, loops with break and continue, calls, early
// exits, local arrays and barriers over a few variables, written as PTX and evaluated on the host.

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace tessera::test {

/// Which functions a function calls.
enum class Calls {
  kForward,    ///< later ones, by name
  kRecursive,  ///< any, by name or through a table of pointers, to a limited depth
};

/// How the PTX is laid out.
enum class Layout {
  kPlain,    ///< in the order of the source; loops tested at the top
  kCompiled  ///< as compilers do: loops tested at the bottom, unlikely blocks behind the end,
             ///< short ifs predicated
};

class RandomProgram {
 public:
  static constexpr unsigned kVariables = 6;
  static constexpr unsigned kLocals = 8;
  static constexpr unsigned kInputs = 256;
  static constexpr std::uint32_t kUnwritten = 0xffffffffu;
  static constexpr unsigned kDepth = 3;  ///< of recursive calls
  /// Calls that a thread makes, with Calls::kRecursive.
  static constexpr std::uint32_t kMostCalls = 60;

  explicit RandomProgram(unsigned seed, Calls calls = Calls::kForward);

  /// A kernel k(out, in): in has kInputs words; thread i writes a word at out + 8 * i, or ends
  /// before it does.
  std::string ptx(Layout layout) const;
  /// What the threads of one CTA write; kUnwritten where a thread ends early.
  std::vector<std::uint32_t> evaluate(const std::vector<std::uint32_t>& input, unsigned cta,
                                      unsigned threads) const;

  enum class Do {
    kCompute,   ///< a = b op c
    kIf,        ///< condition: body, else other
    kLoop,      ///< (variable a mod constant) times
    kBreak,     ///< on condition
    kContinue,  ///< on condition
    kCall,      ///< a = function(b, c); function: number op, or by variable `tested` if indirect
    kInput,     ///< a = in[b mod kInputs]
    kLoad,      ///< a = local[b mod kLocals]
    kStore,     ///< local[b mod kLocals] = a
    kReturn,    ///< on condition, from a function
    kExit,      ///< on condition, the thread
    kExchange,  ///< a = what thread (index + constant) holds in b, across a barrier
  };
  struct Node {
    Do what = Do::kCompute;
    unsigned op = 0;  ///< arithmetic, or the function
    bool indirect = false;
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    std::uint32_t constant = 0;
    /// Condition: (variable & mask) < limit.
    unsigned tested = 0;
    std::uint32_t mask = 0;
    std::uint32_t limit = 0;
    std::vector<Node> body;
    std::vector<Node> other;
  };
  using List = std::vector<Node>;

 private:
  Node random_node(unsigned depth, bool in_loop, bool in_function, unsigned first_function);
  List random_list(unsigned depth, bool in_loop, bool in_function, unsigned first_function);

  std::mt19937 random_;
  Calls calls_;
  List main_;
  std::vector<List> functions_;  ///< function i calls only later ones
};

}  // namespace tessera::test
