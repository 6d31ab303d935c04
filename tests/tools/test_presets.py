"""CMakePresets.json: every preset configures, in a folder of its own, save the one for CUDA, which says why not."""

import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PRESETS = json.loads((ROOT / "CMakePresets.json").read_text())


def configure(preset):
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run(["cmake", "--preset", preset, "-B", folder], cwd=ROOT, capture_output=True, text=True, check=False)


class Presets(unittest.TestCase):
    def test_each_configures(self):
        for preset in (preset for preset in PRESETS["configurePresets"] if preset["name"] != "cuda"):
            with self.subTest(preset=preset["name"]):
                compiler = preset["cacheVariables"].get("CMAKE_CXX_COMPILER")
                if compiler and not shutil.which(compiler):
                    self.skipTest(f"no {compiler}; scripts/bootstrap.sh --dev installs it")
                run = configure(preset["name"])
                self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_cuda_is_refused_with_a_reason(self):
        run = configure("cuda")
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("has no CUDA backend", " ".join(run.stderr.split()))

    def test_each_has_a_build_preset(self):
        names = [preset["name"] for preset in PRESETS["configurePresets"]]
        self.assertEqual([(build["name"], build["configurePreset"]) for build in PRESETS["buildPresets"]], [(name, name) for name in names])


if __name__ == "__main__":
    unittest.main()
