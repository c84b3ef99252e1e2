"""tools/dev/check-layers: one small tree per rule, broken and kept."""

import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "tools/dev/check-layers"


def run(root, files):
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return subprocess.run([SCRIPT, root], capture_output=True, text=True)


def include(*headers):
    return "".join(f'#include "{header}"\n' for header in headers)


BROKEN = {
    "runtime_includes_mlir": (
        "lib/Runtime/Session/Session.cpp", include("mlir/IR/Builders.h"),
        ":1: expected no header of MLIR, LLVM or moe/, "
        "but got mlir/IR/Builders.h"),
    "runtime_includes_llvm": (
        "lib/Runtime/Session.h", include("a.h", "llvm/ADT/StringRef.h"),
        ":2: expected no header of MLIR, LLVM or moe/"),
    "runtime_includes_compiler": (
        "lib/Runtime/Session.h", include("moe/Support/TargetInfo.h"),
        ":1: expected no header of MLIR, LLVM or moe/"),
    "runtime_includes_compiler_c_api": (
        "lib/Runtime/Session.h", include("moe-c/Compiler.h"),
        ":1: expected no header of the compiler's C API"),
    "runtime_api_includes_llvm": (
        "include/moe-runtime/runtime.h", include("llvm-c/Core.h"),
        ":1: expected no header of MLIR, LLVM or moe/"),
    "run_tool_includes_mlir": (
        "tools/moe-run/Main.cpp", include("mlir/IR/MLIRContext.h"),
        ":1: expected no header of MLIR, LLVM or moe/"),
    "ir_includes_transforms": (
        "lib/Dialect/MoE/IR/PlanOp.cpp",
        include("moe/Dialect/MoE/Transforms/Passes.h"),
        ":1: expected Dialect/MoE/IR to use only Support, Dialect/*/IR, but "
        "got moe/Dialect/MoE/Transforms/Passes.h of Dialect/MoE/Transforms"),
    "ir_header_includes_schedule": (
        "include/moe/Dialect/MoE/IR/MoE.h", include("moe/Schedule/Selector.h"),
        ":1: expected Dialect/MoE/IR to use only"),
    "schedule_includes_conversion": (
        "lib/Schedule/Selector.cpp", include("moe/Conversion/LinalgToGPU.h"),
        ":1: expected Schedule to use only"),
    "conversion_includes_schedule": (
        "lib/Conversion/MoEToLinalg/Plan.cpp",
        include("moe/Schedule/Selector.h"),
        ":1: expected Conversion/MoEToLinalg to use only"),
    "conversion_includes_another": (
        "lib/Conversion/MoEToLinalg/Plan.cpp",
        include("moe/Conversion/LinalgToGPU.h"),
        "of Conversion/LinalgToGPU"),
    "transforms_include_other_transforms": (
        "lib/Dialect/MoE/Transforms/FormKernels.cpp",
        include("moe/Dialect/MoERT/Transforms/Passes.h"),
        ":1: expected Dialect/MoE/Transforms to use only"),
    "derivative_driver_knows_an_op": (
        "lib/Autodiff/Differentiate.cpp", include("moe/Dialect/MoE/IR/MoE.h"),
        ":1: expected Autodiff to use only Support, but got"),
    "vulkan_in_the_compiler": (
        "lib/Target/Bundle/Export.cpp", "#include <vulkan/vulkan.h>\n",
        ":1: expected no Vulkan header outside"),
    "volk_in_a_compiler_tool": (
        "tools/moe-opt/moe-opt.cpp", "#include <volk.h>\n",
        ":1: expected no Vulkan header outside"),
    "compiler_includes_the_runtime": (
        "lib/Target/Bundle/Export.cpp", include("moe-runtime/runtime.h"),
        ":1: expected no header of the runtime outside lib/Runtime"),
    "getenv_in_a_library": (
        "lib/Support/Options.cpp", 'auto v =\n  std::getenv("X");\n',
        ":2: expected options passed down in a struct, "
        "not environment variables, but got getenv"),
    "runtime_links_llvm": (
        "lib/Runtime/CMakeLists.txt",
        "add_library(R a.cpp)\ntarget_link_libraries(R PUBLIC LLVM)\n",
        ":2: expected a target without MLIR and LLVM, but got LLVM"),
    "file_too_long": (
        "python/moe/layer.py", "x\n" * 601,
        ":601: expected at most 600 lines, but got 601"),
    "drawer_file": (
        "lib/Support/ShapeUtils.h", "", "but got ShapeUtils.h"),
    "drawer_folder": (
        "lib/Runtime/Common/Slab.h", "", "but got Common"),
    "drawer_module": (
        "python/moe/_util.py", "", "but got _util.py"),
    "folder_without_a_row": (
        "lib/Gizmo/Gizmo.cpp", "",
        ":1: expected a folder with a row in tools/dev/check-layers, "
        "but got Gizmo"),
}


@pytest.mark.parametrize("path, text, message", BROKEN.values(), ids=BROKEN)
def test_violation_is_reported(tmp_path, path, text, message):
    result = run(tmp_path, {path: text})
    assert path + ":" in result.stdout
    assert message in result.stdout
    assert result.returncode == 1
    assert "1 errors" in result.stdout


def test_local_include_is_resolved(tmp_path):
    result = run(tmp_path, {
        "lib/Conversion/MoEToLinalg/Plan.cpp": include("../GPUToSPIRV/Own.h"),
        "lib/Conversion/GPUToSPIRV/Own.h": "",
    })
    assert "got ../GPUToSPIRV/Own.h of Conversion/GPUToSPIRV" in result.stdout
    assert result.returncode == 1


def test_header_belongs_to_the_folder_of_its_source(tmp_path):
    result = run(tmp_path, {
        "include/moe/Conversion/Dims.h": "",
        "lib/Conversion/LinalgToGPU/Dims.cpp": include("moe/Conversion/Dims.h"),
        "lib/Conversion/MoEToLinalg/Plan.cpp": include("moe/Conversion/Dims.h"),
    })
    assert "lib/Conversion/MoEToLinalg/Plan.cpp:1:" in result.stdout
    assert "1 errors" in result.stdout


def test_link_of_another_layer(tmp_path):
    result = run(tmp_path, {
        "lib/Schedule/CMakeLists.txt":
            "moe_add_library(MoESchedule\n  A.cpp\n  LINK MoEPipelines)\n",
        "lib/Pipelines/CMakeLists.txt":
            "moe_add_library(MoEPipelines B.cpp LINK MoESchedule)\n",
    })
    assert ("lib/Schedule/CMakeLists.txt:1: expected Schedule to use only "
            "Support, Dialect/*/IR, but got MoEPipelines of Pipelines"
            ) in result.stdout
    assert "1 errors" in result.stdout


def test_long_file_is_a_warning(tmp_path):
    result = run(tmp_path, {"lib/Support/Facts.cpp": "\n" * 401})
    assert "warning: expected at most 400 lines, but got 401" in result.stdout
    assert result.returncode == 0


def test_kept_rules_pass(tmp_path):
    result = run(tmp_path, {
        "lib/Runtime/Session.cpp": include(
            "moe-runtime/runtime.h", "moe-bundle/bundle_generated.h")
            + "#include <volk.h>\n",
        "lib/Runtime/CMakeLists.txt":
            "# links neither MLIR nor LLVM\nadd_library(MoERuntime a.cpp)\n",
        "tools/moe-run/Main.cpp": include(
            "moe-runtime/runtime.h", "moe-c/Compiler.h"),
        "tools/moe-opt/moe-opt.cpp": include("moe/InitAll.h"),
        "lib/Dialect/MoE/IR/PlanOp.cpp": include(
            "moe/Dialect/MoE/IR/MoE.h", "mlir/IR/Builders.h"),
        "lib/Schedule/Selector.cpp": include(
            "moe/Dialect/MoE/IR/MoE.h", "moe/Support/TargetInfo.h"),
        "lib/Conversion/MoEToLinalg/Plan.cpp": include(
            "moe/Conversion/MoEToLinalg.h", "moe/Conversion/Passes.h",
            "moe/Conversion/KernelBuilder.h"),
        "lib/Pipelines/Compile.cpp": include(
            "moe/Schedule/Passes.h", "moe/Conversion/Passes.h",
            "moe/Dialect/MoE/Transforms/Passes.h"),
        "lib/Autodiff/MoERules.cpp": include(
            "moe/Dialect/MoE/IR/MoE.h",
            "moe/Autodiff/DerivativeInterface.h"),
        "test/Unit/Runtime/PlanTest.cpp": "#include <vulkan/vulkan.h>\n",
        "lib/Support/A.cpp": "// no getenv here\n",
    })
    assert result.stdout == "layers: 11 files, 0 errors, 0 warnings\n"
    assert result.returncode == 0
