# SPDX-License-Identifier: Apache-2.0
try:
    {}["key"]
except KeyError as error:
    raise RuntimeError("while looking") from error
