// SPDX-License-Identifier: Apache-2.0
#include "modules/vp/uart16550.h"

#include "modules/vp/board_registers.h"

namespace tessera {

namespace {

constexpr std::uint8_t kReceivedEnabled = uart_ier::kReceived;
constexpr std::uint8_t kEmptyEnabled = uart_ier::kEmpty;
constexpr std::uint8_t kNoInterrupt = 1;  // of IIR
constexpr std::uint8_t kEmpty = 2;
constexpr std::uint8_t kReceived = 4;
constexpr std::uint8_t kFifos = 0xc0;
constexpr std::uint8_t kDataReady = uart_lsr::kReady;
constexpr std::uint8_t kTransmitterEmpty = kUartLsrReset;
constexpr std::uint8_t kModemReady = kUartMsrReset;
constexpr std::uint8_t kClearReceiver = 2;  // of FCR

}  // namespace

void describe(StatisticsVisitor& v, UartStats& s) {
  v.counter("sent", s.sent, "character", "characters sent by software");
  v.counter("received", s.received, "character", "characters from the line");
}

Uart16550::Uart16550(const sc_core::sc_module_name& name)
    : BlockBase(name, NoConfig(), Unvalidated()), in("in"), interrupt("interrupt") {
  in.register_b_transport(this, &Uart16550::blocking);
  wake_.bind<&Uart16550::process>(*this);
}

void Uart16550::blocking(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  access_registers(*this, payload, now() + delay.value());
}

void Uart16550::receive(char c) {
  ++stats_.received;
  received_.push_back(c);
  wake_.at(now());
}

/// The interrupt of the highest priority.
std::uint8_t Uart16550::interrupt_id() const {
  if ((ier_ & kReceivedEnabled) != 0 && !received_.empty()) return kReceived;
  if ((ier_ & kEmptyEnabled) != 0 && empty_pending_) return kEmpty;
  return kNoInterrupt;
}

void Uart16550::process() { interrupt.write(interrupt_id() != kNoInterrupt); }

bool Uart16550::read_register(std::uint64_t offset, unsigned bytes, Tick at, std::uint64_t& value) {
  if (bytes != 1) return false;
  value = 0;
  switch (static_cast<UartRegister>(offset)) {
    case UartRegister::kRbr:
      if (divisor_selected()) {
        value = divisor_ & 0xff;
      } else if (!received_.empty()) {
        value = static_cast<unsigned char>(received_.front());
        received_.pop_front();
      }
      break;
    case UartRegister::kIer:
      value = divisor_selected() ? divisor_ >> 8 : ier_;
      break;
    case UartRegister::kIir:
      value = interrupt_id();
      if (value == kEmpty) empty_pending_ = false;
      if ((fcr_ & 1) != 0) value |= kFifos;
      break;
    case UartRegister::kLcr:
      value = lcr_;
      break;
    case UartRegister::kMcr:
      value = mcr_;
      break;
    case UartRegister::kLsr:
      value = kTransmitterEmpty | (received_.empty() ? 0 : kDataReady);
      break;
    case UartRegister::kMsr:
      value = kModemReady;
      break;
    case UartRegister::kScr:
      value = scr_;
      break;
    default:
      return false;
  }
  wake_.at(at);
  return true;
}

bool Uart16550::write_register(std::uint64_t offset, unsigned bytes, Tick at, std::uint64_t value) {
  if (bytes != 1) return false;
  const auto byte = static_cast<std::uint8_t>(value);
  switch (static_cast<UartRegister>(offset)) {
    case UartRegister::kThr:
      if (divisor_selected()) {
        divisor_ = static_cast<std::uint16_t>((divisor_ & 0xff00) | byte);
      } else {
        ++stats_.sent;
        empty_pending_ = true;
        if (on_output) on_output(static_cast<char>(byte));
      }
      break;
    case UartRegister::kIer:
      if (divisor_selected()) {
        divisor_ = static_cast<std::uint16_t>((divisor_ & 0xff) | byte << 8);
      } else {
        if ((byte & ~ier_ & kEmptyEnabled) != 0) empty_pending_ = true;
        ier_ = byte & 0xf;
      }
      break;
    case UartRegister::kFcr:
      fcr_ = byte;
      if ((byte & kClearReceiver) != 0) received_.clear();
      break;
    case UartRegister::kLcr:
      lcr_ = byte;
      break;
    case UartRegister::kMcr:
      mcr_ = byte;
      break;
    case UartRegister::kScr:
      scr_ = byte;
      break;
    default:
      return offset < kUartRegisterBytes;
  }
  wake_.at(at);
  return true;
}

void Uart16550::describe_waiting(std::vector<Waiting>&) const {}

void Uart16550::reset() {
  received_.clear();
  ier_ = lcr_ = mcr_ = scr_ = fcr_ = 0;
  divisor_ = 0;
  empty_pending_ = false;
  stats_ = Stats();
  wake_.cancel();
}

}  // namespace tessera
