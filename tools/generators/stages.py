# SPDX-License-Identifier: Apache-2.0
"""Suspects and their stages."""

import functools
import itertools
import re
import sys
from pathlib import Path

import tomllib

from . import findings, palette, text

SOURCE = Path("schema/stages.toml")
MADE = text.made_of(SOURCE)
TEXTS = ("title", "colour", "meaning")
TRAITS = ("dataset", "ready", "event", "device", "function", "headline")
# What is said of a stage but by a kind of advice.
WEIGHED, OF_SUSPECT = "weighed", "suspect"
LEAST_DISTANCE = 0.07  # of the colours of a suspect's stages, in OKLab
SHADES = "model"  # its stages are shades of one colour
WIDTH = 100  # of a line of TypeScript


@functools.cache
def declared():
    schema = tomllib.loads(SOURCE.read_text(encoding="utf-8"))
    suspects = schema["suspect"]
    seen = set()
    for one in [*suspects, *stages(suspects)]:
        if not re.fullmatch(r"[a-z][a-z0-9_]*", one["id"]) or one["id"] in seen:
            sys.exit(f"{SOURCE}: {one['id']} is no name, or there twice")
        seen.add(one["id"])
        if not all(one.get(key) for key in TEXTS) or one["meaning"].endswith("."):
            sys.exit(f"{SOURCE}: {one['id']} lacks a text, or its meaning ends with a full stop")
        if not palette.of_token(one["colour"]):
            sys.exit(f"{SOURCE}: {one['id']} has a colour that {palette.SOURCE} lacks")
    for suspect in suspects:
        if not all(isinstance(suspect.get(key), bool) for key in ("blamed", "by_stage")):
            sys.exit(f"{SOURCE}: {suspect['id']} lacks whether it is blamed, or named by its stage")
        for one, other in itertools.combinations(suspect["stage"], 2):
            apart = palette.distance(one["colour"], other["colour"])
            if suspect["id"] != SHADES and apart < LEAST_DISTANCE:
                sys.exit(f"{SOURCE}: {one['id']} and {other['id']} look alike ({apart:.3f})")
    for word in schema["word"]:
        if word["id"] in seen or not word["title"]:
            sys.exit(f"{SOURCE}: {word['id']} has words already, or none")
        seen.add(word["id"])
    advised = plain_advice()
    for stage in stages(suspects):
        if not isinstance(stage.get("is"), list) or not set(stage["is"]) <= {*TRAITS}:
            sys.exit(f"{SOURCE}: {stage['id']} does not say what it is, of {', '.join(TRAITS)}")
        if stage.get("advice") not in (WEIGHED, OF_SUSPECT, *advised):
            sys.exit(
                f"{SOURCE}: {stage['id']} has no advice, or one that needs more than a function"
            )
    known = {stage["id"] for stage in stages(suspects)}
    for work in schema["work"]:
        if work["batch"] not in known:
            sys.exit(f"{SOURCE}: the work {work['id']} is {work['batch']}, which is no stage")
        if not isinstance(work.get("prepares"), bool):
            sys.exit(f"{SOURCE}: the work {work['id']} does not say whether it prepares samples")
    made = {work["batch"] for work in schema["work"]}
    # The last of the dataset's is what is left of its time.
    for stage in [one for one in stages(suspects) if "dataset" in one["is"]][:-1]:
        if stage["id"] not in made:
            sys.exit(f"{SOURCE}: no work is {stage['id']}: the dataset's time never goes there")
    return schema["text"], suspects, schema["work"], schema["word"]


@functools.cache
def plain_advice():
    """Kinds of advice that say a function at most: whether they do."""
    kinds, _ = findings.declared()
    held = {kind["id"]: [*kind.get("figures", {}), *kind.get("texts", {})] for kind in kinds}
    return {
        kind["id"]: bool(held[kind["id"]])
        for kind in kinds
        if kind["role"] == "advice"
        and held[kind["id"]] in ([], ["function"])
        and not findings.is_placed(kind)
    }


def stages(suspects):
    return [stage for suspect in suspects for stage in suspect["stage"]]


def least_shown():
    return tomllib.loads(SOURCE.read_text(encoding="utf-8"))["least_shown"]


def cpp(suspects, works):
    all_stages = stages(suspects)
    sampled = [f"SubStage::k{text.camel(s['id'])}" for s in all_stages if "dataset" in s["is"]]
    yield "// SPDX-License-Identifier: Apache-2.0"
    yield f"// {MADE}"
    yield "#pragma once"
    yield ""
    yield "#include <array>"
    yield "#include <cstddef>"
    yield "#include <cstdint>"
    yield ""
    yield "namespace steptrace::analyze {"
    yield ""
    yield "// clang-format off"
    for name, members in (("SuspectId", suspects), ("SubStage", all_stages)):
        yield f"enum class {name} : uint8_t {{"
        for one in members:
            yield f"  k{text.camel(one['id'])},  // {one['meaning']}"
        yield "};"
        yield ""
    yield f"inline constexpr size_t kSuspectCount = {len(suspects)};"
    yield f"inline constexpr size_t kSubStageCount = {len(all_stages)};"
    yield ""
    yield "struct SuspectInfo {"
    yield "  const char* name;   // as reports have it"
    yield "  const char* title;  // in a sentence"
    yield "  bool by_stage;      // a sentence names its largest stage in place of it"
    yield "  bool blamed;        // it can be to blame for a slow step"
    yield "};"
    yield "inline constexpr std::array<SuspectInfo, kSuspectCount> kSuspectInfos = {{"
    for suspect in suspects:
        names = f"{text.cpp(suspect['id'])}, {text.cpp(suspect['title'])}"
        yield f"    {{{names}, {truth(suspect['by_stage'])}, {truth(suspect['blamed'])}}},"
    yield "}};"
    yield ""
    yield "struct StageInfo {"
    yield "  const char* name;"
    yield "  const char* title;"
    yield "  SuspectId suspect;"
    yield "  bool is_event;     // it comes now and then, and takes a step's time then"
    yield "  bool on_device;    // a device is at work"
    yield "  bool by_function;  // the functions in which samples saw it are evidence"
    yield "  bool in_headline;  // the function in which it spends most is said beside it"
    yield "};"
    yield "inline constexpr std::array<StageInfo, kSubStageCount> kStageInfos = {{"
    for suspect in suspects:
        for stage in suspect["stage"]:
            names = f"{text.cpp(stage['id'])}, {text.cpp(stage['title'])}"
            traits = ", ".join(
                truth(one in stage["is"]) for one in ("event", "device", "function", "headline")
            )
            yield f"    {{{names}, SuspectId::k{text.camel(suspect['id'])}, {traits}}},"
    yield "}};"
    yield ""
    yield "inline constexpr std::array<SuspectId, kSuspectCount> kSuspects = {"
    for suspect in suspects:
        yield f"    SuspectId::k{text.camel(suspect['id'])},"
    yield "};"
    yield ""
    yield "inline constexpr std::array<SubStage, kSubStageCount> kSubStages = {"
    for stage in all_stages:
        yield f"    SubStage::k{text.camel(stage['id'])},"
    yield "};"
    yield ""
    yield "// Share of a step below which a suspect or stage is no line of its own."
    yield f"inline constexpr double kLeastShown = {least_shown()};"
    yield ""
    yield "// Those that the time within the dataset is shared out over, where stacks tell."
    yield f"inline constexpr std::array<SubStage, {len(sampled)}> kSampledStages = {{"
    for stage in sampled:
        yield f"    {stage},"
    yield "};"
    yield ""
    yield "// What work a function does for the training, by its name."
    yield "enum class WorkStage : uint8_t {"
    for work in works:
        yield f"  k{text.camel(work['id'])},"
    yield "};"
    yield f"inline constexpr size_t kWorkStageCount = {len(works)};"
    yield ""
    yield "struct WorkInfo {"
    yield "  const char* name;  // as in [stages]"
    yield "  SubStage batch;    // what it is within a batch"
    yield "  bool prepares;     // it is work on samples before they become a batch"
    yield "};"
    yield "inline constexpr std::array<WorkInfo, kWorkStageCount> kWorkInfos = {{"
    for work in works:
        batch = f"SubStage::k{text.camel(work['batch'])}"
        yield f"    {{{text.cpp(work['id'])}, {batch}, {truth(work['prepares'])}}},"
    yield "}};"
    prepared = [f"SubStage::k{text.camel(work['batch'])}" for work in works if work["prepares"]]
    yield ""
    yield "// What work that prepares samples is within a batch."
    yield f"inline constexpr std::array<SubStage, {len(prepared)}> kPreparedStages = {{"
    for stage in prepared:
        yield f"    {stage},"
    yield "};"
    yield "// clang-format on"
    yield ""
    yield "}  // namespace steptrace::analyze"


def advice(suspects):
    weighed = [stage for stage in stages(suspects) if stage["advice"] == WEIGHED]
    plain = plain_advice()
    yield "// SPDX-License-Identifier: Apache-2.0"
    yield f"// {MADE}"
    yield "#pragma once"
    yield ""
    yield "#include <cstdint>"
    yield "#include <optional>"
    yield "#include <string>"
    yield ""
    yield '#include "analyze/stages/stage_ids.h"'
    yield '#include "model/finding_kinds.h"'
    yield ""
    yield "namespace steptrace::analyze {"
    yield ""
    yield "// clang-format off"
    yield "// What to change about a stage, where there is nothing to weigh; `function`: in which samples saw"
    yield "// most of it, empty where there is none."
    yield "inline std::optional<model::Finding> PlainAdvice(SubStage stage, const model::PlacedText& function) {"
    yield "  switch (stage) {"
    for stage in stages(suspects):
        if stage["advice"] not in plain:
            continue
        kind = text.camel(stage["advice"].replace(".", "_"))
        said = "{.function = function}" if plain[stage["advice"]] else "{}"
        yield f"    case SubStage::k{text.camel(stage['id'])}:"
        yield f"      return Make(model::finding::{kind}{said});"
    yield "    default: return std::nullopt;"
    yield "  }"
    yield "}"
    yield ""
    yield "// Those of which what to change depends on what else is known."
    yield "enum class WeighedStage : uint8_t {"
    for stage in weighed:
        yield f"  k{text.camel(stage['id'])},"
    yield "};"
    yield ""
    yield "constexpr std::optional<WeighedStage> WeighedOf(SubStage stage) {"
    yield "  switch (stage) {"
    for stage in weighed:
        name = text.camel(stage["id"])
        yield f"    case SubStage::k{name}: return WeighedStage::k{name};"
    yield "    default: return std::nullopt;"
    yield "  }"
    yield "}"
    yield "// clang-format on"
    yield ""
    yield "}  // namespace steptrace::analyze"


def truth(value):
    return "true" if value else "false"


def python(suspects, words):
    yield "# SPDX-License-Identifier: Apache-2.0"
    yield f'"""{MADE}"""'
    yield ""
    yield "# fmt: off"
    for name, members in (("SUSPECT_COLOURS", suspects), ("STAGE_COLOURS", stages(suspects))):
        yield f"{name} = {{"
        for one in members:
            yield f'    "{one["id"]}": "{palette.of_token(one["colour"])}",'
        yield "}"
        yield ""
    yield "# Of suspects and stages, and of what else reports name."
    yield "TITLES = {"
    for one in [*suspects, *stages(suspects), *words]:
        yield f'    "{one["id"]}": "{one["title"]}",'
    yield "}"


def quoted(value):
    """A text as a literal of TypeScript, in the marks that prettier takes."""
    return f'"{value}"' if "'" in value else f"'{value}'"


def member(key, value):
    line = f"    {key}: {value},"
    if len(line) <= WIDTH:
        yield line
    else:
        yield f"    {key}:"
        yield f"      {value},"


def union(name, members):
    """A type of these names, as prettier breaks its lines."""
    head = f"export type {name} ="
    one = f"{' | '.join(members)};"
    if len(f"{head} {one}") <= WIDTH:
        yield f"{head} {one}"
    elif len(one) + 2 <= WIDTH:
        yield from (head, f"  {one}")
    else:
        yield head
        yield from (f"  | {member}" for member in members[:-1])
        yield f"  | {members[-1]};"


def typescript(suspects, words):
    yield "// SPDX-License-Identifier: Apache-2.0"
    yield f"// {MADE}"
    yield ""
    yield from union("SuspectId", [quoted(suspect["id"]) for suspect in suspects])
    for suspect in suspects:
        ids = [quoted(stage["id"]) for stage in suspect["stage"]]
        yield from union(f"{text.camel(suspect['id'])}Stage", ids)
    names = [f"{text.camel(suspect['id'])}Stage" for suspect in suspects]
    yield from union("StageId", names)
    yield ""
    yield "interface Info {"
    yield "  /** In a sentence. */"
    yield "  readonly title: string;"
    yield "  /** Its token. */"
    yield "  readonly color: string;"
    yield "  readonly meaning: string;"
    yield "}"
    yield "export interface SuspectInfo extends Info {"
    yield "  /** A sentence names its largest stage in place of it. */"
    yield "  readonly byStage: boolean;"
    yield "  /** It can be to blame for a slow step. */"
    yield "  readonly blamed: boolean;"
    yield "}"
    yield "export interface StageInfo extends Info {"
    yield "  readonly suspect: SuspectId;"
    yield "  /** The time within the dataset is shared out over it, where stacks tell. */"
    yield "  readonly ofDataset: boolean;"
    yield "  /** Of the data pipeline: the batch stands ready, so that to load faster is no help. */"
    yield "  readonly ready: boolean;"
    yield "}"
    yield ""
    yield "export const SUSPECTS: Readonly<Record<SuspectId, SuspectInfo>> = {"
    for suspect in suspects:
        yield f"  {suspect['id']}: {{"
        yield from member("title", quoted(suspect["title"]))
        yield from member("color", quoted(suspect["colour"]))
        yield from member("meaning", quoted(suspect["meaning"]))
        yield from member("byStage", truth(suspect["by_stage"]))
        yield from member("blamed", truth(suspect["blamed"]))
        yield "  },"
    yield "};"
    yield ""
    yield "export const STAGES: Readonly<Record<StageId, StageInfo>> = {"
    for suspect in suspects:
        for stage in suspect["stage"]:
            yield f"  {stage['id']}: {{"
            yield from member("title", quoted(stage["title"]))
            yield from member("color", quoted(stage["colour"]))
            yield from member("meaning", quoted(stage["meaning"]))
            yield from member("suspect", quoted(suspect["id"]))
            yield from member("ofDataset", truth("dataset" in stage["is"]))
            yield from member("ready", truth("ready" in stage["is"]))
            yield "  },"
    yield "};"
    yield ""
    yield "/** Share of a step below which a suspect or stage is no line of its own. */"
    yield f"export const LEAST_SHOWN = {least_shown()};"
    yield ""
    yield "/** Of other names that reports have, where their words are not those of the name. */"
    yield "export const WORDS: Readonly<Record<string, string>> = {"
    for word in words:
        yield f"  {word['id']}: {quoted(word['title'])},"
    yield "};"


def page(about, suspects, works):
    yield "# Suspects and stages: where a step's time goes"
    yield ""
    yield f"<!-- {MADE} -->"
    yield ""
    yield about.strip()
    for suspect in suspects:
        yield ""
        yield f"## {suspect['title'].capitalize()}: `{suspect['id']}`"
        yield ""
        yield f"{suspect['meaning']}. {'Can be blamed.' if suspect['blamed'] else 'Cannot be blamed.'}"
        yield ""
        yield "| stage | title | meaning |"
        yield "| --- | --- | --- |"
        for stage in suspect["stage"]:
            title = re.sub(r"__\w+__", r"`\g<0>`", stage["title"])
            yield f"| `{stage['id']}` | {title} | {stage['meaning']}. |"
        sampled = [f"`{stage['id']}`" for stage in suspect["stage"] if "dataset" in stage["is"]]
        if sampled:
            yield ""
            yield f"If stacks show it, the time within the dataset is divided into {', '.join(sampled[:-1])}; where"
            yield f"stacks do not name the work, the time stays {sampled[-1]}."
            yield ""
            prepared = [f"`{work['batch']}`" for work in works if work["prepares"]]
            yield f"Of these, {', '.join(prepared)} prepare samples: the work counts in the dataset, in a collate function,"
            yield "and in the loop of a framework."
    yield ""
    yield "## What a function does"
    yield ""
    yield "Each pattern of functions has one of these words: the built-in ones and yours in"
    yield "[`[stages]`](../how-to/name-your-functions.md). While a batch is made, the function's time goes to the stage in the"
    yield "second column. Outside of that, `user_code` goes to `loop_code`, `logging` to `logging`, and `model` stays with the"
    yield "model."
    yield ""
    yield "| word | within a batch |"
    yield "| --- | --- |"
    for work in works:
        yield f"| `{work['id']}` | `{work['batch']}` |"


def files():
    about, suspects, works, words = declared()
    return {
        Path("src/analyze/stages/stage_ids.h"): text.whole(cpp(suspects, works)),
        Path("src/analyze/verdict/plain_advice.h"): text.whole(advice(suspects)),
        Path("python/steptrace/_stages.py"): text.whole(python(suspects, words)),
        Path("ui/src/base/stages.ts"): text.whole(typescript(suspects, words)),
        Path("docs/reference/stages.md"): text.whole(page(about, suspects, works)),
    }
