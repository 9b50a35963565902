// SPDX-License-Identifier: Apache-2.0
// An initiator of thirty lines in front of a crossbar, an LLC slice and a DRAM channel.
#include <tlm_utils/simple_initiator_socket.h>

#include <iostream>
#include <memory>

#include "modules/llc/llc_slice.h"
#include "modules/memory/dram_channel.h"
#include "modules/noc/crossbar.h"
#include "modules/protocol/protocol_checker.h"
#include "modules/protocol/transaction_pool.h"

using namespace tessera;  // NOLINT(google-build-using-namespace): a program, not a header

// [initiator]
class Reader final : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<Reader> port{"port"};

  SC_HAS_PROCESS(Reader);
  Reader(const sc_core::sc_module_name& name, TransactionPool& pool)
      : sc_module(name), pool_(pool) {
    port.register_nb_transport_bw(this, &Reader::backward);
    SC_THREAD(run);
  }

 private:
  void run() {
    for (std::uint64_t line = 0; line < 16; ++line) {
      Transaction& t = pool_.acquire();
      t.set_line(tlm::TLM_READ_COMMAND, line * 128, 128);
      tlm::tlm_phase phase = tlm::BEGIN_REQ;
      sc_core::sc_time delay(1, sc_core::SC_PS);  // more than zero: see the guide
      accepted_ = port->nb_transport_fw(t, phase, delay) != tlm::TLM_ACCEPTED;
      while (!accepted_) wait(progress_);  // back-pressure: END_REQ is withheld
      wait(delay);                         // END_REQ takes effect then
    }
    while (responses_ < 16) wait(progress_);
    std::cout << responses_ << " lines, the last at " << last_ << '\n';
  }
  tlm::tlm_sync_enum backward(tlm::tlm_generic_payload& t, tlm::tlm_phase& phase,
                              sc_core::sc_time& delay) {
    accepted_ = true;  // END_REQ, or a BEGIN_RESP that stands for it
    progress_.notify(delay);
    if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
    if (!t.is_response_ok()) std::cout << t.get_response_string() << '\n';
    last_ = sc_core::sc_time_stamp() + delay;
    ++responses_;
    t.release();
    return tlm::TLM_COMPLETED;  // END_RESP at once
  }

  TransactionPool& pool_;
  sc_core::sc_event progress_;
  sc_core::sc_time last_;
  unsigned responses_ = 0;
  bool accepted_ = false;
};
// [end]

int sc_main(int, char**) {
  set_time_resolution();  // 1 fs; blocks refuse to be built without it
  MemoryGeometry geometry;
  geometry.channels = 1;
  geometry.slices_per_channel = 1;
  const auto map = make_address_map("fixed-channel", geometry);
  TransactionPool pool;

  Reader reader("reader", pool);
  Crossbar xbar("xbar", NocConfig{}, 1, 1,
                {[](const MemoryRequest& r) { return r.home().slice.value; },
                 [&map](std::uint64_t a) { return map->locate(a).slice.value; }});
  const auto made = make_llc_slice("llc", LlcSliceConfig{}, *map, pool, SliceSite{});
  LlcSlice& llc = *made;
  DramChannel dram("dram", DramConfig{}, *map, ChannelId(0), 1);
  ProtocolChecker check("check");  // on the socket that is new: ours

  reader.port.bind(check.target);
  check.initiator.bind(xbar.in[0]);
  xbar.out[0].bind(llc.in[0]);
  llc.memory.bind(dram.in[0]);
  sc_core::sc_start();

  std::cout << "LLC misses " << llc.stats().misses << ", DRAM reads " << dram.stats().commands.reads
            << ", in flight " << pool.live() << '\n';
  return pool.live() == 0 && llc.idle() && dram.idle() ? 0 : 1;
}
