// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "modules/bridge/clocked_part.h"
#include "modules/kernel/time.h"
#include "modules/protocol/byte_mask.h"
#include "rtl/llc_slice/llc_slice_model.h"

namespace tessera {

/// The rules of LlcSliceChecker.
enum class SliceRule : std::uint8_t {
  kLookup,          ///< a lookup is that of a request which waits for one
  kLookupOrder,     ///< the requests of a port are looked up in their order
  kLookupLatency,   ///< a lookup is cfg_latency - 1 edges after the arrival, or later
  kOutcome,         ///< the outcome is one of the request's kind
  kHit,             ///< a hit has found a line that the slice holds, with the bytes it needs
  kOneFetch,        ///< a line that is being fetched is not allocated
  kMshrInUse,       ///< a miss takes a free MSHR
  kMshrLimit,       ///< at most cfg_mshrs lines are being fetched
  kTargetLimit,     ///< an MSHR has at most cfg_targets accesses
  kCopyLimit,       ///< a copy leaves a quarter of the MSHRs and a way to the slice's own lines
  kFetch,           ///< a request for a line is that of a miss, once
  kWriteBackFirst,  ///< a line is fetched after its dirty bytes have been written back
  kWriteBack,       ///< a write-back has the dirty bytes of a line, with their values
  kPass,            ///< a request that passes leaves as it has arrived
  kResponse,        ///< a response is that of a request which has been served
  kResponsePort,    ///< a response leaves by the port of its request
  kResponseError,   ///< a response has an error if the line's fetch had one
  kResponseData,    ///< a read gets the bytes that were written last
  kFlush,           ///< a flush ends when memory has acknowledged all dirty bytes
  kCount,
};

struct SliceRuleInfo {
  SliceRule rule;
  const char* name;
  const char* description;
};

/// All rules, in the order of SliceRule.
const std::array<SliceRuleInfo, static_cast<std::size_t>(SliceRule::kCount)>& slice_rules();
const SliceRuleInfo& info_of(SliceRule rule);

/// A broken rule.
struct SliceViolation {
  SliceRule rule;
  std::uint64_t cycle;   ///< of the slice's clock
  Tick time;             ///< of the edge
  std::string instance;  ///< name of the checker
  std::string what;      ///< request, line, and what was expected

  /// Rule, place, time and facts in one line.
  std::string text() const;
};

/// Checks the rules of slice_rules() at the pins of an LLC slice. Follows the bytes of each line:
/// the order of accesses is that of the slice's lookups, as it reports them. Which line a slice
/// replaces, when it responds, and which queue goes first is the design's own matter. Drives no
/// pin. The rules of the channels themselves are LineChecker's.
///
/// A violation is an SC_ERROR "/tessera/bridge/slice", unless a handler is installed.
class LlcSliceChecker final : public ClockedPart {
 public:
  using Handler = std::function<void(const SliceViolation&)>;

  /// `clock`: of the slice. The pins must outlive the checker. Add it to the RtlClock before the
  /// part that clears LlcSlicePins::events.
  LlcSliceChecker(std::string name, const ClockDomain& clock, const LlcSlicePins& pins,
                  const LlcSlicePins::Configuration& configuration);

  void set_handler(Handler handler) { handler_ = std::move(handler); }
  /// Forgets all requests and lines. For Block::reset().
  void reset();
  std::uint64_t violations() const { return violations_; }

  // Untimed changes of what the slice holds. `address`: of a line.

  void replace(std::uint64_t address, const unsigned char* bytes, const ByteMask& mask);
  void drop(std::uint64_t address) { lines_.erase(address / configuration_.line_bytes); }

  void sample(Tick t) override;
  void collect(Tick t) override;
  void on_reset(bool active) override;

 private:
  using Bytes = std::array<unsigned char, kMaxLineBytes>;
  struct Request {
    std::uint32_t port = 0;
    bool write = false;
    bool foreign = false;
    bool keep = false;
    std::uint64_t line = 0;
    std::uint32_t set = 0;
    std::uint64_t arrival = 0;  ///< cycle
    ByteMask mask;
    Bytes data{};
  };
  /// A line that the slice may hold: it can have replaced a line without dirty bytes.
  struct Line {
    ByteMask valid;
    ByteMask dirty;
    bool copy = false;
    bool fetching = false;
    std::uint32_t mshr = 0;  ///< fetching
    Bytes data{};
  };
  /// Dirty bytes that a later allocation of the line has left behind.
  struct Left {
    std::uint64_t line = 0;
    ByteMask dirty;
    Bytes data{};
  };
  struct Fetch {
    bool open = false;
    bool sent = false;
    bool foreign = false;
    bool keep = true;  ///< not dropped meanwhile
    std::uint64_t line = 0;
    std::uint32_t set = 0;
    std::vector<std::pair<std::uint32_t, Request>> targets;  ///< ids and accesses
  };
  struct Response {
    std::uint32_t port = 0;
    bool error = false;
    bool has_data = false;
    Bytes data{};
  };
  void check_response(std::uint32_t port);
  void check_memory();
  void check_remote();
  void fill(std::uint32_t mshr, bool error, const unsigned char* data);
  void pass_response(const LineResponsePins& response);
  void arrive(std::uint32_t port);
  void drop_copies();
  void lookup(const LlcSlicePins::Events& event);
  void hit(std::uint32_t id, const Request& request);
  void merge(std::uint32_t id, const Request& request);
  void fetch(std::uint32_t id, const Request& request, std::uint32_t mshr, bool partial);
  Line& allocate(std::uint32_t id, const Request& request);
  void end_flush();
  void check_fetch(std::uint32_t mshr, const LineRequestPins& request, bool foreign);
  void check_passing(std::uint32_t id, const LineRequestPins& request);
  void written_back(const LineRequestPins& request);
  void expect(std::uint32_t id, std::uint32_t port, bool error, const unsigned char* data);
  void report(SliceRule rule, const std::string& what);
  std::string text(std::uint32_t id, const Request& request) const;
  std::string line_text(std::uint64_t line) const;
  std::string difference(const unsigned char* is, const unsigned char* expected,
                         const ByteMask& mask) const;

  const std::string name_;
  const ClockDomain clock_;
  const LlcSlicePins& pins_;
  const LlcSlicePins::Configuration configuration_;
  const ByteMask whole_;
  Handler handler_;
  Tick time_ = 0;
  std::uint64_t cycle_ = 0;
  bool stepped_ = false;  ///< an edge whose events have not been read
  bool in_reset_ = false;
  std::array<std::deque<std::uint32_t>, LlcSlicePins::kPorts> waiting_;  ///< ids, of each port
  std::unordered_map<std::uint32_t, Request> requests_;    ///< by id, until the lookup
  std::unordered_map<std::uint32_t, Request> passing_;     ///< by id, until they leave
  std::unordered_map<std::uint32_t, Request> outside_;     ///< by id, passed, without a response
  std::unordered_map<std::uint32_t, Response> responses_;  ///< expected, by id
  std::unordered_map<std::uint64_t, Line> lines_;          ///< by number
  std::deque<Left> left_;                                  ///< oldest first
  std::array<Fetch, LlcSlicePins::kMshrs> fetches_;
  std::uint32_t fetching_ = 0;
  std::uint64_t writes_ = 0;  ///< write-backs without an acknowledgement
  std::uint64_t violations_ = 0;
};

}  // namespace tessera
