// SPDX-License-Identifier: Apache-2.0
// Walking over the exact figures of a drawing with the arrow keys, apart from how it looks.

/** Where a figure stands, px; any origin. */
export interface FigureBox {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

const middle = (box: FigureBox) => (box.left + box.right) / 2;

/** The nearest figure that lies wholly above or below `at`, in the nearest line of them; -1: none. */
function inNextLine(at: number, boxes: readonly FigureBox[], down: boolean): number {
  const here = boxes[at];
  if (here === undefined) return -1;
  const away = (box: FigureBox) => (down ? box.top - here.bottom : here.top - box.bottom);
  // Borders of neighbours may meet, and a pixel is lost where a page is zoomed.
  const beyond = boxes.map((box, i) => ({ i, box, by: away(box) })).filter((b) => b.by > -2);
  const line = Math.min(...beyond.map((b) => b.by));
  const aside = (box: FigureBox) => Math.abs(middle(box) - middle(here));
  return beyond
    .filter((b) => b.by <= line + 4)
    .reduce((best, b) => {
      const than = boxes[best];
      return than === undefined || aside(b.box) < aside(than) ? b.i : best;
    }, -1);
}

/** The figure that a key leads to from `at` (-1: none yet); null: no key of the figures. */
export function figureAfterKey(
  key: string,
  at: number,
  boxes: readonly FigureBox[],
): number | null {
  const to = (i: number) => Math.max(0, Math.min(boxes.length - 1, i));
  switch (key) {
    case 'ArrowRight':
      return to(at + 1);
    case 'ArrowLeft':
      return to(at - 1);
    case 'ArrowDown':
    case 'ArrowUp': {
      const next = inNextLine(at, boxes, key === 'ArrowDown');
      return to(next < 0 ? at : next);
    }
    case 'Home':
      return to(0);
    case 'End':
      return to(boxes.length - 1);
    default:
      return null;
  }
}

const textOf = (node: Element | null | undefined) => (node?.textContent ?? '').trim();

/** What a figure is, in words: as it says itself (`data-told`), else by its row's and column's heading. */
export function toldOf(figure: HTMLElement): string {
  if (figure.dataset.told !== undefined) return figure.dataset.told;
  const exact = figure.dataset.exact ?? '';
  const cell = figure.closest<HTMLTableCellElement>('td');
  const row = cell?.closest('tr');
  const column = cell?.closest('table')?.querySelector('thead tr')?.children[cell.cellIndex];
  const named = figure.closest('[data-what]')?.querySelector<HTMLElement>('[data-name]');
  const names = [
    named?.title || textOf(named), // whole, where it is shown cut
    textOf(row?.firstElementChild),
    textOf(column),
  ];
  const name = names.filter(Boolean).join(', ');
  return name ? `${name}: ${exact}` : exact;
}
