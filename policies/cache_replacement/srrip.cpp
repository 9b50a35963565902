// SPDX-License-Identifier: Apache-2.0
// "srrip": static re-reference interval prediction with hit priority (Jaleel et al., ISCA'10). A
// way's byte is its re-reference prediction value (RRPV). The RRPV is the maximum minus one after
// an insertion, and 0 after a hit. The victim is the first way with the maximum. If no way has the
// maximum, all values increase until one way has it. Here they increase when the line is evicted,
// because victim() must not change the state.
#include <algorithm>

#include "policies/cache_replacement.h"

namespace tessera::cache_replacement::srrip {

namespace {

struct Parameters {
  std::uint32_t bits = 2;
};

void describe(ParameterVisitor& v, Parameters& p) {
  v.integer("bits", p.bits, "bit", "width of a re-reference prediction value (Jaleel et al.: 2)", 1,
            7);
}

class Srrip final : public CacheReplacement {
 public:
  Srrip(const CacheShape& shape, const Parameters& p)
      : ways_(shape.ways), longest_((1U << p.bits) - 1) {}

  void reset(std::uint64_t* state) const override {
    for (std::uint32_t way = 0; way < ways_; ++way) set(state, way, longest_);
  }
  void insert(std::uint64_t* state, std::uint32_t way, bool evicted) override {
    const std::uint32_t older = longest_ - value(state, way);
    for (std::uint32_t w = 0; evicted && older != 0 && w < ways_; ++w) {
      set(state, w, std::min(longest_, value(state, w) + older));
    }
    set(state, way, longest_ - 1);
  }
  void hit(std::uint64_t* state, std::uint32_t way) override { set(state, way, 0); }

  std::uint32_t victim(const std::uint64_t* state, std::uint64_t candidates) const override {
    std::uint32_t best = 0;
    int most = -1;
    for (; candidates != 0; candidates &= candidates - 1) {
      const auto way = static_cast<std::uint32_t>(__builtin_ctzll(candidates));
      if (static_cast<int>(value(state, way)) <= most) continue;
      most = static_cast<int>(value(state, way));
      best = way;
    }
    return best;
  }

 private:
  static std::uint32_t value(const std::uint64_t* state, std::uint32_t way) {
    return static_cast<std::uint32_t>(state[way / 8] >> (way % 8 * 8) & 0xff);
  }
  static void set(std::uint64_t* state, std::uint32_t way, std::uint64_t value) {
    std::uint64_t& word = state[way / 8];
    const unsigned at = way % 8 * 8;
    word = (word & ~(std::uint64_t{0xff} << at)) | value << at;
  }

  std::uint32_t ways_;
  std::uint32_t longest_;
};

std::unique_ptr<CacheReplacement> make(const CacheShape& shape, const Parameters& p) {
  return std::make_unique<Srrip>(shape, p);
}

const PolicyRegistration<CacheReplacement> kRegistered(
    "srrip", "static re-reference interval prediction (Jaleel et al., ISCA'10)", make);

}  // namespace

}  // namespace tessera::cache_replacement::srrip
