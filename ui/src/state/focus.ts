// SPDX-License-Identifier: Apache-2.0
// The focus of the keyboard is never lost: where what had it goes (a button that did its work, a part that is read
// anew, a page that is left), it stays near by, and goes back where the same is there again.

const FOCUSABLE =
  'a[href], button, input, select, textarea, summary, [tabindex]:not([tabindex="-1"])';

/** What a reader would call the same, though the document holds another element. */
function likeness(element: Element): string {
  const part = element.closest('section[aria-labelledby], article[aria-labelledby]');
  const heading = part?.querySelector('h2')?.textContent ?? '';
  const label = element instanceof HTMLInputElement ? element.labels?.[0] : null;
  const text = label ?? element;
  const name = element.getAttribute('aria-label') ?? text.textContent.trim().slice(0, 80);
  return [element.tagName, element.getAttribute('role') ?? '', heading, name].join('\n');
}

const takesFocus = (element: Element): element is HTMLElement | SVGElement =>
  (element instanceof HTMLElement || element instanceof SVGElement) &&
  !element.matches(':disabled, [inert] *') &&
  element.checkVisibility();

/** What was lost and is not there again by then is gone for good. */
const PATIENCE_MS = 10_000;

/** The view; what stands behind it in the address only refines it. */
const page = () => location.hash.split('?')[0];

interface Held {
  readonly element: Element;
  /** From the parent upwards: they are asked for once the element is out of the document. */
  readonly around: readonly Element[];
  readonly likeness: string;
  readonly page: string | undefined;
}

class Focus {
  private held: Held | null = null;
  /** What was lost, and where the focus waits for it. */
  private lost: { readonly was: Held; readonly waits: Element; readonly until: number } | null =
    null;
  /** The reader goes elsewhere by Tab or the pointer: out of the page too, and is left there. */
  private leaving = false;

  start(): void {
    const capture = true;
    addEventListener('focusin', (event) => this.took(event.target), { capture });
    addEventListener('focusout', () => this.leaving && (this.held = null), { capture });
    addEventListener('pointerdown', () => this.left(true), { capture });
    addEventListener('keydown', (event) => this.left(event.key === 'Tab'), { capture });
    new MutationObserver(() => this.look()).observe(document.body, {
      childList: true,
      subtree: true,
      attributes: true,
      attributeFilter: ['disabled', 'hidden', 'inert'],
    });
  }

  private left(leaving: boolean): void {
    this.leaving = leaving;
    this.lost = null; // who goes on from where they are is not called back
  }

  private took(target: EventTarget | null): void {
    this.leaving = false;
    if (!(target instanceof Element)) return;
    if (this.lost?.waits !== target) this.lost = null;
    const around: Element[] = [];
    for (let up = target.parentElement; up; up = up.parentElement) around.push(up);
    this.held = { element: target, around, likeness: likeness(target), page: page() };
  }

  private look(): void {
    const { held, lost } = this;
    if (lost !== null && performance.now() > lost.until) this.lost = null;
    else if (lost !== null && document.activeElement === lost.waits) this.goBack(lost.was);
    if (held === null || !document.hasFocus()) return;
    const { element } = held;
    const gone = !element.isConnected || element.matches(':disabled');
    const blurred = document.activeElement === document.body;
    if (!gone && !blurred) return;
    // Moved within the document: that alone takes the focus.
    if (!gone && takesFocus(element)) return element.focus({ preventScroll: true });
    if (this.goBack(held)) return;
    const near = this.near(held);
    if (near === null) return; // another page is on its way
    this.lost = { was: held, waits: near, until: performance.now() + PATIENCE_MS };
    near.focus({ preventScroll: true });
  }

  /** To what is like the one that was lost, on the same page. */
  private goBack(was: Held): boolean {
    if (page() !== was.page) return false;
    const { element } = was;
    const role = element.getAttribute('role');
    const kind = element.tagName.toLowerCase() + (role === null ? '' : `[role="${role}"]`);
    const same = [...document.querySelectorAll(kind)].find(
      (other) => other !== element && takesFocus(other) && likeness(other) === was.likeness,
    );
    if (same === undefined || !takesFocus(same)) return false;
    this.lost = null;
    same.focus({ preventScroll: true });
    return true;
  }

  /** What can have it in the smallest part that is left; a page that is new begins at its content. */
  private near(was: Held): HTMLElement | SVGElement | null {
    const main = document.getElementById('main');
    if (page() === was.page)
      for (const part of was.around) {
        if (part === main || part === document.body) break;
        if (!part.isConnected) continue;
        const found = [...part.querySelectorAll(FOCUSABLE)].find(takesFocus);
        if (found && takesFocus(found)) return found;
      }
    return main;
  }
}

export const focus = new Focus();
