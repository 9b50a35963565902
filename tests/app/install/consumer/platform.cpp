// SPDX-License-Identifier: Apache-2.0
// A platform outside the tree: one initiator in front of one HBM channel.
#include <tlm_utils/simple_initiator_socket.h>

#include <iostream>

#include "modules/memory/dram_channel.h"
#include "modules/protocol/transaction_pool.h"
#include "platforms/simulation.h"

struct OneChannel final : sc_core::sc_module {
  std::unique_ptr<tessera::AddressMap> map =
      tessera::make_address_map("fixed-channel", tessera::MemoryGeometry{});
  tessera::DramChannel dram{"dram", tessera::DramConfig{}, *map, tessera::ChannelId(0), 1};
  tlm_utils::simple_initiator_socket<OneChannel> port{"port"};
  tessera::TransactionPool pool;

  explicit OneChannel(const sc_core::sc_module_name& name) : sc_module(name) {
    port.bind(dram.in[0]);
  }
  int access(tlm::tlm_command command, unsigned char value) {
    tessera::Transaction& t = pool.acquire();
    t.set_line(command, map->page_address(tessera::ChannelId(0), 3), 128);
    t.request().carries_data = true;
    t.data()[5] = value;
    sc_core::sc_time delay;
    port->b_transport(t, delay);
    const int read = t.is_response_ok() ? t.data()[5] : -1;
    t.release();
    return read;
  }
};

int sc_main(int, char**) {
  tessera::set_time_resolution();
  OneChannel platform("platform");
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  platform.access(tlm::TLM_WRITE_COMMAND, 42);
  std::cout << "read back " << platform.access(tlm::TLM_READ_COMMAND, 0) << '\n'
            << tessera::resolve_config("uba-mem-small", {}).gpu.system.sms << " SMs, "
            << tessera::workload_names().size() << " workloads\n";
  return 0;
}
