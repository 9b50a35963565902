// SPDX-License-Identifier: Apache-2.0
#include "app/run_files.h"

#include "app/console.h"
#include "app/explain/explanation.h"
#include "app/report/csv.h"
#include "app/report/html.h"
#include "common/json.h"

namespace tessera::app {

std::string write_run_files(const OutputDirectory& out, const PointOutcome& outcome,
                            const Workload& program, Delivery& delivery) {
  delivery.attempt([&] { out.write("stats.json", document_text(outcome.stats)); });
  for (const OutputFile& file : program.output_files()) {
    delivery.attempt([&] { out.write(file.name, file.bytes); });
  }
  delivery.attempt([&] { out.write("stats.csv", stats_csv(outcome.stats, outcome.catalogue)); });
  const bool written = delivery.attempt([&] {
    out.write("report.html",
              run_report(outcome.stats, outcome.catalogue, outcome.verification,
                         outcome.failure.value_or(""), explanation_lines(*outcome.stats)));
  });
  return written ? out.path_of("report.html") : "";
}

}  // namespace tessera::app
