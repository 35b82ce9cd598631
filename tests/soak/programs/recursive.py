# SPDX-License-Identifier: Apache-2.0
def deep(level):
    return deep(level + 1)


try:
    deep(0)
except RecursionError as error:
    print(error)
