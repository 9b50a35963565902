// SPDX-License-Identifier: Apache-2.0
// An LLC slice that caches nothing: each request is forwarded to the channel by b_transport, and
// the response is sent after the latency that b_transport returns. It performs no atomics.
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <memory>
#include <vector>

#include "modules/kernel/block.h"
#include "platforms/plugin.h"

namespace {

using namespace tessera;  // NOLINT(google-build-using-namespace)

class Uncached final : public sc_core::sc_module, public Block {
 public:
  tlm_utils::simple_target_socket<Uncached> in{"in"};
  tlm_utils::simple_initiator_socket<Uncached> out{"out"};

  explicit Uncached(const sc_core::sc_module_name& name) : sc_module(name) {
    in.register_b_transport(this, &Uncached::blocking);
    in.register_transport_dbg(this, &Uncached::debug);
  }
  bool idle() const override { return true; }
  void describe_waiting(std::vector<Waiting>&) const override {}
  void reset() override {}
  void register_statistics(StatisticsRegistry& registry) const override {
    registry.counter(name(), "served", served_, "access", "requests that went on to the channel");
  }

 private:
  void blocking(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    ++served_;
    out->b_transport(payload, delay);
  }
  unsigned debug(tlm::tlm_generic_payload& payload) { return out->transport_dbg(payload); }

  Counter served_ = 0;
};

BlockHandle make_uncached(const LlcSite& site) {
  auto module = std::make_unique<Uncached>(site.name.c_str());
  BlockHandle handle;
  handle.block = module.get();
  handle.in = {&module->in};
  handle.out = {&module->out};
  handle.module = std::move(module);
  return handle;
}

}  // namespace

extern "C" const tessera::Plugin tessera_plugin = {
    [] { tessera::register_block<tessera::LlcSite>("uncached", make_uncached); }};
