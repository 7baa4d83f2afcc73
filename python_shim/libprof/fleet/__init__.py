"""Jobs of many ranks: recordings become one dataset of Parquet files, and SQL answers questions about all ranks.

    libprof.fleet.pack(["runs/"], "job.dataset")
    job = libprof.fleet.Dataset.open("job.dataset")

Needs DuckDB: ``pip install 'duckdb>=1.3'``.
"""

from ._dataset import TABLES, VERSION, Column, Dataset, describe
from ._pack import Packed, pack

__all__ = ["TABLES", "VERSION", "Column", "Dataset", "Packed", "describe", "pack"]
