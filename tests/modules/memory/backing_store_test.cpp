// SPDX-License-Identifier: Apache-2.0
#include "modules/memory/backing_store.h"

#include <catch2/catch.hpp>
#include <numeric>
#include <vector>

namespace tessera::backing_store_test {

TEST_CASE("a backing store is zero until written, and keeps what was written") {
  BackingStore store(std::uint64_t{1} << 30);
  std::vector<unsigned char> line(128, 0xee);
  store.read(4096, line.data(), 128);
  CHECK(line == std::vector<unsigned char>(128, 0));

  std::vector<unsigned char> text(300);
  std::iota(text.begin(), text.end(), static_cast<unsigned char>(1));
  store.write(4000, text.data(), 300);
  std::vector<unsigned char> back(302);
  store.read(3999, back.data(), 302);
  CHECK(back.front() == 0);
  CHECK(back.back() == 0);
  CHECK(std::equal(text.begin(), text.end(), back.begin() + 1));
}

TEST_CASE("a masked write changes the masked bytes and no other") {
  BackingStore store(1 << 20);
  const std::vector<unsigned char> ones(128, 0x11);
  const std::vector<unsigned char> twos(128, 0x22);
  store.write(256, ones.data(), 128);
  const ByteMask mask = ByteMask::range(3, 5) | ByteMask::range(60, 8) | ByteMask::range(127, 1);
  store.write_masked(256, twos.data(), mask, 128);
  std::vector<unsigned char> line(128);
  store.read(256, line.data(), 128);
  for (unsigned i = 0; i < 128; ++i) {
    INFO(i);
    CHECK(line[i] == (mask.test(i) ? 0x22 : 0x11));
  }
}

TEST_CASE("a backing store knows its bounds") {
  const BackingStore store(1024);
  CHECK(store.contains(0, 1024));
  CHECK(store.contains(1024, 0));
  CHECK_FALSE(store.contains(1, 1024));
  CHECK_FALSE(store.contains(~std::uint64_t{0}, 2));
}

TEST_CASE("a reset makes every byte zero again") {
  BackingStore store(1 << 20);
  const unsigned char one = 1;
  store.write((1 << 20) - 1, &one, 1);
  store.reset();
  unsigned char byte = 9;
  store.read((1 << 20) - 1, &byte, 1);
  CHECK(byte == 0);
  store.write(0, &one, 1);
  store.read(0, &byte, 1);
  CHECK(byte == 1);
}

TEST_CASE("a store larger than the host's memory costs nothing until touched") {
  BackingStore store(std::uint64_t{1} << 42);
  const unsigned char one = 1;
  store.write((std::uint64_t{1} << 42) - 1, &one, 1);
  unsigned char byte = 0;
  store.read((std::uint64_t{1} << 42) - 1, &byte, 1);
  CHECK(byte == 1);
}

}  // namespace tessera::backing_store_test
