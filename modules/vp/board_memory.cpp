// SPDX-License-Identifier: Apache-2.0
#include "modules/vp/board_memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace tessera {

namespace {

constexpr std::uint64_t kPage = 4096;

unsigned char* page_from(void* allocated) {
  void* at = allocated;
  std::size_t room = 2 * kPage;
  return static_cast<unsigned char*>(std::align(kPage, kPage, at, room));
}

/// Zero.
void* allocate(std::uint64_t bytes) {
  void* const at = std::calloc(bytes + kPage, 1);
  if (at == nullptr) throw std::bad_alloc();
  return at;
}

}  // namespace

void describe(StatisticsVisitor& v, BoardMemoryStats& s) {
  v.counter("accesses", s.accesses, "access", "reads and writes by transactions, without DMI");
}

std::vector<std::string> BoardMemoryConfig::validate() const {
  std::vector<std::string> errors;
  if (bytes == 0 || bytes % kPage != 0) errors.emplace_back("bytes: must be a multiple of 4096");
  return errors;
}

BoardMemory::BoardMemory(const sc_core::sc_module_name& name, const BoardMemoryConfig& config)
    : BlockBase(name, config),
      in("in"),
      allocated_(allocate(config.bytes), &std::free),
      bytes_(page_from(allocated_.get())) {
  in.register_b_transport(this, &BoardMemory::blocking);
  in.register_transport_dbg(this, &BoardMemory::debug);
  in.register_get_direct_mem_ptr(this, &BoardMemory::direct);
}

void BoardMemory::copy(tlm::tlm_generic_payload& payload, std::uint64_t bytes) {
  unsigned char* const here = bytes_ + payload.get_address();
  unsigned char* const there = payload.get_data_ptr();
  if (payload.is_read()) {
    std::memcpy(there, here, bytes);
  } else if (payload.is_write()) {
    std::memcpy(here, there, bytes);
  }
}

void BoardMemory::blocking(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
  const std::uint64_t length = payload.get_data_length();
  if (payload.get_address() >= config_.bytes || length > config_.bytes - payload.get_address()) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  } else if (payload.get_byte_enable_ptr() != nullptr) {
    payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  } else if (payload.get_streaming_width() < length) {
    payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
  } else if (payload.is_write() && config_.read_only) {
    payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
  } else {
    ++stats_.accesses;
    copy(payload, length);
    payload.set_dmi_allowed(true);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
}

unsigned BoardMemory::debug(tlm::tlm_generic_payload& payload) {
  if (payload.get_address() >= config_.bytes) return 0;
  const std::uint64_t length =
      std::min<std::uint64_t>(payload.get_data_length(), config_.bytes - payload.get_address());
  copy(payload, length);
  return static_cast<unsigned>(length);
}

bool BoardMemory::direct(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) {
  dmi.set_start_address(0);
  dmi.set_end_address(config_.bytes - 1);
  dmi.set_dmi_ptr(bytes_);
  if (config_.read_only) {
    dmi.allow_read();
  } else {
    dmi.allow_read_write();
  }
  return true;
}

void BoardMemory::reset() { stats_ = Stats(); }

void BoardMemory::describe_waiting(std::vector<Waiting>&) const {}

}  // namespace tessera
