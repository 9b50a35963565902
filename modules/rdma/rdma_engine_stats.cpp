// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "modules/kernel/statistics_visitor.h"
#include "modules/rdma/rdma_engine.h"

namespace tessera {
namespace {

unsigned bits_of(std::uint32_t mask) { return static_cast<unsigned>(__builtin_popcount(mask)); }

}  // namespace

void RdmaEngine::count_request(const Payload& payload, const MemoryRequest& request) {
  ++stats_.requests_out;
  switch (request.kind) {
    case RequestKind::kLoad:
      stats_.remote_read_words.add(bits_of(request.word_mask));
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

void describe(StatisticsVisitor& v, RdmaStats& s) {
  v.counter("requests_out", s.requests_out, "request", "own SMs' requests for other GPUs' lines");
  v.counter("requests_in", s.requests_in, "request", "other GPUs' requests for own lines");
  v.counter("reads_out", s.reads_out, "request", "loads and fills among requests_out");
  v.counter("writes_out", s.writes_out, "request", "stores and write-backs among requests_out");
  v.counter("atomics_out", s.atomics_out, "request", "atomics among requests_out");
  v.counter("packets_out_request", s.packets_out_request, "packet", "request packets made");
  v.counter("packets_out_response", s.packets_out_response, "packet", "response packets made");
  v.counter("bytes_out_request", s.bytes_out_request, "byte", "of request packets");
  v.counter("bytes_out_line", s.bytes_out_line, "byte", "of responses that carry a whole line");
  v.counter("bytes_out_fine_grained", s.bytes_out_fine_grained, "byte",
            "of fine-grained responses that travel alone");
  v.counter("bytes_out_coalesced", s.bytes_out_coalesced, "byte",
            "of packets with two fine-grained responses or more");
  v.counter("bytes_out_ack", s.bytes_out_ack, "byte",
            "of acknowledgements, and of atomics' old values");
  v.counter("coalesced_packets", s.coalesced_packets, "packet",
            "packets with two fine-grained responses or more");
  v.counter("coalesced_responses", s.coalesced_responses, "response",
            "responses in coalesced_packets");
  v.counter(
      "timeouts", s.timeouts, "packet",
      "packets that left a staging buffer because their oldest response had waited long enough");
  v.histogram("responses_per_packet", s.responses_per_packet, "response",
              "responses in a packet out of a staging buffer, lone ones too");
  v.histogram("remote_read_words", s.remote_read_words, "word",
              "requested 4-byte words of a remote load (DualOpt figure 5)");
  v.counter("pre_link_cycles", s.pre_link_cycles, "cycle",
            "remote reads from their issue to this engine, summed (DualOpt figure 4)");
  v.counter("link_request_cycles", s.link_request_cycles, "cycle",
            "other GPUs' reads from their being ready for the link to this engine, summed");
  v.counter(
      "link_response_cycles", s.link_response_cycles, "cycle",
      "responses to own reads from their being ready for the link, waiting in a staging buffer "
      "included, to this engine, summed");
  v.counter("remote_reads_served", s.remote_reads_served, "request", "own reads completed");
  v.counter("mergeable_reads", s.mergeable_reads, "request",
            "reads of a line already requested in this kernel; 0 without rdma.ideal_coalescing "
            "(DualOpt figure 6)");
}

}  // namespace tessera
