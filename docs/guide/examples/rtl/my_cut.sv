// SPDX-License-Identifier: Apache-2.0
//
// A register on each of the ready/valid channels of lines: requests pass from s_req to m_req,
// responses from m_resp to s_resp, one in two cycles.
module my_cut #(
    parameter int unsigned LINE_BYTES = 128,
    parameter int unsigned ADDR_BITS = 48,
    parameter int unsigned ID_BITS = 8
) (
    input logic clk,
    input logic rst_n,

    input  logic                    s_req_valid,
    output logic                    s_req_ready,
    input  logic                    s_req_write,
    input  logic [     ID_BITS-1:0] s_req_id,
    input  logic [   ADDR_BITS-1:0] s_req_address,
    input  logic [  LINE_BYTES-1:0] s_req_mask,
    input  logic [8*LINE_BYTES-1:0] s_req_data,
    output logic                    s_resp_valid,
    input  logic                    s_resp_ready,
    output logic                    s_resp_error,
    output logic [     ID_BITS-1:0] s_resp_id,
    output logic [8*LINE_BYTES-1:0] s_resp_data,

    output logic                    m_req_valid,
    input  logic                    m_req_ready,
    output logic                    m_req_write,
    output logic [     ID_BITS-1:0] m_req_id,
    output logic [   ADDR_BITS-1:0] m_req_address,
    output logic [  LINE_BYTES-1:0] m_req_mask,
    output logic [8*LINE_BYTES-1:0] m_req_data,
    input  logic                    m_resp_valid,
    output logic                    m_resp_ready,
    input  logic                    m_resp_error,
    input  logic [     ID_BITS-1:0] m_resp_id,
    input  logic [8*LINE_BYTES-1:0] m_resp_data
);
  logic open;  // READY is low in reset
  assign s_req_ready = open && !m_req_valid;
  assign m_resp_ready = open && !s_resp_valid;

  always_ff @(posedge clk) begin
    open <= rst_n;
    if (!rst_n) begin
      m_req_valid <= 0;
      s_resp_valid <= 0;
    end else begin
      if (m_req_valid) m_req_valid <= !m_req_ready;
      if (s_req_valid && s_req_ready) begin
        m_req_valid <= 1;
        m_req_write <= s_req_write;
        m_req_id <= s_req_id;
        m_req_address <= s_req_address;
        m_req_mask <= s_req_mask;
        m_req_data <= s_req_data;
      end
      if (s_resp_valid) s_resp_valid <= !s_resp_ready;
      if (m_resp_valid && m_resp_ready) begin
        s_resp_valid <= 1;
        s_resp_error <= m_resp_error;
        s_resp_id <= m_resp_id;
        s_resp_data <= m_resp_data;
      end
    end
  end
endmodule
