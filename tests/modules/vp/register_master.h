// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <cstring>
#include <systemc>
#include <tlm>

#include "modules/kernel/sc_time.h"
#include "modules/kernel/time.h"

namespace tessera::test {

/// Reads and writes registers of a device at the present time, or later by `delay`.
class RegisterMaster final : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<RegisterMaster> out;

  explicit RegisterMaster(const sc_core::sc_module_name& name) : sc_module(name), out("out") {}

  std::uint64_t read(std::uint64_t address, unsigned bytes, Tick delay = 0) {
    std::uint64_t value = 0;
    access(tlm::TLM_READ_COMMAND, address, &value, bytes, delay);
    return value;
  }
  void write(std::uint64_t address, unsigned bytes, std::uint64_t value, Tick delay = 0) {
    access(tlm::TLM_WRITE_COMMAND, address, &value, bytes, delay);
  }
  tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;  ///< of the last access

 private:
  void access(tlm::tlm_command command, std::uint64_t address, std::uint64_t* value, unsigned bytes,
              Tick after) {
    tlm::tlm_generic_payload p;
    p.set_command(command);
    p.set_address(address);
    p.set_data_ptr(reinterpret_cast<unsigned char*>(value));
    p.set_data_length(bytes);
    p.set_streaming_width(bytes);
    sc_core::sc_time delay = to_sc_time(after);
    out->b_transport(p, delay);
    status = p.get_response_status();
  }
};

}  // namespace tessera::test
