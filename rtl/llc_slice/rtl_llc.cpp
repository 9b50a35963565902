// SPDX-License-Identifier: Apache-2.0
// "rtl-llc": rtl/llc_slice/llc_slice.sv.
#include "Vllc_slice.h"
#include "rtl/llc_slice/llc_slice_verilated.h"

namespace tessera {

namespace {

const struct Registration {
  Registration() {
    register_llc_slice("rtl-llc", [](const std::string& name) {
      return std::make_unique<VerilatedLlcSlice<Vllc_slice>>(name);
    });
  }
} kRegistered;

}  // namespace

}  // namespace tessera
