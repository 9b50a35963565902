// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tessera::umh {

/// State of a block in one cache or directory (UMH section 4.1). M, O and E make the cache the
/// owner of the block. N holds bytes of non-coherent stores, and other caches can hold the block.
enum class State : std::uint8_t { kN, kM, kO, kE, kS, kI };
inline constexpr std::size_t kStates = 6;

/// What a processor does with a block. A request from an upper level is the same action in the
/// cache below it: a read request is a load, a write request is a store.
enum class Action : std::uint8_t { kLoad, kStore, kNStore };
inline constexpr std::size_t kActions = 3;

/// What the memory hierarchy does with a block: its own eviction, or the request of another cache
/// that arrives from the lower level.
enum class Incoming : std::uint8_t { kEviction, kReadRequest, kWriteRequest };
inline constexpr std::size_t kIncoming = 3;

/// Request to the lower level that an action needs first.
enum class Need : std::uint8_t { kHit, kReadRequest, kWriteRequest };

/// A cell of the columns "load", "store" and "n-store".
struct ActionCell {
  Need need = Need::kHit;
  State next = State::kI;
  /// State if the lower level grants exclusive access. Differs from `next` for a load miss only.
  State next_exclusive = State::kI;
};

/// Transfer that an incoming event causes.
enum class Transfer : std::uint8_t { kNone, kWriteBack, kSendData };

/// A cell of the columns "eviction", "read request" and "write request".
struct IncomingCell {
  Transfer transfer = Transfer::kNone;
  State next = State::kI;
};

/// Row O, column "read request". Table II prints "send data -> I". MOESI, and the row of M, suggest
/// that the owner stays in O. Both are coherent, because the lower level merges the owner's dirty
/// bytes in either case.
enum class OwnedRead : std::uint8_t { kToInvalid, kToOwned };

namespace detail {

struct Row {
  std::array<ActionCell, kActions> action;
  std::array<IncomingCell, kIncoming> incoming;
};

constexpr ActionCell hit(State s) { return {Need::kHit, s, s}; }
constexpr ActionCell rd_req(State s, State exclusive) { return {Need::kReadRequest, s, exclusive}; }
constexpr ActionCell wr_req(State s) { return {Need::kWriteRequest, s, s}; }
constexpr IncomingCell none(State s) { return {Transfer::kNone, s}; }
constexpr IncomingCell w_back(State s) { return {Transfer::kWriteBack, s}; }
constexpr IncomingCell send(State s) { return {Transfer::kSendData, s}; }

inline constexpr State N = State::kN, M = State::kM, O = State::kO, E = State::kE, S = State::kS,
                       I = State::kI;

/// UMH Table II. The only place where transitions are written.
// clang-format off
inline constexpr std::array<Row, kStates> kTable = {{
  //         load          store      n-store         eviction    read req.  write req.
  /* N */ {{{hit(N),       wr_req(M), hit(N)}},       {{w_back(I), none(N),  send(I)}}},
  /* M */ {{{hit(M),       hit(M),    hit(M)}},       {{w_back(I), send(O),  send(I)}}},
  /* O */ {{{hit(O),       wr_req(M), hit(O)}},       {{w_back(I), send(I),  send(I)}}},
  /* E */ {{{hit(E),       hit(M),    hit(N)}},       {{none(I),   send(S),  send(I)}}},
  /* S */ {{{hit(S),       wr_req(M), hit(N)}},       {{none(I),   none(S),  none(I)}}},
  /* I */ {{{rd_req(S, E), wr_req(M), rd_req(N, N)}}, {{none(I),   none(I),  none(I)}}},
}};
// clang-format on

}  // namespace detail

constexpr ActionCell on(State s, Action a) {
  return detail::kTable[static_cast<std::size_t>(s)].action[static_cast<std::size_t>(a)];
}

constexpr IncomingCell on(State s, Incoming i, OwnedRead owned = OwnedRead::kToInvalid) {
  IncomingCell cell =
      detail::kTable[static_cast<std::size_t>(s)].incoming[static_cast<std::size_t>(i)];
  if (s == State::kO && i == Incoming::kReadRequest && owned == OwnedRead::kToOwned) {
    cell.next = State::kO;
  }
  return cell;
}

/// Table II as data, by state: the rules of one cache.
struct TransitionTable {
  std::array<std::array<ActionCell, kActions>, kStates> action{};
  std::array<std::array<IncomingCell, kIncoming>, kStates> incoming{};

  constexpr const ActionCell& on(State s, Action a) const {
    return action[static_cast<std::size_t>(s)][static_cast<std::size_t>(a)];
  }
  constexpr const IncomingCell& on(State s, Incoming i) const {
    return incoming[static_cast<std::size_t>(s)][static_cast<std::size_t>(i)];
  }
};

constexpr TransitionTable transition_table(OwnedRead owned = OwnedRead::kToInvalid) {
  TransitionTable t;
  for (std::size_t s = 0; s < kStates; ++s) {
    for (std::size_t a = 0; a < kActions; ++a) {
      t.action[s][a] = on(static_cast<State>(s), static_cast<Action>(a));
    }
    for (std::size_t i = 0; i < kIncoming; ++i) {
      t.incoming[s][i] = on(static_cast<State>(s), static_cast<Incoming>(i), owned);
    }
  }
  return t;
}

/// Whether no cache outside this subtree holds the block, except the levels below.
constexpr bool exclusive(State s) { return s == State::kM || s == State::kE; }
/// Whether the cache supplies the block to other caches.
constexpr bool owns(State s) { return exclusive(s) || s == State::kO; }

constexpr char letter(State s) { return "NMOESI"[static_cast<std::size_t>(s)]; }

}  // namespace tessera::umh
