import type { Point } from './layout.ts';

/** The visible part of a drawing: a point of it stands at `x * scale + offset` in the window. */
export interface Camera {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

/** Width and height in pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

const MIN_SCALE = 0.01;
const MAX_SCALE = 2.5;
const MARGIN = 20;
/** The share of its least scale down to which a drawing may be shown, where all of it is seen then. */
const TOLERANCE = 0.85;

/**
 * The camera that shows all of a drawing in a window, at most at its own size; or a part, at `minScale`, where it would
 * be much smaller.
 */
export function fitCamera(drawing: Size, window: Size, minScale = MIN_SCALE): Camera {
  const room = { width: window.width - 2 * MARGIN, height: window.height - 2 * MARGIN };
  const wanted = Math.min(
    1,
    room.width / Math.max(1, drawing.width),
    room.height / Math.max(1, drawing.height),
  );
  const scale = Math.max(wanted >= minScale * TOLERANCE ? wanted : minScale, MIN_SCALE);
  const fromStart = (size: number, all: number): number => Math.max(MARGIN, (all - size * scale) / 2);
  // A drawing that is higher than the window is shown from its middle, where its first steps stand.
  const y = (window.height - drawing.height * scale) / 2;
  return { x: fromStart(drawing.width, window.width), y, scale };
}

/** Zooms by a factor; the point of the window at `at` stays where it is. */
export function zoom(camera: Camera, factor: number, at: Point): Camera {
  const scale = Math.min(MAX_SCALE, Math.max(MIN_SCALE, camera.scale * factor));
  const real = scale / camera.scale;
  return { x: at.x - (at.x - camera.x) * real, y: at.y - (at.y - camera.y) * real, scale };
}

/** Moves what is seen by pixels of the window. */
export const pan = (camera: Camera, x: number, y: number): Camera => ({
  ...camera,
  x: camera.x + x,
  y: camera.y + y,
});

/** The point of the drawing at a point of the window. */
export const toDrawing = ({ x, y, scale }: Camera, at: Point): Point => ({
  x: (at.x - x) / scale,
  y: (at.y - y) / scale,
});

/** The camera moved as little as is needed to show a box; unchanged where the box is seen. */
export function reveal(camera: Camera, corner: Point, box: Size, window: Size): Camera {
  const shift = (from: number, size: number, all: number): number => {
    const to = from + size;
    if (from < MARGIN) return MARGIN - from;
    return to > all - MARGIN ? Math.max(MARGIN - from, all - MARGIN - to) : 0;
  };
  const x = shift(corner.x * camera.scale + camera.x, box.width * camera.scale, window.width);
  const y = shift(corner.y * camera.scale + camera.y, box.height * camera.scale, window.height);
  return x === 0 && y === 0 ? camera : pan(camera, x, y);
}
