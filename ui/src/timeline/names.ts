// SPDX-License-Identifier: Apache-2.0
// Kernels' names as people say them. The whole name stays in the details and on hover.

import type { Figure } from '../base/format';

const CLOSING: Record<string, string> = { '<': '>', '(': ')' };

/** `text` without anything in < > or ( ), however nested; an unclosed one runs to the end. */
function outside(text: string): string {
  let depth = 0;
  let kept = '';
  for (const c of text) {
    if (c in CLOSING) ++depth;
    else if (c === '>' || c === ')') depth = Math.max(depth - 1, 0);
    else if (depth === 0) kept += c;
  }
  return kept;
}

/** Longer, nobody reads it, and a page with a million letters in a cell stands still. */
const MAX_SHOWN = 400;
const MAX_EXACT = 4000;

const TELLING =
  /\b(\w*(?:Functor|_kernel_cuda|_kernel_impl|_cuda_kernel|Activation|Norm)\w*|\w+_kernel|\w+_functor|\w+Ops?)\b/;

/** Words that stand in nearly every template of a library and tell nothing. */
const EMPTY_WORDS = new Set([
  'OpMathType',
  'BinaryFunctor',
  'UnaryFunctor',
  'AUnaryFunctor',
  'BUnaryFunctor',
  'ReduceOp',
  'gpu_index_kernel',
  'gpu_kernel_impl',
  'gpu_kernel_impl_nocast',
]);

/** What a library starts all its kernels through: cutlass::Kernel<…>, ck_tile::kentry<2, …>. */
const WRAPPER = /^(?:[Kk]ernel2?|device_kernel|enable_\w+|kentry|_kernel_agent)$/;

const NUMBER = /^(?:[\d(-]|true$|false$)/;
const ELEMENT =
  /^(?:(?:(?:un)?signed|int|long|short|char|bool|double|void)\b|(?:\w+::|__)?(?:nv_)?(?:half|b?float)\w*$)/i;

/** Arguments of the first template in `text`. */
function templateArguments(text: string): string[] {
  const found = [''];
  let depth = 0;
  for (const c of text.slice(text.indexOf('<') + 1)) {
    if (c === '>' || c === ')') --depth;
    if (depth < 0) break;
    if (c === ',' && depth === 0) found.push('');
    else found.push((found.pop() ?? '') + c);
    if (c in CLOSING) ++depth;
  }
  return found.map((argument) => argument.trim());
}

/** Of a wrapper what it wraps, or where that is a type of elements, its namespace with it. */
function unwrapped(path: string, last: string, inside: string): string {
  const within = templateArguments(inside).find((a) => a !== '' && !NUMBER.test(a));
  if (within === undefined || ELEMENT.test(within)) return path.split('::').slice(-2).join('::');
  return within.includes('<') ? shortName(within) : (within.split('::').pop() ?? last);
}

/**
 * `void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, …>(…)` is
 * `FillFunctor · vectorized_elementwise_kernel`: what tells most comes first, for the rest may be cut.
 * Names that are no C++ signatures stay.
 */
export function shortName(name: string): string {
  if (name.length > MAX_SHOWN) return `${shortName(name.slice(0, MAX_SHOWN))}…`;
  const open = name.search(/[<(]/);
  if (open <= 0 || !/::|^void |^\w+</.test(name)) return name;
  const path = outside(name.replace(/\(anonymous namespace\)::/g, ''))
    .replace(/^(void|__global__|static|inline)\s+/, '')
    .trim();
  const last = path.split('::').pop()?.trim() ?? '';
  if (last === '') return name;
  if (WRAPPER.test(last)) {
    const at = name.indexOf(`${last}<`);
    return unwrapped(path, last, at < 0 ? '' : name.slice(at));
  }
  const inside = name.slice(open).replace(/\(anonymous namespace\)/g, '');
  for (const word of inside.split(/[<>(),\s]+/)) {
    const own = word.split('::').pop() ?? '';
    const telling = TELLING.exec(own)?.[1];
    if (telling !== undefined && telling !== last && !EMPTY_WORDS.has(telling)) {
      return `${telling} · ${last}`;
    }
  }
  return last;
}

/** A name in a table: short to read, whole on hover and when it is copied, but for absurd lengths. */
export const nameFigure = (name: string, none = '(no name)'): Figure => ({
  text: shortName(name) || none,
  exact: name.length > MAX_EXACT ? `${name.slice(0, MAX_EXACT)}…` : name || none,
});
