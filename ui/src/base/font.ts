// SPDX-License-Identifier: Apache-2.0
// The font of canvases, which take no variables: `--font` of app/tokens.css in the size of small labels.
export const FONT_FAMILY = 'system-ui, sans-serif';
export const FONT = `11px ${FONT_FAMILY}`;
export const FONT_STRONG = `600 ${FONT}`;
