// SPDX-License-Identifier: Apache-2.0
//
// A crossbar switch with virtual output queues: one queue for each input and output, so that a
// flit that waits for its output blocks no flit for another output.
//
// Source: iSLIP with one iteration (McKeown, IEEE/ACM Transactions on Networking 7(2), 1999). In
// each cycle:
//   1. Each input requests the outputs for which it has a flit.
//   2. Each output whose register is free grants the request of the next input after the one that
//      it served last.
//   3. Each input accepts the grant of the next output after the one that it served last.
// An output moves at most one flit a cycle, and so does an input. The round-robin pointers move
// only when a grant is accepted. All pointers begin at 0.
//
// Timing: a flit that enters at edge t can leave at edge t + 2: it is matched at edge t + 1, which
// loads the output's register. Flits of one input for one output stay in order. VALID and payload
// of the outputs are registers. in_ready depends on in_dest of the same cycle, and on no other
// input: it is set if the queue of this destination has space at the start of the cycle.
//
// busy = 0: no flit is queued or at an output. The clock can stop until an in_valid is set.
//
// Not modelled: packets of several flits (each flit is arbitrated alone), a buffer that the queues
// of an input share, two-stage networks, several iterations. A destination of OUTPUTS or above is
// never accepted.
module crossbar_port #(
    parameter int unsigned INPUTS = 4,
    parameter int unsigned OUTPUTS = 4,
    parameter int unsigned WIDTH = 64,
    parameter int unsigned DEPTH = 4,  // flits of a queue
    localparam int unsigned DestBits = OUTPUTS > 1 ? $clog2(OUTPUTS) : 1,
    localparam int unsigned SourceBits = INPUTS > 1 ? $clog2(INPUTS) : 1
) (
    input logic clk,
    input logic rst_n,  // active low, synchronous

    input  logic [INPUTS-1:0]                in_valid,
    output logic [INPUTS-1:0]                in_ready,
    input  logic [INPUTS-1:0][DestBits-1:0] in_dest,
    input  logic [INPUTS-1:0][    WIDTH-1:0] in_data,

    output logic [OUTPUTS-1:0]                  out_valid,
    input  logic [OUTPUTS-1:0]                  out_ready,
    output logic [OUTPUTS-1:0][SourceBits-1:0] out_source,  // input of the flit
    output logic [OUTPUTS-1:0][      WIDTH-1:0] out_data,

    output logic busy
);

  localparam int unsigned PlaceBits = DEPTH > 1 ? $clog2(DEPTH) : 1;
  localparam int unsigned CountBits = $clog2(DEPTH + 1);

  logic [INPUTS-1:0][OUTPUTS-1:0] not_full;
  logic [INPUTS-1:0][OUTPUTS-1:0] not_empty;
  logic [INPUTS-1:0][OUTPUTS-1:0] pop;
  logic [INPUTS-1:0][OUTPUTS-1:0][WIDTH-1:0] head;

  // ---- Virtual output queues

  for (genvar i = 0; i < INPUTS; ++i) begin : g_input
    for (genvar o = 0; o < OUTPUTS; ++o) begin : g_queue
      logic [WIDTH-1:0] flits[DEPTH];
      logic [PlaceBits-1:0] first;
      logic [PlaceBits-1:0] free;
      logic [CountBits-1:0] count;
      logic push;

      assign push = in_valid[i] && in_dest[i] == DestBits'(o) && not_full[i][o];
      assign not_full[i][o] = count != CountBits'(DEPTH);
      assign not_empty[i][o] = count != 0;
      assign head[i][o] = flits[first];

      always_ff @(posedge clk) begin
        if (push) begin
          flits[free] <= in_data[i];
          free <= free == PlaceBits'(DEPTH - 1) ? '0 : free + 1'b1;
        end
        if (pop[i][o]) first <= first == PlaceBits'(DEPTH - 1) ? '0 : first + 1'b1;
        if (push && !pop[i][o]) count <= count + 1'b1;
        if (pop[i][o] && !push) count <= count - 1'b1;
        if (!rst_n) begin
          first <= '0;
          free <= '0;
          count <= '0;
        end
      end
    end
  end

  always_comb begin
    in_ready = '0;
    for (int i = 0; i < INPUTS; ++i) begin
      for (int o = 0; o < OUTPUTS; ++o) begin
        if (in_dest[i] == DestBits'(o)) in_ready[i] = not_full[i][o];
      end
    end
  end

  // ---- Matching

  logic [OUTPUTS-1:0][SourceBits-1:0] preferred_input;
  logic [INPUTS-1:0][DestBits-1:0] preferred_output;

  logic [OUTPUTS-1:0] grants;
  logic [OUTPUTS-1:0][SourceBits-1:0] granted_input;
  logic [INPUTS-1:0] accepts;
  logic [INPUTS-1:0][DestBits-1:0] accepted_output;

  // Each search runs downwards twice: the lowest of all, then the lowest from the preferred one on.
  always_comb begin
    grants = '0;
    granted_input = '0;
    for (int o = 0; o < OUTPUTS; ++o) begin
      for (int i = INPUTS - 1; i >= 0; --i) begin
        if (not_empty[i][o]) begin
          grants[o] = !out_valid[o] || out_ready[o];
          granted_input[o] = SourceBits'(i);
        end
      end
      for (int i = INPUTS - 1; i >= 0; --i) begin
        if (not_empty[i][o] && SourceBits'(i) >= preferred_input[o]) begin
          granted_input[o] = SourceBits'(i);
        end
      end
    end
  end

  always_comb begin
    accepts = '0;
    accepted_output = '0;
    for (int i = 0; i < INPUTS; ++i) begin
      for (int o = OUTPUTS - 1; o >= 0; --o) begin
        if (grants[o] && granted_input[o] == SourceBits'(i)) begin
          accepts[i] = 1'b1;
          accepted_output[i] = DestBits'(o);
        end
      end
      for (int o = OUTPUTS - 1; o >= 0; --o) begin
        if (grants[o] && granted_input[o] == SourceBits'(i) &&
            DestBits'(o) >= preferred_output[i]) begin
          accepted_output[i] = DestBits'(o);
        end
      end
    end
  end

  always_comb begin
    pop = '0;
    for (int i = 0; i < INPUTS; ++i) begin
      for (int o = 0; o < OUTPUTS; ++o) begin
        pop[i][o] = accepts[i] && accepted_output[i] == DestBits'(o);
      end
    end
  end

  for (genvar i = 0; i < INPUTS; ++i) begin : g_accept
    always_ff @(posedge clk) begin
      if (accepts[i]) begin
        preferred_output[i] <=
            accepted_output[i] == DestBits'(OUTPUTS - 1) ? '0 : accepted_output[i] + 1'b1;
      end
      if (!rst_n) preferred_output[i] <= '0;
    end
  end

  // ---- Output registers

  for (genvar o = 0; o < OUTPUTS; ++o) begin : g_output
    logic taken;  // the granted input has accepted
    logic [SourceBits-1:0] source;

    assign source = granted_input[o];
    assign taken = grants[o] && pop[source][o];

    always_ff @(posedge clk) begin
      if (!out_valid[o] || out_ready[o]) out_valid[o] <= taken;
      if (taken) begin
        out_source[o] <= source;
        out_data[o] <= head[source][o];
        preferred_input[o] <= source == SourceBits'(INPUTS - 1) ? '0 : source + 1'b1;
      end
      if (!rst_n) begin
        out_valid[o] <= 1'b0;
        preferred_input[o] <= '0;
      end
    end
  end

  assign busy = not_empty != '0 || out_valid != '0;

endmodule
