// SPDX-License-Identifier: Apache-2.0
#include "modules/umh/nmoesi.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace tessera::nmoesi_test {

using namespace tessera::umh;

namespace {

State state(char c) {
  switch (c) {
    case 'N':
      return State::kN;
    case 'M':
      return State::kM;
    case 'O':
      return State::kO;
    case 'E':
      return State::kE;
    case 'S':
      return State::kS;
    default:
      return State::kI;
  }
}

std::string text(const ActionCell& c) {
  static const std::vector<std::string> kNeeds = {"hit", "read request", "write request"};
  std::string s = kNeeds[static_cast<std::size_t>(c.need)] + " -> " + letter(c.next);
  if (c.next_exclusive != c.next) s += std::string(" or ") + letter(c.next_exclusive);
  return s;
}

std::string text(const IncomingCell& c) {
  static const std::vector<std::string> kTransfers = {"", "writeback ", "send data "};
  return kTransfers[static_cast<std::size_t>(c.transfer)] + "-> " + letter(c.next);
}

// Typed from the paper, independently of modules/umh/nmoesi.h. A hit without an arrow and "-" keep
// the state.
struct Row {
  char state;
  const char* load;
  const char* store;
  const char* nstore;
  const char* eviction;
  const char* read;
  const char* write;
};
const std::vector<Row> kPaper = {
    {'N', "hit -> N", "write request -> M", "hit -> N", "writeback -> I", "-> N", "send data -> I"},
    {'M', "hit -> M", "hit -> M", "hit -> M", "writeback -> I", "send data -> O", "send data -> I"},
    {'O', "hit -> O", "write request -> M", "hit -> O", "writeback -> I", "send data -> I",
     "send data -> I"},
    {'E', "hit -> E", "hit -> M", "hit -> N", "-> I", "send data -> S", "send data -> I"},
    {'S', "hit -> S", "write request -> M", "hit -> N", "-> I", "-> S", "-> I"},
    {'I', "read request -> S or E", "write request -> M", "read request -> N", "-> I", "-> I",
     "-> I"},
};

}  // namespace

TEST_CASE("the NMOESI table is Table II of the UMH paper, cell by cell") {
  REQUIRE(kPaper.size() == kStates);
  for (const Row& row : kPaper) {
    INFO("row " << row.state);
    const State s = state(row.state);
    CHECK(letter(s) == row.state);
    CHECK(text(on(s, Action::kLoad)) == row.load);
    CHECK(text(on(s, Action::kStore)) == row.store);
    CHECK(text(on(s, Action::kNStore)) == row.nstore);
    CHECK(text(on(s, Incoming::kEviction)) == row.eviction);
    CHECK(text(on(s, Incoming::kReadRequest)) == row.read);
    CHECK(text(on(s, Incoming::kWriteRequest)) == row.write);
  }
}

TEST_CASE("the switch of row O changes its read request and nothing else") {
  for (const Row& row : kPaper) {
    INFO("row " << row.state);
    const State s = state(row.state);
    CHECK(text(on(s, Incoming::kReadRequest, OwnedRead::kToOwned)) ==
          (row.state == 'O' ? "send data -> O" : std::string(row.read)));
    CHECK(text(on(s, Incoming::kWriteRequest, OwnedRead::kToOwned)) == row.write);
    CHECK(text(on(s, Incoming::kEviction, OwnedRead::kToOwned)) == row.eviction);
  }
}

TEST_CASE("a non-coherent store sends a message only from I, and a store from N, O, S and I") {
  std::string nstore;
  std::string store;
  for (const Row& row : kPaper) {
    if (on(state(row.state), Action::kNStore).need != Need::kHit) nstore += row.state;
    if (on(state(row.state), Action::kStore).need != Need::kHit) store += row.state;
  }
  CHECK(nstore == "I");
  CHECK(store == "NOSI");
}

}  // namespace tessera::nmoesi_test
