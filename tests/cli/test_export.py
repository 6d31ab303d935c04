"""`hyalite export`: every format of a tiny model's artifact, and of a real one where $HYALITE_TEST_MODEL names it."""

import glob
import json
import os
import re
import shutil
import subprocess
import unittest

from cli_case import REAL_MODEL, CliCase, artifact, needs_real_model, run, scratch


def page_data(page):
    return json.loads(re.search(r'<script id="report" type="application/json">(.*?)</script>', page, re.S).group(1))


BROWSER = shutil.which("chromium") or shutil.which("google-chrome")


def browse(path):
    """What a browser makes of the page, and what its scripts complained about."""
    flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=3000", "--enable-logging=stderr"]
    done = subprocess.run(
        [BROWSER, *flags, "--user-data-dir=" + scratch("profile"), "--dump-dom", "file://" + path],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]


class ExportCase(CliCase):
    def export(self, bundle, form, mode="decode"):
        """The text of the file that `export` writes."""
        out = scratch("out")
        result = self.done("export", bundle, out, "--mode", mode, "--format", form)
        self.assertEqual(result.err, "")
        with open(out, encoding="utf-8") as file:
            return file.read()


class Tiny(ExportCase):
    def setUp(self):
        self.bundle = artifact(family="gemma3")

    def test_standard_output(self):
        for name in ("-", "/dev/stdout"):
            folder = scratch("folder")
            os.makedirs(folder)
            printed = self.done("export", self.bundle, name, "--format", "json", cwd=folder).out
            self.assertEqual(printed, self.export(self.bundle, "json"))
            self.assertEqual(os.listdir(folder), [])
        self.assertIn("--json", self.refused(2, "export", self.bundle, "-", "--json"))

    def test_page_is_whole_and_offline(self):
        for mode in ("prefill", "decode"):
            page = self.export(self.bundle, "html", mode)
            self.assertNotRegex(page, r"""(src|href)\s*=\s*["']?(https?:)?//|@import|fetch\(""")
            data = page_data(page)
            self.assertEqual(data["mode"], mode)
            steps = self.json_of("inspect", self.bundle, "--mode", mode, "--schedule")["steps"]
            self.assertEqual([s["variant"] for s in data["steps"]], [s["variant"] for s in steps])

    @unittest.skipUnless(BROWSER, "no chromium")
    def test_page_shows_in_a_browser(self):
        out = scratch("page.html")
        self.done("export", self.bundle, out)
        document, complaints = browse(out)
        self.assertEqual(complaints, [])
        text = re.sub(r"<[^>]*>", " ", re.sub(r"<(script|style)\b.*?</\1>", " ", document, flags=re.S))
        for words in ("Memory map", "rmsnorm-qkv-rope-fusion", "Not chosen", "tokens a second: 8 sequences, a token each after"):
            self.assertIn(words, text)
        self.assertRegex(text, r"×\s+\d+\s+(layers|·)")
        self.assertGreater(len(re.findall(r"<(?:rect|path)\b", document)), 40)

    def test_segments_hold_every_node_once(self):
        graph = page_data(self.export(self.bundle, "html"))["graph"]
        held = sorted(i for segment in graph["segments"] for body in segment["bodies"] for i in body)
        self.assertEqual(held, list(range(len(graph["nodes"]))))

    def test_json_and_model_explorer_hold_the_same_nodes(self):
        whole = json.loads(self.export(self.bundle, "json"))
        self.assertEqual(set(whole), {"mode", "graph", "schedule", "memory"})
        nodes = json.loads(self.export(self.bundle, "model-explorer"))["graphs"][0]["nodes"]
        self.assertEqual(len(nodes), len(whole["graph"]["nodes"]) + len(whole["graph"]["inputs"]))
        ids = {node["id"] for node in nodes}
        self.assertEqual(len(ids), len(nodes))
        for node in nodes:
            for edge in node["incomingEdges"]:
                self.assertIn(edge["sourceNodeId"], ids)

    def test_text_is_what_inspect_prints(self):
        self.assertEqual(self.export(self.bundle, "text"), self.done("inspect", self.bundle, "--mode", "decode").out)

    def test_dot_can_be_drawn(self):
        dot = self.export(self.bundle, "dot")
        self.assertTrue(dot.startswith("digraph"))
        if shutil.which("dot"):
            drawn = subprocess.run(["dot", "-Tsvg"], input=dot, capture_output=True, text=True, check=False)
            self.assertEqual((drawn.returncode, drawn.stderr), (0, ""))

    def test_json_answer_names_the_file(self):
        out = scratch("named.dot")
        answer = self.json_of("export", self.bundle, out, "--format", "dot")
        self.assertEqual((answer["output"], answer["bytes"]), (out, os.path.getsize(out)))

    def test_mistakes_leave_no_file(self):
        out = scratch("out")
        self.refused(2, "export", self.bundle, out, "--format", "pdf")
        self.refused(2, "export", self.bundle, out, "--mode", "train")
        self.refused(3, "export", scratch("nowhere"), out)
        self.refused(1, "export", self.bundle, os.path.join(scratch("nowhere"), "out"))
        self.assertEqual(glob.glob(os.path.join(os.path.dirname(out), "*")), [])


@needs_real_model
class Real(ExportCase):
    @classmethod
    def setUpClass(cls):
        cls.bundle = scratch("artifact")
        run("compile", REAL_MODEL, "-o", cls.bundle)

    def test_layers_fold(self):
        page = self.export(self.bundle, "html")
        self.assertLess(len(page), 12 << 20)
        data = page_data(page)
        layers = data["model"]["layers"]
        self.assertIn(layers, [len(segment["bodies"]) for segment in data["graph"]["segments"]])
        self.assertIn(f"× {layers}", self.export(self.bundle, "dot"))


if __name__ == "__main__":
    unittest.main()
