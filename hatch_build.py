"""Build hook: a wheel carries `spec/` and everything that is generated from it.

An editable install carries neither: a checkout reads its own `spec/` and remakes what is
generated whenever `spec/` changes.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class SpecBuildHook(BuildHookInterface):
    """Puts `spec/` at `rulewright/spec` and generated modules at `rulewright/_generated`."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Generate into a scratch folder and tell hatchling what to include from where."""
        if version == "editable":
            return
        self._scratch = Path(tempfile.mkdtemp(prefix="rulewright-build-"))
        generated = self._scratch / "_generated"
        generated.mkdir()
        self._generate(generated)
        build_data["force_include"][str(Path(self.root) / "spec")] = "rulewright/spec"
        build_data["force_include"][str(generated)] = "rulewright/_generated"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the scratch folder once the wheel is written."""
        if version != "editable":
            shutil.rmtree(self._scratch, ignore_errors=True)

    def _generate(self, out_dir: Path) -> None:
        """Run the project's own generator from the source tree (it is not installed yet)."""
        source = str(Path(self.root) / "src")
        sys.path.insert(0, source)
        try:
            from rulewright.lang.build import write_generated

            write_generated(out_dir)
        finally:
            sys.path.remove(source)
