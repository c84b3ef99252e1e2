"""Makes each test of the GoogleTest programs a test of lit."""

import os

import lit.formats

config.name = "MoE-Unit"
config.test_format = lit.formats.GoogleTest(".", "Tests")
config.excludes = ["CMakeFiles", "Inputs"]
config.test_source_root = config.test_exec_root = config.moe_unit_tests

# What the Vulkan loader and its drivers look at.
for name in ("HOME", "VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_LAYER_PATH",
             "XDG_CACHE_HOME", "XDG_DATA_DIRS", "XDG_RUNTIME_DIR"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
