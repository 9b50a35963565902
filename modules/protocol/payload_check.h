// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <systemc>
#include <tlm>

#include "modules/protocol/memory_request.h"

namespace tessera {

/// Why a target refuses a payload.
enum class PayloadFault : std::uint8_t {
  kNone,
  kNoExtension,  ///< no MemoryRequest
  kNoManager,    ///< nb_transport_fw without a memory manager
  kCommand,      ///< no command of the base protocol, or one that does not fit the request's kind
  kNoData,       ///< null data pointer
  kLength,       ///< of another length than the target takes, or across the end of a line
  kStreaming,    ///< streaming width less than the length
  kByteEnables,  ///< byte enables of length 0, or where none are allowed
  kUsefulBytes,  ///< more useful bytes than the payload has
  kOperands,     ///< atomic without operands, or with lanes outside its line
  kAddress,      ///< outside the memory
  kHome,         ///< in the memory, but not behind this target
  kNotAPacket,   ///< between GPUs: no LinkPacket, or one that does not belong here
  kCount,
};

/// The TLM response status of a fault.
tlm::tlm_response_status status_of(PayloadFault fault);

/// What a target takes. Kinds of requests are sets: bit i is RequestKind i.
struct PayloadRules {
  /// A timed access is between these many bytes long, and ends within its line.
  std::uint32_t least_bytes = 1;
  std::uint32_t least_untimed_bytes = 1;  ///< the same of an untimed access
  std::uint32_t most_bytes = kMaxLineBytes;
  /// Power of two. 0: an access may begin anywhere.
  std::uint32_t line_bytes = kMaxLineBytes;
  /// First address beyond what the target serves.
  std::uint64_t end = ~std::uint64_t{0};
  std::uint16_t reads = 0;    ///< kinds that may come with TLM_READ_COMMAND
  std::uint16_t writes = 0;   ///< with TLM_WRITE_COMMAND
  std::uint16_t ignores = 0;  ///< with TLM_IGNORE_COMMAND
  bool byte_enables = true;
  /// Atomics are performed here: their operands must be sound.
  bool performs_atomics = false;

  static constexpr std::uint16_t kinds() { return 0; }
  template <class... Kinds>
  static constexpr std::uint16_t kinds(RequestKind first, Kinds... others) {
    return static_cast<std::uint16_t>(1U << static_cast<unsigned>(first) | kinds(others...));
  }
  static constexpr std::uint16_t kEvery = 0xffff;

  /// Timed accesses are whole lines of `line_bytes` below `end`; untimed ones lie in one line.
  static PayloadRules whole_lines(std::uint32_t line_bytes, std::uint64_t end);
  /// Any access that lies in one line.
  static PayloadRules within_lines(std::uint32_t line_bytes, std::uint64_t end);
};

/// Checks what reaches a target socket, before the target acts on it. Whatever a payload says, a
/// target reads and writes only what the payload names and the target owns.
///
/// A payload that breaks a rule is completed with a TLM error status when it arrives
/// (TLM_COMPLETED), and changes nothing else. SC_WARNING "/tessera/core/bad_payload" names the
/// socket and the remedy, once for each target and fault, unless the initiator reports refusals
/// itself (MemoryRequest::reports_refusal).
///
///   tlm_sync_enum forward(payload, phase, delay) {
///     if (phase == tlm::END_RESP) ...
///     MemoryRequest* const request = check_.admit(payload, phase);
///     if (unlikely(request == nullptr)) return check_.refuse(in, payload, phase);
class PayloadCheck {
 public:
  explicit PayloadCheck(const PayloadRules& rules);

  /// nb_transport_fw, any phase but END_RESP: the request of a BEGIN_REQ that may be taken; else
  /// nullptr, and refuse() completes it.
  MemoryRequest* admit(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase) const;

  /// What nb_transport_fw returns for a payload that admit() has not admitted, or that has the
  /// fault given. A phase that goes backward only is an SC_ERROR "/tessera/core/protocol"; other
  /// phases are ignorable.
  tlm::tlm_sync_enum refuse(const sc_core::sc_object& socket, tlm::tlm_generic_payload& payload,
                            const tlm::tlm_phase& phase, PayloadFault fault = PayloadFault::kNone);

  /// The fault of an untimed access, if it has one. An extension and a memory manager are not
  /// needed (but by atomics, whose operands stand in the extension); an access need not be a whole
  /// line.
  PayloadFault untimed_fault(const tlm::tlm_generic_payload& payload) const;
  /// transport_dbg: whether there is a command to carry out and a buffer for it.
  static bool admits_debug(const tlm::tlm_generic_payload& payload) {
    return payload.get_data_ptr() != nullptr && (payload.is_read() || payload.is_write());
  }
  /// b_transport: true when the payload is refused, with its status set.
  bool refuse_blocking(const sc_core::sc_object& socket, tlm::tlm_generic_payload& payload);

  /// Sets the status of a fault and reports it.
  void response(const sc_core::sc_object& socket, tlm::tlm_generic_payload& payload,
                PayloadFault fault);

 private:
  static constexpr std::uint32_t kCommands = 3;

  PayloadFault fault_of(const tlm::tlm_generic_payload& payload, const MemoryRequest* request,
                        std::uint32_t least_bytes) const;
  bool kind_fits(std::uint32_t command, const MemoryRequest& request) const;
  bool operands_fit(const tlm::tlm_generic_payload& payload, const MemoryRequest& request) const;

  std::uint64_t end_;
  std::uint32_t offset_mask_;
  std::uint32_t least_bytes_;
  std::uint32_t least_untimed_bytes_;
  std::uint32_t most_bytes_;
  std::array<std::uint16_t, kCommands> kinds_;
  bool byte_enables_;
  bool performs_atomics_;
  std::uint16_t reported_ = 0;  ///< faults, as a set
};

/// The socket and the fault of the last refusal of a request for this address, if the initiator
/// reports it; empty if there was none. For the message of the request's failure.
std::string refusal_of(std::uint64_t address);

/// Whether a response says that its request failed.
inline bool failed(const tlm::tlm_generic_payload& payload) {
  return payload.get_response_status() < tlm::TLM_INCOMPLETE_RESPONSE;
}

}  // namespace tessera
