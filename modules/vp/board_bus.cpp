// SPDX-License-Identifier: Apache-2.0
#include "modules/vp/board_bus.h"

#include <algorithm>
#include <cstddef>

namespace tessera {

std::vector<std::string> BoardBusConfig::validate() const {
  std::vector<std::string> errors;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      const BoardRange& a = ranges[i];
      const BoardRange& b = ranges[k];
      if (a.address < b.address + b.bytes && b.address < a.address + a.bytes) {
        errors.push_back("ranges: " + a.name + " and " + b.name + " overlap");
      }
    }
  }
  return errors;
}

void describe(StatisticsVisitor& v, BoardBusStats& s) {
  v.counter("transactions", s.transactions, "transaction", "transactions forwarded, without DMI");
  v.counter("unmapped", s.unmapped, "transaction", "transactions to an address without a device");
}

BoardBus::BoardBus(const sc_core::sc_module_name& name, const BoardBusConfig& config)
    : BlockBase(name, config), in("in") {
  in.register_b_transport(this, &BoardBus::blocking);
  in.register_transport_dbg(this, &BoardBus::debug);
  in.register_get_direct_mem_ptr(this, &BoardBus::direct);
  for (std::size_t i = 0; i < config_.ranges.size(); ++i) {
    out.push_back(std::make_unique<Output>(config_.ranges[i].name.c_str()));
    Output& socket = *out.back();
    socket.register_invalidate_direct_mem_ptr(this, &BoardBus::invalidate_direct,
                                              static_cast<int>(i));
  }
}

std::size_t BoardBus::decode(std::uint64_t address, std::uint64_t bytes) const {
  const auto& ranges = config_.ranges;
  const auto found = std::find_if(ranges.begin(), ranges.end(), [&](const BoardRange& r) {
    const std::uint64_t offset = address - r.address;  // wraps to a huge value below the range
    return offset < r.bytes && bytes <= r.bytes - offset;
  });
  return static_cast<std::size_t>(found - ranges.begin());
}

const BoardRange* BoardBus::find(std::uint64_t address) const {
  const std::size_t i = decode(address, 1);
  return i == config_.ranges.size() ? nullptr : &config_.ranges[i];
}

void BoardBus::blocking(int, Payload& payload, sc_core::sc_time& delay) {
  const std::uint64_t address = payload.get_address();
  const std::size_t i = decode(address, payload.get_data_length());
  if (i == config_.ranges.size()) {
    ++stats_.unmapped;
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  ++stats_.transactions;
  payload.set_address(address - config_.ranges[i].base());
  (*out[i])->b_transport(payload, delay);
  payload.set_address(address);
}

unsigned BoardBus::debug(int, Payload& payload) {
  const std::uint64_t address = payload.get_address();
  const std::size_t i = decode(address, 1);
  if (i == config_.ranges.size()) return 0;
  payload.set_address(address - config_.ranges[i].base());
  const unsigned done = (*out[i])->transport_dbg(payload);
  payload.set_address(address);
  return done;
}

bool BoardBus::direct(int, Payload& payload, tlm::tlm_dmi& dmi) {
  const std::uint64_t address = payload.get_address();
  const std::size_t i = decode(address, 1);
  if (i == config_.ranges.size() || !config_.ranges[i].memory) return false;
  const std::uint64_t base = config_.ranges[i].base();
  payload.set_address(address - base);
  const bool granted = (*out[i])->get_direct_mem_ptr(payload, dmi);
  payload.set_address(address);
  dmi.set_end_address(std::min<std::uint64_t>(dmi.get_end_address(), config_.ranges[i].bytes - 1) +
                      base);
  dmi.set_start_address(dmi.get_start_address() + base);
  return granted;
}

void BoardBus::invalidate_direct(int range, sc_dt::uint64 begin, sc_dt::uint64 end) {
  const BoardRange& r = config_.ranges[static_cast<std::size_t>(range)];
  for (unsigned i = 0; i < in.size(); ++i) {
    in[i]->invalidate_direct_mem_ptr(r.address + begin,
                                     r.address + std::min<std::uint64_t>(end, r.bytes - 1));
  }
}

void BoardBus::describe_waiting(std::vector<Waiting>&) const {}

}  // namespace tessera
