// SPDX-License-Identifier: Apache-2.0
#pragma once

// Policies that are Python classes (docs/guide/python.md). They are found by name as those in C++
// are, and run with the interpreter in the process of the point.

#include <pybind11/pybind11.h>

#include <string>

#include "platforms/simulation.h"

namespace tessera::python {

/// Adds the classes that a policy sees, and register_policy().
void bind_policies(pybind11::module_& module);

/// Whether the configuration names a policy that is a Python class. Such a point has no key,
/// because its result depends on all code that the class uses.
bool uses_python_policy(const ResolvedConfig& config);

}  // namespace tessera::python
