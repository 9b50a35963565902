// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "stimuli/kernels/aes/cipher.h"
#include "stimuli/runner/part.h"

namespace tessera::kernels::aes {
namespace {

/// The product of two polynomials modulo x^8 + x^4 + x^3 + x + 1.
std::uint8_t product(unsigned a, unsigned b) {
  unsigned out = 0;
  for (; b != 0; b >>= 1) {
    if ((b & 1) != 0) out ^= a;
    a <<= 1;
    if ((a & 0x100) != 0) a ^= 0x11b;
  }
  return static_cast<std::uint8_t>(out);
}

}  // namespace

std::array<std::uint8_t, 256> substitutes() {
  std::array<std::uint8_t, 256> table{};
  for (unsigned v = 0; v < 256; ++v) {
    unsigned inverse = 0;
    while (v != 0 && product(v, inverse) != 1) ++inverse;
    unsigned out = 0x63;
    // Bit i of the result sums bits i, i + 4, i + 5, i + 6 and i + 7 of the inverse.
    for (const unsigned by : {0u, 1u, 2u, 3u, 4u}) out ^= inverse << by | inverse >> (8 - by);
    table[v] = static_cast<std::uint8_t>(out);
  }
  return table;
}

std::vector<std::uint8_t> round_keys(const Key& key) {
  const auto table = substitutes();
  std::vector<std::uint8_t> out(key.begin(), key.end());
  unsigned constant = 1;
  while (out.size() < 16 * (kRounds + 1)) {
    std::array<std::uint8_t, 4> word{};
    std::copy(out.end() - 4, out.end(), word.begin());
    if (out.size() % key.size() == 0) {
      std::rotate(word.begin(), word.begin() + 1, word.end());
      for (std::uint8_t& b : word) b = table[b];
      word[0] = static_cast<std::uint8_t>(word[0] ^ constant);
      constant = product(constant, 2);
    } else if (out.size() % 16 == 0) {
      for (std::uint8_t& b : word) b = table[b];
    }
    for (const std::uint8_t b : word) {
      out.push_back(static_cast<std::uint8_t>(out[out.size() - key.size()] ^ b));
    }
  }
  return out;
}

Block encrypted(Block block, const std::vector<std::uint8_t>& round_keys) {
  static const auto table = substitutes();
  const auto add_key = [&](std::size_t round) {
    for (std::size_t i = 0; i < block.size(); ++i) {
      block[i] = static_cast<std::uint8_t>(block[i] ^ round_keys[16 * round + i]);
    }
  };
  add_key(0);
  for (std::size_t round = 1; round <= kRounds; ++round) {
    // Byte i is row i % 4 of column i / 4.
    const Block before = block;
    for (std::size_t i = 0; i < block.size(); ++i) {
      block[i] = table[before[(i + 4 * (i % 4)) % block.size()]];
    }
    if (round < kRounds) {
      const Block shifted = block;
      for (std::size_t i = 0; i < block.size(); ++i) {
        const auto row = [&](std::size_t down) { return shifted[i / 4 * 4 + (i + down) % 4]; };
        block[i] =
            static_cast<std::uint8_t>(product(row(0), 2) ^ product(row(1), 3) ^ row(2) ^ row(3));
      }
    }
    add_key(round);
  }
  return block;
}

}  // namespace tessera::kernels::aes

namespace tessera::kernels::workload_aes {
namespace {

std::vector<std::uint8_t> expanded(const std::vector<std::uint8_t>& key) {
  aes::Key k{};
  std::copy(key.begin(), key.end(), k.begin());
  return aes::round_keys(k);
}

void host(HostSession& session) {
  const auto table = aes::substitutes();
  session.write("table", std::vector<std::uint8_t>(table.begin(), table.end()));
  session.write("round_keys", expanded(session.read<std::uint8_t>("key")));
  session.launch_all();
}

std::vector<Expectation> reference(const Inputs& in) {
  std::vector<std::uint8_t> data = in.values<std::uint8_t>("data").vector();
  const std::vector<std::uint8_t> keys = expanded(in.values<std::uint8_t>("key").vector());
  for (auto at = data.begin(); at != data.end(); at += 16) {
    aes::Block block{};
    std::copy_n(at, block.size(), block.begin());
    block = aes::encrypted(block, keys);
    std::copy(block.begin(), block.end(), at);
  }
  return {{"data", [data](std::uint64_t i) { return Element64::exactly(data[i]); }}};
}

}  // namespace

Part part() { return Part{host, reference}; }

}  // namespace tessera::kernels::workload_aes
