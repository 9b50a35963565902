// SPDX-License-Identifier: Apache-2.0
#pragma once

// A workload whose result tells whether copies of other memories' lines outlive their kernel.

#include <cstdint>
#include <memory>
#include <vector>

#include "stimuli/ptx/module.h"
#include "stimuli/workload.h"

namespace tessera::test {

/// Every CTA reads an array, one CTA writes it, every CTA reads it again.
class ReadWriteRead final : public Workload {
 public:
  static constexpr std::uint32_t kThreads = 128;  ///< of a CTA, and elements of the array

  /// `ctas` that read. `page`: the array lies in this page of an allocation of `pages`.
  explicit ReadWriteRead(std::uint32_t ctas, std::uint64_t page = 0, std::uint64_t pages = 1)
      : ctas_(ctas), page_(page), pages_(pages) {}

  const WorkloadInfo& info() const override { return info_; }
  void run(Device& device, Scale scale, std::uint64_t seed) override;
  std::optional<Verification> verify(Device& device) override;

  /// Values of the last kernel that are those from before the write.
  std::uint64_t stale() const { return stale_; }
  /// Whether the host sees the array as it was before the write.
  bool host_sees_old() const { return host_sees_old_; }

 private:
  void launch(Device& device, const char* kernel, std::uint32_t ctas,
              const std::vector<Address>& arguments);

  const std::uint32_t ctas_;
  const std::uint64_t page_;
  const std::uint64_t pages_;
  const ptx::Module module_ = ptx::parse(kPtx, "stale.ptx");
  std::shared_ptr<KernelSource> source_;
  const WorkloadInfo info_{"read-write-read", "", "", true};
  Address in_ = 0;
  Address before_ = 0;
  Address after_ = 0;
  std::uint64_t stale_ = 0;
  bool host_sees_old_ = false;

  static const char* const kPtx;
};

}  // namespace tessera::test
