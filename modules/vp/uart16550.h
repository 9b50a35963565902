// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <systemc>

#include "modules/kernel/block_base.h"
#include "modules/kernel/process_timer.h"
#include "modules/vp/mmio.h"

namespace tessera {

struct UartStats {
  Counter sent = 0;
  Counter received = 0;
};

void describe(StatisticsVisitor& v, UartStats& s);

/// UART of the 16550 family (National Semiconductor PC16550D), registers of one byte: UartRegister,
/// and DLL and DLM at offsets 0 and 1 if LCR.DLAB is set.
///
/// A character that is written is sent at once: THR is always empty. Interrupts: received data, THR
/// empty. Not modelled: baud rates, line errors, modem control.
class Uart16550 final : public BlockBase<NoConfig, UartStats, NoSite>, private MmioRegisters {
 public:
  tlm_utils::simple_target_socket<Uart16550> in;
  sc_core::sc_out<bool> interrupt;

  explicit Uart16550(const sc_core::sc_module_name& name);

  /// Called for each character sent.
  std::function<void(char)> on_output;
  /// The line delivers a character at the present time.
  void receive(char c);

  bool idle() const override { return true; }
  void describe_waiting(std::vector<Waiting>& out) const override;
  void reset() override;

 private:
  void blocking(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  bool read_register(std::uint64_t offset, unsigned bytes, Tick at, std::uint64_t& value) override;
  bool write_register(std::uint64_t offset, unsigned bytes, Tick at, std::uint64_t value) override;
  std::uint8_t interrupt_id() const;
  bool divisor_selected() const { return (lcr_ & 0x80) != 0; }
  void process();

  std::deque<char> received_;
  std::uint8_t ier_ = 0;
  std::uint8_t lcr_ = 0;
  std::uint8_t mcr_ = 0;
  std::uint8_t scr_ = 0;
  std::uint8_t fcr_ = 0;
  std::uint16_t divisor_ = 0;
  bool empty_pending_ = false;  ///< THR has become empty, and IIR has not been read since
  ProcessTimer wake_;
};

}  // namespace tessera
