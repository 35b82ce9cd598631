// SPDX-License-Identifier: Apache-2.0
// Tables as columns. The server answers in Arrow IPC; what is read out is plain arrays, decoded once.
import { tableFromIPC } from '@uwdata/flechette';
import { inert } from '../base/inert';
import { ApiError } from './error';

export type Value = string | number | boolean | null;

const shown = (value: Value): Value => (typeof value === 'string' ? inert(value) : value);

/** Columns of one length; texts are inert. int64 are numbers: exact up to 2^53, and times of a run stay below. */
export class Columns {
  private constructor(
    readonly length: number,
    readonly names: readonly string[],
    private readonly read: (name: string) => ArrayLike<unknown> | null,
  ) {}

  static decode(bytes: Uint8Array): Columns {
    try {
      const table = tableFromIPC(bytes, { useBigInt: false });
      const names = table.names.map(String);
      return new Columns(table.numRows, names, (name) => table.getChild(name)?.toArray() ?? null);
    } catch (thrown) {
      const cause = thrown instanceof Error ? thrown.message : String(thrown);
      throw new ApiError(0, 'the table', `is not an Arrow stream (${cause})`, 'reload the page');
    }
  }

  /** Of plain arrays, all of one length. */
  static of(columns: Readonly<Record<string, readonly Value[]>>): Columns {
    const names = Object.keys(columns);
    const length = columns[names[0] ?? '']?.length ?? 0;
    return new Columns(length, names, (name) => columns[name] ?? null);
  }

  /** A column of numbers; typed where it holds no nulls. Nulls come out as NaN. */
  numbers(name: string): ArrayLike<number> {
    const array = this.values(name);
    if (ArrayBuffer.isView(array)) return array as unknown as ArrayLike<number>;
    return Float64Array.from(array as ArrayLike<number | null>, (v) =>
      v == null ? NaN : Number(v),
    );
  }

  strings(name: string): string[] {
    const known = new Map<unknown, string>(); // names repeat
    return Array.from(this.values(name), (v) => {
      if (v == null) return '';
      let text = known.get(v);
      if (text === undefined) known.set(v, (text = inert(String(v))));
      return text;
    });
  }

  /** Rows as objects: for small results. */
  rows(): Record<string, Value>[] {
    const columns = this.names.map((name) => [name, this.values(name)] as const);
    return Array.from({ length: this.length }, (_, i) =>
      Object.fromEntries(
        columns.map(([name, c]) => [name, shown((c as ArrayLike<Value>)[i] ?? null)]),
      ),
    );
  }

  private values(name: string): ArrayLike<unknown> {
    const column = this.read(name);
    if (!column)
      throw new ApiError(0, `column ${name}`, 'is not in the answer', 'update steptrace');
    return column;
  }
}
