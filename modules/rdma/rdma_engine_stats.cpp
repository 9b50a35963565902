// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "modules/rdma/rdma_engine.h"

namespace tessera {
namespace {

unsigned bits_of(std::uint32_t mask) { return static_cast<unsigned>(__builtin_popcount(mask)); }

}  // namespace

void RdmaEngine::count_request(const Payload& payload, const MemoryRequest& request) {
  ++stats_.requests_out;
  switch (request.kind) {
    case RequestKind::kLoad:
      stats_.remote_read_pieces.add(bits_of(request.pieces));
      [[fallthrough]];
    case RequestKind::kFill:
      ++stats_.reads_out;
      if (config_.ideal_coalescing && !asked_.insert(payload.get_address()).second) {
        ++stats_.mergeable_reads;
      }
      break;
    case RequestKind::kStore:
    case RequestKind::kCoherentStore:
    case RequestKind::kWriteBack:
      ++stats_.writes_out;
      break;
    case RequestKind::kAtomic:
      ++stats_.atomics_out;
      break;
    case RequestKind::kTranslation:
    case RequestKind::kProbe:
    case RequestKind::kCoherence:
      break;
  }
}

bool RdmaEngine::idle() const {
  if (!from_local_.empty() || !from_home_.empty() || !to_home_.queue.empty()) return false;
  for (const auto& out : to_fabric_) {
    if (!out.queue.empty()) return false;
  }
  return coalescer_.empty() && awaiting_ == 0 && serving_ == 0;
}

void RdmaEngine::describe_waiting(std::vector<Waiting>& out) const {
  const auto queue = [&](const std::string& what, std::size_t items, const char* waits_for) {
    if (items != 0) out.push_back({std::string(name()) + "." + what, items, waits_for});
  };
  const auto& to_fabric = [&](PacketClass c) { return to_fabric_[static_cast<std::size_t>(c)]; };
  queue("from_local", from_local_.size(), "room among the outgoing requests");
  queue("outgoing_requests", to_fabric_[0].queue.size(), "the fabric to take a request packet");
  queue("awaiting", awaiting_, "answers of other GPUs");
  for (std::size_t p = 0; p < answers_.size(); ++p) {
    queue("answers" + std::to_string(p), answers_[p].queue.size(), "END_RESP of the port");
  }
  queue("from_fabric", to_home_.queue.size(),
        may_send_home() ? "END_REQ of the home slices" : "room for the home slices' answers");
  queue("serving", serving_, "answers of the home slices");
  queue("from_home", from_home_.size(), "room in a staging buffer or among the outgoing answers");
  for (std::size_t b = 0; b < coalescer_.config().destinations; ++b) {
    queue("staging" + std::to_string(gpu_of(b).value), coalescer_.size(b),
          "more answers, the timeout, or room among the outgoing answers");
  }
  queue("outgoing_answers", to_fabric_[1].queue.size(), "the fabric to take a response packet");
}

void RdmaEngine::reset() {
  wake_.cancel();
  from_local_.clear();
  for (RequestReceiver& r : local_receivers_) r.reset();
  for (PacedOutput<ResponseSender>& out : answers_) out.reset();
  for (auto& out : to_fabric_) {
    while (!out.queue.empty()) out.queue.pop()->release();
    out.reset();
  }
  while (!to_home_.queue.empty()) to_home_.queue.pop()->release();
  to_home_.reset();
  for (PostedReceiver& r : from_fabric_) r.reset();
  from_home_.clear();
  home_in_.reset();
  coalescer_.clear();
  next_pack_cycle_ = 0;
  awaiting_ = 0;
  serving_ = 0;
  asked_.clear();
  stats_ = RdmaStats{};
}

void RdmaEngine::register_statistics(StatisticsRegistry& registry) const {
  const std::string m = name();
  const RdmaStats& s = stats_;
  const auto counter = [&](const char* name, const Counter& value, const char* unit,
                           const char* description) {
    registry.counter(m, name, value, unit, description);
  };
  counter("requests_out", s.requests_out, "request", "own SMs' requests for other GPUs' lines");
  counter("requests_in", s.requests_in, "request", "other GPUs' requests for own lines");
  counter("reads_out", s.reads_out, "request", "loads and fills among requests_out");
  counter("writes_out", s.writes_out, "request", "stores and write-backs among requests_out");
  counter("atomics_out", s.atomics_out, "request", "atomics among requests_out");
  counter("packets_out_request", s.packets_out_request, "packet", "request packets made");
  counter("packets_out_response", s.packets_out_response, "packet", "response packets made");
  counter("bytes_out_request", s.bytes_out_request, "byte", "of request packets");
  counter("bytes_out_line", s.bytes_out_line, "byte", "of answers that carry a whole line");
  counter("bytes_out_fine_grained", s.bytes_out_fine_grained, "byte",
          "of fine-grained answers that travel alone");
  counter("bytes_out_coalesced", s.bytes_out_coalesced, "byte",
          "of packets with two fine-grained answers or more");
  counter("bytes_out_ack", s.bytes_out_ack, "byte",
          "of acknowledgements, and of atomics' old values");
  counter("coalesced_packets", s.coalesced_packets, "packet",
          "packets with two fine-grained answers or more");
  counter("coalesced_answers", s.coalesced_answers, "answer", "answers in coalesced_packets");
  counter("timeouts", s.timeouts, "packet",
          "packets that left a staging buffer because their oldest answer had waited long enough");
  registry.histogram(m, "answers_per_packet", s.answers_per_packet, "answer",
                     "answers in a packet out of a staging buffer, lone ones too");
  registry.histogram(m, "remote_read_pieces", s.remote_read_pieces, "piece",
                     "4-byte pieces that a remote load wants (DualOpt figure 5)");
  counter("pre_link_cycles", s.pre_link_cycles, "cycle",
          "remote reads from their issue to this engine, summed (DualOpt figure 4)");
  counter("link_request_cycles", s.link_request_cycles, "cycle",
          "other GPUs' reads from their being ready for the link to this engine, summed");
  counter("link_answer_cycles", s.link_answer_cycles, "cycle",
          "answers to own reads from their being ready for the link, waiting in a staging buffer "
          "included, to this engine, summed");
  counter("remote_reads_served", s.remote_reads_served, "request", "own reads answered");
  counter("mergeable_reads", s.mergeable_reads, "request",
          "reads of a line already asked for in this kernel; 0 without rdma.ideal_coalescing "
          "(DualOpt figure 6)");
}

}  // namespace tessera
