// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <tlm>

#include "common/atomic_op.h"
#include "common/ids.h"
#include "common/location.h"
#include "common/warp_lanes.h"
#include "modules/kernel/time.h"
#include "modules/protocol/byte_mask.h"

namespace tessera {

enum class RequestKind : std::uint8_t {
  kLoad,
  kStore,  ///< non-coherent store (write-through from an L1)
  kCoherentStore,
  kAtomic,       ///< performed at the LLC slice; operands in MemoryRequest::atomics
  kFill,         ///< a cache reads a line to install it
  kWriteBack,    ///< a cache writes a victim's dirty bytes
  kTranslation,  ///< address = virtual page; the response's first 8 bytes = physical page address
  kProbe,
  kCoherence,
};

/// Course of a load that its slice can forward to the L1 of another core (LA-LLC, remote-core
/// section IV-B).
enum class Forwarding : std::uint8_t {
  kNone,       ///< not permitted: the slice responds
  kPermitted,  ///< written by the requester's probe engine, which resets it at the response
  kForwarded,  ///< to another core. Written by the slice
  kSupplied,   ///< the other core responds. Written by its probe engine, as the next
  kReturned,   ///< the other core does not hold the line: the slice responds
};

/// The block whose response a load got.
enum class ServedBy : std::uint8_t {
  kHome,         ///< the home slice of its line
  kCopy,         ///< another slice, which holds a copy of the line
  kRemoteCache,  ///< a slice of the role "remote_cache"
  kOtherL1,      ///< the L1 of another core
};

/// Points of a request's way where its time is noted, for latency_breakdown.
enum class Hop : std::uint8_t {
  kIssued,    ///< made by the L1 (or its bypass)
  kAtLlc,     ///< arrived at the slice of ServedBy
  kToDram,    ///< the slice has sent a request to its channel; written with the next
  kFromDram,  ///< the channel has responded
  kFromLlc,   ///< the response has left the slice
  kCount,
};

/// Lane operands of one atomic warp instruction on one line. In functional mode only `count` and
/// the types matter; old values are not returned.
struct AtomicOperands {
  struct Lane {
    std::uint8_t offset = 0;  ///< byte within the line
    std::uint8_t lane = 0;
    AtomicWord operand = 0;
    AtomicWord compare = 0;
    AtomicWord old = 0;  ///< written by the atomics unit
  };
  AtomicOp op = AtomicOp::kAdd;
  AtomicType type = AtomicType::kU32;
  std::uint8_t count = 0;
  std::array<Lane, kWarpLanes> lanes{};
};

/// The LLC slice in which a line has its home.
struct Home {
  /// Line number within the slice, dense from 0: a cache's set index comes from it.
  std::uint64_t slice_line = 0;
  SliceId slice;

  Home() = default;
  explicit Home(SliceId of, std::uint64_t line = 0) : slice_line(line), slice(of) {}
  Home(const Location& where) : Home(where.slice, where.slice_line) {}  // NOLINT: the part of it
};

/// What Tessera adds to a generic payload. The payload's address is line-aligned and physical
/// (virtual for kTranslation), its length is the line, its byte enables are the byte mask (no
/// byte enables = every byte).
///
/// Fields are written by the initiator that made the transaction, except where noted.
///
/// Their order is that of a pooled payload's host cache lines (each one that a hop touches is a
/// miss with thousands of accesses in flight): those up to `word_mask`, 48 bytes, share a line with
/// the payload's reference count and are all that most hops look at; the rest fills the next.
struct MemoryRequest : tlm::tlm_extension<MemoryRequest> {
  /// Bytes of the route. A port below 128 takes one, any other two: the deepest path of a tree of
  /// four levels pushes ten ports, of which eight may be 128 or more.
  static constexpr unsigned kRouteBytes = 18;
  static constexpr unsigned kMaxPort = (1U << 15) - 1;
  /// A home of a higher number is kept as this one, which no platform has.
  static constexpr std::uint32_t kMaxSlice = 0xffff;

  MemoryRequest()
      : read_only(false),
        uniform(false),
        reports_refusal(false),
        fine_grained(false),
        joined_fetch(false),
        served_by(ServedBy::kHome) {}

  RequestKind kind = RequestKind::kLoad;
  /// A load of data that no one writes during the kernel (ld.global.ro, NUBA 5.2): caches may hold
  /// copies of the line that no store will reach. Written by the SM from MemoryOp::read_only.
  bool read_only : 1;
  /// Of these, a load of one element by several lanes, which a scalar cache holds (L1Config). The
  /// bit fields share a byte, so that the size stays. Written by the SM.
  bool uniform : 1;
  /// The initiator reports a refusal of the request with its cause (refusal_of()), so that the
  /// target does not. Written by the SM, and by a slice that fetches a line for the request.
  bool reports_refusal : 1;
  /// A load of another GPU's line whose response carries only `word_mask` (DualOpt section 4.1):
  /// the line's other bytes are not there. Written by the L1.
  bool fine_grained : 1;
  /// The slice of ServedBy was fetching the line for another request. Written by the slice.
  bool joined_fetch : 1;
  /// Written by the block that responds.
  ServedBy served_by : 2;
  bool bypass_l1 = false;  ///< not to be cached in an L1
  /// The launch for which blocks count the request.
  LaunchSlot launch;
  /// Values travel with the transaction (carried mode). Off: only time is modelled.
  bool carries_data = false;

 private:
  std::uint8_t route_bytes_ = 0;

 public:
  /// Bytes that the initiator really reads or writes, each counted once (popcount of the mask). 1
  /// to the line size. A packet carries these, or the operands of an atomic.
  std::uint16_t useful_bytes = 0;
  RequesterId requester;
  std::uint32_t pc = 0;

 private:
  std::uint64_t home_address_ = kNever;  ///< of which the home is known
  std::uint64_t home_line_ = 0;
  std::uint16_t home_slice_ = 0;

 public:
  /// Number of the allocation that the line belongs to (PageEntry); 0: unknown. Written by the SM
  /// from its TLB, and by a slice that fetches a line for the request.
  std::uint16_t allocation = 0;
  /// Loads: which 4-byte words of the line the lanes read, bit i for bytes 4 i to 4 i + 3 (the
  /// bitmask generation unit of DualOpt section 4.1.1). Written by the coalescer; an L1 that asks
  /// for words widens it to what is fetched.
  std::uint32_t word_mask = 0;
  /// For the initiator's own bookkeeping; nobody else reads or writes it.
  std::uint32_t tag = 0;
  std::uint8_t warp = 0;  ///< of the SM, 0 to 63
  Forwarding forwarding = Forwarding::kNone;

 private:
  std::array<std::uint8_t, kRouteBytes> route_{};

 public:
  /// Time stamps; kNever where the request did not pass. Written by each block on the way.
  std::array<Tick, static_cast<std::size_t>(Hop::kCount)> stamps = {kNever, kNever, kNever, kNever,
                                                                    kNever};
  Tick& stamp(Hop hop) { return stamps[static_cast<std::size_t>(hop)]; }
  Tick stamp(Hop hop) const { return stamps[static_cast<std::size_t>(hop)]; }
  /// kAtomic: owned by the initiator that made the transaction.
  AtomicOperands* atomics = nullptr;

  /// The home of the line at `address`, by which interconnects route. Decoded once, by the L1 or by
  /// the first slice; a home that is known for another address counts as unknown.
  Home home() const { return Home(SliceId(home_slice_), home_line_); }
  bool home_known(std::uint64_t address) const { return home_address_ == address; }
  void set_home(const Home& home, std::uint64_t address) {
    home_slice_ = static_cast<std::uint16_t>(std::min(home.slice.value, kMaxSlice));
    home_line_ = home.slice_line;
    home_address_ = address;
  }
  /// `Map`: AddressMap (policies/address_map.h), which the protocol does not include.
  template <class Map>
  void decode_home(const Map& map, std::uint64_t address) {
    set_home(map.locate(address), address);
  }

  /// Ports by which interconnects on the way were entered; a response goes back by them. Written by
  /// interconnects only: pushed on the way in, popped on the way back. `port`: at most kMaxPort. A
  /// route that does not fit is an SC_FATAL "/tessera/core/route".
  void push_route(std::uint32_t port);
  std::uint16_t pop_route();
  /// Bytes of the route in use; 0 where the request began.
  std::uint8_t route_depth() const { return route_bytes_; }

  tlm::tlm_extension_base* clone() const override { return new MemoryRequest(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    *this = static_cast<const MemoryRequest&>(other);
  }
};

static_assert(sizeof(void*) != 8 || sizeof(MemoryRequest) == 120,
              "a pooled payload is four host cache lines");

/// The request of a payload. A payload without one is a platform error (SC_FATAL).
MemoryRequest& request_of(tlm::tlm_generic_payload& payload);

/// The payload's byte enables as a mask (all of its length when it has none).
ByteMask byte_mask_of(const tlm::tlm_generic_payload& payload);

}  // namespace tessera
