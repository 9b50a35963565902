// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "modules/kernel/block_base.h"
#include "modules/kernel/domain_link.h"
#include "modules/kernel/process_timer.h"
#include "modules/kernel/timed_queue.h"
#include "modules/noc/long_link_config.h"
#include "modules/protocol/channels.h"
#include "modules/protocol/paced_output.h"
#include "modules/protocol/payload_check.h"
#include "modules/protocol/response_port.h"

namespace tessera {

struct LongLinkSite;

/// A link of long latency for requests and their responses: translation requests from a GPU's L2
/// TLB to the IOMMU at the host (DualOpt Table 1: fabric latency; MGPUSim connects its MMU by the
/// same PCIe switches as its GPUs, of 140 cycles at 1 GHz).
///
/// The link is cut in its middle. The near half (`in`) and the far half (`out`) can belong to
/// different domains, each that of the blocks behind its socket. Requests, responses and credits
/// between the halves are DomainLink messages with a latency of L cycles less one tick.
///
/// Timing contract (L = latency in cycles): a message that arrives between clock edges counts from
/// the next edge.
/// * A request waits in a queue of `queue_depth` entries. One request a cycle enters the link if
///   there is a credit. It is at the far end L cycles later, and leaves there by a BEGIN_REQ that
///   arrives one cycle later: L + 1 cycles for a lone request. One leaves in a cycle.
/// * A credit is back L cycles after END_REQ of its request. There are queue_depth + 2 L, so that a
///   target that accepts a request a cycle gets one a cycle (from a queue_depth of 2 on).
/// * A response is at the near end L cycles after its arrival, and leaves there by a BEGIN_RESP
///   that arrives one cycle later. One leaves in a cycle. The far end always takes a response,
///   because its request's initiator has space for it.
///
/// Phases: all four on both sides; early completion if the queue has a free entry. b_transport adds
/// 2 L cycles; transport_dbg is forwarded; DMI is denied.
///
/// Not modelled: the messages' size and the link's width, errors and retransmission.
class LongLink final : public BlockBase<LongLinkConfig, LongLinkStats, LongLinkSite> {
 public:
  tlm_utils::passthrough_target_socket<LongLink> in;
  tlm_utils::simple_initiator_socket<LongLink> out;

  /// An invalid configuration is an SC_FATAL that lists all errors.
  LongLink(const sc_core::sc_module_name& name, const LongLinkConfig& config, Domain& near,
           Domain& far);
  ~LongLink() override;

  bool idle() const override;
  void describe_waiting(std::vector<Waiting>& waiting) const override;
  void reset() override;

 private:
  using Payload = tlm::tlm_generic_payload*;
  struct Credit {};
  struct Near;
  struct Far;

  void end_of_elaboration() override;
  void end_of_simulation() override;

  tlm::tlm_sync_enum forward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                             sc_core::sc_time& delay);
  tlm::tlm_sync_enum backward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                              sc_core::sc_time& delay);
  void blocking(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned debug(tlm::tlm_generic_payload& payload);

  void process_near();
  void send_request(Tick t);
  void send_response(Tick t);
  void process_far();
  void respond(tlm::tlm_generic_payload& payload, Tick at);
  void return_credit();

  const std::uint64_t latency_;  ///< cycles
  PayloadCheck check_;
  std::unique_ptr<Near> near_;
  std::unique_ptr<Far> far_;
};

}  // namespace tessera
