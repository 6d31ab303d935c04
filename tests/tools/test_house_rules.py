"""Each house rule finds the fault that is planted against it in a small tree, and nothing in the tree without it."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import check_house_rules  # noqa: E402

CLEAN = {
    "tools/include_rules.txt": "# rings\nbase:\nops: base\nimporters: base ops  # and no more\n",
    "tools/README.md": "tools\n",
    "src/README.md": "src\n",
    "src/base/README.md": "base\n",
    "src/base/log.h": "#pragma once\n#if defined(__linux__)\n#endif\n",
    "src/base/log_test.cpp": '#include "base/log.h"\n',
    "src/ops/README.md": "ops\n",
    "src/ops/ops.inc": "// All of them.\nOP(matmul)\nOP(add)\n",
    "src/ops/matmul.cpp": '#include "base/log.h"\n#include "ops/matmul.h"\n#include <vector>\n',
    "src/ops/matmul_test.cpp": "\n",
    "src/ops/elementwise.cpp": "const OpSpec op_add = {};\n",
    "src/importers/README.md": "importers\n",
    "src/importers/importers.inc": "IMPORTER(gguf)\n",
    "src/importers/gguf.cpp": '#include "ops/matmul.h"\n',
    "src/importers/gguf_test.cpp": "\n",
    "fuzz/README.md": "fuzz\n",
    "fuzz/targets.txt": "importers/gguf: gguf\n",
    "fuzz/gguf.cpp": "\n",
    "fuzz/standalone_main.cpp": "\n",
    "fuzz/corpus/README.md": "seeds\n",
    "fuzz/corpus/gguf/empty": "",
    ".ci/run": "",
}
LONG = "int x;\n" * (check_house_rules.LINE_CAP + 1)


class HouseRules(unittest.TestCase):
    def faults(self, changes):
        """The faults of the clean tree with some files changed, or removed where the text is None."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**CLEAN, **changes}.items():
                if text is None:
                    continue
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return check_house_rules.faults_of(folder)

    def assert_only_fault(self, changes, *parts):
        faults = self.faults(changes)
        self.assertEqual(len(faults), 1, faults)
        for part in parts:
            self.assertIn(part, faults[0])

    def test_clean_tree_has_no_faults(self):
        self.assertEqual(self.faults({}), [])

    def test_include_against_the_rings(self):
        self.assert_only_fault({"src/base/log.h": '#pragma once\n\n#include "ops/matmul.h"\n'}, "src/base/log.h:3", "may not include ops/")
        self.assert_only_fault({"src/ops/matmul.cpp": "#  include <importers/gguf.h>\n"}, "may not include importers/")

    def test_folder_without_a_row(self):
        self.assert_only_fault({"tools/include_rules.txt": "base:\nops: base\n", "src/importers/gguf.cpp": ""}, "no row for src/importers")

    def test_heavy_header_outside_its_sources(self):
        self.assert_only_fault({"src/ops/list.cpp": "#include <CLI/CLI.hpp>\n"}, "src/ops/list.cpp", "<CLI/CLI.hpp>")

    def test_long_file_unless_it_is_data(self):
        self.assert_only_fault({"src/ops/matmul.h": LONG}, "src/ops/matmul.h: 601 lines")
        self.assert_only_fault({"scripts/x.py": LONG, "scripts/README.md": "x\n"}, "scripts/x.py")
        self.assertEqual(self.faults({"src/ops/grid_table.cpp": LONG, "src/ops/unicode_data.h": LONG, "src/ops/codes.inc": LONG}), [])

    def test_readme_missing_or_long(self):
        self.assert_only_fault({"src/ops/README.md": None}, "src/ops/README.md: missing")
        self.assert_only_fault({"fuzz/README.md": None}, "fuzz/README.md: missing")
        self.assert_only_fault({"src/ops/README.md": "x\n" * 16}, "16 lines")
        self.assert_only_fault({"src/ops/README.md": ""}, "0 lines")
        self.assert_only_fault({"src/ops/cpu/add.cpp": ""}, "src/ops/cpu/README.md: missing")
        self.assert_only_fault({"fuzz/corpus/README.md": None}, "fuzz/corpus/gguf/README.md: missing")

    def test_readme_not_needed_for_data_below_one(self):
        self.assertEqual(self.faults({"src/ops/goldens/x.json": "", "src/ops/goldens/deep/y.json": ""}), ["src/ops/goldens/deep/README.md: missing"])
        self.assertEqual(self.faults({"src/ops/goldens/x.json": ""}), [])

    def test_conditional_outside_its_folders(self):
        for line in ("#ifdef __AVX2__", "# if 1", "#elif X"):
            self.assert_only_fault({"src/ops/matmul.cpp": f"int x;\n{line}\n#endif\n"}, "src/ops/matmul.cpp:2", "conditional")
        self.assertEqual(self.faults({"src/base/x.cpp": "#if 1\n#else\n#endif\n"}), [])

    def test_unfinished_words(self):
        for words in ("TO" + "DO: more", "not" + " implemented", "a st" + "ub", "good enough for" + " now"):
            self.assert_only_fault({"src/ops/matmul.h": f"// {words}\n"}, "src/ops/matmul.h:1", "says")

    def test_folder_without_tests(self):
        self.assert_only_fault({"src/ops/matmul_test.cpp": None}, "src/ops: no *_test.cpp")

    def test_row_without_its_file(self):
        self.assert_only_fault({"src/ops/ops.inc": "OP(matmul)\nOP(conv)\n"}, "src/ops/ops.inc:2", "conv")

    def test_reader_without_fuzz_target(self):
        self.assert_only_fault({"src/importers/importers.inc": "IMPORTER(gguf)\nIMPORTER(onnx)\n", "src/importers/onnx.cpp": ""}, "importers/onnx")

    def test_fuzz_target_missing_unlisted_or_without_seed(self):
        self.assert_only_fault({"fuzz/targets.txt": "importers/gguf: gguf npz\n"}, "fuzz/npz.cpp is missing")
        self.assert_only_fault({"fuzz/npz.cpp": "", "fuzz/corpus/npz/a": ""}, "no reader for fuzz/npz.cpp")
        self.assert_only_fault({"fuzz/corpus/gguf/empty": None}, "no seed")

    def test_path_of_one_machine(self):
        for path in ("/wo" + "rk/main", "/ro" + "ot/.cache", "/ho" + "me/me/x"):
            self.assert_only_fault({"tools/README.md": f"see {path}\n"}, "tools/README.md:1", "one machine")
        self.assertEqual(self.faults({"tools/README.md": "frame" + "work/x and $HOME/ro" + "ot/x\n"}), [])

    def test_binary_files_are_left_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "x.bin").write_bytes(b"\xff\x00/ro" + b"ot/")
            self.assertEqual(check_house_rules.faults_of(folder), [])

    def test_command_line_prints_faults_and_fails(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "src").mkdir()
            (pathlib.Path(folder) / "src/a.cpp").write_text("int x;\n")
            run = subprocess.run([sys.executable, check_house_rules.__file__, folder], capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 1)
        self.assertIn("src/README.md: missing", run.stdout)


if __name__ == "__main__":
    unittest.main()
