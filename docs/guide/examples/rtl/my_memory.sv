// SPDX-License-Identifier: Apache-2.0
//
// A memory of 2**ADDR_BITS bytes with an AXI4 subordinate port: one burst at a time, a beat each
// cycle. WRAP and FIXED bursts are not supported.
module my_memory #(
    parameter int unsigned DATA_BITS = 256,
    parameter int unsigned ADDR_BITS = 26,
    parameter int unsigned ID_BITS = 4,
    localparam int unsigned Bytes = DATA_BITS / 8,
    localparam int unsigned WordBits = ADDR_BITS - $clog2(Bytes)
) (
    input logic clk,
    input logic rst_n,

    input  logic                 s_axi_awvalid,
    output logic                 s_axi_awready,
    input  logic [  ID_BITS-1:0] s_axi_awid,
    input  logic [ADDR_BITS-1:0] s_axi_awaddr,
    input  logic [          7:0] s_axi_awlen,  // WLAST ends a burst
    input  logic                 s_axi_wvalid,
    output logic                 s_axi_wready,
    input  logic [DATA_BITS-1:0] s_axi_wdata,
    input  logic [    Bytes-1:0] s_axi_wstrb,
    input  logic                 s_axi_wlast,
    output logic                 s_axi_bvalid,
    input  logic                 s_axi_bready,
    output logic [  ID_BITS-1:0] s_axi_bid,
    input  logic                 s_axi_arvalid,
    output logic                 s_axi_arready,
    input  logic [  ID_BITS-1:0] s_axi_arid,
    input  logic [ADDR_BITS-1:0] s_axi_araddr,
    input  logic [          7:0] s_axi_arlen,
    output logic                 s_axi_rvalid,
    input  logic                 s_axi_rready,
    output logic [  ID_BITS-1:0] s_axi_rid,
    output logic [DATA_BITS-1:0] s_axi_rdata,
    output logic                 s_axi_rlast
);
  logic [DATA_BITS-1:0] memory[2**WordBits];

  typedef logic [WordBits-1:0] word_t;

  // Writes: an address, its beats, the response.
  typedef enum logic [1:0] {W_RESET, W_ADDRESS, W_DATA, W_RESPONSE} write_t;
  write_t write;
  word_t write_word;

  assign s_axi_awready = write == W_ADDRESS;
  assign s_axi_wready = write == W_DATA;
  assign s_axi_bvalid = write == W_RESPONSE;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      write <= W_RESET;
    end else begin
      case (write)
        W_RESET: write <= W_ADDRESS;
        W_ADDRESS:
        if (s_axi_awvalid) begin
          s_axi_bid <= s_axi_awid;
          write_word <= s_axi_awaddr[ADDR_BITS-1:$clog2(Bytes)];
          write <= W_DATA;
        end
        W_DATA:
        if (s_axi_wvalid) begin
          for (int unsigned i = 0; i < Bytes; ++i) begin
            if (s_axi_wstrb[i]) memory[write_word][8*i+:8] <= s_axi_wdata[8*i+:8];
          end
          write_word <= write_word + 1;
          if (s_axi_wlast) write <= W_RESPONSE;
        end
        default: if (s_axi_bready) write <= W_ADDRESS;
      endcase
    end
  end

  // Reads: an address, its beats.
  typedef enum logic [1:0] {R_RESET, R_ADDRESS, R_DATA} read_t;
  read_t read;
  word_t read_word;
  logic [7:0] left;  // beats after the present one

  assign s_axi_arready = read == R_ADDRESS;
  assign s_axi_rvalid = read == R_DATA;
  assign s_axi_rdata = memory[read_word];
  assign s_axi_rlast = left == 0;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      read <= R_RESET;
    end else begin
      case (read)
        R_RESET: read <= R_ADDRESS;
        R_ADDRESS:
        if (s_axi_arvalid) begin
          s_axi_rid <= s_axi_arid;
          left <= s_axi_arlen;
          read_word <= s_axi_araddr[ADDR_BITS-1:$clog2(Bytes)];
          read <= R_DATA;
        end
        default:
        if (s_axi_rready) begin
          left <= left - 1;
          read_word <= read_word + 1;
          if (s_axi_rlast) read <= R_ADDRESS;
        end
      endcase
    end
  end
endmodule
