// SPDX-License-Identifier: Apache-2.0
#include "modules/protocol/protocol_checker.h"

#include <algorithm>
#include <sstream>
#include <vector>

#include "modules/kernel/report.h"
#include "modules/kernel/sc_time.h"
#include "modules/protocol/memory_request.h"

namespace tessera {

namespace {

constexpr char kBeginReq[] = "BEGIN_REQ";
constexpr char kEndReq[] = "END_REQ";
constexpr char kBeginResp[] = "BEGIN_RESP";
constexpr char kEndResp[] = "END_RESP";
constexpr char kCompleted[] = "TLM_COMPLETED";
constexpr char kBlocking[] = "b_transport";

const char* name_of(const tlm::tlm_phase& phase) { return phase.get_name(); }

/// Whether several blocks can send the payload on.
bool is_message(const tlm::tlm_generic_payload& payload) {
  const MemoryRequest* request = payload.get_extension<MemoryRequest>();
  return request != nullptr &&
         (request->kind == RequestKind::kProbe || request->forwarding != Forwarding::kNone);
}

}  // namespace

ProtocolChecker::ProtocolChecker(const sc_core::sc_module_name& name, const Config& config)
    : SocketSplice(name), config_(config) {}

tlm::tlm_sync_enum ProtocolChecker::nb_transport_fw(tlm::tlm_generic_payload& payload,
                                                    tlm::tlm_phase& phase,
                                                    sc_core::sc_time& delay) {
  if (is_message(payload)) return SocketSplice::nb_transport_fw(payload, phase, delay);
  const Tick before = delay.value();
  const tlm::tlm_phase sent = phase;
  std::uint64_t serial = 0;
  if (sent == tlm::BEGIN_REQ) {
    begin_request(payload, before);
    serial = requests_;
  } else if (sent == tlm::END_RESP) {
    end_response(payload, now() + before);
  } else {
    broken(payload, name_of(sent), "an initiator sends BEGIN_REQ and END_RESP only");
  }

  const tlm::tlm_sync_enum sync = SocketSplice::nb_transport_fw(payload, phase, delay);

  if (sync == tlm::TLM_ACCEPTED) return sync;
  const Tick at = now() + delay.value();
  if (sent != tlm::BEGIN_REQ) {
    if (sync == tlm::TLM_UPDATED) {
      broken(payload, name_of(phase), "END_RESP ends a transaction; no phase can follow it");
    }
    return sync;
  }
  const auto still = open_.find(&payload);
  if (still == open_.end() || still->second.serial != serial) {
    broken(payload, sync == tlm::TLM_COMPLETED ? kCompleted : name_of(phase),
           "the transaction was completed before this response to its BEGIN_REQ");
    return sync;
  }
  if (sync == tlm::TLM_COMPLETED) {
    complete_early(payload, at);
  } else if (phase == tlm::END_REQ) {
    end_request(payload, at);
  } else if (phase == tlm::BEGIN_RESP) {
    begin_response(payload, at, kBeginResp);
  } else {
    broken(payload, name_of(phase), "only END_REQ or BEGIN_RESP can follow BEGIN_REQ");
  }
  return sync;
}

tlm::tlm_sync_enum ProtocolChecker::nb_transport_bw(tlm::tlm_generic_payload& payload,
                                                    tlm::tlm_phase& phase,
                                                    sc_core::sc_time& delay) {
  if (is_message(payload)) return SocketSplice::nb_transport_bw(payload, phase, delay);
  const Tick before = delay.value();
  const tlm::tlm_phase sent = phase;
  std::uint64_t serial = 0;
  if (sent == tlm::END_REQ) {
    end_request(payload, now() + before);
  } else if (sent == tlm::BEGIN_RESP) {
    if (config_.positive_delays && before == 0) {
      broken(payload, kBeginResp, "its delay must be greater than zero");
    }
    begin_response(payload, now() + before, kBeginResp);
    const auto found = open_.find(&payload);
    if (found != open_.end()) serial = found->second.serial;
  } else {
    broken(payload, name_of(sent), "a target sends END_REQ and BEGIN_RESP only");
  }

  const tlm::tlm_sync_enum sync = SocketSplice::nb_transport_bw(payload, phase, delay);

  if (sync == tlm::TLM_ACCEPTED) return sync;
  // The initiator can have released the payload. The code below uses only its address in memory,
  // unless the transaction is still open here.
  if (sent != tlm::BEGIN_RESP) {
    broken(payload, name_of(sent), "only TLM_ACCEPTED can be returned for END_REQ");
    return sync;
  }
  if (sync == tlm::TLM_UPDATED && phase != tlm::END_RESP) {
    broken(payload, name_of(phase), "only END_RESP can follow BEGIN_RESP");
    return sync;
  }
  const auto still = open_.find(&payload);
  if (serial == 0) return sync;  // already reported
  if (still == open_.end() || still->second.serial != serial) {
    broken(payload, kEndResp, "the transaction was completed before this response to BEGIN_RESP");
    return sync;
  }
  end_response(payload, now() + delay.value());
  return sync;
}

void ProtocolChecker::begin_request(tlm::tlm_generic_payload& payload, Tick delay) {
  const Tick at = now() + delay;
  check_new(payload, kBeginReq);
  if (config_.positive_delays && delay == 0) {
    broken(payload, kBeginReq, "its delay must be greater than zero");
  }
  if (!payload.has_mm()) {
    broken(payload, kBeginReq, "the payload has no memory manager");
  } else if (payload.get_ref_count() < 1) {
    broken(payload, kBeginReq, "the payload is not held (reference count 0)");
  }
  if (open_.count(&payload) != 0) {
    broken(payload, kBeginReq, "the transaction is already under way");
  }
  if (request_.busy != nullptr) {
    broken(payload, kBeginReq, "the request before it still awaits END_REQ");
  } else if (at < request_.free_at) {
    broken(payload, kBeginReq, "it begins before END_REQ of the request before it takes effect");
  }
  request_.busy = &payload;
  open_[&payload] = {State::kRequested, ++requests_, at, attributes_of(payload)};
}

void ProtocolChecker::end_request(tlm::tlm_generic_payload& payload, Tick at) {
  Open* open = find(payload, kEndReq);
  if (open == nullptr) return;
  if (open->state != State::kRequested) {
    broken(payload, kEndReq,
           open->state == State::kAccepted ? "END_REQ came before" : "BEGIN_RESP came before");
    return;
  }
  check_order(payload, *open, at, kEndReq);
  open->state = State::kAccepted;
  if (request_.busy == &payload) request_ = {nullptr, at};
}

void ProtocolChecker::begin_response(tlm::tlm_generic_payload& payload, Tick at,
                                     const char* phase) {
  Open* open = find(payload, phase);
  if (open == nullptr) return;
  if (open->state == State::kResponding) {
    broken(payload, phase, "BEGIN_RESP came before");
    return;
  }
  if (response_.busy != nullptr) {
    broken(payload, phase, "the response before it still awaits END_RESP");
  } else if (at < response_.free_at) {
    broken(payload, phase, "it begins before END_RESP of the response before it takes effect");
  }
  check_order(payload, *open, at, phase);
  check_response(payload, open->attributes, phase);
  if (request_.busy == &payload) request_ = {nullptr, at};
  open->state = State::kResponding;
  response_.busy = &payload;
  ++responses_;
}

void ProtocolChecker::end_response(tlm::tlm_generic_payload& payload, Tick at) {
  Open* open = find(payload, kEndResp);
  if (open == nullptr) return;
  if (open->state != State::kResponding) {
    broken(payload, kEndResp, "there was no BEGIN_RESP");
    return;
  }
  check_order(payload, *open, at, kEndResp);
  if (response_.busy == &payload) response_ = {nullptr, at};
  close(payload);
}

void ProtocolChecker::complete_early(tlm::tlm_generic_payload& payload, Tick at) {
  Open& open = open_.at(&payload);
  if (open.state == State::kResponding) {
    broken(payload, kCompleted, "BEGIN_RESP came before");
    if (response_.busy == &payload) response_ = {nullptr, at};
  } else {
    check_order(payload, open, at, kCompleted);
    check_response(payload, open.attributes, kCompleted);
    ++responses_;
  }
  if (request_.busy == &payload) request_ = {nullptr, at};
  close(payload);
}

void ProtocolChecker::close(const tlm::tlm_generic_payload& payload) { open_.erase(&payload); }

ProtocolChecker::Open* ProtocolChecker::find(const tlm::tlm_generic_payload& payload,
                                             const char* phase) {
  const auto found = open_.find(&payload);
  if (found != open_.end()) return &found->second;
  broken(payload, phase, "the transaction is not under way (never begun, or completed)");
  return nullptr;
}

void ProtocolChecker::check_new(const tlm::tlm_generic_payload& payload, const char* phase) {
  if (payload.is_dmi_allowed()) broken(payload, phase, "the DMI hint must begin as false");
  if (payload.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE) {
    broken(payload, phase, "the response status must begin as TLM_INCOMPLETE_RESPONSE");
  }
  if (payload.get_data_length() == 0) broken(payload, phase, "the data length is 0");
  if (payload.get_streaming_width() == 0) broken(payload, phase, "the streaming width is 0");
  if (payload.get_data_ptr() == nullptr) broken(payload, phase, "the data pointer is null");
  if (payload.get_byte_enable_ptr() != nullptr && payload.get_byte_enable_length() == 0) {
    broken(payload, phase, "byte enables of length 0");
  }
}

void ProtocolChecker::check_order(const tlm::tlm_generic_payload& payload, Open& open, Tick at,
                                  const char* phase) {
  if (at < open.last) {
    broken(payload, phase,
           "it takes effect at " + to_sc_time(at).to_string() +
               ", before the phase before it, at " + to_sc_time(open.last).to_string());
  }
  open.last = std::max(open.last, at);
}

void ProtocolChecker::check_response(const tlm::tlm_generic_payload& payload,
                                     const Attributes& before, const char* phase) {
  const Attributes after = attributes_of(payload);
  if (payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE) {
    broken(payload, phase, "a response needs a status; it is TLM_INCOMPLETE_RESPONSE");
  }
  const auto same = [&](bool equal, const char* what) {
    if (!equal) {
      broken(payload, phase, std::string("the ") + what + " is not what it was at BEGIN_REQ");
    }
  };
  same(after.command == before.command, "command");
  if (after.address != before.address) {
    std::ostringstream was;
    was << "the address is not what it was at BEGIN_REQ, 0x" << std::hex << before.address;
    broken(payload, phase, was.str());
  }
  same(after.data == before.data, "data pointer");
  same(after.length == before.length, "data length");
  same(after.enables == before.enables, "byte enable pointer");
  same(after.enable_length == before.enable_length, "byte enable length");
  same(after.streaming_width == before.streaming_width, "streaming width");
  // A changed length or command also changes the content; one report is enough.
  if (after.command == before.command && after.length == before.length &&
      after.enable_length == before.enable_length) {
    same(after.content == before.content, "content of data or byte enables");
  }
}

ProtocolChecker::Attributes ProtocolChecker::attributes_of(
    const tlm::tlm_generic_payload& payload) {
  Attributes a{payload.get_command(),         payload.get_address(),
               payload.get_data_ptr(),        payload.get_data_length(),
               payload.get_byte_enable_ptr(), payload.get_byte_enable_length(),
               payload.get_streaming_width(), 0};
  std::uint64_t hash = 0xCBF29CE484222325U;
  const auto mix = [&hash](const unsigned char* bytes, unsigned n) {
    for (unsigned i = 0; bytes != nullptr && i < n; ++i) hash = (hash ^ bytes[i]) * 0x100000001B3U;
  };
  mix(a.enables, a.enable_length);
  // The response of an atomic can carry old values; a store without values has no bytes to compare.
  const MemoryRequest* request = payload.get_extension<MemoryRequest>();
  const bool plain_store =
      payload.is_write() &&
      (request == nullptr || (request->carries_data && request->kind != RequestKind::kAtomic));
  if (plain_store) mix(a.data, a.length);
  a.content = hash;
  return a;
}

void ProtocolChecker::broken(const tlm::tlm_generic_payload& payload, const char* phase,
                             const std::string& rule) const {
  std::ostringstream text;
  text << name() << ": " << phase << " of the transaction at 0x" << std::hex
       << payload.get_address() << ": " << rule;
  SC_REPORT_ERROR(report::kProtocol, text.str().c_str());
}

void ProtocolChecker::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  check_new(payload, kBlocking);
  const Attributes before = attributes_of(payload);
  const Tick delay_before = delay.value();
  const Tick begin = now();
  SocketSplice::b_transport(payload, delay);
  check_response(payload, before, kBlocking);
  if (now() + delay.value() < begin + delay_before) {
    broken(payload, kBlocking, "the annotated delay went back");
  }
}

std::string ProtocolChecker::describe_outstanding() const {
  std::vector<const Open*> list;
  for (const auto& entry : open_) list.push_back(&entry.second);
  std::sort(list.begin(), list.end(),
            [](const Open* a, const Open* b) { return a->serial < b->serial; });
  std::ostringstream out;
  for (const Open* o : list) {
    out << name() << ": request " << std::dec << o->serial << " at 0x" << std::hex
        << o->attributes.address << " awaits "
        << (o->state == State::kRequested  ? "END_REQ"
            : o->state == State::kAccepted ? "BEGIN_RESP"
                                           : "END_RESP")
        << '\n';
  }
  return out.str();
}

void ProtocolChecker::end_of_simulation() {
  if (!open_.empty()) SC_REPORT_WARNING(report::kInFlight, describe_outstanding().c_str());
}

void ProtocolChecker::reset() {
  open_.clear();
  request_ = {};
  response_ = {};
}

}  // namespace tessera
