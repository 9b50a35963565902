// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/partial_file.h"

namespace tessera {

/// A number that an event of a time line carries.
struct EventValue {
  enum class Kind : std::uint8_t { kCount, kAddress, kReal };
  const char* name = "";
  Kind kind = Kind::kCount;
  std::uint64_t count = 0;  ///< kCount, kAddress
  double real = 0;          ///< kReal

  static EventValue of(const char* name, std::uint64_t value) {
    return {name, Kind::kCount, value, 0};
  }
  static EventValue address(const char* name, std::uint64_t value) {
    return {name, Kind::kAddress, value, 0};
  }
  static EventValue number(const char* name, double value) { return {name, Kind::kReal, 0, value}; }
};
using EventValues = std::vector<EventValue>;

/// A track of a trace file.
struct TraceTrack {
  std::uint64_t uuid = 0;    ///< not 0
  std::uint64_t parent = 0;  ///< 0: none
  std::string name;
  std::int32_t rank = 0;  ///< among the children of its parent
  std::string unit;       ///< of a counter; empty: a track of slices
};

/// Writes a file in Perfetto's trace format (perfetto_fields.h), packet by packet, in parts of
/// about 1 MiB. The names of events and of their values are interned: written once.
///
/// After a failed write, later packets are dropped, and finish() returns the error.
class TraceWriter {
 public:
  /// Throws InputError if the file cannot be created.
  explicit TraceWriter(const std::string& file);

  void track(const TraceTrack& track);
  /// Times are in nanoseconds. `flow`: joins slices by arrows, in the order of their begins; 0:
  /// none.
  void begin(std::uint64_t track, std::uint64_t ns, const std::string& name, std::uint64_t flow,
             const EventValues& values);
  void end(std::uint64_t track, std::uint64_t ns, const EventValues& values);
  void instant(std::uint64_t track, std::uint64_t ns, const std::string& name,
               const EventValues& values);
  void counter(std::uint64_t track, std::uint64_t ns, double value);

  /// Writes the rest and closes the file. Returns why the file is not complete; nothing if it is.
  std::optional<std::string> finish();

 private:
  /// Names of one index, and those of them that no packet has carried yet.
  struct Names {
    std::unordered_map<std::string, std::uint64_t> iids;
    std::vector<std::pair<std::uint64_t, std::string>> unsent;
    std::uint64_t iid(const std::string& name);
  };
  struct Event;

  void write(const Event& event);
  void write_buffer();

  PartialFile out_;
  std::string buffer_;
  Names event_names_;
  Names value_names_;
  bool first_ = true;
};

}  // namespace tessera
