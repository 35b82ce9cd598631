// SPDX-License-Identifier: Apache-2.0
#include "analyze/code/stack_class.h"

#include <gtest/gtest.h>

#include <random>

#include "testing/call_stacks.h"

namespace steptrace::analyze {
namespace {

StackRegion RegionOf(const std::vector<Frame>& frames) {
  return Stacks().ClassOf(frames).region;
}

TEST(StackClassTest, RegionsOfTheTrainingThread) {
  using enum StackRegion;
  const Frame forward{"Net.forward", "/job/net.py"};
  const Frame functional{"relu", kTorch + "nn/functional.py"};
  const Frame backward{"Tensor.backward", kTorch + "_tensor.py"};
  EXPECT_EQ(RegionOf({kMain, kTrain}), kElsewhere);
  EXPECT_EQ(RegionOf({kMain, kTrain, kModule, forward}), kForward);
  EXPECT_EQ(RegionOf({kMain, kTrain, functional}), kForward);
  EXPECT_EQ(RegionOf({kMain, kTrain, backward}), kBackward);
  EXPECT_EQ(RegionOf({kMain, kTrain, kOptim, {"SGD.step", kTorch + "optim/sgd.py"}}), kOptimizer);
  EXPECT_EQ(RegionOf({kMain, kTrain, kOptim, {"Mine.step", "/job/opt.py"}}), kOptimizer);
  EXPECT_EQ(RegionOf({kMain, kTrain, kNext}), kAround);
  const Frame order{"Order.__iter__", "/job/order.py"};
  EXPECT_EQ(RegionOf({kMain, kTrain, kNext, order}), kSampler);
  EXPECT_EQ(RegionOf({kMain, kTrain, kNext, order, functional}), kSampler);
  EXPECT_EQ(RegionOf({kMain, kTrain, kNext, order, analyze::kFetch}), kFetch);
  EXPECT_EQ(RegionOf({kMain, kTrain, {"save", kTorch + "serialization.py"}}), kAround);
  EXPECT_EQ(RegionOf({kMain, kNoGrad, {"evaluate", "/job/train.py"}}), kElsewhere);
  EXPECT_EQ(RegionOf({kMain, {"fit", kPackages + "lightning/pytorch/loops/fit_loop.py"}}),
            kFramework);
  // A closure holds the whole training: what is in it is told by what it calls.
  const Frame closure{"train.<locals>.closure", "/job/train.py"};
  EXPECT_EQ(RegionOf({kMain, kOptim, closure}), kElsewhere);
  EXPECT_EQ(RegionOf({kMain, kOptim, closure, kModule, forward}), kForward);
  // What modules call on the way to an operator stays the model's.
  EXPECT_EQ(RegionOf({kMain, kModule, forward, {"mix", "/job/net.py"}}), kForward);
}

std::string NamedBy(const std::vector<Frame>& frames) {
  Stacks stacks;
  const StackClass of = stacks.ClassOf(frames);
  if (of.stage != WorkStage::kLogging || of.region != StackRegion::kElsewhere) return "-";
  return stacks.FunctionOf(of.frames.user) + " " + stacks.FunctionOf(of.frames.call);
}

TEST(StackClassTest, AFrameworksLogHasAllThatItComputes) {
  const std::string lightning = kPackages + "lightning/pytorch/";
  const Frame loop{"_TrainingEpochLoop.advance", lightning + "loops/training_epoch_loop.py"};
  const Frame step{"Net.training_step", "/job/net.py", 12};
  const Frame log{"LightningModule.log_dict", lightning + "core/module.py"};
  const Frame metric{"Metric.forward", kPackages + "torchmetrics/metric.py"};
  const Frame add{"torch.add", "<built-in torch>"};
  const char* named = "Net.training_step LightningModule.log_dict";
  EXPECT_EQ(NamedBy({kMain, loop, step, log, kModule, metric, add}), named);
  EXPECT_EQ(NamedBy({kMain, loop, kModule, step, log, add}), named) << "a strategy's module calls";
  EXPECT_EQ(NamedBy({kMain, loop, step, kModule, metric, add}), "Net.training_step Metric.forward");
  // Of what the loop itself writes, the log says more than what the script called to train.
  const Frame csv{"CSVLogger.save", lightning + "loggers/csv_logs.py"};
  EXPECT_EQ(NamedBy({kMain, loop, csv, {"open", "<built-in>"}}), "main CSVLogger.save");
  EXPECT_EQ(NamedBy({kMain, loop, step, kModule, {"relu", kTorch + "nn/functional.py"}}), "-");
}

TEST(StackClassTest, ALogOfTheScriptsHasAllThatItCalls) {
  const Frame write{"write_metrics", "/job/log.py", 5};
  const Frame curve{"curve", "/job/log.py", 30};
  const Frame sort{"Tensor.argsort", kTorch + "_tensor.py"};
  EXPECT_EQ(NamedBy({kMain, write, curve, sort}), "write_metrics -");
  EXPECT_EQ(NamedBy({kMain, write, {"json.dumps", "<built-in>"}}), "write_metrics json.dumps");
  const Frame backward{"Tensor.backward", kTorch + "_tensor.py"};
  EXPECT_EQ(RegionOf({kMain, write, backward}), StackRegion::kBackward);
  const Frame catcher{"Logger.catch.<locals>.catch_wrapper", kPackages + "loguru/_logger.py"};
  EXPECT_EQ(NamedBy({kMain, catcher, kTrain}), "train -");
  EXPECT_EQ(RegionOf({kMain, catcher, kTrain, backward}), StackRegion::kBackward);
}

TEST(StackClassTest, CodeThatCallsTorchIsKnownByItsOwnLines) {
  const Frame cell{"cell", "/job/train.py", 20};
  Stacks stacks;
  const auto plain = static_cast<size_t>(stacks.Add({kMain, {"simulate", "/job/env.py"}}));
  const auto own = static_cast<size_t>(stacks.Add({kMain, cell}));
  stacks.Add({kMain, cell, {"torch.sigmoid", "<built-in torch>", 20}});
  const auto update =
      static_cast<size_t>(stacks.Add({kMain, kNoGrad, {"Ema.update", "/job/train.py"}}));
  const auto classes = stacks.Classify();
  EXPECT_FALSE(classes[plain].user.calls_torch);
  EXPECT_TRUE(classes[own].user.calls_torch);
  EXPECT_FALSE(classes[own].around.gradless);
  EXPECT_TRUE(classes[update].around.gradless);
}

TEST(StackClassTest, RegionsOfAWorker) {
  const Frame collate{"default_collate", kTorch + "utils/data/_utils/collate.py"};
  const Frame list{"_MapDatasetFetcher.fetch.<locals>.<listcomp>",
                   kTorch + "utils/data/_utils/fetch.py", 52};
  EXPECT_EQ(RegionOf({kMain, kWorker}), StackRegion::kAround);
  EXPECT_EQ(RegionOf({kMain, kWorker, kFetch}), StackRegion::kFetch);
  EXPECT_EQ(RegionOf({kMain, kWorker, kFetch, list, kGetitem}), StackRegion::kFetch);
  EXPECT_EQ(RegionOf({kMain, kWorker, kFetch, collate}), StackRegion::kCollate);
  EXPECT_EQ(RegionOf({kMain, kWorker, kFetch, collate, {"burn", "/job/a.py"}}),
            StackRegion::kCollate);
  EXPECT_EQ(RegionOf({kMain, kWorker, kFetch, {"main.<locals>.collate", "/job/a.py"}}),
            StackRegion::kCollate);
  // What a dataset calls is the dataset's, torch or not.
  EXPECT_EQ(RegionOf({kMain, kWorker, kFetch, kGetitem, kModule}), StackRegion::kFetch);
}

TEST(StackClassTest, ACollateFunctionIsKnownByTheLoadersFact) {
  Stacks stacks;
  const auto last = static_cast<size_t>(
      stacks.Add({kMain, kWorker, kFetch, {"train.<locals>.pack", "/job/a.py"}}));
  EXPECT_EQ(stacks.Classify()[last].region, StackRegion::kFetch);
  const auto region = [&](const char* name) {
    return stacks.Classify({.names = {name}, .lines = {}})[last].region;
  };
  EXPECT_EQ(region("__main__.train.<locals>.pack"), StackRegion::kCollate);
  EXPECT_EQ(region("__main__.pick"), StackRegion::kFetch);
}

// An object, a partial, what a decorator made: the line of torch's that calls it tells.
TEST(StackClassTest, WhatCollatesIsKnownByTheLineThatCallsIt) {
  Stacks stacks;
  const std::string file = kTorch + "utils/data/_utils/fetch.py";
  const auto add = [&](const Frame& fetch, const Frame& called) {
    return static_cast<size_t>(stacks.Add({kMain, kWorker, fetch, called}));
  };
  const Frame wrapper{"no_grad.<locals>.wrapper", "/job/a.py"};
  const size_t object = add({"_MapDatasetFetcher.fetch", file, 50}, {"Mine.__call__", "/job/a.py"});
  const size_t collates = add({"_MapDatasetFetcher.fetch", file, 54}, wrapper);
  const size_t fetches = add({"_MapDatasetFetcher.fetch", file, 52}, wrapper);
  const size_t other = add({"_IterableDatasetFetcher.fetch", file, 54}, wrapper);
  const auto classes =
      stacks.Classify({.names = {"__main__.Mine"}, .lines = {{"_MapDatasetFetcher.fetch", 54}}});
  EXPECT_EQ(classes[object].region, StackRegion::kCollate);  // the class has its name
  EXPECT_EQ(classes[collates].region, StackRegion::kCollate);
  EXPECT_EQ(classes[fetches].region, StackRegion::kFetch);
  EXPECT_EQ(classes[other].region, StackRegion::kFetch);
}

TEST(StackClassTest, StagesOfCollating) {
  Stacks stacks;
  const auto stage = [&](const Frame& callee) {
    const Frame pack{"collate", "/job/a.py"};
    return stacks.ClassOf({kMain, kWorker, kFetch, pack, callee}).stage;
  };
  EXPECT_EQ(stage({"Tokenizer.encode", kPackages + "tokenizers/__init__.py"}),
            WorkStage::kTokenise);
  EXPECT_EQ(stage({"loads", "/usr/lib/python3.11/json/__init__.py"}), WorkStage::kDecode);
  // To put arrays together is collating itself.
  EXPECT_EQ(stage({"stack", kPackages + "numpy/_core/shape_base.py"}), std::nullopt);
}

std::string StageText(const StackClass& of) {
  return of.stage ? kWorkInfos[static_cast<size_t>(*of.stage)].name : "-";
}

TEST(StackClassTest, TheInnermostKnownFrameGivesTheStage) {
  Stacks stacks;
  const Frame augment{"Rows.augment", "/job/dataset.py", 31};
  const Frame resize{"Image.resize", kPackages + "PIL/Image.py"};
  const Frame load{"ImageFile.load", kPackages + "PIL/ImageFile.py"};
  const Frame mean{"mean", kPackages + "numpy/_core/fromnumeric.py"};
  const auto stage = [&](std::vector<Frame> frames) {
    frames.insert(frames.begin(), {kMain, kWorker, kFetch, kGetitem});
    return StageText(stacks.ClassOf(frames));
  };
  EXPECT_EQ(stage({}), "-");
  EXPECT_EQ(stage({augment}), "augmentation");
  EXPECT_EQ(stage({augment, mean}), "augmentation");
  EXPECT_EQ(stage({mean}), "-");
  EXPECT_EQ(stage({augment, resize, load}), "decode");
  EXPECT_EQ(stage({{"mix", "/job/a.py"}, resize}), "augmentation");
}

TEST(StackClassTest, CodeInCIsKnownByItsNameInTheSource) {
  Stacks stacks;
  const Frame inflate{"zlib.decompress", "<built-in zlib>", 20};
  const StackClass of = stacks.ClassOf({kMain, kWorker, kFetch, kGetitem, inflate});
  EXPECT_EQ(of.region, StackRegion::kFetch);
  EXPECT_EQ(StageText(of), "decode");
  EXPECT_EQ(stacks.FunctionOf(of.frames.user), "Rows.__getitem__");
  EXPECT_EQ(stacks.FunctionOf(of.frames.call), "zlib.decompress");
  const auto stage = [&](const std::string& function, const std::string& file) {
    return StageText(stacks.ClassOf({kMain, kWorker, kFetch, kGetitem, {function, file, 20}}));
  };
  EXPECT_EQ(stage("cv2.imdecode", "<built-in cv2>"), "decode");
  EXPECT_EQ(stage("cv2.warpAffine", "<built-in cv2>"), "augmentation");
  EXPECT_EQ(stage("zlib.compress", "<built-in zlib>"), "user_code");
  EXPECT_EQ(stage("open", "<built-in builtins>"), "storage_read");
  EXPECT_EQ(stage("self.tokenizer.encode", "<built-in>"), "tokenise");
  for (const char* one : {"bpe.encode", "self.tok.encode_batch", "enc.encode_ordinary_batch",
                          "self.sp.EncodeAsIds"}) {
    EXPECT_EQ(stage(one, "<built-in>"), "tokenise") << one;
  }
  EXPECT_EQ(stage("text.encode", "<built-in>"), "-") << "of any str";
  EXPECT_EQ(stage("self.pattern.findall", "<built-in>"), "tokenise");
  EXPECT_EQ(stage("_WORD_RE.findall", "<built-in>"), "tokenise");
  EXPECT_EQ(stage("root.findall", "<built-in>"), "decode");
  EXPECT_EQ(stage("self.store.findall", "<built-in>"), "-") << "of any object";
  EXPECT_EQ(stage("decoded.astype", "<built-in>"), "-") << "a name of a variable";
  EXPECT_EQ(stage("pickle.dumps", "<built-in pickle>"), "user_code");
  EXPECT_EQ(stage("cv2.imencode", "<built-in cv2>"), "user_code");
  EXPECT_EQ(stage("time.sleep", "<built-in time>"), "-");
  EXPECT_EQ(stage("self.file.read", "<built-in>"), "-");
  EXPECT_EQ(stage("self.con.execute", "<built-in>"), "decode");
  EXPECT_EQ(stage("fetchone", "<built-in>"), "decode");
  EXPECT_EQ(stage("self.tasks.prefetch", "<built-in>"), "-");
  // Of torch's too: a function of the script that calls one is no model.
  const Frame sort{"torch.sort", "<built-in torch>", 50};
  const StackClass loop = stacks.ClassOf({kMain, kTrain, sort});
  EXPECT_EQ(loop.region, StackRegion::kElsewhere);
  EXPECT_EQ(StageText(loop), "-");
  EXPECT_EQ(stacks.FunctionOf(loop.frames.boundary), "train");
  const auto in_loop = [&](const std::string& function, const std::string& file) {
    return StageText(stacks.ClassOf({kMain, kTrain, {function, file, 50}}));
  };
  EXPECT_EQ(in_loop("augmented.to", "<built-in>"), "-");
  EXPECT_EQ(in_loop("self.tokenizer.encode", "<built-in>"), "-");
  EXPECT_EQ(in_loop("numpy.random.choice", "<built-in numpy.random>"), "-");
  EXPECT_EQ(in_loop("os.read", "<built-in os>"), "-");
  EXPECT_EQ(in_loop("copy.copy", "<built-in copy>"), "-");
  EXPECT_EQ(in_loop("zlib.decompress", "<built-in zlib>"), "decode");
  EXPECT_EQ(in_loop("log.execute", "<built-in>"), "-");
}

TEST(StackClassTest, ADrawOfRandomNumbersIsAnyLoops) {
  Stacks stacks;
  const Frame gauss{"Random.gauss", kStandard + "random.py", 536};
  const Frame choice{"choice", kPackages + "numpy/random/_pickle.py"};
  const Frame flip{"RandomFlip.forward", kPackages + "torchvision/transforms/transforms.py"};
  for (const Frame& draw : {gauss, choice}) {
    EXPECT_EQ(StageText(stacks.ClassOf({kMain, kTrain, draw})), "-") << draw.function;
    EXPECT_EQ(StageText(stacks.ClassOf({kMain, kWorker, kFetch, kGetitem, draw})), "augmentation");
    // A thread beside the training may make its batches.
    const Frame run{"Thread._bootstrap", kStandard + "threading.py"};
    EXPECT_EQ(StageText(stacks.ClassOf({run, {"fill", "/job/a.py"}, draw})), "augmentation");
    // What is called so stays so, whatever it draws.
    EXPECT_EQ(StageText(stacks.ClassOf({kMain, kTrain, {"augment", "/job/train.py"}, draw})),
              "augmentation");
  }
  EXPECT_EQ(StageText(stacks.ClassOf({kMain, kTrain, flip})), "augmentation");
}

TEST(StackClassTest, WhatOnlyWrapsACallIsNotItsName) {
  Stacks stacks;
  stacks.ClassOf({kMain, kTrain, kOptim});  // so that it trains
  const std::string clip_grad = kTorch + "nn/utils/clip_grad.py";
  const Frame no_grad{"_no_grad.<locals>._no_grad_wrapper", clip_grad, 30};
  const StackClass clip =
      stacks.ClassOf({kMain, kTrain, no_grad, {"clip_grad_norm_", clip_grad, 60}});
  EXPECT_EQ(stacks.FunctionOf(clip.frames.boundary_call), "clip_grad_norm_");
  EXPECT_EQ(stacks.FunctionOf(clip.frames.call), "clip_grad_norm_");
  const std::string tensor = kTorch + "_tensor.py";
  const Frame wrapped{
      "_handle_torch_function_and_wrap_type_error_to_not_implemented.<locals>.wrapped", tensor, 30};
  const StackClass power =
      stacks.ClassOf({kMain, kTrain, wrapped, {"Tensor.__rpow__", tensor, 1100}});
  EXPECT_EQ(stacks.FunctionOf(power.frames.call), "Tensor.__rpow__");
}

TEST(StackClassTest, ACopyIsNamedByWhatTheLoopCalls) {
  Stacks stacks;
  stacks.ClassOf({kMain, kTrain, kOptim});  // so that it trains
  const Frame copy{"deepcopy", kStandard + "copy.py", 153};
  const Frame rebuilds{"_reconstruct", kStandard + "copy.py", 297};
  const StackClass tensor =
      stacks.ClassOf({kMain, kTrain, copy, {"Tensor.__deepcopy__", kTorch + "_tensor.py", 224}});
  EXPECT_EQ(stacks.FunctionOf(tensor.frames.boundary), "train");
  EXPECT_EQ(stacks.FunctionOf(tensor.frames.boundary_call), "deepcopy");
  EXPECT_EQ(stacks.FunctionOf(stacks.ClassOf({kMain, kTrain, copy, rebuilds}).frames.boundary_call),
            "deepcopy");
  // A decorator of the standard library's is not what was called.
  const Frame inner{"ContextDecorator.__call__.<locals>.inner", kStandard + "contextlib.py", 80};
  const StackClass decorated =
      stacks.ClassOf({kMain, kTrain, inner, {"clip_grad_norm_", kTorch + "nn/utils/clip_grad.py"}});
  EXPECT_EQ(stacks.FunctionOf(decorated.frames.boundary_call), "clip_grad_norm_");
}

TEST(StackClassTest, NamesTheUsersNearestFunctionAndWhatItCalls) {
  Stacks stacks;
  const StackClass of = stacks.ClassOf({kMain,
                                        kWorker,
                                        kFetch,
                                        kGetitem,
                                        {"Rows.read", "/job/dataset.py", 24},
                                        {"read_table", kPackages + "pyarrow/parquet/core.py"},
                                        {"_inner", kPackages + "pyarrow/parquet/core.py"}});
  EXPECT_EQ(stacks.FunctionOf(of.frames.user), "Rows.read");
  EXPECT_EQ(stacks.FunctionOf(of.frames.call), "read_table");
  EXPECT_EQ(stacks.FunctionOf(of.frames.leaf), "_inner");
  // Frames that only pass on are not what was called.
  const StackClass model = stacks.ClassOf(
      {kMain, kTrain, kModule, {"Sequential.forward", kTorch + "nn/modules/container.py"}});
  EXPECT_EQ(stacks.FunctionOf(model.frames.user), "train");
  EXPECT_EQ(stacks.FunctionOf(model.frames.call), "Sequential.forward");
  const StackClass adam =
      stacks.ClassOf({kMain, kOptim, kNoGrad, {"Adam.step", kTorch + "optim/adam.py"}});
  EXPECT_EQ(stacks.FunctionOf(adam.frames.call), "Adam.step");
  const StackClass again =
      stacks.ClassOf({kMain,
                      kTrain,
                      {"_disable_dynamo.<locals>.inner", kTorch + "_compile.py"},
                      {"DisableContext.__call__.<locals>._fn", kTorch + "_dynamo/eval_frame.py"},
                      {"checkpoint", kTorch + "utils/checkpoint.py"}});
  EXPECT_EQ(stacks.FunctionOf(again.frames.call), "checkpoint");
  // What started the worker is no code of the batch's.
  const StackClass torch = stacks.ClassOf(
      {kMain, kWorker, kFetch, {"TensorDataset.__getitem__", kTorch + "utils/data/dataset.py"}});
  EXPECT_EQ(stacks.FunctionOf(torch.frames.user), "-");
  EXPECT_EQ(stacks.FunctionOf(torch.frames.leaf), "TensorDataset.__getitem__");
}

TEST(StackClassTest, CodeInCBelowALockIsTheLocks) {
  const StackClass of = Stacks().ClassOf({kMain,
                                          kTrain,
                                          {"Queue.get", kStandard + "multiprocessing/queues.py"},
                                          {"read", "<built-in>"}});
  EXPECT_TRUE(of.wait.in_lock);
  EXPECT_TRUE(of.wait.takes_over);
}

TEST(StackClassTest, TakingOverWhatOthersMakeIsToldByTheCallOfTheScript) {
  const Frame wait{"Condition.wait", kStandard + "threading.py"};
  const auto takes_over = [&](const std::string& function, const std::string& file) {
    const StackClass of = Stacks().ClassOf({kMain, kTrain, {function, file}, wait});
    EXPECT_TRUE(of.wait.in_lock) << function;
    return of.wait.takes_over;
  };
  const std::string pool = kStandard + "multiprocessing/pool.py";
  const std::string futures = kStandard + "concurrent/futures/_base.py";
  EXPECT_TRUE(takes_over("Queue.get", kStandard + "queue.py"));
  EXPECT_TRUE(takes_over("Queue.get", kStandard + "multiprocessing/queues.py"));
  EXPECT_TRUE(takes_over("Pool.map", pool));
  EXPECT_TRUE(takes_over("IMapIterator.next", pool));
  EXPECT_TRUE(takes_over("Future.result", futures));
  EXPECT_TRUE(takes_over("Executor.map.<locals>.result_iterator", futures));
  EXPECT_TRUE(takes_over("_ConnectionBase.recv", kStandard + "multiprocessing/connection.py"));
  EXPECT_TRUE(takes_over("Parallel.__call__", kPackages + "joblib/parallel.py"));
  EXPECT_FALSE(takes_over("Queue.put", kStandard + "queue.py"));
  EXPECT_FALSE(takes_over("Queue.join", kStandard + "queue.py"));
  EXPECT_FALSE(takes_over("Pool.close", pool));
  EXPECT_FALSE(takes_over("Thread.join", kStandard + "threading.py"));
  // What a pool calls in its turn is the script's own work again.
  const Frame item{"_WorkItem.run", kStandard + "concurrent/futures/thread.py"};
  EXPECT_FALSE(Stacks().ClassOf({item, kGetitem}).wait.takes_over);
  EXPECT_FALSE(Stacks().ClassOf({{"Queue.get", kStandard + "queue.py"}, kGetitem}).wait.takes_over);
}

TEST(StackClassTest, AnEvaluationIsToldByItsNameAndByWhatItNeverDoes) {
  const Frame forward{"Net.forward", "/job/net.py"};
  const Frame backward{"Tensor.backward", kTorch + "_tensor.py"};
  for (const char* name :
       {"validate", "Trainer.evaluate_epoch", "eval_model", "run.<locals>.test"}) {
    const Frame function{name, "/job/train.py"};
    EXPECT_TRUE(Stacks().ClassOf({kMain, kNoGrad, function, kModule, forward}).frames.evaluator >=
                0)
        << name;
    Stacks evaluates;  // with its own lines
    evaluates.Add({kMain, kNoGrad, function, kModule, forward});
    EXPECT_EQ(evaluates.ClassOf({kMain, function}).frames.evaluator, 6) << name;
    Stacks trains;  // a search evaluates candidates by training them
    trains.Add({kMain, function, backward});
    EXPECT_EQ(trains.ClassOf({kMain, function, kModule, forward}).frames.evaluator, -1) << name;
    EXPECT_EQ(Stacks().ClassOf({kMain, function, kWorker, kFetch, kGetitem}).frames.evaluator, -1)
        << name;
  }
  for (const char* name : {"train", "latest", "medieval", "Contest.run"}) {
    EXPECT_EQ(Stacks().ClassOf({kMain, {name, "/job/train.py"}, kModule, forward}).frames.evaluator,
              -1);
  }
  const Frame library{"evaluate", kPackages + "timm/utils.py"};
  EXPECT_EQ(Stacks().ClassOf({kMain, library, kModule, forward}).frames.evaluator, -1);
}

TEST(StackClassTest, WhatChecksABatchOrAnInputIsNoEvaluation) {
  const Frame forward{"Net.forward", "/job/net.py"};
  const Frame functional{"relu", kTorch + "nn/functional.py"};
  const Frame save{"save", kTorch + "serialization.py"};
  for (const char* name : {"validate_batch", "test_schema", "eval_formula"}) {
    const Frame function{name, "/job/train.py"};
    EXPECT_EQ(Stacks().ClassOf({kMain, kTrain, function}).frames.evaluator, -1) << name;
    EXPECT_EQ(Stacks().ClassOf({kMain, kTrain, function, kNext}).frames.evaluator, -1) << name;
    EXPECT_EQ(Stacks().ClassOf({kMain, kTrain, function, save}).frames.evaluator, -1) << name;
    EXPECT_EQ(Stacks().ClassOf({kMain, kModule, forward, function}).frames.evaluator, -1) << name;
    EXPECT_EQ(Stacks().ClassOf({kMain, kModule, forward, function, functional}).frames.evaluator,
              -1);
  }
}

TEST(StackClassTest, CompiledCodeRunsBelowItsFrame) {
  const std::string dynamo = kTorch + "_dynamo/eval_frame.py";
  const Frame forward{"Net.forward", "/job/net.py"};
  for (const char* name :
       {"_TorchDynamoContext.__call__.<locals>.compile_wrapper", "OptimizedModule.__call__"}) {
    EXPECT_TRUE(Stacks().ClassOf({kMain, kModule, {name, dynamo}, forward}).around.compiled)
        << name;
  }
  EXPECT_FALSE(Stacks().ClassOf({kMain, kModule, forward}).around.compiled);
  // torch itself keeps torch.compile away from its optimizers.
  const Frame disabled{"DisableContext.__call__.<locals>._fn", dynamo};
  EXPECT_FALSE(Stacks().ClassOf({kMain, kOptim, disabled}).around.compiled);
}

TEST(StackClassTest, ALockIsWhatTheThreadStandsIn) {
  Stacks stacks;
  const Frame wait{"Condition.wait", kStandard + "threading.py"};
  const Frame run{"Thread.run", kStandard + "threading.py"};
  EXPECT_TRUE(stacks.ClassOf({kWorker, kFetch, kGetitem, wait}).wait.in_lock);
  EXPECT_TRUE(
      stacks.ClassOf({kWorker, kFetch, kGetitem, wait, {"f", kStandard + "x.py"}}).wait.in_lock);
  EXPECT_FALSE(stacks.ClassOf({kFetch, run, kGetitem}).wait.in_lock);
  EXPECT_FALSE(stacks.ClassOf({kFetch, kGetitem}).wait.in_lock);
}

TEST(StackClassTest, OnTheTrainingThreadAStageNeedsMore) {
  Stacks stacks;
  stacks.Add({kMain, {"augment_study", "/job/train.py"}, kModule});
  const auto stage = [&](const Frame& function) {
    return StageText(stacks.ClassOf({kMain, {"augment_study", "/job/train.py"}, function}));
  };
  EXPECT_EQ(stage({"burn", "/job/train.py"}), "-");  // a loop's own name is no stage
  EXPECT_EQ(stage({"augment", "/job/train.py"}), "augmentation");
  EXPECT_EQ(stage({"decode", "/job/train.py"}), "-");             // of a sequence, by the model
  EXPECT_EQ(stage({"get", kPackages + "requests/api.py"}), "-");  // logging
  EXPECT_EQ(stage({"Compose.__call__", kPackages + "albumentations/core/composition.py"}),
            "augmentation");
}

TEST(StackClassTest, RowsThatMakeNoSenseAreNotFollowed) {
  std::mt19937_64 random(3);
  for (int run = 0; run < 200; ++run) {
    Stacks stacks;
    for (int i = 0; i < 5; ++i) stacks.Add({kMain, kWorker, kFetch, kGetitem, kModule});
    for (store::StackRow& row : stacks.rows()) {
      if (random() % 2 == 0) row.parent = static_cast<int32_t>(random());
      if (random() % 4 == 0) row.stack = static_cast<int32_t>(random());
    }
    const auto classes = stacks.Classify();
    ASSERT_EQ(classes.size(), stacks.rows().size());
    for (const StackClass& of : classes) {
      EXPECT_LT(of.frames.user, static_cast<int32_t>(classes.size()));
      EXPECT_LT(of.frames.leaf, static_cast<int32_t>(classes.size()));
    }
    EXPECT_EQ(StacksByNumber(stacks.rows()).size(), stacks.rows().size());
  }
}

TEST(StackClassTest, RowsComeInAnyOrder) {
  Stacks stacks;
  stacks.Add({kMain, kWorker, kFetch});
  std::vector<store::StackRow> rows(stacks.rows().rbegin(), stacks.rows().rend());
  rows = StacksByNumber(rows);
  for (size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(rows[i].stack, static_cast<int32_t>(i));
}

}  // namespace
}  // namespace steptrace::analyze
