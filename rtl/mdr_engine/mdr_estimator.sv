// SPDX-License-Identifier: Apache-2.0
//
// Estimates of MDR in fixed-point arithmetic (NUBA section 5.1, both equations; the same as
// policies/mdr_model.h): one divider of a bit a cycle, one multiplier of three cycles.
//
// Formats: counts are integers of COUNT_BITS. Fractions (Frac_local, hit rates) are UQ1.24, cut off.
// Bandwidths are UQ16.16 in a unit of the user's choice, for instance bytes a cycle. A product is
// cut off to UQ16.16. The estimates of equal inputs are equal: with Frac_local = 1, or a network as
// fast as its ends, both equations give the same value for the same hit rate.
//
// Timing: `start` at edge t; both estimates are complete after edge t + 87 and stay: three
// divisions of 25 cycles and four multiplications of 3. Additions and comparisons share the last
// cycle of a multiplication. The inputs must not change from t to t + 87. A start at an earlier edge
// begins anew.
//
// Not modelled: overflow. No count is above its divisor, and no divisor is 0.
module mdr_estimator #(
    parameter int unsigned COUNT_BITS = 24
) (
    input logic clk,
    input logic rst_n,  // active low, synchronous
    input logic start,

    input logic [COUNT_BITS-1:0] local_count,
    input logic [COUNT_BITS-1:0] own_count,  // local and leaving
    input logic [COUNT_BITS-1:0] hits_no_replication,
    input logic [COUNT_BITS-1:0] lookups_no_replication,
    input logic [COUNT_BITS-1:0] hits_full_replication,
    input logic [COUNT_BITS-1:0] lookups_full_replication,

    input logic [31:0] raw_llc,
    input logic [31:0] raw_memory,
    input logic [31:0] raw_noc,

    output logic [31:0] no_replication,
    output logic [31:0] full_replication
);

  localparam int unsigned FractionBits = 24;

  typedef logic [FractionBits:0] fraction_t;
  typedef logic [31:0] bandwidth_t;

  typedef enum logic [2:0] {
    StFractionLocal,
    StHitNoReplication,
    StHitFullReplication,
    StLlcNoReplication,
    StLlcFullReplication,
    StRemote,
    StMemory,
    StIdle
  } state_t;

  function automatic bandwidth_t smaller(input bandwidth_t a, input bandwidth_t b);
    return a < b ? a : b;
  endfunction

  state_t state;
  logic [4:0] step;  // cycle of the operation

  fraction_t fraction_local;
  fraction_t hit_no_replication;
  fraction_t hit_full_replication;
  bandwidth_t local_bandwidth;  // of local requests without replication
  bandwidth_t llc_hits;         // LLC_hit x BW_LLC under full replication

  // ---- Divider: the integer bit first, then the fraction

  logic [COUNT_BITS-1:0] dividend;
  logic [COUNT_BITS-1:0] divisor;
  logic [COUNT_BITS-1:0] remainder;
  logic [COUNT_BITS:0] doubled;
  logic bit_set;
  logic [FractionBits-1:0] quotient;
  fraction_t next_quotient;

  always_comb begin
    dividend = local_count;
    divisor = own_count;
    if (state == StHitNoReplication) begin
      dividend = hits_no_replication;
      divisor = lookups_no_replication;
    end
    if (state == StHitFullReplication) begin
      dividend = hits_full_replication;
      divisor = lookups_full_replication;
    end
    doubled = step == '0 ? {1'b0, dividend} : {remainder, 1'b0};
    bit_set = doubled >= {1'b0, divisor};
    next_quotient = {quotient, bit_set};
  end

  always_ff @(posedge clk) begin
    remainder <= COUNT_BITS'(bit_set ? doubled - {1'b0, divisor} : doubled);
    quotient <= step == '0 ? {23'b0, bit_set} : next_quotient[FractionBits-1:0];
  end

  // ---- Multiplier

  fraction_t factor;
  bandwidth_t bandwidth;
  fraction_t factor_q;
  bandwidth_t bandwidth_q;
  logic [56:0] product;
  bandwidth_t part;  // the product in UQ16.16

  bandwidth_t remote_bandwidth;
  bandwidth_t remote_memory;

  assign remote_bandwidth = smaller(raw_noc, local_bandwidth);
  assign remote_memory = smaller(raw_noc, raw_memory);

  always_comb begin
    factor = hit_no_replication;
    bandwidth = raw_llc;
    case (state)
      StLlcFullReplication: factor = hit_full_replication;
      StRemote: begin
        factor = fraction_local;
        bandwidth = local_bandwidth - remote_bandwidth;
      end
      StMemory: begin
        factor = fraction_local;
        bandwidth = raw_memory - remote_memory;
      end
      default: ;
    endcase
  end

  always_ff @(posedge clk) begin
    factor_q <= factor;
    bandwidth_q <= bandwidth;
    product <= 57'(factor_q) * 57'(bandwidth_q);
  end

  assign part = 32'(product >> FractionBits);

  // ---- Sequence

  logic operation_ends;

  always_comb begin
    case (state)
      StFractionLocal, StHitNoReplication, StHitFullReplication: operation_ends = step == 5'd24;
      default: operation_ends = step == 5'd2;
    endcase
  end

  always_ff @(posedge clk) begin
    step <= operation_ends ? '0 : step + 1'b1;
    if (operation_ends) begin
      case (state)
        StFractionLocal: begin
          fraction_local <= next_quotient;
          state <= StHitNoReplication;
        end
        StHitNoReplication: begin
          hit_no_replication <= next_quotient;
          state <= StHitFullReplication;
        end
        StHitFullReplication: begin
          hit_full_replication <= next_quotient;
          state <= StLlcNoReplication;
        end
        StLlcNoReplication: begin
          local_bandwidth <= part + smaller(raw_llc - part, raw_memory);
          state <= StLlcFullReplication;
        end
        StLlcFullReplication: begin
          llc_hits <= part;
          state <= StRemote;
        end
        StRemote: begin
          no_replication <= remote_bandwidth + part;
          state <= StMemory;
        end
        StMemory: begin
          full_replication <= llc_hits + smaller(raw_llc - llc_hits, remote_memory + part);
          state <= StIdle;
        end
        default: ;
      endcase
    end
    if (start) begin
      state <= StFractionLocal;
      step <= '0;
    end
    if (!rst_n) begin
      state <= StIdle;
      step <= '0;
    end
  end

endmodule
