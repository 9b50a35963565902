// SPDX-License-Identifier: Apache-2.0
#pragma once

// Records the requests that arrive at a block, for other memory simulators
// (docs/guide/captured-traces.md, "Traffic at a block").

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <queue>
#include <string>
#include <vector>

#include "common/partial_file.h"
#include "modules/kernel/time.h"
#include "modules/plan/plan.h"
#include "modules/protocol/socket_splice.h"
#include "platforms/traffic_options.h"

namespace tessera {

/// A file of the requests at one block, in ascending order of their arrival.
class TrafficFile {
 public:
  /// Throws InputError if the file cannot be made, or if its name has no known ending.
  TrafficFile(const std::string& block, const std::string& file);
  TrafficFile(const TrafficFile&) = delete;
  TrafficFile& operator=(const TrafficFile&) = delete;

  struct Request {
    Tick arrival = 0;
    std::uint64_t number = 0;  ///< in the order of the calls
    std::uint64_t address = 0;
    unsigned bytes = 0;
    bool write = false;
  };
  /// A request that arrives now or later. No effect after finish().
  void add(Request request);
  /// Writes the requests up to `end` and closes the file. Returns why the file is not complete;
  /// empty if it is.
  std::string finish(Tick end);
  /// Whether no request has been written.
  bool empty() const { return empty_; }

 private:
  enum class Form { kRamulator, kRamulator2, kDramSys };

  static Form form_of(const std::string& file);
  void write_before(Tick end);
  void write(const Request& request);

  struct Later {
    bool operator()(const Request& a, const Request& b) const {
      return a.arrival != b.arrival ? a.arrival > b.arrival : a.number > b.number;
    }
  };
  const Form form_;
  PartialFile file_;
  std::uint64_t next_number_ = 0;
  bool empty_ = true;
  std::priority_queue<Request, std::vector<Request>, Later> waiting_;
};

/// Records the timed requests that pass, also those that packets between GPUs carry.
class TrafficSocket final : public SocketSplice {
 public:
  TrafficSocket(const sc_core::sc_module_name& name, TrafficFile& file);

 private:
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void record(const tlm::tlm_generic_payload& request, Tick arrival);

  TrafficFile& file_;
};

/// The recorders of a platform. To be constructed during elaboration.
class TrafficRecorders {
 public:
  /// `plan` must outlive it. Throws InputError for a block that the plan does not have or that has
  /// no input.
  TrafficRecorders(const PlatformPlan& plan, const std::vector<TrafficRecording>& recordings);

  /// The recorder of the link's target, to be spliced into the link; null if none is asked for.
  TrafficSocket* splice(const PlannedLink& link);
  /// At the end of the run, or of its window.
  void finish(Tick end);

 private:
  struct Recorded {
    PlannedBlockId block;
    std::unique_ptr<TrafficFile> file;
    std::function<void(const std::string&)> on_incomplete;
    std::function<void()> on_empty;
  };
  std::vector<Recorded> all_;
  std::deque<TrafficSocket> sockets_;
};

}  // namespace tessera
