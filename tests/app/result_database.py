# SPDX-License-Identifier: Apache-2.0
"""Contents of a database of results, for tests that compare two."""

import sqlite3


def content(store):
    """All rows without the columns that differ between equal runs."""
    db = sqlite3.connect(store)
    db.row_factory = sqlite3.Row
    points = [{c: row[c] for c in row.keys() if c != "created" and not c.startswith("host_")}
              for row in db.execute("SELECT * FROM points ORDER BY key")]
    rest = [[tuple(r) for r in db.execute(f"SELECT * FROM {table} ORDER BY 1")] for table in ("configs", "results")]
    db.close()
    return points, rest
