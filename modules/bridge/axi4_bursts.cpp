// SPDX-License-Identifier: Apache-2.0
#include "modules/bridge/axi4_bursts.h"

#include <algorithm>

namespace tessera {

std::vector<Axi4Address> incr_bursts(const Axi4Address& base, std::uint64_t bytes) {
  std::vector<Axi4Address> bursts;
  const std::uint64_t in_beat = base.beat_bytes() - 1;
  Axi4Address a = base;
  a.burst = Axi4BurstType::kIncr;
  while (bytes != 0) {
    const std::uint64_t offset = a.addr & in_beat;
    const std::uint64_t page_left = kAxi4PageBytes - a.addr % kAxi4PageBytes;
    const std::uint64_t n =
        std::min({bytes, page_left, (std::uint64_t{256} << base.size) - offset});
    a.len = static_cast<std::uint8_t>((offset + n - 1) >> base.size);
    bursts.push_back(a);
    a.addr += n;
    bytes -= n;
  }
  return bursts;
}

bool fits_wrap(const Axi4Address& base, std::uint64_t bytes) {
  return is_wrap_length(bytes >> base.size) && (bytes & (base.beat_bytes() - 1)) == 0 &&
         base.addr % bytes == 0;
}

Axi4Address wrap_burst(Axi4Address base, std::uint64_t bytes, std::uint64_t critical) {
  base.burst = Axi4BurstType::kWrap;
  base.len = static_cast<std::uint8_t>((bytes >> base.size) - 1);
  base.addr += (critical % bytes) >> base.size << base.size;
  return base;
}

}  // namespace tessera
