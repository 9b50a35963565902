// SPDX-License-Identifier: Apache-2.0
#include "modules/protocol/backdoor.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "modules/protocol/atomics.h"

namespace tessera {

namespace {

/// Every byte `n` (0 to 127) further on.
ByteMask shifted(const ByteMask& mask, unsigned n) {
  if (n == 0) return mask;
  if (n >= 64) return {0, mask.low << (n - 64)};
  return {mask.low << n, mask.high << n | mask.low >> (64 - n)};
}

}  // namespace

Backdoor::Backdoor(std::uint32_t line_bytes, Memory memory)
    : line_bytes_(line_bytes), memory_(std::move(memory)) {}

unsigned Backdoor::reach_memory(tlm::tlm_command command, std::uint64_t address,
                                unsigned char* data, unsigned count) {
  Payload payload;
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(data);
  payload.set_data_length(count);
  payload.set_streaming_width(count);
  return memory_(payload);
}

bool Backdoor::read(std::uint64_t line, unsigned offset, unsigned count, unsigned char* image) {
  if (reach_memory(tlm::TLM_READ_COMMAND, line + offset, image + offset, count) < count) {
    return false;
  }
  for (HoldsBytes* h : holders_) h->overlay(line, image);
  return true;
}

bool Backdoor::write(std::uint64_t line, const unsigned char* image, const ByteMask& mask) {
  for (unsigned i = 0, end = 0; i < line_bytes_; i = end + 1) {
    end = i;
    while (end < line_bytes_ && mask.test(end)) ++end;
    if (end == i) continue;
    auto* const run = const_cast<unsigned char*>(image + i);  // NOLINT: TLM's data is writable
    if (reach_memory(tlm::TLM_WRITE_COMMAND, line + i, run, end - i) < end - i) return false;
  }
  for (HoldsBytes* h : holders_) h->replace(line, image, mask);
  return true;
}

unsigned Backdoor::access_debug(Payload& payload) {
  const std::uint64_t address = payload.get_address();
  const auto offset = static_cast<unsigned>(address % line_bytes_);
  const unsigned count = std::min(payload.get_data_length(), line_bytes_ - offset);
  std::array<unsigned char, kMaxLineBytes> image{};
  bool served = false;
  if (payload.is_read()) {
    served = read(address - offset, offset, count, image.data());
    if (served) std::memcpy(payload.get_data_ptr(), image.data() + offset, count);
  } else {
    std::memcpy(image.data() + offset, payload.get_data_ptr(), count);
    served = write(address - offset, image.data(), ByteMask::range(offset, count));
  }
  payload.set_response_status(served ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
  return served ? count : 0;
}

void Backdoor::access(Payload& payload) {
  const auto* request = payload.get_extension<MemoryRequest>();
  if (request != nullptr && !request->carries_data) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return;
  }
  const std::uint64_t address = payload.get_address();
  const auto offset = static_cast<unsigned>(address % line_bytes_);
  const std::uint64_t line = address - offset;
  const unsigned count = payload.get_data_length();
  std::array<unsigned char, kMaxLineBytes> image{};
  bool served = false;
  if (request != nullptr && request->kind == RequestKind::kAtomic) {
    served = read(line, offset, count, image.data());
    if (served) {
      // Lanes count from the payload's first byte.
      perform_atomics(*request->atomics, image.data() + offset);
      served = write(line, image.data(), shifted(bytes_of(*request->atomics), offset));
    }
  } else {
    const ByteMask enabled = byte_mask_of(payload);
    if (payload.is_read()) {
      served = read(line, offset, count, image.data());
      if (served) copy_masked(payload.get_data_ptr(), image.data() + offset, enabled, count);
    } else {
      std::memcpy(image.data() + offset, payload.get_data_ptr(), count);
      served = write(line, image.data(), shifted(enabled, offset));
    }
  }
  payload.set_response_status(served ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

void Backdoor::settle(std::uint64_t address) {
  std::array<unsigned char, kMaxLineBytes> image{};
  if (!read(address, 0, line_bytes_, image.data())) return;
  write(address, image.data(), ByteMask::first(line_bytes_));
}

void refresh_copy(HoldsBytes& holder, std::uint64_t address, std::uint32_t line_bytes,
                  const Backdoor::Memory& below) {
  std::array<unsigned char, kMaxLineBytes> bytes{};
  tlm::tlm_generic_payload line;
  line.set_read();
  line.set_address(address);
  line.set_data_ptr(bytes.data());
  line.set_data_length(line_bytes);
  line.set_streaming_width(line_bytes);
  if (below(line) == line_bytes) holder.replace(address, bytes.data(), ByteMask::first(line_bytes));
}

}  // namespace tessera
