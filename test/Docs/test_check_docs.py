"""tools/dev/check-docs: one small tree per rule, broken and kept.

The stand-in for moe-opt is upstream's mlir-opt, so that fences really parse.
"""

import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "tools/dev/check-docs"
MLIR_OPT = "/usr/lib/llvm-22/bin/mlir-opt"

DIALECT = """
include "mlir/IR/OpBase.td"
def Toy_Dialect : Dialect { let name = "toy"; let cppNamespace = "::toy"; }
"""
PASS = 'include "mlir/Pass/PassBase.td"\n'


def run(root, files, *options):
    for path, text in {"README.md": "# Toy\n", **files}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return subprocess.run([SCRIPT, "--root", root, *options],
                          capture_output=True, text=True)


@pytest.fixture
def tree(tmp_path):
    """A tree whose build has a moe-opt."""
    (tmp_path / "build/bin").mkdir(parents=True)
    (tmp_path / "build/bin/moe-opt").symlink_to(MLIR_OPT)
    return tmp_path


def fence(text, language="mlir", before=""):
    return f"{before}```{language}\n{text}\n```\n"


def toy_op(description):
    return (DIALECT + 'def Toy_AddOp : Op<Toy_Dialect, "add"> {\n'
            "  let description = [{" + description + "}];\n}\n")


BROKEN = {
    "fence_does_not_parse": (
        {"docs/spec.md": "# A\n" + fence("%0 = arith.nothing")},
        "docs/spec.md:3: expected mlir that parses, but got "),
    "fence_uses_unbound_name": (
        {"README.md": fence("func.func @f() -> i32 { return %x : i32 }")},
        "README.md:2: expected mlir that parses"),
    "command_fails": (
        {"docs/run.md": fence("echo no >&2; exit 3", "sh", "<!-- run -->\n")},
        "docs/run.md:3: expected commands that exit with 0, but got 3: no"),
    "console_command_fails": (
        {"docs/run.md": fence("$ true\nignored\n$ false", "console",
                              "<!-- run -->\n")},
        "docs/run.md:3: expected commands that exit with 0, but got 1"),
    "marked_fence_is_no_command": (
        {"docs/run.md": fence("x", "text", "<!-- run -->\n")},
        "expected a sh or console fence to run, but got text"),
    "link_to_no_file": (
        {"docs/a.md": "# A\nsee [b](b.md)\n"},
        "docs/a.md:2: expected a link to a file, but got b.md"),
    "link_to_no_heading": (
        {"docs/a.md": "# A b\n[x](#a-b) [y](#a-c)\n"},
        "docs/a.md:2: expected a link to a heading, but got #a-c"),
    "generated_page_differs": (
        {"docs/generated/Toy.md": "one\ntwo\n",
         "build/docs/generated/Toy.md": "one\nthree\n"},
        "docs/generated/Toy.md:2: expected 'three' as generated"),
    "generated_page_is_missing": (
        {"build/docs/generated/Toy.md": "one\n"},
        "docs/generated/Toy.md:1: expected this generated page"),
    "generated_page_has_no_source": (
        {"build/docs/generated/A.md": "", "docs/generated/A.md": "",
         "docs/generated/Old.md": "one\n"},
        "docs/generated/Old.md:1: expected a page that the build generates"),
    "op_without_description": (
        {"include/toy/Ops.td": DIALECT + 'def Toy_AddOp : '
                               'Op<Toy_Dialect, "add"> {}\n'},
        "include/toy/Ops.td:4: expected Toy_AddOp to have a description"),
    "op_without_example": (
        {"include/toy/Ops.td": toy_op("Adds.")},
        "include/toy/Ops.td:4: expected Toy_AddOp's description to have an "
        "example in an mlir fence"),
    "op_example_does_not_parse": (
        {"include/toy/Ops.td": toy_op(
            "Adds.\n" + fence("%0 = arith.addf %a, %b : oops"))},
        "include/toy/Ops.td:4: expected the example of Toy_AddOp to parse"),
    "pass_without_description": (
        {"include/toy/Passes.td":
            PASS + 'def Toy : Pass<"toy"> { let summary = "x"; }\n'},
        "include/toy/Passes.td:2: expected Toy to have a description"),
}


@pytest.mark.parametrize("files, message", BROKEN.values(), ids=BROKEN)
def test_violation_is_reported(tree, files, message):
    result = run(tree, files)
    assert message in result.stdout
    assert result.returncode == 1
    assert result.stdout.strip().endswith("; 1 errors")


def test_kept_rules_pass(tree):
    result = run(tree, {
        "README.md": "# Toy\n[spec](docs/spec.md#the-ops) [web](https://x.y)\n"
                     "`[not](a-link.md)`\n",
        "docs/spec.md": "# Spec\n## The ops\n"
            + fence("func.func @f(%x: i32) -> i32 { return %x : i32 }")
            + fence("%0 = toy.add ...", "mlir-fragment")
            + fence("[no](link.md)", "text")
            + fence("test -d docs && command -v moe-opt", "sh",
                    "<!-- run -->\n")
            + fence("exit 1", "sh"),
        "docs/generated/Toy.md": fence("%0 = toy.add %x") + "one\n",
        "build/docs/generated/Toy.md": fence("%0 = toy.add %x") + "one\n",
        "include/toy/Ops.td": toy_op(
            "Adds.\n" + fence("%0 = arith.addf %a, %b : f32")),
        "include/toy/Passes.td":
            PASS + 'def Toy : Pass<"toy"> { let description = "x"; }\n',
    })
    assert result.stdout == (
        "docs: 1 generated pages, 1 ops, 1 passes, 1 mlir fences, "
        "1 command fences, 1 links; 0 errors\n")
    assert result.returncode == 0


def test_absent_build_is_said(tmp_path):
    result = run(tmp_path, {"docs/a.md": fence("nonsense")})
    assert "docs: skipped mlir fences:" in result.stdout
    assert "docs: skipped generated reference:" in result.stdout
    assert result.returncode == 0


def test_update_copies_generated_pages(tree):
    made = tree / "build/docs/generated"
    made.mkdir(parents=True)
    (made / "Toy.md").write_text("new\n")
    result = run(tree, {"docs/generated/Old.md": "old\n"}, "--update")
    assert result.returncode == 0
    assert [p.name for p in (tree / "docs/generated").iterdir()] == ["Toy.md"]
    assert (tree / "docs/generated/Toy.md").read_text() == "new\n"
