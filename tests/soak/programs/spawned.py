# SPDX-License-Identifier: Apache-2.0
import multiprocessing


def square(value):
    return value * value


if __name__ == "__main__":
    for method in ("fork", "spawn", "forkserver"):
        with multiprocessing.get_context(method).Pool(2) as pool:
            print(method, pool.map(square, range(6)))
