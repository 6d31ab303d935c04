import json
import os
import signal
import time
import unittest

from cli_case import CliCase, run, scratch, tiny

FLAGS = ("--temperature", "0", "--max-new-tokens", "6", "--ignore-eos")


class Chat(CliCase):
    def chat(self, typed, *flags):
        return self.done("chat", tiny(), *FLAGS, *flags, stdin=typed)

    def messages(self, typed, *flags):
        return self.chat(typed, *flags, "--json").json["messages"]

    def test_keeps_the_conversation(self):
        roles = [m["role"] for m in self.messages("hello\nagain\n")]
        self.assertEqual(roles, ["user", "assistant", "user", "assistant"])

    def test_an_answer_depends_on_what_came_before(self):
        first = self.messages("hello\n")[-1]
        self.assertEqual(self.messages("other\n/clear\nhello\n")[-1], first)

    def test_many_lines(self):
        self.assertEqual(self.messages("a\\\nb\n")[0]["content"], "a\nb")
        self.assertEqual(self.messages('"""\na\n\nb\n"""\n')[0]["content"], "a\n\nb")

    def test_system_message(self):
        self.assertEqual(self.messages("", "--system", "be kind"), [{"role": "system", "content": "be kind"}])
        self.assertEqual(self.messages("x\n/system be brief\n"), [{"role": "system", "content": "be brief"}])

    def test_a_pipe_whose_last_message_failed_exits_with_1(self):
        long = "word " * 200
        failed = run("chat", tiny(), *FLAGS, "--max-seq", 64, stdin=f"{long}\n")
        self.assertEqual(failed.code, 1)
        self.assertIn("--max-seq", failed.err)
        self.assertEqual(self.chat(f"{long}\nhi\n", "--max-seq", 64).code, 0)

    def test_save(self):
        path = scratch("chat.json")
        said = self.messages(f"hello\n/save {path}\n")
        with open(path, encoding="utf-8") as file:
            self.assertEqual(json.load(file), said)
        for nameless in "/save\n", "/save  \n":
            self.assertIn("/save", self.chat(nameless).err)
        self.assertIn("nowhere", self.chat("/save /nowhere/chat.json\n").err)

    def test_commands(self):
        self.assertIn("/clear", self.chat("/help\n").err)
        self.assertIn("/nonsense", self.chat("/nonsense\n").err)
        self.assertEqual(self.messages("/exit\nhello\n"), [])

    def test_answers_go_to_standard_output(self):
        answer = self.messages("hello\n")[-1]["content"]
        self.assertEqual(self.chat("hello\n").out, answer + "\n")

    def test_an_overflow_is_said_and_taken_back(self):
        typed = "x" * 300 + "\nhi\n"
        result = run("chat", tiny(), *FLAGS, "--max-seq", 128, "--json", stdin=typed)
        self.assertEqual([m["content"] for m in result.json["messages"]][0], "hi")
        self.assertRegex(result.err, r"\b128\b")
        self.assertIn("/clear", result.err)

    def with_template(self, template):
        path = scratch("m")
        self.done("make-tiny", path)
        config = os.path.join(path, "tokenizer_config.json")
        with open(config, encoding="utf-8") as file:
            document = json.load(file)
        document["chat_template"] = template
        with open(config, "w", encoding="utf-8") as file:
            json.dump(document, file)
        return path

    def test_a_model_without_a_template_is_refused(self):
        self.assertIn("chat template", self.refused(2, "chat", self.with_template(None)))

    def test_a_template_that_cannot_be_rendered_is_refused_before_a_message(self):
        for template in ("{% nonsense %}", "{{ messages | no_such_filter }}"):
            path = self.with_template(template)
            self.assertEqual(self.refused(3, "chat", path, stdin=""), self.refused(3, "run", path, "--prompt", "hi"))

    def test_ctrl_c_stops_the_answer_but_not_the_chat(self):
        import subprocess

        from cli_case import BINARY, ENVIRONMENT

        command = [BINARY, "chat", tiny("gemma3"), "--temperature", "0", "--max-new-tokens", "1500", "--ignore-eos"]
        chat = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT, errors="replace")
        chat.stdin.write("hello\n")
        chat.stdin.flush()
        chat.stdout.read(1)
        chat.send_signal(signal.SIGINT)
        time.sleep(0.3)
        self.assertIsNone(chat.poll())
        _, error = chat.communicate("/help\n", timeout=20)
        self.assertEqual(chat.returncode, 0)
        self.assertIn("[cancelled]", error)
        self.assertIn("/clear", error)


if __name__ == "__main__":
    unittest.main()
