// SPDX-License-Identifier: Apache-2.0
#pragma once

// A translation request: kind kTranslation, READ, address = virtual, length 8 or more,
// MemoryRequest::sm = who asks. The answer's first 8 bytes are the physical address of the page, in
// both value modes. An address in no allocation is answered with TLM_ADDRESS_ERROR_RESPONSE.

#include <cstdint>
#include <cstring>
#include <tlm>

namespace tessera {

inline constexpr unsigned kTranslationBytes = 8;

/// Writes the answer and its status.
inline void answer_translation(tlm::tlm_generic_payload& payload, std::uint64_t physical_page) {
  std::memcpy(payload.get_data_ptr(), &physical_page, kTranslationBytes);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

/// The physical page address that an answer carries.
inline std::uint64_t translation_of(const tlm::tlm_generic_payload& payload) {
  std::uint64_t physical_page = 0;
  std::memcpy(&physical_page, payload.get_data_ptr(), kTranslationBytes);
  return physical_page;
}

/// Status of what is no translation request, TLM_OK_RESPONSE for one.
inline tlm::tlm_response_status check_translation(const tlm::tlm_generic_payload& payload) {
  if (!payload.is_read()) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  if (payload.get_data_length() < kTranslationBytes) return tlm::TLM_BURST_ERROR_RESPONSE;
  if (payload.get_byte_enable_ptr() != nullptr) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  return tlm::TLM_OK_RESPONSE;
}

}  // namespace tessera
