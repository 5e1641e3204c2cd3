import type { Camera, Size } from '../layout/camera.ts';
import { type Picture, paint } from './paint.ts';
import { type Palette, readPalette } from './palette.ts';
import type { Scene } from './scene.ts';

/** Draws large graphs on a canvas. */
export interface Painter {
  /** Draws what the camera sees. */
  readonly draw: (scene: Scene, camera: Camera, window: Size) => void;
  /** The colours have changed: the next drawing reads them again. */
  readonly forgetColours: () => void;
  readonly end: () => void;
}

/** From so many milliseconds on, a drawing is not made for each frame of a movement. */
const SLOW_MS = 7;
/** Milliseconds without movement after which a picture that was only moved is drawn again. */
const SETTLE_MS = 120;

/**
 * A painter for a canvas in the document. Where a drawing takes long, a movement shows the last one moved and scaled,
 * so that each frame is fast, and the sharp one when the movement ends. Changes of statuses are drawn at most every
 * {@link SETTLE_MS} then.
 */
export function createPainter(canvas: HTMLCanvasElement): Painter {
  const context = canvas.getContext('2d');
  const kept = document.createElement('canvas');
  const keptContext = kept.getContext('2d');
  let palette: Palette | undefined;
  let last: Picture | undefined;
  let tookMs = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const drawSharp = (picture: Picture): void => {
    if (context === null || keptContext === null) return;
    const ratio = globalThis.devicePixelRatio;
    const [width, height] = [
      Math.round(picture.window.width * ratio),
      Math.round(picture.window.height * ratio),
    ];
    for (const one of [canvas, kept]) {
      if (one.width !== width) one.width = width;
      if (one.height !== height) one.height = height;
    }
    const startedAt = performance.now();
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    paint(context, picture);
    keptContext.drawImage(canvas, 0, 0);
    // Reading a pixel waits for the drawing itself, which is part of what it takes.
    keptContext.getImageData(0, 0, 1, 1);
    tookMs = performance.now() - startedAt;
    last = picture;
  };
  const drawMoved = ({ camera, window, palette }: Picture, from: Picture): void => {
    if (context === null) return;
    const factor = camera.scale / from.camera.scale;
    const x = camera.x - from.camera.x * factor;
    const y = camera.y - from.camera.y * factor;
    context.fillStyle = palette.page;
    context.fillRect(0, 0, window.width, window.height);
    context.drawImage(kept, x, y, window.width * factor, window.height * factor);
  };

  return {
    draw(scene, camera, window) {
      const isNew = palette === undefined;
      palette ??= readPalette(canvas.parentElement ?? document.body);
      const isFocused = document.activeElement === canvas.parentElement;
      const picture = { scene, camera, window, palette, isFocused };
      const isSame = last?.window.width === window.width && last.window.height === window.height && !isNew;
      clearTimeout(timer);
      if (last === undefined || !isSame || tookMs < SLOW_MS) return drawSharp(picture);
      drawMoved(picture, last);
      timer = setTimeout(() => drawSharp(picture), SETTLE_MS);
    },
    forgetColours() {
      palette = undefined;
    },
    end: () => clearTimeout(timer),
  };
}
