// SPDX-License-Identifier: Apache-2.0
// The extension `tessera._tessera`. python/tessera/__init__.py is its interface for users.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdlib>

#include "common/error.h"
#include "common/json.h"
#include "platforms/simulation.h"
#include "python/points.h"
#include "python/policies.h"
#include "stimuli/workload.h"

namespace py = pybind11;

/// SystemC's library refers to it. Nothing calls it, because Python has the main function.
extern "C" __attribute__((visibility("default"))) int sc_main(int, char**) { return 1; }

namespace tessera::python {
namespace {

void bind(py::module_& m) {
  // SystemC reads it in the processes of the points.
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
  py::register_exception<InputError>(m, "InputError", PyExc_ValueError);
  py::register_exception<RunError>(m, "RunError", PyExc_RuntimeError);
  for (const char* name : {"InputError", "RunError"}) m.attr(name).attr("__module__") = "tessera";
  bind_policies(m);
  m.def("platforms", preset_names);
  m.def("workloads", workload_names);
  m.def("config", [](const std::string& platform, const std::vector<std::string>& sets) {
    return resolve_config(platform, sets).to_json().dump();
  });
  m.def("run_points", [](std::vector<std::string> platforms, std::vector<std::string> workloads,
                         std::vector<std::string> sets, std::vector<std::string> options,
                         unsigned jobs, std::optional<std::string> store, bool progress) {
    return run_points({std::move(platforms), std::move(workloads), std::move(sets),
                       std::move(options), jobs, std::move(store), progress});
  });
  m.def("stored_points", stored_points);
}

}  // namespace
}  // namespace tessera::python

PYBIND11_MODULE(_tessera, m) { tessera::python::bind(m); }
