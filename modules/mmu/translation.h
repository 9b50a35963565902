// SPDX-License-Identifier: Apache-2.0
#pragma once

// A translation request: kind kTranslation, READ, virtual address, length 8 or more,
// MemoryRequest::requester = requester. The first 8 bytes of the response are the page's entry
// (PageEntry), in both value modes. An address outside all allocations gets
// TLM_ADDRESS_ERROR_RESPONSE.

#include <cstdint>
#include <cstring>
#include <tlm>

#include "modules/protocol/page_entry.h"
#include "modules/protocol/payload_check.h"

namespace tessera {

inline constexpr unsigned kTranslationBytes = 8;

/// Writes the page's entry and an OK status into the response.
inline void answer_translation(tlm::tlm_generic_payload& payload, PageEntry entry) {
  const std::uint64_t bits = entry.bits();
  std::memcpy(payload.get_data_ptr(), &bits, kTranslationBytes);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

/// The page's entry in a response.
inline PageEntry translation_of(const tlm::tlm_generic_payload& payload) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, payload.get_data_ptr(), kTranslationBytes);
  return PageEntry(bits);
}

/// Rules for the payloads that the blocks of the MMU accept.
inline PayloadRules translation_rules() {
  PayloadRules r;
  r.least_bytes = r.least_untimed_bytes = kTranslationBytes;
  r.line_bytes = 0;
  r.reads = PayloadRules::kinds(RequestKind::kTranslation);
  r.byte_enables = false;
  return r;
}

/// The requester; SM 0 for an untimed access without an extension.
inline RequesterId requester_of(const tlm::tlm_generic_payload& payload) {
  const auto* request = payload.get_extension<MemoryRequest>();
  return request == nullptr ? RequesterId() : request->requester;
}

}  // namespace tessera
