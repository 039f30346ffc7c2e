"""Look up the versions of constraints.txt among known vulnerabilities: `make audit`.

It exits with 1 if there are some, and with 3 if not all could be looked up.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import sysconfig

VULNERABLE, NOT_ASKED = 1, 3
# pip-audit stays out of the environment, whose versions are pinned.
PIP_AUDIT = ["tool", "run", "--quiet", "--python", sys.executable, "pip-audit"]
OPTIONS = ["--requirement", "constraints.txt", "--require-hashes", "--disable-pip", "--progress-spinner", "off"]


def main() -> int:
    """Ask, and say what was found."""
    uv = shutil.which("uv", path=sysconfig.get_path("scripts")) or "uv"
    done = subprocess.run([uv, *PIP_AUDIT, *OPTIONS, "--format", "json"], capture_output=True, text=True)
    try:
        packages = json.loads(done.stdout)["dependencies"]
    except ValueError:
        reason = (done.stderr.strip().splitlines() or ["it said nothing"])[-1].strip()
        print(f"audit: no vulnerability service could be asked ({reason}).", file=sys.stderr)
        return NOT_ASKED
    unknown = [package["name"] for package in packages if "vulns" not in package]
    found = [(package, flaw) for package in packages for flaw in package.get("vulns", [])]
    for package, flaw in found:
        fixed = ", ".join(flaw["fix_versions"]) or "no version"
        print(f"{package['name']} {package['version']}: {flaw['id']}, fixed in {fixed}")
    if unknown:
        print(f"audit: the service knows nothing of {len(unknown)} of {len(packages)} packages.", file=sys.stderr)
    elif not found:
        print(f"audit: no known vulnerabilities in {len(packages)} packages.")
    return VULNERABLE if found else NOT_ASKED if unknown else 0


if __name__ == "__main__":
    sys.exit(main())
