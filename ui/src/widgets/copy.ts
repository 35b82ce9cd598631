// SPDX-License-Identifier: Apache-2.0

/** What is copied carries exact figures: each `data-exact` in the selection stands in place of its text. */
export function copyExact(event: ClipboardEvent): void {
  const selection = getSelection();
  if (!selection || selection.isCollapsed || event.defaultPrevented || !event.clipboardData) return;
  const part = selection.getRangeAt(0).cloneContents();
  const figures = part.querySelectorAll<HTMLElement>('[data-exact]');
  if (figures.length === 0) return;
  for (const figure of figures) figure.textContent = figure.dataset.exact ?? '';
  const holder = document.createElement('div');
  holder.append(part);
  event.clipboardData.setData('text/plain', holder.textContent ?? '');
  event.preventDefault();
}
