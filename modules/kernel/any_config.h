// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include "common/parameter_visitor.h"

namespace tessera {

/// A block's configuration of any type: a copyable struct with describe(ParameterVisitor&, Config&)
/// in its namespace, and validate().
class AnyConfig {
 public:
  AnyConfig() = default;
  template <class Config>
  explicit AnyConfig(Config config)
      : model_(std::make_unique<ModelOf<Config>>(std::move(config))) {}
  AnyConfig(const AnyConfig& other)
      : model_(other.model_ == nullptr ? nullptr : other.model_->clone()) {}
  AnyConfig(AnyConfig&&) noexcept = default;
  AnyConfig& operator=(AnyConfig other) noexcept {
    model_ = std::move(other.model_);
    return *this;
  }
  ~AnyConfig() = default;

  bool empty() const { return model_ == nullptr; }
  // Precondition of the rest: not empty.
  void visit(ParameterVisitor& v) { model_->visit(v); }
  std::vector<std::string> validate() const { return model_->validate(); }
  const std::type_info& type() const { return model_->type(); }
  const void* get() const { return model_->get(); }
  /// Precondition: holds a `Config`.
  template <class Config>
  const Config& as() const {
    return *static_cast<const Config*>(model_->get());
  }

 private:
  struct Model {
    virtual ~Model() = default;
    virtual std::unique_ptr<Model> clone() const = 0;
    virtual void visit(ParameterVisitor& v) = 0;
    virtual std::vector<std::string> validate() const = 0;
    virtual const std::type_info& type() const = 0;
    virtual const void* get() const = 0;
  };
  template <class Config>
  struct ModelOf final : Model {
    explicit ModelOf(Config c) : config(std::move(c)) {}
    std::unique_ptr<Model> clone() const override { return std::make_unique<ModelOf>(*this); }
    void visit(ParameterVisitor& v) override { describe(v, config); }
    std::vector<std::string> validate() const override { return config.validate(); }
    const std::type_info& type() const override { return typeid(Config); }
    const void* get() const override { return &config; }
    Config config;
  };

  std::unique_ptr<Model> model_;
};

}  // namespace tessera
