// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import { paced } from './paced';

/** A load that ends when it is told to. */
function work() {
  let end!: () => void, fail!: () => void;
  const done = new Promise<void>((resolve, reject) => {
    end = resolve;
    fail = () => reject(new Error('no'));
  });
  return { done, end, fail };
}

const soon = () => new Promise((resolve) => setTimeout(resolve, 5));

it('a change is passed on at once, and while a load is under way once when that has come', async () => {
  const order: string[] = [];
  const news = paced(() => order.push('told'));
  news.changed();
  expect(order).toEqual(['told']);
  const first = work();
  void news.during(first.done).then(() => order.push('came'));
  news.changed();
  news.changed();
  await soon();
  expect(order).toEqual(['told']);
  first.end();
  await soon();
  expect(order).toEqual(['told', 'came', 'told']);
  news.changed();
  expect(order.length).toBe(4);
});

it('also when it fails, and not for one that another took the place of', async () => {
  let told = 0;
  const news = paced(() => (told += 1));
  const [first, second] = [work(), work()];
  news.during(first.done).catch(() => undefined);
  news.changed();
  news.during(second.done).catch(() => undefined);
  first.fail();
  await soon();
  expect(told).toBe(0);
  second.fail();
  await soon();
  expect(told).toBe(1);
});
