// RUN: moe-opt %s -split-input-file --moe-spirv-pipeline=target=minimal | FileCheck %s

// The target's environment, unless the module has one of its own.

// CHECK: module attributes {spirv.target_env = #spirv.target_env<#spirv.vce<v1.3, [Shader, {{.*}}<subgroup_size = 4, 
module {}

// -----

// CHECK: module attributes {spirv.target_env = #spirv.target_env<#spirv.vce<v1.5, [Shader], []>, #spirv.resource_limits<>>}
module attributes {spirv.target_env = #spirv.target_env<#spirv.vce<v1.5, [Shader], []>, #spirv.resource_limits<>>} {}
