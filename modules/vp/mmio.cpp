// SPDX-License-Identifier: Apache-2.0
#include "modules/vp/mmio.h"

#include <cstring>

namespace tessera {

void access_registers(MmioRegisters& registers, tlm::tlm_generic_payload& payload, Tick at) {
  const unsigned bytes = payload.get_data_length();
  if (payload.is_read() == payload.is_write()) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);  // TLM_IGNORE_COMMAND
    return;
  }
  if ((bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8) ||
      payload.get_streaming_width() < bytes) {
    payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return;
  }
  if (payload.get_byte_enable_ptr() != nullptr) {
    payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    return;
  }
  const std::uint64_t offset = payload.get_address();
  std::uint64_t value = 0;
  bool done = false;
  if (offset % bytes == 0 && payload.is_read()) {
    done = registers.read_register(offset, bytes, at, value);
    if (done) std::memcpy(payload.get_data_ptr(), &value, bytes);
  } else if (offset % bytes == 0) {
    std::memcpy(&value, payload.get_data_ptr(), bytes);
    done = registers.write_register(offset, bytes, at, value);
  }
  payload.set_response_status(done ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

std::uint64_t part_of(std::uint64_t value, std::uint64_t offset, unsigned bytes) {
  return bytes == 8 ? value : value >> (offset % 8 * 8) & 0xffffffff;
}

std::uint64_t with_part(std::uint64_t value, std::uint64_t offset, unsigned bytes,
                        std::uint64_t part) {
  if (bytes == 8) return part;
  const unsigned shift = offset % 8 * 8;
  return (value & ~(std::uint64_t{0xffffffff} << shift)) | (part & 0xffffffff) << shift;
}

}  // namespace tessera
