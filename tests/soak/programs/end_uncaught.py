# SPDX-License-Identifier: Apache-2.0
def inner(value):
    return 1 / value


def outer():
    return inner(0)


outer()
