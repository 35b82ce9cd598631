// SPDX-License-Identifier: Apache-2.0
// The lower canvas: rows, slices, their labels and counters. Drawn when the view moves or data comes.
import { Labels } from './labels';
import { FONT } from '../base/font';
import { shortName } from './names';
import type { TrackRow } from './rows';
import type { Scene } from './scene';
import { rowTop } from './scene';
import { MIN_LABEL_PX } from './labels';
import { drawStrip } from './strip';
import type { Lane } from './tile';
import { inView } from './steps';
import { toPixel } from './viewport';
import { drawCounter } from './counter';

/** Lanes lower than this carry no text. */
const LABEL_HEIGHT = 12;
const LABEL_PADDING = 4;
/** More steps in view than this, and their borders would be a fog. */
const MAX_STEP_LINES = 120;

export interface FrameStats {
  slices: number;
  labels: number;
  strips: number;
}

interface Strip {
  row: TrackRow;
  lane: number;
  slices: Lane;
  wide: number[];
}

export class Painter {
  private readonly strips: HTMLCanvasElement;
  private readonly stripContext: CanvasRenderingContext2D;
  private image: ImageData | null = null;
  private pixels = new Uint32Array(0);
  private readonly labels: Labels;
  private readonly short = new Map<string, string>();

  constructor(private readonly context: CanvasRenderingContext2D) {
    this.strips = document.createElement('canvas');
    this.stripContext = contextOf(this.strips);
    this.labels = new Labels((text) => {
      this.context.font = FONT;
      return this.context.measureText(text).width;
    });
  }

  /** Fonts come late: what was measured with another one is forgotten. */
  fontsChanged(): void {
    this.labels.forget();
  }

  paint(scene: Scene): FrameStats {
    const { context } = this;
    const { dpr, width, height, look } = scene;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.imageSmoothingEnabled = false;
    context.fillStyle = look.surface;
    context.fillRect(0, 0, width * dpr, height * dpr);
    context.setTransform(dpr, 0, 0, dpr, 0, 0);
    this.grid(scene);
    const stats = { slices: 0, labels: 0, strips: 0 };
    const scrolling = scene.rows.filter((row) => !row.pinned);
    context.save();
    context.beginPath();
    context.rect(0, scene.layout.pinnedHeight, width, height);
    context.clip();
    this.part(scene, scrolling, stats);
    context.restore();
    const pinned = scene.rows.filter((row) => row.pinned);
    if (pinned.length > 0) this.part(scene, pinned, stats);
    return stats;
  }

  private part(scene: Scene, rows: readonly TrackRow[], stats: FrameStats): void {
    this.backgrounds(scene, rows);
    const strips = this.collect(scene, rows);
    stats.slices += this.slices(scene, strips);
    stats.strips += strips.length;
    stats.labels += this.texts(scene, strips);
    for (const row of rows) {
      const track = row.node.kind === 'counter' ? row.node.track : null;
      const series = track === null ? undefined : scene.series(track.track);
      if (series !== undefined) drawCounter(this.context, scene, row, series);
    }
  }

  private grid(scene: Scene): void {
    const steps = inView(scene.steps, scene.view);
    if (steps.length === 0 || steps.length > MAX_STEP_LINES) return;
    this.context.fillStyle = scene.look.line;
    for (const step of steps) {
      const x = Math.round(toPixel(step.fromNs, scene.view, scene.width));
      if (x > 0) this.context.fillRect(x, 0, 1, scene.height);
    }
  }

  private backgrounds(scene: Scene, rows: readonly TrackRow[]): void {
    const { context } = this;
    for (const row of rows) {
      const top = rowTop(row, scene.scroll);
      if (row.node.kind === 'node' || row.node.kind === 'rank' || row.node.kind === 'group') {
        context.fillStyle = scene.look.sunken;
        context.fillRect(0, top, scene.width, row.height);
      }
      context.fillStyle = scene.look.line;
      context.fillRect(0, top + row.height - 1, scene.width, 1);
    }
  }

  private collect(scene: Scene, rows: readonly TrackRow[]): Strip[] {
    const list: Strip[] = [];
    for (const row of rows) {
      const track = row.node.kind === 'slices' ? row.node.track : null;
      const tile = track === null ? undefined : scene.tile(track.track);
      if (tile === undefined) continue;
      const top = rowTop(row, scene.scroll);
      for (let lane = 0; lane < tile.lanes.length; ++lane) {
        const y = top + lane * row.laneHeight;
        if (y + row.laneHeight < 0 || y > scene.height) continue;
        const slices = tile.lanes[lane];
        if (slices !== undefined) list.push({ row, lane, slices, wide: [] });
      }
    }
    return list;
  }

  /** All strips into one image, one line of pixels each; then each line stretched to its lane. */
  private slices(scene: Scene, strips: readonly Strip[]): number {
    if (strips.length === 0) return 0;
    const width = Math.max(Math.round(scene.width * scene.dpr), 1);
    const image = this.imageOf(width, strips.length);
    let drawn = 0;
    strips.forEach((strip, i) => {
      const labelled = strip.row.laneHeight >= LABEL_HEIGHT;
      const from = labelled ? MIN_LABEL_PX * scene.dpr : Infinity;
      const { slices, wide } = strip;
      drawn += drawStrip(
        slices,
        scene.view,
        this.pixels,
        i * width,
        width,
        scene.colours,
        wide,
        from,
      );
    });
    this.stripContext.putImageData(image, 0, 0, 0, 0, width, strips.length);
    strips.forEach(({ row, lane }, i) => {
      const top = rowTop(row, scene.scroll) + lane * row.laneHeight;
      // A line of surface stays under each lane, so that equal colours above each other are two.
      const gap = row.laneHeight >= 3 ? 1 : 0;
      const high = row.laneHeight - gap;
      this.context.drawImage(this.strips, 0, i, width, 1, 0, top + 1, scene.width, high);
    });
    return drawn;
  }

  private imageOf(width: number, lines: number): ImageData {
    const { image } = this;
    if (image !== null && image.width === width && image.height >= lines) {
      this.pixels.fill(0, 0, width * lines);
      return image;
    }
    const height = Math.max(lines, 64);
    this.strips.width = width;
    this.strips.height = height;
    this.image = new ImageData(width, height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    return this.image;
  }

  private texts(scene: Scene, strips: readonly Strip[]): number {
    const { context, labels } = this;
    context.font = FONT;
    context.textBaseline = 'middle';
    context.fillStyle = scene.look.theme === 'light' ? '#10151c' : '#ffffff';
    let drawn = 0;
    for (const { row, lane, slices, wide } of strips) {
      const middle = rowTop(row, scene.scroll) + (lane + 0.5) * row.laneHeight + 1;
      for (const i of wide) {
        if ((slices.count[i] as number) > 1) continue;
        const x0 = Math.max(toPixel(slices.from[i] as number, scene.view, scene.width), 0);
        const x1 = Math.min(toPixel(slices.to[i] as number, scene.view, scene.width), scene.width);
        const name = this.shortOf(scene.names.name(slices.name[i] as number));
        const text = labels.cut(name, x1 - x0 - 2 * LABEL_PADDING);
        if (text === '') continue;
        context.fillText(text, x0 + LABEL_PADDING, middle);
        ++drawn;
      }
    }
    return drawn;
  }

  private shortOf(name: string): string {
    const known = this.short.get(name);
    if (known !== undefined) return known;
    const made = shortName(name);
    this.short.set(name, made);
    return made;
  }
}

/** A 2D context, or an error that says what the browser lacks. */
export function contextOf(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('the browser gives no 2D canvas: it may be out of memory');
  return context;
}
