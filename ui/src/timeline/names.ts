// SPDX-License-Identifier: Apache-2.0
// Kernels' names as people say them. The whole name stays in the details and on hover.

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

const TELLING =
  /\b(\w*(?:Functor|_kernel_cuda|_kernel_impl|_cuda_kernel|Activation|Norm)\w*|\w+Op)\b/;

/** Words that stand in nearly every template of a library and tell nothing. */
const EMPTY_WORDS = new Set(['OpMathType', 'BinaryFunctor', 'UnaryFunctor', 'AUnaryFunctor']);

/**
 * `void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, …>(…)` is
 * `FillFunctor · vectorized_elementwise_kernel`: what tells most comes first, for the rest may be cut.
 * Names that are no C++ signatures stay.
 */
export function shortName(name: string): string {
  const open = name.search(/[<(]/);
  if (open <= 0 || !/::|^void |^\w+</.test(name)) return name;
  const path = outside(name.replace(/\(anonymous namespace\)::/g, ''))
    .replace(/^(void|__global__|static|inline)\s+/, '')
    .trim();
  const last = path.split('::').pop()?.trim() ?? '';
  if (last === '') return name;
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
