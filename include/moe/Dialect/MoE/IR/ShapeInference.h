//===- ShapeInference.h - Shapes of the moe ops -----------------*- C++ -*-===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// One function per op checks the constraints of the op that its operands and
// attributes decide (C1, C2, … of its description) and infers the types of its
// results. Verifiers, builders and tools share them. Without a location they
// fail without a message.
//
//===----------------------------------------------------------------------===//

#ifndef MOE_DIALECT_MOE_IR_SHAPEINFERENCE_H
#define MOE_DIALECT_MOE_IR_SHAPEINFERENCE_H

#include "moe/Dialect/MoE/IR/MoE.h"

namespace mlir::moe {

LogicalResult inferRoute(std::optional<Location> location, RouteOp::Adaptor op,
                         SmallVectorImpl<Type> &results);
LogicalResult inferPlan(std::optional<Location> location, PlanOp::Adaptor op,
                        SmallVectorImpl<Type> &results);
LogicalResult inferCheckMaps(std::optional<Location> location,
                             CheckMapsOp::Adaptor op,
                             SmallVectorImpl<Type> &results);
LogicalResult inferCheckOffsets(std::optional<Location> location,
                                CheckOffsetsOp::Adaptor op,
                                SmallVectorImpl<Type> &results);
LogicalResult inferDispatch(std::optional<Location> location,
                            DispatchOp::Adaptor op,
                            SmallVectorImpl<Type> &results);
/// The inferred element type is that of lhs; f32 is legal too (C6).
LogicalResult inferGroupedMatmul(std::optional<Location> location,
                                 GroupedMatmulOp::Adaptor op,
                                 SmallVectorImpl<Type> &results);
LogicalResult inferCombine(std::optional<Location> location,
                           CombineOp::Adaptor op,
                           SmallVectorImpl<Type> &results);
/// The inferred element type is f32; that of lhs is legal too (C6).
LogicalResult inferGroupedOuter(std::optional<Location> location,
                                GroupedOuterOp::Adaptor op,
                                SmallVectorImpl<Type> &results);
LogicalResult inferGroupedReduce(std::optional<Location> location,
                                 GroupedReduceOp::Adaptor op,
                                 SmallVectorImpl<Type> &results);
LogicalResult inferCombineWeightGrad(std::optional<Location> location,
                                     CombineWeightGradOp::Adaptor op,
                                     SmallVectorImpl<Type> &results);
LogicalResult inferRouteWeights(std::optional<Location> location,
                                RouteWeightsOp::Adaptor op,
                                SmallVectorImpl<Type> &results);
LogicalResult inferRouteGrad(std::optional<Location> location,
                             RouteGradOp::Adaptor op,
                             SmallVectorImpl<Type> &results);
LogicalResult inferTiles(std::optional<Location> location, TilesOp::Adaptor op,
                         SmallVectorImpl<Type> &results);

} // namespace mlir::moe

#endif // MOE_DIALECT_MOE_IR_SHAPEINFERENCE_H
