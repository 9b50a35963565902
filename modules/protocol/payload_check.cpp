// SPDX-License-Identifier: Apache-2.0
#include "modules/protocol/payload_check.h"

#include <algorithm>
#include <cstdio>
#include <deque>
#include <mutex>
#include <string>
#include <typeinfo>
#include <utility>

#include "modules/kernel/report.h"
#include "modules/kernel/unlikely.h"
#include "modules/protocol/transaction_pool.h"

namespace tessera {

namespace {

struct FaultText {
  tlm::tlm_response_status status;
  const char* text;
};

constexpr std::array<FaultText, static_cast<std::size_t>(PayloadFault::kCount)> kFaults = {{
    {tlm::TLM_OK_RESPONSE, ""},
    {tlm::TLM_GENERIC_ERROR_RESPONSE,
     "has no MemoryRequest extension: take payloads from a TransactionPool, or attach one"},
    {tlm::TLM_GENERIC_ERROR_RESPONSE,
     "has no memory manager, which nb_transport needs: take payloads from a TransactionPool"},
    {tlm::TLM_COMMAND_ERROR_RESPONSE, "has a command that this target does not take for its kind"},
    {tlm::TLM_GENERIC_ERROR_RESPONSE, "has a null data pointer"},
    {tlm::TLM_BURST_ERROR_RESPONSE,
     "has a length that this target does not take, or crosses the end of a line"},
    {tlm::TLM_BURST_ERROR_RESPONSE, "has a streaming width less than its length"},
    {tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE,
     "has byte enables of length 0, or where this target takes none"},
    {tlm::TLM_GENERIC_ERROR_RESPONSE, "has more useful_bytes than bytes"},
    {tlm::TLM_GENERIC_ERROR_RESPONSE,
     "is an atomic without operands, or with operands outside its line"},
    {tlm::TLM_ADDRESS_ERROR_RESPONSE, "has an address outside the memory"},
    {tlm::TLM_ADDRESS_ERROR_RESPONSE, "has an address whose home is not here"},
    {tlm::TLM_GENERIC_ERROR_RESPONSE,
     "is not a LinkPacket of this port: take packets from a PacketPool"},
}};

const FaultText& text_of(PayloadFault fault) { return kFaults[static_cast<std::size_t>(fault)]; }

constexpr auto kAtomic = static_cast<std::uint32_t>(RequestKind::kAtomic);

/// The last refusals that initiators report. Domains on several threads share them.
class Refusals {
 public:
  void note(std::uint64_t address, const std::string& text) {
    const std::lock_guard<std::mutex> held(mutex_);
    texts_.emplace_front(address, text);
    if (texts_.size() > kMost) texts_.pop_back();
  }
  std::string text(std::uint64_t address) {
    const std::lock_guard<std::mutex> held(mutex_);
    const auto it = std::find_if(texts_.begin(), texts_.end(),
                                 [address](const auto& t) { return t.first == address; });
    return it == texts_.end() ? "" : it->second;
  }

 private:
  static constexpr std::size_t kMost = 64;

  std::mutex mutex_;
  std::deque<std::pair<std::uint64_t, std::string>> texts_;
};

Refusals& refusals() {
  static Refusals all;
  return all;
}

bool pooled(const tlm::tlm_generic_payload& payload) {
  return &typeid(payload) == &typeid(Transaction);
}

}  // namespace

tlm::tlm_response_status status_of(PayloadFault fault) { return text_of(fault).status; }

PayloadRules PayloadRules::whole_lines(std::uint32_t line_bytes, std::uint64_t end) {
  PayloadRules r = within_lines(line_bytes, end);
  r.least_bytes = line_bytes;
  return r;
}

PayloadRules PayloadRules::within_lines(std::uint32_t line_bytes, std::uint64_t end) {
  PayloadRules r;
  r.most_bytes = r.line_bytes = line_bytes;
  r.end = end;
  return r;
}

PayloadCheck::PayloadCheck(const PayloadRules& rules)
    : end_(rules.end),
      offset_mask_(rules.line_bytes == 0 ? 0 : rules.line_bytes - 1),
      least_bytes_(rules.least_bytes),
      least_untimed_bytes_(rules.least_untimed_bytes),
      most_bytes_(rules.most_bytes),
      kinds_{rules.reads, rules.writes, rules.ignores},
      byte_enables_(rules.byte_enables),
      performs_atomics_(rules.performs_atomics) {}

bool PayloadCheck::kind_fits(std::uint32_t command, const MemoryRequest& request) const {
  const auto kind = static_cast<std::uint32_t>(request.kind);
  return command < kCommands && kind < 16 && (kinds_[command] >> kind & 1U) != 0;
}

bool PayloadCheck::operands_fit(const tlm::tlm_generic_payload& payload,
                                const MemoryRequest& request) const {
  if (request.kind != RequestKind::kAtomic || !performs_atomics_) return true;
  if (request.atomics == nullptr) return false;
  const AtomicOperands& operands = *request.atomics;
  if (operands.count == 0 || operands.count > operands.lanes.size()) return false;
  for (unsigned i = 0; i < operands.count; ++i) {
    const AtomicOperands::Lane& lane = operands.lanes[i];
    if (lane.offset + atomic_bytes(operands.type) > payload.get_data_length()) return false;
    if (lane.lane >= kWarpLanes) return false;
  }
  return true;
}

MemoryRequest* PayloadCheck::admit(tlm::tlm_generic_payload& payload,
                                   const tlm::tlm_phase& phase) const {
  MemoryRequest* request = nullptr;
  if (unlikely(!pooled(payload))) {
    request = payload.get_extension<MemoryRequest>();
    if (request == nullptr || !payload.has_mm()) return nullptr;
  } else {
    request = &static_cast<Transaction&>(payload).request();
  }
  const std::uint64_t address = payload.get_address();
  const std::uint64_t length = payload.get_data_length();
  const auto command = static_cast<std::uint32_t>(payload.get_command());
  const auto kind = static_cast<std::uint32_t>(request->kind);
  if (phase != tlm::BEGIN_REQ || command >= kCommands || kind >= 16 || length < least_bytes_ ||
      (address & offset_mask_) + length > most_bytes_ || address >= end_ ||
      payload.get_data_ptr() == nullptr || payload.get_streaming_width() < length ||
      request->useful_bytes > length || (kinds_[command] >> kind & 1U) == 0) {
    return nullptr;
  }
  if (payload.get_byte_enable_ptr() != nullptr &&
      (!byte_enables_ || payload.get_byte_enable_length() == 0)) {
    return nullptr;
  }
  if (unlikely(kind == kAtomic) && !operands_fit(payload, *request)) return nullptr;
  return request;
}

/// The same, one by one, in the order in which they are reported.
PayloadFault PayloadCheck::fault_of(const tlm::tlm_generic_payload& payload,
                                    const MemoryRequest* request, std::uint32_t least_bytes) const {
  const auto command = static_cast<std::uint32_t>(payload.get_command());
  const std::uint32_t length = payload.get_data_length();
  const std::uint64_t address = payload.get_address();
  if (command >= kCommands || (request != nullptr && !kind_fits(command, *request))) {
    return PayloadFault::kCommand;
  }
  if (payload.get_data_ptr() == nullptr) return PayloadFault::kNoData;
  if (address >= end_) return PayloadFault::kAddress;
  if (length < least_bytes || (address & offset_mask_) + length > most_bytes_) {
    return PayloadFault::kLength;
  }
  if (payload.get_streaming_width() < length) return PayloadFault::kStreaming;
  if (payload.get_byte_enable_ptr() != nullptr &&
      (!byte_enables_ || payload.get_byte_enable_length() == 0)) {
    return PayloadFault::kByteEnables;
  }
  if (request != nullptr && request->useful_bytes > length) return PayloadFault::kUsefulBytes;
  if (request != nullptr && !operands_fit(payload, *request)) return PayloadFault::kOperands;
  return PayloadFault::kNone;
}

tlm::tlm_sync_enum PayloadCheck::refuse(const sc_core::sc_object& socket,
                                        tlm::tlm_generic_payload& payload,
                                        const tlm::tlm_phase& phase, PayloadFault fault) {
  if (phase != tlm::BEGIN_REQ) {
    if (phase == tlm::END_REQ || phase == tlm::BEGIN_RESP) {
      const std::string text =
          std::string(socket.name()) + ": " + phase.get_name() + " is no initiator's to send";
      SC_REPORT_ERROR(report::kProtocol, text.c_str());
    }
    return tlm::TLM_ACCEPTED;
  }
  const MemoryRequest* const request = payload.get_extension<MemoryRequest>();
  if (request == nullptr) {
    fault = PayloadFault::kNoExtension;
  } else if (!payload.has_mm()) {
    fault = PayloadFault::kNoManager;
  } else if (fault == PayloadFault::kNone) {
    fault = fault_of(payload, request, least_bytes_);
  }
  response(socket, payload, fault);
  return tlm::TLM_COMPLETED;
}

PayloadFault PayloadCheck::untimed_fault(const tlm::tlm_generic_payload& payload) const {
  const MemoryRequest* const request = payload.get_extension<MemoryRequest>();
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) return PayloadFault::kCommand;
  return fault_of(payload, request, least_untimed_bytes_);
}

bool PayloadCheck::refuse_blocking(const sc_core::sc_object& socket,
                                   tlm::tlm_generic_payload& payload) {
  const PayloadFault fault = untimed_fault(payload);
  if (fault == PayloadFault::kNone) return false;
  response(socket, payload, fault);
  return true;
}

void PayloadCheck::response(const sc_core::sc_object& socket, tlm::tlm_generic_payload& payload,
                            PayloadFault fault) {
  payload.set_response_status(status_of(fault));
  const auto bit = static_cast<std::uint16_t>(1U << static_cast<unsigned>(fault));
  const MemoryRequest* const request = payload.get_extension<MemoryRequest>();
  const bool initiator_reports = request != nullptr && request->reports_refusal;
  if (!initiator_reports && (reported_ & bit) != 0) return;
  std::array<char, 96> what;
  std::snprintf(what.data(), what.size(), ": a payload (command %d, address 0x%llx, %u bytes) ",
                static_cast<int>(payload.get_command()),
                static_cast<unsigned long long>(payload.get_address()), payload.get_data_length());
  const std::string text = std::string(socket.name()) + what.data() + text_of(fault).text;
  if (initiator_reports) {
    refusals().note(payload.get_address(), text);
    return;
  }
  reported_ |= bit;
  SC_REPORT_WARNING(report::kBadPayload, text.c_str());
}

std::string refusal_of(std::uint64_t address) { return refusals().text(address); }

}  // namespace tessera
