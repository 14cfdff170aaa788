"""What refusing small files that unpack to much takes: seconds and memory of each, in a process of its own.

    python benchmark/bombs.py

Each is refused within 3 seconds and 500 MB, or it ends with 1. Time is the processor time of the call, memory the peak
of the whole process (VmHWM of Linux); the process may take 3 GB, so that the limits come from that. The files are those
of tests/bombs.py.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from bombs import BOMBS

SECONDS, MEGABYTES = 3.0, 500
ALONE = """
import json, re, resource, sys, time
from pathlib import Path
resource.setrlimit(resource.RLIMIT_DATA, (3 << 30, 3 << 30))
import fastexcel, polars, pyreadstat
from pellucid.errors import InputError
from pellucid.io.loading import load
begun = time.process_time()
try:
    load(Path(sys.argv[1]))
    told = ""
except InputError as wrong:
    told = str(wrong)
seconds = time.process_time() - begun
peak = int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) / 1000
print(json.dumps([seconds, peak, told]))
"""


def main() -> int:
    """Make each, and have it read."""
    bad = 0
    print(f"{'file':32} {'bytes':>10} {'seconds':>8} {'MB':>6}  what is said")
    for bomb, (name, make) in BOMBS.items():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, name)
            make(path)
            size = sum(file.stat().st_size for file in (path.iterdir() if path.is_dir() else [path]))
            done = subprocess.run([sys.executable, "-c", ALONE, str(path)], capture_output=True, text=True, check=False)
        seconds, peak, told = json.loads(done.stdout) if done.returncode == 0 else (0, 0, "it ended")
        fine = bool(told) and done.returncode == 0 and seconds <= SECONDS and peak <= MEGABYTES
        bad += not fine
        print(f"{bomb:32} {size:10,} {seconds:8.2f} {peak:6.0f}  {'' if fine else '!! '}{told[:70]}", flush=True)
    print(f"{len(BOMBS)} files, {bad} not refused within {SECONDS:g} s and {MEGABYTES} MB")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
