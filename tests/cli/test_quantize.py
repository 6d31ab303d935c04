"""The verb quantize, as people use it."""

import os
import struct
import unittest

from cli_case import CliCase, artifact, edit_json, run, scratch, tiny

TEXT = "the cat sat on the mat and looked at the door "
SIZES = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
TYPES = """f32 f16 bf16 q8_0 q6_k q5_k_m q5_k_s q5_1 q5_0 q4_k_m q4_k_s q4_1 q4_0 iq4_nl iq4_xs mxfp4 q3_k_l q3_k_m q3_k_s q2_k q2_k_s
iq3_s iq3_xxs iq2_s iq2_xs iq2_xxs tq2_0 tq1_0""".split()


class Gguf:
    """What a GGUF file says: its keys with their raw values, and (dims, type number) of its tensors."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = file.read()
        assert self.bytes[:8] == b"GGUF\3\0\0\0", path
        self.at = 8
        tensors, pairs = self.number("<Q"), self.number("<Q")
        self.raw, self.tensors = {}, {}
        for _ in range(pairs):
            key, begin = self.text(), self.at
            self.skip(self.number("<I"))
            self.raw[key] = self.bytes[begin : self.at]
        for _ in range(tensors):
            name = self.text()
            dims = [self.number("<Q") for _ in range(self.number("<I"))]
            self.tensors[name] = (dims, self.number("<I"))
            self.number("<Q")

    def number(self, form):
        size = struct.calcsize(form)
        self.at += size
        return struct.unpack(form, self.bytes[self.at - size : self.at])[0]

    def text(self):
        size = self.number("<Q")
        self.at += size
        return self.bytes[self.at - size : self.at].decode()

    def skip(self, kind):
        if kind == 8:
            self.text()
        elif kind == 9:
            element, count = self.number("<I"), self.number("<Q")
            for _ in range(count):
                self.skip(element)
        else:
            self.number(SIZES[kind])

    def u32(self, key):
        return struct.unpack("<II", self.raw[key])[1]


def wide_model(layers):
    """A tiny model whose rows have whole blocks of 256."""
    path = scratch("wide")
    config = scratch("config.json")
    with open(os.path.join(tiny(), "config.json"), encoding="utf-8") as source, open(config, "w", encoding="utf-8") as file:
        file.write(source.read())
    edit_json(config, lambda c: c.update(hidden_size=256, intermediate_size=512, num_hidden_layers=layers, num_key_value_heads=4))
    assert run("make-tiny", path, "--config", config, "-q").code == 0
    return path


def files_beside(path):
    return sorted(os.listdir(os.path.dirname(path)))


class Quantize(CliCase):
    @classmethod
    def setUpClass(cls):
        cls.wide, cls.shallow = wide_model(8), wide_model(2)
        cls.text = scratch("calibration.txt")
        with open(cls.text, "w", encoding="utf-8") as file:
            file.write(TEXT * 40)
        cls.long_text = scratch("long.txt")
        with open(cls.long_text, "w", encoding="utf-8") as file:
            file.write(TEXT * 90)

    def quantized(self, model, *flags):
        out = scratch("out.gguf")
        return out, self.done("quantize", model, out, *flags, "--json").json

    def test_every_family_becomes_a_gguf_of_the_same_model(self):
        for family in ("llama", "qwen2", "qwen3", "gemma3"):
            with self.subTest(family=family):
                out, report = self.quantized(tiny(family), "--type", "f32")
                ask = ("--prompt", TEXT, "--chat", "--max-new-tokens", "16", "--temperature", "0", "--logprobs", "3", "--json")
                before, after = (self.done("run", model, *ask).json for model in (tiny(family), out))
                self.assertEqual(before["prompt_token_ids"], after["prompt_token_ids"])
                self.assertEqual(before["token_ids"], after["token_ids"])
                self.assertEqual({tensor["error"] for tensor in report["tensors"]}, {0})
                self.assertEqual(set(Gguf(out).tensors), {tensor["name"] for tensor in report["tensors"]})

    def test_every_type_runs_and_smaller_ones_err_more(self):
        errors = {}
        for kind in TYPES:
            out, report = self.quantized(self.shallow, "--type", kind)
            up = next(tensor for tensor in report["tensors"] if tensor["name"] == "blk.1.ffn_up.weight")
            self.assertTrue(kind.startswith(up["type"]), (kind, up))
            self.assertEqual([tensor["note"] for tensor in report["tensors"] if tensor["note"]], [])
            errors[up["type"]] = up["error"]
            self.assertLessEqual(0, os.path.getsize(out) - report["bytes"] - self.head(out))
            self.assertLess(os.path.getsize(out) - report["bytes"] - self.head(out), 32 * len(report["tensors"]), "padding")
            self.done("run", out, "--prompt", TEXT, "--raw", "--max-new-tokens", "2")
        order = ["f32", "f16", "q8_0", "q6_k", "q5_k", "q4_k", "q3_k", "q2_k", "iq2_xxs", "tq2_0"]
        self.assertEqual(order, sorted(order, key=errors.get))

    def head(self, path):
        """Bytes before the data."""
        gguf = Gguf(path)
        return (gguf.at + 31) // 32 * 32

    def test_mixtures_give_more_bits_where_it_matters(self):
        _, report = self.quantized(self.wide, "--type", "Q4_K_M")
        types = {tensor["name"]: tensor["type"] for tensor in report["tensors"]}
        self.assertEqual(types["output.weight"], "q6_k")
        self.assertEqual(types["token_embd.weight"], "q4_k")
        self.assertEqual([types[f"blk.{i}.ffn_down.weight"] for i in range(8)], ["q6_k", "q4_k", "q4_k", "q6_k", "q4_k", "q4_k", "q6_k", "q6_k"])
        self.assertEqual({types[f"blk.{i}.attn_q.weight"] for i in range(8)}, {"q4_k"})
        self.assertEqual(types["blk.0.attn_norm.weight"], "f32")

    def test_keys_of_a_gguf_stay_bit_for_bit(self):
        first, _ = self.quantized(self.shallow, "--type", "f16")
        second, report = self.quantized(first, "--type", "q8_0", "--calibrate", self.text, "--ctx", "64")
        before, after = Gguf(first), Gguf(second)
        changed = {"general.file_type", "quantize.imatrix.dataset", "quantize.imatrix.chunks_count"}
        self.assertEqual({k: v for k, v in before.raw.items() if k not in changed}, {k: v for k, v in after.raw.items() if k not in changed})
        self.assertEqual((before.u32("general.file_type"), after.u32("general.file_type")), (1, 7))
        self.assertEqual(after.u32("general.quantization_version"), 2)
        self.assertEqual(after.u32("quantize.imatrix.chunks_count"), report["calibration_tokens"] // 64)
        self.assertEqual([(n, d) for n, (d, _) in before.tensors.items()], [(n, d) for n, (d, _) in after.tensors.items()])

    def test_the_same_bytes_with_any_number_of_threads(self):
        for flags in ((), ("--calibrate", self.text, "--ctx", "64")):
            files = []
            for threads in (1, 2):
                out, _ = self.quantized(self.shallow, "--type", "q4_k_m", "--threads", threads, *flags)
                files.append(Gguf(out).bytes)
            self.assertEqual(*files)

    def test_calibration_and_search_change_the_result(self):
        files = [self.quantized(self.shallow, "--type", "q4_0", *flags) for flags in ((), ("--rounding", "nearest"), ("--calibrate", self.text))]
        self.assertEqual(len({Gguf(out).bytes for out, _ in files}), 3)
        errors = [sum(tensor["error"] for tensor in report["tensors"]) for _, report in files]
        self.assertLess(errors[0], errors[1])

    def test_rows_that_do_not_divide_fall_back_and_say_so(self):
        out = scratch("out.gguf")
        table = self.done("quantize", tiny(), out, "--type", "q4_k_m").out
        self.assertIn("rows of 64 are not divisible by the 256 of q4_k", table)
        self.assertRegex(table, r"blk\.0\.attn_q\.weight +f32 +q5_0")
        self.assertRegex(table, r"blk\.0\.ffn_down\.weight +f32 +f16")

    def test_recipes_go_before_the_type(self):
        recipe = scratch("recipe.txt")
        with open(recipe, "w", encoding="utf-8") as file:
            file.write("# the first match counts\nblk.0.*  q8_0\nblk.?.attn_v.weight q6_k\nnothing.* f16\nblk.0.ffn_up f32\n")
        out = scratch("out.gguf")
        done = self.done("quantize", self.wide, out, "--type", "q4_0", "--recipe", recipe, "--json")
        types = {tensor["name"]: tensor["type"] for tensor in done.json["tensors"]}
        self.assertEqual((types["blk.0.ffn_up.weight"], types["blk.0.attn_v.weight"]), ("q8_0", "q8_0"))
        self.assertEqual((types["blk.3.attn_v.weight"], types["blk.3.attn_q.weight"]), ("q6_k", "q4_0"))
        self.assertIn("nothing.* is the first match of no tensor", done.err)
        for line, wanted in (("blk.0.*", "expected a tensor pattern and a type"), ("a q4_9", '"q4_9" is no type'), ("a iq1_s", "does not write")):
            with open(recipe, "w", encoding="utf-8") as file:
                file.write("\n" + line)
            refused = run("quantize", self.wide, scratch("out.gguf"), "--type", "q4_0", "--recipe", recipe)
            self.assertNotEqual(refused.code, 0)
            self.assertIn(recipe + ":2: ", refused.last_error)
            self.assertIn(wanted, refused.last_error)

    def test_a_size_is_met_by_measurement(self):
        out, recipe = scratch("out.gguf"), scratch("found.txt")
        flags = ("--calibrate", self.text, "--ctx", "64")
        done = self.done("quantize", tiny(), out, "--target-bits", "7.5", "--candidates", "q4_0,q5_0,q8_0", "--write-recipe", recipe, *flags, "--json").json
        self.assertLessEqual(done["bits_per_weight"], 7.5)
        self.assertGreater(done["bits_per_weight"], 7)
        suffered = [tensor["kl_per_mb_saved"] for tensor in done["sensitivity"]]
        self.assertEqual(suffered, sorted(suffered, reverse=True))
        again = scratch("again.gguf")
        types = self.done("quantize", tiny(), again, "--type", "q4_0", "--recipe", recipe, *flags, "--json").json["tensors"]
        self.assertEqual([tensor["type"] for tensor in types], [tensor["type"] for tensor in done["tensors"]])
        for wanted, flags in (("the smallest candidates take", (*flags, "--target-bits", "2")), ("requires --calibrate", ("--target-bits", "5")), ("is missing", ())):
            refused = run("quantize", tiny(), scratch("x.gguf"), *flags)
            self.assertEqual(refused.code, 2)
            self.assertIn(wanted, refused.last_error)

    def test_packed_types_become_a_directory_that_runs(self):
        for kind, flags in (("int8", ()), ("int4", ("--group-size", "32")), ("int4_awq", ("--calibrate", self.long_text))):
            out = scratch("packed")
            report = self.done("quantize", tiny(), out, "--type", kind, *flags, "--json").json
            self.assertLess(report["bytes_after"], report["bytes_before"])
            self.assertTrue(all(0 <= tensor["error"] < 0.2 for tensor in report["tensors"]), report["tensors"])
            self.done("run", out, "--prompt", TEXT, "--raw", "--max-new-tokens", "2")
        refused = run("quantize", tiny(), scratch("packed"), "--type", "int4_awq")
        self.assertEqual(refused.code, 2)
        refused = run("quantize", tiny(), scratch("packed"), "--type", "int8", "--target-bits", "5", "--calibrate", self.text)
        self.assertIn("takes no recipe and no size", refused.last_error)

    def test_options_that_do_nothing_are_refused(self):
        useless = (
            ("--type", "int8", "--calibrate", self.text),
            ("--type", "int8", "--group-size", "32"),
            ("--type", "int8", "--rounding", "nearest"),
            ("--type", "q8_0", "--group-size", "32"),
            ("--type", "q8_0", "--write-recipe", "found.txt"),
            ("--type", "q8_0", "--candidates", "q4_0"),
            ("--type", "q8_0", "--ctx", "64"),
        )
        for flags in useless:
            with self.subTest(flags=flags):
                self.assertIn(flags[2], self.refused(2, "quantize", tiny(), scratch("x"), *flags))

    def test_a_packed_checkpoints_ids_are_checked(self):
        packed = scratch("packed")
        self.done("quantize", tiny(family="gemma3"), packed, "--type", "int8")
        path = os.path.join(packed, "tokenizer.json")
        with open(path, encoding="utf-8") as file:
            good = file.read()
        for change, word in (
            (lambda d: d["merges"].__setitem__(2, 1 << 28), "merges"),
            (lambda d: d["merges"].__setitem__(0, -1), "merges"),
            (lambda d: d["merges"].__setitem__(2, (1 << 32) + 1), "merges"),
            (lambda d: d.update(unk=1 << 28), "special ids"),
            (lambda d: d.update(kinds=d["kinds"][:1]), "kinds"),
        ):
            with open(path, "w", encoding="utf-8") as file:
                file.write(good)
            edit_json(path, change)
            for arguments in (["quantize", packed, scratch("x.gguf"), "--type", "q8_0"], self.draft_of(packed)):
                error = self.refused(3, *arguments)
                self.assertIn("tokenizer.json", error)
                self.assertIn(word, error)

    @staticmethod
    def draft_of(packed):
        return ["run", tiny(family="gemma3"), "--raw", "--prompt", "a", "--draft-model", packed]

    def test_a_packed_checkpoint_replaces_only_its_own(self):
        out = scratch("packed")
        for _ in range(2):
            self.done("quantize", tiny(), out, "--type", "int8")
        self.assertIn("is the model itself", self.refused(2, "quantize", out, out, "--type", "int4", "--group-size", "32"))
        notes = os.path.join(out, "notes.txt")
        with open(notes, "w", encoding="utf-8") as file:
            file.write("mine")
        self.refused(2, "quantize", tiny(), out, "--type", "int8")
        self.assertTrue(os.path.exists(notes))

    def test_refusals(self):
        done, _ = self.quantized(tiny(), "--type", "q8_0")
        self.done("quantize", tiny(), done, "--type", "q8_0")  # again into the same file
        precious = scratch("notes.txt")
        with open(precious, "w", encoding="utf-8") as file:
            file.write("mine")
        cases = (
            (2, "is no type; there are", ("quantize", tiny(), scratch("x.gguf"), "--type", "q9_9")),
            (2, "does not write it", ("quantize", tiny(), scratch("x.gguf"), "--type", "iq1_s")),
            (2, "is no GGUF file; it is not replaced", ("quantize", tiny(), precious, "--type", "q8_0")),
            (2, "is no GGUF file; it is not replaced", ("quantize", tiny(), os.path.dirname(precious), "--type", "q8_0")),
            (2, "is the model itself", ("quantize", done, done, "--type", "q4_0")),
            (2, "is a compiled artifact", ("quantize", artifact(), scratch("x.gguf"), "--type", "q8_0")),
            (2, "a window has 9999", ("quantize", tiny(), scratch("x.gguf"), "--type", "q8_0", "--calibrate", self.text, "--ctx", "9999")),
            (1, "No such file", ("quantize", tiny(), os.path.join(scratch("no"), "x.gguf"), "--type", "q8_0")),
        )
        for code, message, command in cases:
            with self.subTest(command=command):
                refused = run(*command)
                self.assertIn(message, refused.last_error)
                self.assertEqual(refused.code, code, refused.err)
        with open(precious, encoding="utf-8") as file:
            self.assertEqual(file.read(), "mine")
        self.assertEqual(files_beside(precious), ["notes.txt"])
        self.assertEqual(files_beside(done), ["out.gguf"])

    def test_values_that_are_not_finite_are_refused_by_name(self):
        first, _ = self.quantized(tiny(), "--type", "f32")
        with open(first, "r+b") as file:
            file.seek(-8, os.SEEK_END)
            file.write(struct.pack("<f", float("nan")))
        last = list(Gguf(first).tensors)[-1]
        out = scratch("out.gguf")
        refused = run("quantize", first, out, "--type", "q8_0")
        self.assertEqual(refused.code, 3)
        self.assertIn(f"tensor {last}: row ", refused.last_error)
        self.assertIn("is NaN: it cannot be quantised", refused.last_error)
        self.assertEqual(files_beside(out), [])

    def test_values_that_a_half_cannot_hold_keep_a_wider_type(self):
        first, _ = self.quantized(tiny(), "--type", "f32")
        with open(first, "r+b") as file:
            file.seek(-8, os.SEEK_END)
            file.write(struct.pack("<f", 1e6))
        _, report = self.quantized(first, "--type", "q8_0")
        self.assertEqual(report["tensors"][-1]["type"], "bf16")
        self.assertIn("do not fit the halves of q8_0", report["tensors"][-1]["note"])


if __name__ == "__main__":
    unittest.main()
