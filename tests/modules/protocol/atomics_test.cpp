// SPDX-License-Identifier: Apache-2.0
#include "modules/protocol/atomics.h"

#include <catch2/catch.hpp>
#include <initializer_list>

namespace tessera::atomics_test {

namespace {

AtomicOperands at(std::initializer_list<unsigned> offsets, AtomicType type = AtomicType::kU32) {
  AtomicOperands o;
  o.type = type;
  for (const unsigned offset : offsets) {
    o.lanes[o.count].lane = o.count;
    o.lanes[o.count++].offset = static_cast<std::uint8_t>(offset);
  }
  return o;
}

}  // namespace

TEST_CASE("a unit of one lane a cycle takes as many cycles as lanes") {
  CHECK(atomic_cycles(at({0}), 1, 32) == 1);
  CHECK(atomic_cycles(at({0, 4, 8, 12, 124}), 1, 32) == 5);
  CHECK(atomic_cycles(at({8, 8, 8}), 1, 128) == 3);
}

TEST_CASE("lanes of one block with different addresses take a cycle together") {
  CHECK(atomic_cycles(at({0, 4, 8, 12, 16, 20, 24, 28}), 8, 32) == 1);
  CHECK(atomic_cycles(at({0, 4, 8, 12, 16, 20, 24, 28}), 4, 32) == 2);
  CHECK(atomic_cycles(at({0, 4, 8, 12, 16}), 4, 32) == 2);
}

TEST_CASE("each block takes cycles of its own") {
  CHECK(atomic_cycles(at({0, 32, 64, 96}), 8, 32) == 4);
  CHECK(atomic_cycles(at({0, 32, 64, 96}), 8, 64) == 2);
  CHECK(atomic_cycles(at({0, 32, 64, 96}), 8, 128) == 1);
  CHECK(atomic_cycles(at({28, 32}), 8, 32) == 2);
}

TEST_CASE("lanes with one address take a cycle each") {
  CHECK(atomic_cycles(at({4, 4, 4, 4, 4}), 8, 32) == 5);
  // Two addresses in turns: three cycles, because one address has three lanes.
  CHECK(atomic_cycles(at({4, 8, 4, 8, 4}), 8, 32) == 3);
  // Three lanes at one address of the first block, two of the second.
  CHECK(atomic_cycles(at({0, 0, 0, 4, 64, 64}), 8, 32) == 5);
  CHECK(atomic_cycles(at({16, 16, 24}, AtomicType::kU64), 8, 32) == 2);
}

TEST_CASE("bytes that several lanes update count once") {
  CHECK(bytes_of(at({4, 4, 4, 8})).count() == 8);
  CHECK(bytes_of(at({16, 16}, AtomicType::kU64)) == ByteMask::range(16, 8));
}

}  // namespace tessera::atomics_test
