// SPDX-License-Identifier: Apache-2.0
#include "platforms/timeline/request_tracer.h"

#include <algorithm>

namespace tessera {

namespace {

const char* name_of(RequestKind kind) {
  switch (kind) {
    case RequestKind::kLoad:
      return "load";
    case RequestKind::kStore:
      return "store";
    case RequestKind::kCoherentStore:
      return "coherent store";
    case RequestKind::kAtomic:
      return "atomic";
    default:
      return "request";
  }
}

}  // namespace

RequestTracer::RequestTracer(EventTrace& trace, const PlatformPlan& plan)
    : trace_(trace), counted_(plan.blocks.size()) {
  for (PlannedBlockId b = 0; b < plan.blocks.size(); ++b) {
    lanes_.push_back(&trace.lanes(trace.block(b), "requests"));
  }
}

bool RequestTracer::issue(const tlm::tlm_generic_payload& payload, PlannedBlockId sm,
                          PlannedBlockId l1, Tick at) {
  if (!trace_.records(at)) return false;
  if (counted_[sm]++ % trace_.options().sample != 0) return false;
  const auto* request = payload.get_extension<MemoryRequest>();
  if (request == nullptr) return false;
  Open& open = open_[&payload];
  open = {};
  open.id = ++last_id_;
  open.sm = sm;
  open.issued = at;
  open.kind = request->kind;
  EventValues values = {EventValue::of("request", open.id),
                        EventValue::address("address", payload.get_address()),
                        EventValue::of("warp", request->warp), EventValue::of("pc", request->pc)};
  if (request->bypass_l1) values.push_back(EventValue::of("bypass_l1", 1));
  open.sm_lane = trace_.begin(*lanes_[sm], name_of(open.kind), at, 0, values);
  begin_hop(open, l1, at, false);
  return true;
}

void RequestTracer::begin_hop(Open& open, PlannedBlockId block, Tick at, bool response) {
  open.block = block;
  open.since = at;
  static const std::string kResponse = " response";
  const std::string name = name_of(open.kind) + (response ? kResponse : std::string());
  open.lane = trace_.begin(*lanes_[block], name, at, open.id);
}

void RequestTracer::end_hop(const Open& open, Tick at) {
  trace_.end(*lanes_[open.block], open.lane, at, {EventValue::of("fs", at - open.since)});
}

/// A block announces a message before it arrives, but no message arrives before it has left.
void RequestTracer::move(Open& open, PlannedBlockId block, Tick at, bool response) {
  const Tick from = std::max(at, open.since);
  end_hop(open, from);
  begin_hop(open, block, from, response);
}

void RequestTracer::close(const Open& open, Tick at, bool complete) {
  end_hop(open, at);
  EventValues values = {EventValue::of("fs", at - open.issued)};
  if (!complete) values.push_back(EventValue::of("unfinished", 1));
  trace_.end(*lanes_[open.sm], open.sm_lane, at, values);
}

void RequestTracer::complete(const tlm::tlm_generic_payload& payload, Tick at) {
  if (open_.empty()) return;
  const auto found = open_.find(&payload);
  if (found == open_.end()) return;
  close(found->second, std::max(at, found->second.since), true);
  open_.erase(found);
}

void RequestTracer::finish(Tick at) {
  std::vector<const Open*> left;
  for (const auto& [payload, open] : open_) left.push_back(&open);
  std::sort(left.begin(), left.end(), [](const Open* a, const Open* b) { return a->id < b->id; });
  for (const Open* open : left) close(*open, std::max(at, open->since), false);
  open_.clear();
}

}  // namespace tessera
