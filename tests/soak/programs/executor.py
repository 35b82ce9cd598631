# SPDX-License-Identifier: Apache-2.0
import concurrent.futures


def power(value):
    return value**3


if __name__ == "__main__":
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        print(list(pool.map(power, range(5))))
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        print(sum(pool.map(power, range(100))))
