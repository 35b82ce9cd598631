// SPDX-License-Identifier: Apache-2.0
// What a kernel computes in, as far as its name tells: libraries name their tiles by it (s884gemm,
// bf16, nvjet_tst), a template by the types of its elements.

export type Precision =
  | 'FP64'
  | 'FP32'
  | 'TF32'
  | 'FP16'
  | 'BF16'
  | 'FP8'
  | 'FP4'
  | 'INT8'
  | 'INT32'
  | 'INT64'
  | 'not told';

/**
 * The first that fits. Of several floating types it is the narrowest: that is the elements', the
 * wider ones are what sums and a functor's scalars are kept in. FP4 weights beside FP8 activations
 * are multiplied as FP8. Integers beside floating types are indices and masks.
 */
const FORMS: readonly (readonly [Precision, RegExp])[] = [
  ['FP8', /e4m3|e5m2|fp8|float8/i],
  ['FP4', /e2m1|fp4/i],
  ['INT8', /(?<![a-z\d])u?int8(?!\d)|(?<![a-z\d])i8i8|i8816|i8832|i16832|imma(?![a-z])/i],
  ['BF16', /bfp?16|bfloat/i],
  ['FP16', /(?<![a-z])fp?16(?!\d)|float16|\b(?:__)?half(?:2|_t)?\b/i],
  ['FP16', /(?<![a-z])(?:h(?:gemm|cudnn|884|1688|16816)|s884)/i],
  ['TF32', /tf32|s1688/i],
  ['FP32', /\bfloat\d?\b|(?<![a-z])fp?32(?!\d)|(?<![a-z])(?:s|g?c)gemm|(?<![a-z])scudnn/i],
  ['FP64', /\bdouble\d?\b|(?<![a-z])fp?64(?!\d)|(?<![a-z])[dz]gemm|(?<![a-z\d])d884/i],
  // MIOpen's igemm is an implicit GEMM, of a type that it names; cuBLAS's one of INT8.
  ['INT8', /\b(?:un)?signed char\b(?!\s*(?:const)?\s*\*)|(?<![a-z])igemm/i],
  ['INT32', /(?<!unsigned )\bint\b|(?<![a-z])int32/],
  ['INT64', /(?<!unsigned )\blong\b|(?<![a-z])int64/],
];

const told = (text: string): Precision | undefined =>
  FORMS.find(([, form]) => form.test(text))?.[0];

/** By the first of the letters that nvjet and Tensile name their operands' types by. */
const LETTERS: Record<string, Precision> = {
  Q: 'FP8',
  R: 'FP8',
  O: 'FP4',
  T: 'BF16',
  B: 'BF16',
  H: 'FP16',
  S: 'FP32',
  C: 'FP32',
  D: 'FP64',
  Z: 'FP64',
  F8: 'FP8',
  B8: 'FP8',
  I8: 'INT8',
};

/** cuBLAS: nvjet_tst_64x64_…, nvjet_sm100_qqtst_…; a later _h_ or _v_ is an orientation. */
const NVJET = /^nvjet(?:_sm\d+)?_([qrothsd])[a-z]*_/;

/** rocBLAS and hipBLASLt: Cijk_Ailk_Bljk_BBS_BH_MT64x64x64_…; S_MX_B: float as XF32. */
const TENSILE = /^Cijk_[A-Z][a-z]+_[A-Z][a-z]+_(F8|B8|I8|[HBSDCZ])/;

const operands = (name: string): Precision | undefined => {
  const letter = (NVJET.exec(name) ?? TENSILE.exec(name))?.[1];
  return letter === undefined ? undefined : LETTERS[letter.toUpperCase()];
};

/**
 * A signature without its functions' parameters, which are scalars, indices and sizes beside the
 * elements. A lambda's stay: PyTorch's elementwise kernels have the elements' types nowhere else.
 */
function withoutParameters(name: string): string {
  let kept = '';
  let depth = 0;
  let lambda = -1; // the depth at which the lambda's list was opened
  for (let i = 0; i < name.length; ++i) {
    const c = name[i];
    if (c === '(') {
      if (lambda < 0 && depth === 0 && kept.endsWith('lambda')) lambda = depth;
      ++depth;
    }
    if (depth === 0 || lambda >= 0) kept += c;
    if (c === ')') {
      depth = Math.max(depth - 1, 0);
      if (depth === lambda) lambda = -1;
    }
  }
  return kept;
}

/** Types of what pointers among the parameters point to; numbers beside them are scalars. */
const pointers = (name: string): string =>
  (name.match(/[\w:]+(?: const)?\s*\*/g) ?? []).filter((type) => !/\bchar\b/.test(type)).join(' ');

const MAX_READ = 2000;

export function precisionOf(whole: string): Precision {
  const name = whole.slice(0, MAX_READ);
  const types = withoutParameters(name);
  const named = /tf32/.test(name) ? 'TF32' : (operands(name) ?? told(types));
  // What moves bytes of any type has integers for offsets alone.
  const opaque = name.includes('OpaqueType') && named?.startsWith('INT') === true;
  if (named !== undefined && !opaque) return named;
  // A kernel without a template has its elements' type among its parameters alone.
  return (types.includes('<') ? undefined : told(pointers(name))) ?? 'not told';
}
