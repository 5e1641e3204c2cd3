import { itemAt } from '../../../src/lib/array.ts';
import type { Camera, Size } from '../layout/camera.ts';
import { bendOf, type Point, type Route } from '../layout/layout.ts';
import type { Face } from './face.ts';
import type { Palette } from './palette.ts';
import type { Scene } from './scene.ts';

/** A drawing on a canvas, and what the reader sees of it. */
export interface Picture {
  readonly scene: Scene;
  readonly camera: Camera;
  readonly window: Size;
  readonly palette: Palette;
  /** True while the keyboard is in the graph. */
  readonly isFocused: boolean;
}

/** Below this scale nodes are plain rectangles, and edges straight lines. */
const PLAIN_SCALE = 0.3;

interface Bounds {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Draws what the camera sees; its time depends on how much that is. Units of `context` are pixels of the window. */
export function paint(context: CanvasRenderingContext2D, picture: Picture): void {
  const { scene, camera, window, palette } = picture;
  context.save();
  context.fillStyle = palette.page;
  context.fillRect(0, 0, window.width, window.height);
  context.translate(camera.x, camera.y);
  context.scale(camera.scale, camera.scale);
  const { width, height } = scene.size;
  const bounds = {
    left: -camera.x / camera.scale - width - 8,
    top: -camera.y / camera.scale - height - 8,
    right: (window.width - camera.x) / camera.scale + 8,
    bottom: (window.height - camera.y) / camera.scale + 8,
  };
  paintEdges(context, picture, bounds);
  const seen = scene.layout.corners.flatMap((corner, index) => (isIn(corner, bounds) ? index : []));
  if (camera.scale < PLAIN_SCALE) paintPlain(context, picture, seen);
  else for (const index of seen) paintNode(context, picture, index);
  paintRing(context, picture);
  context.restore();
}

const isIn = ({ x, y }: Point, { left, top, right, bottom }: Bounds): boolean =>
  x >= left && x <= right && y >= top && y <= bottom;

function isCrossing({ points }: Route, { left, top, right, bottom }: Bounds): boolean {
  const first = points[0];
  const last = points.at(-1);
  if (first === undefined || last === undefined || last.x < left || first.x > right) return false;
  return points.some(({ y }) => y >= top) && points.some(({ y }) => y <= bottom);
}

function paintEdges(context: CanvasRenderingContext2D, picture: Picture, bounds: Bounds): void {
  const { scene, camera, palette } = picture;
  const isPlain = camera.scale < PLAIN_SCALE;
  const seen = scene.layout.routes.filter((route) => isCrossing(route, bounds));
  const isNear = ({ from, to }: Route): boolean => from === scene.selected || to === scene.selected;
  for (const near of [false, true]) {
    context.strokeStyle = near ? palette.ring : palette.line;
    context.fillStyle = context.strokeStyle;
    context.lineWidth = (near ? 2 : 1.3) / (isPlain ? Math.max(camera.scale * 3, 0.2) : 1);
    context.globalAlpha = near ? 1 : isPlain ? 0.4 : 0.6;
    context.beginPath();
    for (const route of seen) if (isNear(route) === near) trace(context, route, isPlain);
    context.stroke();
    if (isPlain) continue;
    context.beginPath();
    for (const route of seen) if (isNear(route) === near) traceArrow(context, route);
    context.fill();
  }
  context.globalAlpha = 1;
}

function trace(context: CanvasRenderingContext2D, { points }: Route, isPlain: boolean): void {
  let before: Point | undefined;
  for (const point of points) {
    if (before === undefined) context.moveTo(point.x, point.y);
    else if (isPlain) context.lineTo(point.x, point.y);
    else {
      const bend = bendOf(before, point);
      context.bezierCurveTo(before.x + bend, before.y, point.x - bend, point.y, point.x, point.y);
    }
    before = point;
  }
}

function traceArrow(context: CanvasRenderingContext2D, { points }: Route): void {
  const { x, y } = itemAt(points, points.length - 1);
  context.moveTo(x, y);
  context.lineTo(x - 9, y - 4.5);
  context.lineTo(x - 9, y + 4.5);
}

/** Small nodes, in the colours of their statuses: one colour at a time, which is fast for thousands. */
function paintPlain(context: CanvasRenderingContext2D, picture: Picture, seen: readonly number[]): void {
  const { scene, palette } = picture;
  const { width, height } = scene.size;
  const toneOf = (index: number): string => itemAt(scene.faces, index).glyph?.tone ?? '';
  for (const [tone, indexes] of Map.groupBy(seen, toneOf)) {
    context.fillStyle = palette.tones.get(tone)?.strong ?? palette.text2;
    for (const index of indexes) {
      const { x, y } = itemAt(scene.layout.corners, index);
      context.fillRect(x, y, width, height);
    }
  }
}

function paintNode(context: CanvasRenderingContext2D, picture: Picture, index: number): void {
  const { scene, palette } = picture;
  const face = itemAt(scene.faces, index);
  const corner = itemAt(scene.layout.corners, index);
  const { width, height } = scene.size;
  const tone = palette.tones.get(face.glyph?.tone ?? '');
  const isStrong = tone !== undefined && tone.soft !== palette.box;
  const { x, y } = corner;
  context.fillStyle = tone?.soft ?? palette.box;
  context.strokeStyle =
    face.glyph === undefined || face.glyph.tone === 'calm' ? palette.line : (tone?.strong ?? palette.line);
  context.lineWidth = isStrong ? 2 : 1.2;
  context.setLineDash(face.status === 'PENDING' || face.status === 'SKIPPED' ? [5, 4] : []);
  for (const shift of face.isFold ? [5, 0] : [0]) {
    context.beginPath();
    context.roundRect(x + shift, y + shift, width, height, 8);
    context.fill();
    context.stroke();
  }
  context.setLineDash([]);
  paintTexts(context, face, { corner, palette });
  if (face.badge !== undefined) paintBadge(context, face.badge, { corner, palette, width });
}

function paintTexts(
  context: CanvasRenderingContext2D,
  { glyph, title, detail, marks }: Face,
  { corner: { x, y }, palette }: { readonly corner: Point; readonly palette: Palette },
): void {
  const colourOf = (tone: string): string => palette.tones.get(tone)?.strong ?? palette.text2;
  context.fillStyle = palette.text;
  context.font = `600 13px ${palette.font}`;
  context.fillText(title, x + (glyph ? 30 : 12), y + 21);
  if (glyph) {
    context.fillStyle = colourOf(glyph.tone);
    context.textAlign = 'center';
    context.fillText(glyph.text, x + 17, y + 21);
    context.textAlign = 'start';
  }
  context.fillStyle = palette.text2;
  context.font = `11.5px ${palette.font}`;
  context.fillText(detail, x + 12, y + 38);
  context.font = `600 11.5px ${palette.font}`;
  let left = x + 12;
  for (const { text, tone } of marks) {
    context.fillStyle = colourOf(tone);
    context.fillText(text, left, y + 56);
    left += context.measureText(text).width + 9;
  }
}

function paintBadge(
  context: CanvasRenderingContext2D,
  badge: string,
  { corner, palette, width }: { readonly corner: Point; readonly palette: Palette; readonly width: number },
): void {
  context.font = `11px ${palette.font}`;
  const wide = context.measureText(badge).width + 14;
  const left = corner.x + width - wide - 8;
  context.fillStyle = palette.box;
  context.strokeStyle = palette.line;
  context.lineWidth = 1;
  context.beginPath();
  context.roundRect(left, corner.y - 9, wide, 18, 9);
  context.fill();
  context.stroke();
  context.fillStyle = palette.text2;
  context.fillText(badge, left + 7, corner.y + 4);
}

/** Marks the selected node, and the one that the keyboard is at. */
function paintRing(context: CanvasRenderingContext2D, { scene, camera, palette, isFocused }: Picture): void {
  const { corners } = scene.layout;
  const { width, height } = scene.size;
  const rings = [
    { corner: corners[scene.selected], dash: [] },
    { corner: isFocused ? corners[scene.active] : undefined, dash: [4, 3] },
  ];
  context.strokeStyle = palette.ring;
  context.lineWidth = 2.5 / Math.min(1, camera.scale);
  for (const { corner, dash } of rings) {
    if (corner === undefined) continue;
    context.setLineDash(dash.map((length) => length / Math.min(1, camera.scale)));
    context.beginPath();
    context.roundRect(corner.x - 4, corner.y - 4, width + 8, height + 8, 11);
    context.stroke();
  }
  context.setLineDash([]);
}
