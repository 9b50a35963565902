// SPDX-License-Identifier: Apache-2.0
#pragma once

// Names of the options that have parameters as counterparts.

namespace tessera::import {

inline constexpr char kClocks[] = "-gpgpu_clock_domains";
inline constexpr char kClusters[] = "-gpgpu_n_clusters";
inline constexpr char kCoresPerCluster[] = "-gpgpu_n_cores_per_cluster";
inline constexpr char kPipeline[] = "-gpgpu_shader_core_pipeline";
inline constexpr char kCtas[] = "-gpgpu_shader_cta";
inline constexpr char kRegisters[] = "-gpgpu_shader_registers";
inline constexpr char kSharedBytes[] = "-gpgpu_shmem_size";
inline constexpr char kSharedLatency[] = "-gpgpu_smem_latency";
inline constexpr char kSharedBanks[] = "-gpgpu_shmem_num_banks";
inline constexpr char kSchedulers[] = "-gpgpu_num_sched_per_core";
inline constexpr char kScheduler[] = "-gpgpu_scheduler";
inline constexpr char kSpUnits[] = "-gpgpu_num_sp_units";
inline constexpr char kIntUnits[] = "-gpgpu_num_int_units";
inline constexpr char kDpUnits[] = "-gpgpu_num_dp_units";
inline constexpr char kSfuUnits[] = "-gpgpu_num_sfu_units";
inline constexpr char kIntLatency[] = "-ptx_opcode_latency_int";
inline constexpr char kFpLatency[] = "-ptx_opcode_latency_fp";
inline constexpr char kDpLatency[] = "-ptx_opcode_latency_dp";
inline constexpr char kSfuLatency[] = "-ptx_opcode_latency_sfu";
inline constexpr char kIntInitiation[] = "-ptx_opcode_initiation_int";
inline constexpr char kFpInitiation[] = "-ptx_opcode_initiation_fp";
inline constexpr char kDpInitiation[] = "-ptx_opcode_initiation_dp";
inline constexpr char kSfuInitiation[] = "-ptx_opcode_initiation_sfu";
inline constexpr char kL1[] = "-gpgpu_cache:dl1";
inline constexpr char kL1Latency[] = "-gpgpu_l1_latency";
inline constexpr char kL2[] = "-gpgpu_cache:dl2";
inline constexpr char kL2Latency[] = "-gpgpu_l2_rop_latency";
inline constexpr char kPartitionQueues[] = "-gpgpu_dram_partition_queues";
inline constexpr char kNetworkMode[] = "-network_mode";
inline constexpr char kFlitBytes[] = "-icnt_flit_size";
inline constexpr char kInputBuffer[] = "-icnt_in_buffer_limit";
inline constexpr char kOutputBuffer[] = "-icnt_out_buffer_limit";
inline constexpr char kChannels[] = "-gpgpu_n_mem";
inline constexpr char kSubPartitions[] = "-gpgpu_n_sub_partition_per_mchannel";
inline constexpr char kChips[] = "-gpgpu_n_mem_per_ctrlr";
inline constexpr char kBusBytes[] = "-gpgpu_dram_buswidth";
inline constexpr char kBurst[] = "-gpgpu_dram_burst_length";
inline constexpr char kDataRate[] = "-dram_data_command_freq_ratio";
inline constexpr char kTiming[] = "-gpgpu_dram_timing_opt";
inline constexpr char kNoTurnaround[] = "-dram_elimnate_rw_turnaround";
inline constexpr char kDramLatency[] = "-dram_latency";
inline constexpr char kDramScheduler[] = "-gpgpu_dram_scheduler";
inline constexpr char kDramQueue[] = "-gpgpu_frfcfs_dram_sched_queue_size";
inline constexpr char kWriteQueue[] = "-dram_seperate_write_queue_enable";
inline constexpr char kWriteQueueSize[] = "-dram_write_queue_size";
inline constexpr char kAddressMapping[] = "-gpgpu_mem_addr_mapping";
inline constexpr char kPartitionIndexing[] = "-gpgpu_memory_partition_indexing";
inline constexpr char kLaunchLatency[] = "-gpgpu_kernel_launch_latency";
inline constexpr char kKernels[] = "-gpgpu_max_concurrent_kernel";

}  // namespace tessera::import
