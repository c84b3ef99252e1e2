"""The lit suite of the FileCheck tests; docs/testing.md describes it."""

import os
import shutil
import subprocess

import lit.formats

config.name = "MoE"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "Integration", "Python"]  # the last two: pytest
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.moe_build_dir, "test")

tools_dir = os.path.join(config.moe_build_dir, "bin")
python_dir = os.path.join(config.moe_source_dir, "python")

config.environment["PATH"] = os.pathsep.join(
    [tools_dir, config.llvm_tools_dir, os.environ["PATH"]])
config.environment["PYTHONPATH"] = python_dir
config.environment["FILECHECK_OPTS"] = (
    "-enable-var-scope --allow-unused-prefixes=false")
# What the Vulkan loader and its drivers look at.
for name in ("HOME", "VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_LAYER_PATH",
             "XDG_CACHE_HOME", "XDG_DATA_DIRS", "XDG_RUNTIME_DIR"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

config.substitutions.append(("%mlir_lib_dir", config.llvm_lib_dir))
config.substitutions.append(("%python", config.python))
config.substitutions.append(
    ("%fuzz_passes", os.path.join(config.test_exec_root, "Fuzz", "moe-fuzz-passes")))
if config.moe_verify_roundtrip:
    config.substitutions.append((r"\bmoe-opt\b", "moe-opt --verify-roundtrip"))


def output_of(*command):
    """What a command prints, or "" when it cannot be run or fails."""
    try:
        result = subprocess.run(command, capture_output=True, text=True,
                                errors="replace", timeout=120)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return result.stdout if result.returncode == 0 else ""


def require(name, folder):
    if not os.access(os.path.join(folder, name), os.X_OK):
        lit_config.fatal(f"expected the tool {name} in {folder}, but got none")


for name in ("FileCheck", "not", "split-file", "mlir-opt", "mlir-runner",
             "mlir-translate"):
    require(name, config.llvm_tools_dir)

devices = output_of(os.path.join(tools_dir, "moe-run"), "--list-devices").lower()
features = {
    "lavapipe": "llvmpipe" in devices,
    "numpy": bool(output_of(config.python, "-c", "import numpy; print(1)")),
    "spirv-val": shutil.which("spirv-val") is not None,
    "vulkan": bool(devices.strip()),
    "vulkan-coopmat": "cooperative" in devices,
}
config.available_features.update(name for name, here in features.items() if here)
lit_config.note("features: "
                + (" ".join(sorted(config.available_features)) or "none"))
