// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "policies/registry.h"

namespace tessera::test {

/// Sets numbers and flags by path ("lab.threshold"), whether in range or not.
class ParameterSetter final : public ParameterVisitor {
 public:
  using Values = std::vector<std::pair<std::string, double>>;
  explicit ParameterSetter(Values values) : values_(std::move(values)) {}

  void enter(const std::string& group, const std::string&) override { group_ = group; }
  void leave() override {}
  void on_integer(const ParameterInfo& info, std::uint64_t& value) override { set(info, value); }
  void on_real(const ParameterInfo& info, double& value) override { set(info, value); }
  void on_flag(const ParameterInfo& info, bool& value) override { set(info, value); }
  void on_text(const ParameterInfo&, std::string&) override {}
  void check_all_set() const {
    if (set_ != values_.size()) throw std::logic_error("a policy has no such parameter");
  }

 private:
  template <class T>
  void set(const ParameterInfo& info, T& value) {
    for (const auto& [path, number] : values_) {
      if (path != group_ + "." + info.name) continue;
      value = static_cast<T>(number);
      ++set_;
    }
  }
  Values values_;
  std::string group_;
  std::size_t set_ = 0;
};

/// policy_settings<PagePlacement>({{"lab.threshold", 0.5}}).
template <class Family>
PolicySettings<Family> policy_settings(const ParameterSetter::Values& values) {
  PolicySettings<Family> settings;
  ParameterSetter setter(values);
  describe(setter, settings);
  setter.check_all_set();
  return settings;
}

}  // namespace tessera::test
