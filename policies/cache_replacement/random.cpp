// SPDX-License-Identifier: Apache-2.0
// "random": any way that can be evicted, selected by a sequence of pseudo-random numbers that is
// equal on every machine. Each array has its own instance of the sequence; all instances are equal.
#include "policies/bit_matrix.h"
#include "policies/cache_replacement.h"

namespace tessera::cache_replacement::random {

namespace {

struct Parameters {
  std::uint64_t seed = 1;
};

void describe(ParameterVisitor& v, Parameters& p) {
  v.integer("seed", p.seed, "", "chooses the sequence (ours)", 0, ~std::uint32_t{0});
}

class Random final : public CacheReplacement {
 public:
  explicit Random(const Parameters& p) : numbers_(p.seed), draw_(numbers_.next()) {}

  void reset(std::uint64_t*) const override {}
  /// Each eviction uses a new number. Until then, victim() uses the same number.
  void insert(std::uint64_t*, std::uint32_t, bool evicted) override {
    if (evicted) draw_ = numbers_.next();
  }
  void hit(std::uint64_t*, std::uint32_t) override {}

  std::uint32_t victim(const std::uint64_t*, std::uint64_t candidates) const override {
    auto skip = draw_ % static_cast<unsigned>(__builtin_popcountll(candidates));
    for (; skip > 0; --skip) candidates &= candidates - 1;
    return static_cast<std::uint32_t>(__builtin_ctzll(candidates));
  }

 private:
  FixedRandom numbers_;
  std::uint64_t draw_;
};

std::unique_ptr<CacheReplacement> make(const CacheShape&, const Parameters& p) {
  return std::make_unique<Random>(p);
}

const PolicyRegistration<CacheReplacement> kRegistered("random", "any way, pseudo-random", make);

}  // namespace

}  // namespace tessera::cache_replacement::random
