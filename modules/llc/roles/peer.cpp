// SPDX-License-Identifier: Apache-2.0
#include "modules/llc/roles/peer.h"

#include <algorithm>

#include "modules/llc/slice_pipeline.h"
#include "modules/protocol/transaction_pool.h"

namespace tessera {

PeerRole::PeerRole(SliceStages& slice, const SliceSite& site)
    : SliceRole(slice, site),
      snoop_filter_(slice.config().directory_sets, slice.config().directory_ways) {}

/// Updates the snoop filter after an access at home. Returns false if the response must wait for an
/// invalidation.
bool PeerRole::coherent_after(const Access& a, Tick t) {
  const std::uint64_t line = slice_.line_of(*a.payload);
  const Home& home = a.request->home();
  const bool load = a.request->kind == RequestKind::kLoad;
  if (!slice_.local(a)) {
    // The peer keeps lines that it loads, and has dropped lines that it writes.
    if (!load) {
      snoop_filter_.remove(home.slice_line, line);
    } else if (const auto evicted = snoop_filter_.add(home.slice_line, line)) {
      invalidate_peer(*evicted, t);
    }
    return true;
  }
  if (load) return true;
  const auto pending = std::find_if(invalidating_.begin(), invalidating_.end(),
                                    [line](const Invalidation& i) { return i.line == line; });
  if (snoop_filter_.remove(home.slice_line, line)) {
    invalidate_peer(line, t).held.push_back(a);
    return false;
  }
  if (pending == invalidating_.end()) return true;
  pending->held.push_back(a);
  return false;
}

PeerRole::Invalidation& PeerRole::invalidate_peer(std::uint64_t line, Tick t) {
  ++slice_.stats_.invalidations_sent;
  const std::uint32_t line_bytes = slice_.config().line_bytes;
  const std::uint64_t address = line * line_bytes;
  Transaction& out = slice_.pool_.acquire();
  out.set_line(tlm::TLM_IGNORE_COMMAND, address, line_bytes);
  MemoryRequest& r = out.request();
  r.kind = RequestKind::kCoherence;
  r.decode_home(slice_.map_, address);
  slice_.to_remote_.requests.queue.push(t, 0, &out);
  invalidating_.push_back({&out, line, {}});
  return invalidating_.back();
}

/// Handles the peer's response to an invalidation. Returns false for other responses.
bool PeerRole::handles_response(Payload& payload, Tick t) {
  if (request_of(payload).kind != RequestKind::kCoherence) return false;
  const auto i = std::find_if(invalidating_.begin(), invalidating_.end(),
                              [&payload](const Invalidation& v) { return v.payload == &payload; });
  for (const Access& a : i->held) slice_.respond(a.port, t, *a.payload);
  payload.release();
  invalidating_.erase(i);
  return true;
}

/// Performs the invalidations that the home has requested.
void PeerRole::handle_messages(Tick t) {
  while (invalidations_.due(t)) {
    const Access a = invalidations_.pop();
    ++slice_.stats_.invalidations_received;
    const std::uint64_t line = slice_.line_of(*a.payload);
    slice_.drop_copy(line, slice_.array_.find(set_index(a.request->home()), line));
    a.payload->set_response_status(tlm::TLM_OK_RESPONSE);
    slice_.respond(a.port, t, *a.payload);
    slice_.inputs_[a.port].release();
  }
}

void PeerRole::describe_waiting(std::vector<Waiting>& out) const {
  if (invalidating_.empty()) return;
  out.push_back({std::string(slice_.name()) + ".invalidating", invalidating_.size(),
                 WaitKind::kCoherence, "responses from the peer slice"});
}

void PeerRole::reset() {
  invalidations_.clear();
  for (Invalidation& i : invalidating_) i.payload->release();
  invalidating_.clear();
  snoop_filter_.clear();
}

namespace {

const PolicyRegistration<LlcSlice> kPeerRole("peer", "one side of two that are kept coherent",
                                             make_slice<PeerRole>);

}  // namespace

}  // namespace tessera
