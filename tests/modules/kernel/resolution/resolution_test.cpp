// SPDX-License-Identifier: Apache-2.0
// A program that forgets set_time_resolution(): its first block refuses to be built.
#include <iostream>
#include <systemc>

#include "modules/kernel/process_timer.h"

namespace {

class Idle final : public sc_core::sc_module {
 public:
  explicit Idle(const sc_core::sc_module_name& name) : sc_module(name) {
    wake_.bind<&Idle::process>(*this);
  }

 private:
  void process() {}
  tessera::ProcessTimer wake_;
};

}  // namespace

int sc_main(int argc, char**) {
  if (argc > 1) tessera::set_time_resolution();
  try {
    const Idle block("block");
  } catch (const sc_core::sc_report& report) {
    std::cout << report.get_msg_type() << ": " << report.get_msg() << '\n';
    return 0;
  }
  std::cout << "the block was built\n";
  return 0;
}
