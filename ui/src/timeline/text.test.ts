// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { colourOf, hash, luminance, roleOf } from './colour';
import { actionOf, KEYS } from './keys';
import { Labels } from './labels';
import { nameFigure, shortName } from './names';
import { decode, emptyState, encode, ownPart } from './state';
import { at, bandOf, byNumber, inView } from './steps';
import { momentText, roundStep, ticks } from './ticks';

describe('colour', () => {
  it('is the same for a name wherever it is, and for its numbered copies', () => {
    expect(hash('ProfilerStep#1')).toBe(hash('ProfilerStep#27'));
    expect(colourOf('aten::mm', 'cpu_op', 'light')).toBe(colourOf('aten::mm', 'kernel', 'light'));
    expect(colourOf('aten::mm', 'cpu_op', 'light')).not.toBe(
      colourOf('aten::add', 'cpu_op', 'light'),
    );
  });

  it('knows communication by name and category', () => {
    expect(roleOf('ncclDevKernel_Generic', 'kernel')).toBe('communication');
    expect(roleOf('void multimem_all_reduce_<float>', 'kernel')).toBe('communication');
    expect(roleOf('all-reduce-start.7', 'kernel')).toBe('communication');
    expect(roleOf('gloo:all_reduce', 'user_annotation')).toBe('communication');
    expect(roleOf('c10d::allreduce_', 'cpu_op')).toBe('communication');
    expect(roleOf('Memcpy HtoD', 'gpu_memcpy')).toBe('copy');
    expect(roleOf('aten::mm', 'cpu_op')).toBe('other');
  });

  it('lets text be read on every colour: contrast of at least 4.5 to 1', () => {
    for (let i = 0; i < 400; ++i) {
      const name = `n${String.fromCharCode(97 + (i % 26), 97 + ((i / 26) | 0))}`;
      for (const category of ['cpu_op', 'python_function', 'cuda_runtime', 'gpu_memcpy']) {
        expect((luminance(colourOf(name, category, 'light')) + 0.05) / 0.06).toBeGreaterThan(4.5);
        expect(1.05 / (luminance(colourOf(name, category, 'dark')) + 0.05)).toBeGreaterThan(4.5);
      }
    }
  });
});

describe('names', () => {
  it.each([
    ['aten::mm', 'aten::mm'],
    ['ProfilerStep#3', 'ProfilerStep#3'],
    ['cudaLaunchKernel', 'cudaLaunchKernel'],
    [
      'void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, at::detail::Array<char*, 1> >(int)',
      'FillFunctor · vectorized_elementwise_kernel',
    ],
    ['void (anonymous namespace)::softmax_warp<float, 8>(float*, int)', 'softmax_warp'],
    [
      'void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_256x64_16x4_nn_align4>(cutlass_80_tensorop_s1688gemm_256x64_16x4_nn_align4::Params)',
      'cutlass_80_tensorop_s1688gemm_256x64_16x4_nn_align4',
    ],
    [
      'void cutlass_cudnn_train::Kernel<cutlass_cudnn_train::reduction::kernel::ReduceSplitK<cutlass_cudnn_train::MatrixShape<4, 128> > >(Params)',
      'ReduceSplitK',
    ],
    [
      'void cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttnFwdSm90<flash::CollectiveMainloopFwdSm90<2> > > >(Params)',
      'FlashAttnFwdSm90',
    ],
    ['void ck_tile::kentry<2, ck_tile::FmhaFwdKernel<ck_tile::Tile<1> > >(Args)', 'FmhaFwdKernel'],
    [
      'std::enable_if<!(false), void>::type internal::gemvx::kernel<c10::Half, int, float, true, 7, cublasGemvParams<float> >(float)',
      'gemvx::kernel',
    ],
    ['void acme::Kernel<>(int)', 'acme::Kernel'],
    ['void acme::kernel(float*)', 'acme::kernel'],
    [
      'void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl<at::native::BUnaryFunctor<float, float, float, at::native::MulFunctor<float> > >(at::TensorIteratorBase&)::{lambda(int)#1}>(int)',
      'MulFunctor · elementwise_kernel',
    ],
    [
      'void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps<float, float>, unsigned int, float, 4> >(int)',
      'MeanOps · reduce_kernel',
    ],
    [
      'ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)',
      'ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)',
    ],
    ['train.py(42): main', 'train.py(42): main'],
    ['Memcpy HtoD (Pinned -> Device)', 'Memcpy HtoD (Pinned -> Device)'],
    ['<b>markup</b>', '<b>markup</b>'],
    ['', ''],
  ])('%s', (name, short) => expect(shortName(name)).toBe(short));
});

it('names of a million letters are cut wherever they are shown', () => {
  const long = nameFigure('x'.repeat(1_000_000));
  expect(long.text.length).toBeLessThan(500);
  expect(long.exact.length).toBeLessThan(5000);
  expect(nameFigure('').text).toBe('(no name)');
});

describe('labels', () => {
  const labels = new Labels((text) => text.length * 10);
  it('cuts at the width and leaves out what cannot be read', () => {
    expect(labels.cut('aten::mm', 80)).toBe('aten::mm');
    expect(labels.cut('aten::mm', 79)).toBe('aten::…');
    expect(labels.cut('aten::mm', 30)).toBe('at…');
    expect(labels.cut('aten::mm', 21)).toBe('');
  });
});

describe('axis', () => {
  it('steps by 1, 2 and 5', () => {
    expect([1, 1.1, 3, 7, 90, 0.2].map(roundStep)).toEqual([1, 2, 5, 10, 100, 1]);
  });

  it('tells ticks apart in units that fit', () => {
    const texts = (fromNs: number, toNs: number) =>
      ticks({ fromNs, toNs }, 500, 100).map((t) => t.text.replace('\u00a0', ' '));
    expect(texts(0, 5e9)).toEqual(['0', '1 s', '2 s', '3 s', '4 s', '5 s']);
    expect(texts(0, 5e6)).toEqual(['0', '1 ms', '2 ms', '3 ms', '4 ms', '5 ms']);
    expect(texts(1e9, 1.001e9)[1]).toBe('1.0002 s');
    const views = [
      [7e9, 7e9 + 60],
      [0, 20],
      [3e12, 3e12 + 4e6],
      [0, 3.6e12],
    ] as const;
    for (const [a, b] of views) expect(new Set(texts(a, b)).size).toBe(texts(a, b).length);
  });

  it('counts minutes by 60', () => {
    expect(momentText(62e9, 1e9)).toBe('1:02');
    expect(momentText(125.25e9, 1e7)).toBe('2:05.25');
    expect(momentText(3_725e9, 1e9)).toBe('1:02:05');
  });
});

describe('steps', () => {
  const step = (rank: number, n: number) => ({
    rank,
    step: n,
    fromNs: n * 10,
    toNs: n * 10 + 10,
    kind: 'train',
    forwardNs: null,
  });
  const band = bandOf([step(1, 2), step(1, 1), step(1, 0), step(0, 0)]);
  it('takes the rank with most steps, in order', () => {
    expect(band.map((s) => [s.rank, s.step])).toEqual([
      [1, 0],
      [1, 1],
      [1, 2],
    ]);
    expect(bandOf([])).toEqual([]);
  });
  it('finds steps by view, number and moment', () => {
    expect(inView(band, { fromNs: 10, toNs: 20 }).map((s) => s.step)).toEqual([1]);
    expect(byNumber(band, 2)?.fromNs).toBe(20);
    expect(byNumber(band, 9)).toBeNull();
    expect([-5, 15, 99].map((ns) => at(band, ns))).toEqual([0, 1, 2]);
  });
});

describe('address', () => {
  it('holds everything and gives it back', () => {
    const state = {
      view: { fromNs: -20, toNs: 1000 },
      toggled: ['n0r1', 't4'],
      pinned: ['t5'],
      slice: { track: 3, lane: 1, fromNs: -7, hash: 'abc12' },
      marks: [1, 2],
      query: 'a&b=c',
      rows: 'stream',
      busyRows: true,
      tab: 'search' as const,
      top: { row: 'n0r1', px: 12 },
      open: false,
      height: 320,
      inSight: true,
    };
    const told = Object.entries(encode(state)).filter((e): e is [string, string] => e[1] !== null);
    expect(decode(Object.fromEntries(told))).toEqual(state);
  });

  it('is plain for the first view', () => {
    expect(Object.values(encode(emptyState())).every((v) => v === null)).toBe(true);
    expect(decode({})).toEqual(emptyState());
  });

  it('reads a slice by its number, as older addresses have it', () => {
    expect(decode({ sel: '12' }).slice).toBe(12);
  });

  it('keeps to what a window can show', () => {
    expect(decode({ high: '1' }).height).toBe(90);
    expect(decode({ high: '99999' }).height).toBe(4000);
  });

  it('other parameters are ignored', () => {
    const query = { view: '1-5', 'match.sort': 'ts' };
    expect(ownPart(query)).toBe(ownPart({ view: '1-5', 'match.sort': '-ts', x: '1' }));
    for (const name of Object.keys(encode(emptyState())))
      expect(ownPart({ ...query, [name]: 'other' })).not.toBe(ownPart(query));
  });

  it('damaged addresses are ignored', () => {
    const damaged = decode({
      view: '9-5',
      fold: '../x,ok,<b>',
      sel: 'NaN',
      mark: 'x,7',
      tab: 'evil',
      top: '<b>.4',
      drawer: 'ajar',
      high: '-5',
      only: '1',
    });
    expect(damaged).toEqual({ ...emptyState(), toggled: ['ok'], marks: [7] });
  });
});

describe('keys', () => {
  const press = (key: string, more = {}) =>
    actionOf({ key, shiftKey: false, ctrlKey: false, metaKey: false, altKey: false, ...more })
      ?.kind;
  it('knows letters in any case and leaves the browser its own', () => {
    expect(press('w')).toBe('zoom');
    expect(press('W')).toBe('zoom');
    expect(press('f', { ctrlKey: true })).toBeUndefined();
    expect(press('x')).toBeUndefined();
    expect(press('n')).toBe('match');
  });
  it('has one action a key', () => {
    const all = KEYS.flatMap((k) => k.keys);
    expect(new Set(all).size).toBe(all.length);
  });
});
