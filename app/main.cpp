// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <string>
#include <systemc>
#include <vector>

#include "app/command_line.h"

// SystemC prints its banner before it calls sc_main: it has to be told not to before that.
int main(int argc, char** argv) {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
  return sc_core::sc_elab_and_sim(argc, argv);
}

int sc_main(int argc, char** argv) {
  return tessera::app::run_command_line(std::vector<std::string>(argv + 1, argv + argc));
}
