// SPDX-License-Identifier: Apache-2.0
// "lru": the least recently used way. The state's bytes are the ways in order of use, the most
// recent way first.
#include "policies/cache_replacement.h"

namespace tessera::cache_replacement::lru {

namespace {

constexpr std::uint64_t kEachByte = 0x0101010101010101U;

/// Bit 7 of each byte that is 0. Above the lowest such byte, bit 7 of other bytes can be set as
/// well.
std::uint64_t zero_bytes(std::uint64_t x) { return (x - kEachByte) & ~x & (kEachByte << 7); }

class Lru final : public CacheReplacement {
 public:
  explicit Lru(const CacheShape& shape) : ways_(shape.ways) {}

  void reset(std::uint64_t* state) const override {
    for (std::uint32_t k = 0; k < (ways_ + 7) / 8; ++k) {
      // Ways 8 k to 8 k + 7. The order is arbitrary, because no way has been used.
      state[k] = 0x0706050403020100U + k * 8 * kEachByte;
    }
  }
  void insert(std::uint64_t* state, std::uint32_t way, bool) override { hit(state, way); }

  void hit(std::uint64_t* state, std::uint32_t used) override {
    const std::uint64_t way = used;
    // Bytes of more recently used ways move back by one byte, across words.
    std::uint64_t in_front = way;
    while (true) {
      const std::uint64_t found = zero_bytes(*state ^ way * kEachByte);
      const std::uint64_t moved = *state << 8 | in_front;
      if (found != 0) {
        const std::uint64_t up_to = found ^ (found - 1);  // the way's byte and the bytes before it
        *state = (moved & up_to) | (*state & ~up_to);
        return;
      }
      in_front = *state >> 56;
      *state++ = moved;
    }
  }

  std::uint32_t victim(const std::uint64_t* state, std::uint64_t candidates) const override {
    std::uint32_t way = 0;
    for (std::uint32_t i = ways_; i-- > 0;) {
      way = static_cast<std::uint32_t>(state[i / 8] >> (i % 8 * 8) & 0xff);
      if ((candidates >> way & 1) != 0) break;
    }
    return way;
  }

 private:
  std::uint32_t ways_;
};

std::unique_ptr<CacheReplacement> make(const CacheShape& shape) {
  return std::make_unique<Lru>(shape);
}

const PolicyRegistration<CacheReplacement> kRegistered("lru", "the least recently used way", make);

}  // namespace

}  // namespace tessera::cache_replacement::lru
