// SPDX-License-Identifier: Apache-2.0
// The upper canvas: what follows the pointer and the selection. Drawn alone while the view rests.
import type { Arrow } from './flows';
import { laneMiddle } from './flows';
import type { TrackRow } from './rows';
import type { Place } from './place';
import type { Overlay, Scene } from './scene';
import { rowTop } from './scene';
import type { Span } from './viewport';
import { toPixel } from './viewport';

/** More marks of matches than this are not told apart. */
const MAX_MATCHES = 1000;
/** Outlines are no thinner than this, or a short slice's would vanish. */
const MIN_OUTLINE_PX = 3;
/** Frames around shorter matches would run into each other and hide the slices: they are underlined. */
const MIN_FRAMED_PX = 8;

export class OverlayPainter {
  constructor(private readonly context: CanvasRenderingContext2D) {}

  paint(scene: Scene, overlay: Overlay): void {
    const { context } = this;
    context.setTransform(scene.dpr, 0, 0, scene.dpr, 0, 0);
    context.clearRect(0, 0, scene.width, scene.height);
    const rows = new Map<number, TrackRow>();
    for (const row of scene.rows) {
      const track = row.node.track;
      if (track !== null && !rows.has(track.track)) rows.set(track.track, row);
    }
    if (overlay.timeRange !== null) this.timeRange(scene, overlay.timeRange);
    for (const place of overlay.matches.slice(0, MAX_MATCHES)) {
      const wide = toPixel(place.toNs, scene.view, scene.width);
      if (wide - toPixel(place.fromNs, scene.view, scene.width) >= MIN_FRAMED_PX)
        this.outline(scene, rows, place, scene.look.text, 1);
      else this.underline(scene, rows, place);
    }
    for (const arrow of overlay.arrows) this.arrow(scene, arrow);
    for (const place of overlay.correlated) this.outline(scene, rows, place, scene.look.launch, 2);
    if (overlay.match !== null) this.outline(scene, rows, overlay.match, scene.look.accent, 2);
    if (overlay.hover !== null) this.outline(scene, rows, overlay.hover, scene.look.text2, 1.5);
    if (overlay.selection !== null) {
      this.outline(scene, rows, overlay.selection, scene.look.text, 2.5);
    }
    for (const mark of overlay.marks) this.vertical(scene, mark, scene.look.accent, []);
    if (overlay.cursorNs !== null) this.vertical(scene, overlay.cursorNs, scene.look.text3, [2, 3]);
  }

  private timeRange(scene: Scene, span: Span): void {
    const { context } = this;
    const x0 = toPixel(span.fromNs, scene.view, scene.width);
    const x1 = toPixel(span.toNs, scene.view, scene.width);
    context.save();
    context.fillStyle = scene.look.accent;
    context.globalAlpha = 0.12;
    context.fillRect(x0, 0, x1 - x0, scene.height);
    context.globalAlpha = 0.9;
    context.fillRect(Math.round(x0), 0, 1, scene.height);
    context.fillRect(Math.round(x1) - 1, 0, 1, scene.height);
    context.restore();
  }

  private outline(
    scene: Scene,
    rows: ReadonlyMap<number, TrackRow>,
    place: Place,
    colour: string,
    line: number,
  ): void {
    const row = rows.get(place.track);
    if (row === undefined) return;
    if (place.toNs < scene.view.fromNs || place.fromNs > scene.view.toNs) return;
    const x0 = toPixel(place.fromNs, scene.view, scene.width);
    const x1 = toPixel(place.toNs, scene.view, scene.width);
    const width = Math.max(x1 - x0, MIN_OUTLINE_PX);
    const top = rowTop(row, scene.scroll) + place.lane * row.laneHeight;
    if (!row.pinned && top < scene.layout.pinnedHeight - row.laneHeight) return;
    const { context } = this;
    context.strokeStyle = colour;
    context.lineWidth = line;
    context.strokeRect(x0, top + 1, width, Math.max(row.laneHeight - 1, 2));
  }

  private underline(scene: Scene, rows: ReadonlyMap<number, TrackRow>, place: Place): void {
    const row = rows.get(place.track);
    if (row === undefined) return;
    const x0 = toPixel(place.fromNs, scene.view, scene.width);
    const x1 = toPixel(place.toNs, scene.view, scene.width);
    if (x1 < 0 || x0 > scene.width) return;
    const top = rowTop(row, scene.scroll) + place.lane * row.laneHeight;
    if (!row.pinned && top < scene.layout.pinnedHeight - row.laneHeight) return;
    this.context.fillStyle = scene.look.accent;
    this.context.fillRect(x0, top + row.laneHeight - 2, Math.max(x1 - x0, 1), 2);
  }

  private arrow(scene: Scene, arrow: Arrow): void {
    const { context } = this;
    const colour = arrow.kind === 'collective' ? scene.look.collective : scene.look.launch;
    const bend = Math.min(Math.max(Math.abs(arrow.x1 - arrow.x0) / 2, 14), 90);
    context.save();
    context.strokeStyle = colour;
    context.fillStyle = colour;
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(arrow.x0, arrow.y0);
    context.bezierCurveTo(arrow.x0 + bend, arrow.y0, arrow.x1 - bend, arrow.y1, arrow.x1, arrow.y1);
    context.stroke();
    context.beginPath();
    context.arc(arrow.x0, arrow.y0, 2.5, 0, 2 * Math.PI);
    context.fill();
    context.beginPath();
    context.moveTo(arrow.x1 + 1, arrow.y1);
    context.lineTo(arrow.x1 - 7, arrow.y1 - 4);
    context.lineTo(arrow.x1 - 7, arrow.y1 + 4);
    context.closePath();
    context.fill();
    context.restore();
  }

  private vertical(scene: Scene, ns: number, colour: string, dash: number[]): void {
    const x = toPixel(ns, scene.view, scene.width);
    if (x < 0 || x > scene.width) return;
    const { context } = this;
    context.save();
    context.strokeStyle = colour;
    context.setLineDash(dash);
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(Math.round(x) + 0.5, 0);
    context.lineTo(Math.round(x) + 0.5, scene.height);
    context.stroke();
    context.restore();
  }
}

export { laneMiddle };
