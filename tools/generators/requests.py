# SPDX-License-Identifier: Apache-2.0
"""What the server of the pages answers."""

import re
import sys
from pathlib import Path

import tomllib

from . import stages, text

SOURCE = Path("schema/requests.toml")
MADE = text.made_of(SOURCE)
PAGE = Path("docs/reference/http.md")
BEGIN, END = f"<!-- Begin: {MADE} -->\n", f"<!-- End: {MADE} -->\n"
OF_A_RUN = "/api/runs/{run}/"
ANSWERS = ("json", "arrow", "file", "events")


def declared():
    schema = tomllib.loads(SOURCE.read_text(encoding="utf-8"))
    seen = set()
    for request in schema["request"]:
        path = request["path"]
        if not re.fullmatch(r"/api(/([a-z]+|\{[a-z]+\}))+", path) or path in seen:
            sys.exit(f"{SOURCE}: {path} is no path, or there twice")
        seen.add(path)
        if request["answer"] not in ANSWERS or not request["what"]:
            sys.exit(f"{SOURCE}: {path} lacks its answer, or what it is")
        if "|" in request["what"] + request.get("parameters", ""):
            sys.exit(f"{SOURCE}: what is said of {path} would break a table")
    return schema["request"]


def constant(path):
    """`/api/runs/{run}/timeline/slice/{slice}` as TimelineSlice; events of a run as RunEvents."""
    words = re.findall(r"[a-z]+", re.sub(r"\{[a-z]+\}", "", path.removeprefix(OF_A_RUN)))
    if words == ["events"] and path.startswith(OF_A_RUN):
        words = ["run", "events"]
    return text.camel("_".join(words).removeprefix("api_"))


def cpp(requests):
    yield "// SPDX-License-Identifier: Apache-2.0"
    yield f"// {MADE}"
    yield "#pragma once"
    yield ""
    yield "#include <cstddef>"
    yield "#include <cstdint>"
    yield "#include <string_view>"
    yield ""
    yield "namespace steptrace::http {"
    yield ""
    yield "// clang-format off"
    yield "enum class Endpoint : uint8_t {"
    for request in requests:
        yield f"  k{constant(request['path'])},"
    yield "};"
    yield ""
    yield f"enum class AnswerKind : uint8_t {{ {', '.join(f'k{text.camel(a)}' for a in ANSWERS)} }};"
    yield ""
    yield "struct EndpointInfo {"
    yield "  Endpoint endpoint;"
    yield "  std::string_view path;  // {name}: any one part"
    yield "  AnswerKind answer;"
    yield "  bool heavy;    // it may take long: by the run's size, or because it waits"
    yield "  bool changes;  // something: asked for by POST, and by the run's owner alone"
    yield "};"
    yield "inline constexpr EndpointInfo kEndpoints[] = {"
    for request in requests:
        path, heavy = request["path"], stages.truth(request.get("heavy"))
        changes = stages.truth(request.get("changes"))
        answer = f"AnswerKind::k{text.camel(request['answer'])}"
        yield f"    {{Endpoint::k{constant(path)}, {text.cpp(path)}, {answer}, {heavy}, {changes}}},"
    yield "};"
    yield "// clang-format on"
    yield ""
    yield "constexpr const EndpointInfo& InfoOf(Endpoint endpoint) {"
    yield "  return kEndpoints[static_cast<size_t>(endpoint)];"
    yield "}"
    yield ""
    yield "}  // namespace steptrace::http"


def typed(path):
    """A path under a run as a type of TypeScript: any text in place of {name}."""
    name = path.removeprefix(OF_A_RUN)
    return stages.quoted(name) if "{" not in name else f"`{re.sub(r'{[a-z]+}', '${string}', name)}`"


def typescript(requests):
    yield "// SPDX-License-Identifier: Apache-2.0"
    yield f"// {MADE}"
    yield ""
    yield "/** What can be asked of a run: what follows its id in a path. */"
    of_runs = [request for request in requests if request["path"].startswith(OF_A_RUN)]
    for answer in ANSWERS:
        paths = [typed(request["path"]) for request in of_runs if request["answer"] == answer]
        yield from stages.union(f"{text.camel(answer)}Request", paths)
    names = [f"{text.camel(answer)}Request" for answer in ANSWERS]
    yield from stages.union("RunRequest", names)


def page(requests):
    yield "| request | parameters | answer |"
    yield "| --- | --- | --- |"
    for request in requests:
        method = "POST " if request.get("changes") else ""
        parameters = request.get("parameters", "")
        yield f"| `{method}{request['path']}` | {parameters} | {request['what']} |"


def files():
    requests = declared()
    return {
        Path("src/serve/http/endpoint_list.h"): text.whole(cpp(requests)),
        Path("ui/src/api/requests.ts"): text.whole(typescript(requests)),
        PAGE: text.between(PAGE, BEGIN, END, page(requests)),
    }
