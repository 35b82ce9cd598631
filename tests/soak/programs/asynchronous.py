# SPDX-License-Identifier: Apache-2.0
import asyncio


async def worker(number, queue):
    while True:
        item = await queue.get()
        await asyncio.sleep(0.001 * number)
        print("item", item)
        queue.task_done()


async def main():
    queue = asyncio.Queue()
    task = asyncio.create_task(worker(1, queue))
    for item in range(5):
        queue.put_nowait(item)
    await queue.join()
    task.cancel()
    child = await asyncio.create_subprocess_exec("true")
    print(await child.wait())


asyncio.run(main())
