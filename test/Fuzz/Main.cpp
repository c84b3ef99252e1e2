//===- Main.cpp - Mutated tests through every pass and pipeline -----------===//
//
// Part of the moe project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Mutations run in children of this process, a few in each: what one leaves
// behind is gone soon, and seed and number repeat it.
//
//===----------------------------------------------------------------------===//

#include "Child.h"
#include "Corpus.h"
#include "Mutator.h"
#include "Reduce.h"
#include "Run.h"
#include "Trace.h"

#include "mlir/Pass/PassRegistry.h"
#include "moe/InitAll.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <map>

using namespace mlir::moe::fuzz;
using llvm::StringRef;
using mlir::MLIRContext;

// Enough that starting a child costs less than what it does.
static constexpr uint64_t perChild = 16;

static llvm::cl::opt<std::string> folder(llvm::cl::Positional,
                                         llvm::cl::desc("<folder of tests>"),
                                         llvm::cl::Required);
static llvm::cl::opt<uint64_t> seed("seed", llvm::cl::desc("what to repeat"),
                                    llvm::cl::init(1));
static llvm::cl::opt<uint64_t>
    first("first", llvm::cl::desc("the first mutation"), llvm::cl::init(0));
static llvm::cl::opt<uint64_t>
    count("count", llvm::cl::desc("how many mutations"), llvm::cl::init(1000));
static llvm::cl::opt<unsigned>
    limit("limit", llvm::cl::desc("stop after so many seconds (0: never)"),
          llvm::cl::init(0));
static llvm::cl::opt<unsigned>
    seconds("seconds", llvm::cl::desc("processor time of one mutation"),
            llvm::cl::init(10));
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MOE_HAS_SHADOW_MEMORY
#endif
#endif
#ifdef MOE_HAS_SHADOW_MEMORY
static constexpr unsigned defaultMegabytes = 0;
#else
static constexpr unsigned defaultMegabytes = 4096;
#endif
static llvm::cl::opt<unsigned>
    megabytes("megabytes",
              llvm::cl::desc("memory of one mutation (0: no limit)"),
              llvm::cl::init(defaultMegabytes));
static llvm::cl::opt<std::string>
    out("out", llvm::cl::desc("folder for inputs that crash, reduced"));
static llvm::cl::opt<bool>
    print("print",
          llvm::cl::desc(
              "print the last mutation of each child, its passes, its end"));

static llvm::cl::opt<bool>
    unchanged("unchanged",
              llvm::cl::desc("each part as it is through each pass instead"));

// What llvm::cl has learned of our passes is the only list of them.
static std::vector<std::string> collectPasses() {
  static mlir::PassPipelineCLParser parser("", "passes");
  std::vector<std::string> names;
  for (auto &[name, option] : llvm::cl::getRegisteredOptions())
    if (mlir::PassInfo::lookup(name) || mlir::PassPipelineInfo::lookup(name))
      names.push_back(name.str());
  llvm::sort(names);
  return names;
}

// A pass with options, where it has some.
static std::string withOptions(StringRef name, Random &random) {
  static const StringRef targets[] = {"lavapipe", "nvidia", "amd32", "amd64",
                                      "minimal"};
  static const StringRef stages[] = {"kernels", "schedule", "linalg",
                                     "gpu",     "spirv",    "program"};
  static const StringRef derivatives[] = {
      "mode=split", "save=minimal", "mode=split save=minimal",
      "wrt=0",      "wrt=1",        "wrt=0,1",
      "wrt=-1",     "wrt=7"};
  std::string options;
  if (name == "moe-differentiate")
    options = random.pick<StringRef>(derivatives).str();
  else if (name == "moe-compile-pipeline")
    options = ("target=" + random.pick<StringRef>(targets) +
               " stop-after=" + random.pick<StringRef>(stages))
                  .str();
  else if (name.ends_with("-pipeline"))
    options = ("target=" + random.pick<StringRef>(targets)).str();
  else if (name == "moe-check-limits" || name == "moe-check-schedule" ||
           name == "moe-select-schedule")
    options = ("target=" + random.pick<StringRef>(targets)).str();
  else if (name == "moe-fuse-elementwise")
    options = "max-storage-buffers=3";
  else if (name == "moe-fit-interfaces")
    options = random.once(2) ? "max-storage-buffers=1 max-push-constants=4"
                             : "max-storage-buffers=3";
  if (name.ends_with("-pipeline") && !options.empty() && random.once(4))
    options += " reference=true";
  return options.empty() || random.once(3) ? name.str()
                                           : (name + "{" + options + "}").str();
}

static End runMutation(MLIRContext &context, const Corpus &corpus,
                       llvm::ArrayRef<std::string> names, uint64_t number) {
  Random random(seed, number);
  if (unchanged)
    return runPasses(context, corpus.parts[number / names.size()].text,
                     {withOptions(names[number % names.size()], random)});
  const Part &part = random.pick<Part>(corpus.parts);
  std::string text = part.text;
  // A third starts from what a few stages make of the part.
  if (random.once(3)) {
    static const StringRef stages[] = {"kernels", "schedule", "linalg", "gpu",
                                       "spirv"};
    std::string staged, stage = random.pick<StringRef>(stages).str();
    End end =
        runPasses(context, text,
                  {"moe-compile-pipeline{stop-after=" + stage + "}"}, &staged);
    if (isFault(end))
      return end;
    if (end == End::Passed)
      text = staged;
  }
  bool changesText = random.once(3);
  if (!changesText || random.once(2))
    (void)mutateText(context, text, 1 + random.below(4), random);
  if (changesText)
    text = mutate(std::move(text), corpus, random);

  std::vector<std::string> passes;
  if (!part.passes.empty() && random.once(3))
    passes = part.passes;
  else if (random.once(3))
    passes = {withOptions("moe-compile-pipeline", random)};
  else
    passes = {withOptions(random.pick<std::string>(names), random)};
  if (random.once(4))
    passes.push_back(withOptions("moe-compile-pipeline", random));
  if (random.once(StringRef(passes.back()).contains("compile") ? 2 : 20))
    passes.push_back("export");
  return runPasses(context, text, passes);
}

namespace {
/// All faults at one place.
struct Fault {
  size_t times = 0;
  Outcome first;
  Trace trace;

  bool isOurs() const {
    return first.end == End::Silent ||
           (first.end == End::Crashed && trace.ours);
  }
  StringRef kind() const {
    return first.end == End::Silent     ? "silent"
           : first.end == End::TimedOut ? "slow"
           : trace.ours                 ? "crash"
                                        : "upstream";
  }
};
} // namespace

static Trace traceOf(const Outcome &outcome, Tracer &tracer) {
  if (outcome.end != End::Silent)
    return tracer.trace(outcome);
  Trace trace;
  trace.signature = "no message from " + llvm::join(outcome.passes, " ");
  return trace;
}

// Leaves out what the fault does not need, and writes the rest.
static void writeFault(const Fault &fault, unsigned index, MLIRContext &context,
                       Limits limits, Tracer &tracer) {
  std::string text = fault.first.text;
  std::vector<std::string> passes = fault.first.passes;
  auto holds = [&](const std::string &text,
                   const std::vector<std::string> &passes) {
    Outcome outcome = runInChild(limits, 0, 1, [&](uint64_t) {
      return runPasses(context, text, passes);
    });
    return outcome.end == fault.first.end &&
           (outcome.end == End::Silent ||
            tracer.trace(outcome).signature == fault.trace.signature);
  };
  if (fault.first.end != End::TimedOut && holds(text, passes)) {
    for (size_t at = 0; at < passes.size();) {
      std::vector<std::string> fewer = passes;
      fewer.erase(fewer.begin() + at);
      if (holds(text, fewer))
        passes = fewer;
      else
        ++at;
    }
    text = reduceLines(
        text, [&](const std::string &text) { return holds(text, passes); });
  }
  std::error_code error;
  llvm::raw_fd_ostream stream(out + "/" + fault.kind().str() + "-" +
                                  std::to_string(index) + ".mlir",
                              error);
  stream << "// passes: " << llvm::join(passes, " ") << "\n// "
         << fault.trace.signature << "\n// seed " << seed << ", mutation "
         << fault.first.number << "\n"
         << text;
  for (StringRef line : llvm::split(StringRef(fault.trace.text).rtrim(), '\n'))
    stream << "//" << line << "\n";
}

int main(int argc, char **argv) {
  mlir::moe::registerAllPasses();
  std::vector<std::string> names = collectPasses();
  llvm::cl::ParseCommandLineOptions(
      argc, argv, "mutated tests through every pass and pipeline\n");
  mlir::DialectRegistry registry;
  mlir::moe::registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();

  Corpus corpus = readCorpus(folder, names);
  if (corpus.parts.empty()) {
    llvm::errs() << "expected .mlir files below '" << folder
                 << "', but got none\n";
    return 2;
  }
  if (!out.empty())
    llvm::sys::fs::create_directories(out);
  if (unchanged)
    count = corpus.parts.size() * names.size() - first;
  Limits limits{seconds, megabytes};
  Tracer tracer(MOE_SOURCE_DIR);

  size_t ends[numEnds] = {};
  std::map<std::string, Fault> faults;
  auto started = std::chrono::steady_clock::now();
  uint64_t next = first, end = first + count;
  while (next < end) {
    if (limit && std::chrono::steady_clock::now() - started >=
                     std::chrono::seconds(limit))
      break;
    Outcome outcome =
        runInChild(limits, next, std::min<uint64_t>(end - next, perChild),
                   [&](uint64_t number) {
                     return runMutation(context, corpus, names, number);
                   });
    next = outcome.number + 1;
    for (unsigned kind = 0; kind < numEnds; ++kind)
      ends[kind] += outcome.ends[kind];
    if (print)
      llvm::outs() << outcome.text
                   << "\n// passes: " << llvm::join(outcome.passes, " ")
                   << "\n// end: " << unsigned(outcome.end) << "\n";
    if (!isFault(outcome.end))
      continue;
    Trace trace = traceOf(outcome, tracer);
    Fault &fault = faults[trace.signature];
    if (fault.times++ == 0)
      fault = {1, outcome, trace};
  }

  size_t ours = 0, upstream = 0;
  unsigned index = 0;
  for (auto &[signature, fault] : faults) {
    if (fault.first.end != End::TimedOut)
      (fault.isOurs() ? ours : upstream) += fault.times;
    llvm::outs() << fault.kind() << ": " << signature << "\n    " << fault.times
                 << " times, first by --seed=" << seed
                 << " --first=" << fault.first.number << " --count=1\n";
    if (!out.empty())
      writeFault(fault, index++, context, limits, tracer);
  }
  auto number = [&](End end) { return ends[unsigned(end)]; };
  llvm::outs() << "seed " << seed << ", " << next - first << " mutations of "
               << corpus.parts.size() << " parts, " << names.size()
               << " passes and pipelines: " << number(End::Unparsed)
               << " not parsed, " << number(End::Refused) << " refused, "
               << number(End::Passed) << " passed, " << number(End::TimedOut)
               << " too slow; " << ours << " faults of ours, " << upstream
               << " crashes upstream\n";
  return ours ? 1 : 0;
}
