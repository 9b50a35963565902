// SPDX-License-Identifier: Apache-2.0
#include "modules/protocol/byte_mask.h"

#include <array>
#include <bitset>
#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "modules/protocol/memory_request.h"

namespace tessera::byte_mask_test {

namespace {

using Bits = std::bitset<128>;

Bits bits_of(ByteMask m) {
  Bits b;
  for (unsigned i = 0; i < 128; ++i) b[i] = m.test(i);
  return b;
}

}  // namespace

TEST_CASE("a mask of a range holds that range and nothing else") {
  for (unsigned offset = 0; offset <= 128; ++offset) {
    for (unsigned bytes = 0; offset + bytes <= 128; ++bytes) {
      Bits expected;
      for (unsigned i = offset; i < offset + bytes; ++i) expected.set(i);
      const ByteMask m = ByteMask::range(offset, bytes);
      if (bits_of(m) != expected || m.count() != bytes || m.none() != (bytes == 0)) {
        FAIL("range(" << offset << ", " << bytes << ")");
      }
    }
  }
  CHECK(ByteMask::first(128) == ByteMask::range(0, 128));
  CHECK(ByteMask::first(64).high == 0);
}

TEST_CASE("operations on masks are operations on sets") {
  std::mt19937_64 random(3);
  for (int i = 0; i < 1000; ++i) {
    const ByteMask a{random(), random()};
    ByteMask b{random() & random(), random() & random()};
    if (i % 3 == 0) b = b & a;
    REQUIRE(bits_of(a | b) == (bits_of(a) | bits_of(b)));
    REQUIRE(bits_of(a & b) == (bits_of(a) & bits_of(b)));
    REQUIRE(bits_of(a.without(b)) == (bits_of(a) & ~bits_of(b)));
    REQUIRE(a.contains(b) == ((bits_of(b) & ~bits_of(a)).none()));
    REQUIRE(a.count() == bits_of(a).count());
    REQUIRE((a == b) == (bits_of(a) == bits_of(b)));
    REQUIRE((a != b) == (bits_of(a) != bits_of(b)));
    ByteMask c = a;
    c |= b;
    REQUIRE(c == (a | b));
  }
}

TEST_CASE("only masked bytes are copied") {
  std::mt19937_64 random(4);
  for (int i = 0; i < 200; ++i) {
    const unsigned line = i % 2 == 0 ? 128 : 32;
    const ByteMask mask = i % 5 == 0 ? ByteMask::first(line) : ByteMask{random(), random()};
    std::array<unsigned char, 128> from{};
    std::array<unsigned char, 128> to{};
    for (unsigned b = 0; b < 128; ++b) {
      from[b] = static_cast<unsigned char>(b);
      to[b] = static_cast<unsigned char>(200 - b);
    }
    copy_masked(to.data(), from.data(), mask, line);
    for (unsigned b = 0; b < 128; ++b) {
      const bool copied = b < line && mask.test(b);
      REQUIRE(to[b] == (copied ? b : 200 - b));
    }
  }
}

TEST_CASE("a payload's byte enables are its mask") {
  std::mt19937_64 random(5);
  tlm::tlm_generic_payload p;
  for (unsigned length : {1U, 4U, 8U, 12U, 32U, 64U, 100U, 128U}) {
    p.set_data_length(length);
    p.set_byte_enable_ptr(nullptr);
    p.set_byte_enable_length(0);
    REQUIRE(byte_mask_of(p) == ByteMask::first(length));
    for (unsigned enable_length : {1U, 3U, 4U, 8U, length, 128U}) {
      for (int i = 0; i < 50; ++i) {
        std::vector<unsigned char> enables(enable_length);
        for (unsigned char& e : enables) {
          e = random() % 2 != 0 ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
        }
        p.set_byte_enable_ptr(enables.data());
        p.set_byte_enable_length(enable_length);
        const Bits got = bits_of(byte_mask_of(p));
        for (unsigned b = 0; b < 128; ++b) {
          REQUIRE(got[b] == (b < length && enables[b % enable_length] != 0));
        }
      }
    }
  }
}

TEST_CASE("a mask's 4-byte pieces") {
  CHECK(ByteMask{}.word_mask() == 0);
  CHECK(ByteMask::first(128).word_mask() == 0xffffffffU);
  CHECK(ByteMask::first(64).word_mask() == 0xffffU);
  CHECK(ByteMask::range(4, 8).word_mask() == 0b110U);
  CHECK(ByteMask::range(3, 2).word_mask() == 0b11U);
  CHECK(ByteMask::range(127, 1).word_mask() == 0x80000000U);
  for (unsigned i = 0; i < 128; ++i) REQUIRE(ByteMask::range(i, 1).word_mask() == 1U << (i / 4));
}

}  // namespace tessera::byte_mask_test
