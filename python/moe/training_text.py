"""The parts of a training step, as text with the sizes left open."""

MAPS = """\
#elementwise = affine_map<(row, column) -> (row, column)>
#row = affine_map<(row, column) -> (row)>
#column = affine_map<(row, column) -> (column)>
#map1 = affine_map<(a) -> (a)>
#map2 = affine_map<(a, b) -> (a, b)>
#map3 = affine_map<(a, b, c) -> (a, b, c)>
#scalar0 = affine_map<() -> ()>
#scalar1 = affine_map<(a) -> ()>
#scalar2 = affine_map<(a, b) -> ()>
#scalar3 = affine_map<(a, b, c) -> ()>
"""

PROJECT_IN = """\
func.func private @loss($signature, %x: tensor<?x${F}xf32>, %labels: tensor<?xi32>)
    -> (tensor<f32>, tensor<i32>, tensor<${E}xi32>, tensor<?x${K}xi32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %count = tensor.dim %x, %c0 : tensor<?x${F}xf32>
  %count_i32 = arith.index_cast %count : index to i32
  %count_f32 = arith.sitofp %count_i32 : i32 to f32
  %scalar = tensor.empty() : tensor<f32>
  %scalar_zero = linalg.fill ins(%zero : f32) outs(%scalar : tensor<f32>) -> tensor<f32>
  %token = tensor.empty(%count) : tensor<?xf32>
  %token_zero = linalg.fill ins(%zero : f32) outs(%token : tensor<?xf32>) -> tensor<?xf32>
  %token_lowest = linalg.fill ins(%lowest : f32) outs(%token : tensor<?xf32>) -> tensor<?xf32>

  // Features to tokens.
  %h_empty = tensor.empty(%count) : tensor<?x${H}xf32>
  %h_bias = linalg.broadcast ins(%b_in : tensor<${H}xf32>) outs(%h_empty : tensor<?x${H}xf32>) dimensions = [0]
  %h_zero = linalg.fill ins(%zero : f32) outs(%h_empty : tensor<?x${H}xf32>) -> tensor<?x${H}xf32>
  %h_product = linalg.matmul ins(%x, %w_in : tensor<?x${F}xf32>, tensor<${F}x${H}xf32>)
      outs(%h_zero : tensor<?x${H}xf32>) -> tensor<?x${H}xf32>
  %h = arith.addf %h_product, %h_bias : tensor<?x${H}xf32>

"""

PROJECT_OUT = """

  // Tokens to classes.
  %sum_h = arith.addf %h, %out : tensor<?x${H}xf32>
  %class_empty = tensor.empty(%count) : tensor<?x${C}xf32>
  %class_bias = linalg.broadcast ins(%b_out : tensor<${C}xf32>) outs(%class_empty : tensor<?x${C}xf32>) dimensions = [0]
  %class_zero = linalg.fill ins(%zero : f32) outs(%class_empty : tensor<?x${C}xf32>) -> tensor<?x${C}xf32>
  %class_product = linalg.matmul ins(%sum_h, %w_out : tensor<?x${H}xf32>, tensor<${H}x${C}xf32>)
      outs(%class_zero : tensor<?x${C}xf32>) -> tensor<?x${C}xf32>
  %classes = arith.addf %class_product, %class_bias : tensor<?x${C}xf32>
"""


def _log_sum_exp(name, scores, width):
    """log Σ exp of each row, from its largest element on."""
    kind = f"tensor<?x{width}xf32>"
    return f"""\
  %{name}_largest = linalg.reduce {{ arith.maximumf }}
      ins({scores} : {kind}) outs(%token_lowest : tensor<?xf32>) dimensions = [1]
  %{name}_sum = linalg.generic {{
      indexing_maps = [#elementwise, #row, #row], iterator_types = ["parallel", "reduction"]}}
      ins({scores}, %{name}_largest : {kind}, tensor<?xf32>) outs(%token_zero : tensor<?xf32>) {{
  ^bb0(%a: f32, %largest: f32, %sum: f32):
    %less = arith.subf %a, %largest : f32
    %power = math.exp %less : f32
    %next = arith.addf %sum, %power : f32
    linalg.yield %next : f32
  }} -> tensor<?xf32>
  %{name}_log = math.log %{name}_sum : tensor<?xf32>
  %{name} = arith.addf %{name}_log, %{name}_largest : tensor<?xf32>
"""


LOSS = """
  // Mean cross entropy, and how many tokens have their label's class on top.
""" + _log_sum_exp("class_lse", "%classes", "${C}") + """\
  %picked = linalg.generic {
      indexing_maps = [#elementwise, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%classes, %labels : tensor<?x${C}xf32>, tensor<?xi32>) outs(%token_zero : tensor<?xf32>) {
  ^bb0(%a: f32, %label: i32, %sum: f32):
    %column = linalg.index 1 : index
    %column_i32 = arith.index_cast %column : index to i32
    %is_label = arith.cmpi eq, %column_i32, %label : i32
    %chosen = arith.select %is_label, %a, %zero : f32
    %next = arith.addf %sum, %chosen : f32
    linalg.yield %next : f32
  } -> tensor<?xf32>
  %surprise = arith.subf %class_lse, %picked : tensor<?xf32>
  %surprises = linalg.reduce { arith.addf }
      ins(%surprise : tensor<?xf32>) outs(%scalar_zero : tensor<f32>) dimensions = [0]
  // The label's score is read by its position: a label that is no class is a
  // fault, which ends the run and leaves all state as it was.
  %right_empty = tensor.empty(%count) : tensor<?xi32>
  %is_right = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel"]}
      ins(%labels, %class_lse_largest : tensor<?xi32>, tensor<?xf32>) outs(%right_empty : tensor<?xi32>) {
  ^bb0(%label: i32, %largest: f32, %init: i32):
    %token_number = linalg.index 0 : index
    %class = arith.index_cast %label : i32 to index
    %a = tensor.extract %classes[%token_number, %class] : tensor<?x${C}xf32>
    %on_top = arith.cmpf oge, %a, %largest : f32
    %one_or_none = arith.extui %on_top : i1 to i32
    linalg.yield %one_or_none : i32
  } -> tensor<?xi32>
  %none = arith.constant dense<0> : tensor<i32>
  %right = linalg.reduce { arith.addi }
      ins(%is_right : tensor<?xi32>) outs(%none : tensor<i32>) dimensions = [0]

  // The experts' load: their shares of the slots times their mean scores.
  %ends = tensor.extract_slice %offsets[1] [${E}] [1] : tensor<${E1}xi32> to tensor<${E}xi32>
  %starts = tensor.extract_slice %offsets[0] [${E}] [1] : tensor<${E1}xi32> to tensor<${E}xi32>
  %counts = arith.subi %ends, %starts : tensor<${E}xi32>
  %scores_empty = tensor.empty(%count) : tensor<?x${E}xf32>
  %scores = linalg.softmax dimension(1) ins(%logits : tensor<?x${E}xf32>)
      outs(%scores_empty : tensor<?x${E}xf32>) -> tensor<?x${E}xf32>
  %expert = tensor.empty() : tensor<${E}xf32>
  %expert_zero = linalg.fill ins(%zero : f32) outs(%expert : tensor<${E}xf32>) -> tensor<${E}xf32>
  %expert_scores = linalg.reduce { arith.addf }
      ins(%scores : tensor<?x${E}xf32>) outs(%expert_zero : tensor<${E}xf32>) dimensions = [0]
  %load = arith.sitofp %counts : tensor<${E}xi32> to tensor<${E}xf32>
  %loads = arith.mulf %load, %expert_scores : tensor<${E}xf32>
  %imbalance = linalg.reduce { arith.addf }
      ins(%loads : tensor<${E}xf32>) outs(%scalar_zero : tensor<f32>) dimensions = [0]

  // Large router logits cost too.
""" + _log_sum_exp("router_lse", "%logits", "${E}") + """\
  %z = arith.mulf %router_lse, %router_lse : tensor<?xf32>
  %zs = linalg.reduce { arith.addf }
      ins(%z : tensor<?xf32>) outs(%scalar_zero : tensor<f32>) dimensions = [0]

  %loss = linalg.generic {
      indexing_maps = [#scalar0, #scalar0, #scalar0, #scalar0], iterator_types = []}
      ins(%surprises, %imbalance, %zs : tensor<f32>, tensor<f32>, tensor<f32>)
      outs(%scalar : tensor<f32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %init: f32):
    %balance = arith.constant ${balance} : f32
    %z_factor = arith.constant ${z} : f32
    %top_k = arith.constant ${K}.0 : f32
    %slot_count = arith.mulf %count_f32, %top_k : f32
    %share = arith.divf %b, %slot_count : f32
    %balanced = arith.mulf %balance, %share : f32
    %calm = arith.mulf %z_factor, %c : f32
    %first = arith.addf %a, %balanced : f32
    %total = arith.addf %first, %calm : f32
    %mean = arith.divf %total, %count_f32 : f32
    %some = arith.cmpf ogt, %count_f32, %zero : f32
    %loss_or_none = arith.select %some, %mean, %zero : f32
    linalg.yield %loss_or_none : f32
  } -> tensor<f32>
  return %loss, %right, %counts, %indices
      : tensor<f32>, tensor<i32>, tensor<${E}xi32>, tensor<?x${K}xi32>
}
"""

# A mean moves by (1 − β) of its distance: 1 − β keeps its digits in f32, where β
# next to 1 has lost them. Without tokens all stays as it is.
ADAM = """\
func.func private @${name}(%p: ${type}, %m: ${type}, %v: ${type}, %g: ${type},
    %rate: tensor<f32>, %scale1: tensor<f32>, %scale2: tensor<f32>, %tokens: index)
    -> (${type}, ${type}, ${type}) {
  %c0 = arith.constant 0 : index
  %some = arith.cmpi ne, %tokens, %c0 : index
  %empty = tensor.empty() : ${type}
  %next:3 = linalg.generic {
      indexing_maps = [${map}, ${map}, ${map}, ${map}, ${scalar}, ${scalar}, ${scalar}, ${map}, ${map}, ${map}],
      iterator_types = [${loops}]}
      ins(%p, %m, %v, %g, %rate, %scale1, %scale2
          : ${type}, ${type}, ${type}, ${type}, tensor<f32>, tensor<f32>, tensor<f32>)
      outs(%empty, %empty, %empty : ${type}, ${type}, ${type}) {
  ^bb0(%old: f32, %mean: f32, %square: f32, %gradient: f32, %r: f32, %s1: f32, %s2: f32,
       %init0: f32, %init1: f32, %init2: f32):
    %rest1 = arith.constant ${rest1} : f32
    %rest2 = arith.constant ${rest2} : f32
    %epsilon = arith.constant ${epsilon} : f32
    %decay = arith.constant ${decay} : f32
    %0 = arith.subf %gradient, %mean : f32
    %1 = arith.mulf %0, %rest1 : f32
    %new_m = arith.addf %mean, %1 : f32
    %2 = arith.mulf %gradient, %gradient : f32
    %3 = arith.subf %2, %square : f32
    %4 = arith.mulf %3, %rest2 : f32
    %new_v = arith.addf %square, %4 : f32
    %5 = arith.mulf %new_m, %s1 : f32
    %6 = arith.mulf %new_v, %s2 : f32
    %7 = math.sqrt %6 : f32
    %8 = arith.addf %7, %epsilon : f32
    %9 = arith.divf %5, %8 : f32
    %10 = arith.mulf %old, %decay : f32
    %11 = arith.addf %9, %10 : f32
    %12 = arith.mulf %11, %r : f32
    %new_p = arith.subf %old, %12 : f32
    %next_p = arith.select %some, %new_p, %old : f32
    %next_m = arith.select %some, %new_m, %mean : f32
    %next_v = arith.select %some, %new_v, %square : f32
    linalg.yield %next_p, %next_m, %next_v : f32, f32, f32
  } -> (${type}, ${type}, ${type})
  return %next#0, %next#1, %next#2 : ${type}, ${type}, ${type}
}
"""

# The scales 1/(1 − βⁿ) fall from large values to 1; n counts from 1. 1 − βⁿ is
# −expm1(n · log β), which does not cancel where β is next to 1. n stays at the
# largest i32: it has no effect long before.
STEP = """\
func.func private @loss_vjp($signature, %x: tensor<?x${F}xf32>, %labels: tensor<?xi32>, %dloss: tensor<f32>)
    -> (tensor<f32>, tensor<i32>, tensor<${E}xi32>, tensor<?x${K}xi32>, $types)

func.func private @scale(%n: tensor<i32>, %log_beta: f32) -> tensor<f32> {
  %empty = tensor.empty() : tensor<f32>
  %scale = linalg.generic {indexing_maps = [#scalar0, #scalar0], iterator_types = []}
      ins(%n : tensor<i32>) outs(%empty : tensor<f32>) {
  ^bb0(%count: i32, %init: f32):
    %minus_one = arith.constant -1.0 : f32
    %f = arith.sitofp %count : i32 to f32
    %exponent = arith.mulf %f, %log_beta : f32
    %less = math.expm1 %exponent : f32
    %inverse = arith.divf %minus_one, %less : f32
    linalg.yield %inverse : f32
  } -> tensor<f32>
  return %scale : tensor<f32>
}

func.func @train_step(%x: tensor<?x${F}xf32> {moe.name = "x"}, %labels: tensor<?xi32> {moe.name = "labels"},
    %rate: tensor<f32> {moe.name = "rate"}, %n: tensor<i32> {moe.name = "n", moe.aliases_result = 4 : i64},
    $arguments)
    -> (tensor<f32>, tensor<i32>, tensor<${E}xi32>, tensor<?x${K}xi32>, tensor<i32>, $all_types) {
  %dloss = arith.constant dense<1.0> : tensor<f32>
  %all:$count = func.call @loss_vjp($parameters, %x, %labels, %dloss)
      : ($types, tensor<?x${F}xf32>, tensor<?xi32>, tensor<f32>)
      -> (tensor<f32>, tensor<i32>, tensor<${E}xi32>, tensor<?x${K}xi32>, $types)
  %c0 = arith.constant 0 : index
  %tokens = tensor.dim %x, %c0 : tensor<?x${F}xf32>
  %n_empty = tensor.empty() : tensor<i32>
  %next_n = linalg.generic {indexing_maps = [#scalar0, #scalar0], iterator_types = []}
      ins(%n : tensor<i32>) outs(%n_empty : tensor<i32>) {
  ^bb0(%old: i32, %init: i32):
    %one = arith.constant 1 : i32
    %last = arith.constant 2147483646 : i32
    %bounded = arith.minsi %old, %last : i32
    %more = arith.addi %bounded, %one : i32
    %some = arith.cmpi ne, %tokens, %c0 : index
    %next = arith.select %some, %more, %old : i32
    linalg.yield %next : i32
  } -> tensor<i32>
  %log_beta1 = arith.constant ${log_beta1} : f32
  %log_beta2 = arith.constant ${log_beta2} : f32
  %scale1 = func.call @scale(%next_n, %log_beta1) : (tensor<i32>, f32) -> tensor<f32>
  %scale2 = func.call @scale(%next_n, %log_beta2) : (tensor<i32>, f32) -> tensor<f32>
$calls
  return %all#0, %all#1, %all#2, %all#3, %next_n, $results
      : tensor<f32>, tensor<i32>, tensor<${E}xi32>, tensor<?x${K}xi32>, tensor<i32>, $all_types
}
"""

EVALUATE = """\
func.func @evaluate(%x: tensor<?x${F}xf32>, %labels: tensor<?xi32>, $signature)
    -> (tensor<f32>, tensor<i32>, tensor<${E}xi32>) {
  %loss:4 = func.call @loss($parameters, %x, %labels)
      : ($types, tensor<?x${F}xf32>, tensor<?xi32>)
      -> (tensor<f32>, tensor<i32>, tensor<${E}xi32>, tensor<?x${K}xi32>)
  return %loss#0, %loss#1, %loss#2 : tensor<f32>, tensor<i32>, tensor<${E}xi32>
}
"""
