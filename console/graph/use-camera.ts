import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { type Camera, fitCamera, pan, reveal, type Size, zoom } from './layout/camera.ts';
import type { Point } from './layout/layout.ts';

/** The camera of a graph, moved by the pointer, the wheel and its members. It is not part of what is rendered. */
export interface CameraControl {
  readonly camera: () => Camera;
  readonly window: () => Size;
  /** Shows the drawing from another place; it then stays there when the drawing or the window changes. */
  readonly set: (camera: Camera) => void;
  /** Draws anew in the next frame. */
  readonly redraw: () => void;
  readonly zoomBy: (factor: number) => void;
  /** Shows all of it. It follows changes of the drawing until it is moved again. */
  readonly showAll: () => void;
}

interface CameraOptions {
  readonly drawing: Size;
  /** The scale below which the first view shows only a part. */
  readonly minScale: number;
  /** The box that this part has in it. */
  readonly focus: () => { readonly corner: Point; readonly size: Size } | undefined;
  /** Draws what the camera sees; called at most once a frame. */
  readonly draw: (camera: Camera, window: Size) => void;
  /** A click, which is no drag, at a point of the window. */
  readonly onPick: (at: Point, target: EventTarget | null) => void;
}

/** Pixels that the pointer may move within a click. */
const CLICK_PIXELS = 4;

/** Moves a camera over an element: drag and pinch, and the wheel with Ctrl, as touchpads send a pinch. */
export function useCamera(element: RefObject<HTMLElement | null>, options: CameraOptions): CameraControl {
  const newest = useRef(options);
  newest.current = options;
  const state = useRef({
    camera: { x: 0, y: 0, scale: 1 },
    window: { width: 0, height: 0 },
    isMoved: false,
    frame: 0,
  });
  const redraw = (): void => {
    state.current.frame ||= requestAnimationFrame(() => {
      state.current.frame = 0;
      const { camera, window } = state.current;
      if (window.width > 0) newest.current.draw(camera, window);
    });
  };
  const set = (camera: Camera): void => {
    Object.assign(state.current, { camera, isMoved: true });
    redraw();
  };
  const zoomAt = (factor: number, at: Point): void => set(zoom(state.current.camera, factor, at));
  const middle = (): Point => ({ x: state.current.window.width / 2, y: state.current.window.height / 2 });
  const showAll = (minScale?: number): void => {
    const { drawing, focus } = newest.current;
    const { window } = state.current;
    const camera = fitCamera(drawing, window, minScale);
    const box = focus();
    Object.assign(state.current, {
      camera: box === undefined ? camera : reveal(camera, box.corner, box.size, window),
      isMoved: false,
    });
    redraw();
  };
  const settle = (): void => {
    if (state.current.isMoved || state.current.window.width === 0) redraw();
    else showAll(newest.current.minScale);
  };

  useEffect(() => {
    const target = element.current;
    if (target === null) return;
    const observer = new ResizeObserver(() => {
      state.current.window = { width: target.clientWidth, height: target.clientHeight };
      settle();
    });
    observer.observe(target);
    const release = listen(target, {
      move: (x, y) => set(pan(state.current.camera, x, y)),
      zoomAt,
      pick: (at, target) => newest.current.onPick(at, target),
    });
    return () => {
      observer.disconnect();
      release();
      cancelAnimationFrame(state.current.frame);
      state.current.frame = 0;
    };
  }, []);
  // The drawing has changed.
  useEffect(redraw);
  const { width, height } = options.drawing;
  useEffect(settle, [width, height]);

  return {
    camera: () => state.current.camera,
    window: () => state.current.window,
    set,
    redraw,
    zoomBy: (factor) => zoomAt(factor, middle()),
    showAll: () => showAll(),
  };
}

interface Gestures {
  readonly move: (x: number, y: number) => void;
  readonly zoomAt: (factor: number, at: Point) => void;
  readonly pick: CameraOptions['onPick'];
}

/** Listens for drag, pinch, wheel and clicks; returns what ends it. */
function listen(target: HTMLElement, { move, zoomAt, pick }: Gestures): () => void {
  const pointers = new Map<number, Point>();
  let travelled = 0;
  const placeOf = ({ clientX, clientY }: MouseEvent): Point => {
    const { left, top } = target.getBoundingClientRect();
    return { x: clientX - left - target.clientLeft, y: clientY - top - target.clientTop };
  };
  const onDown = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    if (pointers.size === 0) travelled = 0;
    pointers.set(event.pointerId, placeOf(event));
  };
  const onMove = (event: PointerEvent): void => {
    const before = pointers.get(event.pointerId);
    if (before === undefined) return;
    const at = placeOf(event);
    travelled += Math.hypot(at.x - before.x, at.y - before.y);
    const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
    if (other === undefined && travelled <= CLICK_PIXELS) return;
    pointers.set(event.pointerId, at);
    if (!target.hasPointerCapture(event.pointerId)) target.setPointerCapture(event.pointerId);
    if (other === undefined) {
      move(at.x - before.x, at.y - before.y);
      return;
    }
    const distance = (point: Point): number => Math.max(1, Math.hypot(point.x - other.x, point.y - other.y));
    zoomAt(distance(at) / distance(before), { x: (at.x + other.x) / 2, y: (at.y + other.y) / 2 });
  };
  const onUp = (event: PointerEvent): void => {
    pointers.delete(event.pointerId);
  };
  const onClick = (event: MouseEvent): void => {
    if (travelled <= CLICK_PIXELS) pick(placeOf(event), event.target);
    travelled = 0;
  };
  const onWheel = (event: WheelEvent): void => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    zoomAt(Math.exp(-Math.max(-60, Math.min(60, event.deltaY)) / 120), placeOf(event));
  };
  const ends = new AbortController();
  const { signal } = ends;
  target.addEventListener('pointerdown', onDown, { signal });
  target.addEventListener('pointermove', onMove, { signal });
  target.addEventListener('pointerup', onUp, { signal });
  target.addEventListener('pointercancel', onUp, { signal });
  target.addEventListener('click', onClick, { signal });
  target.addEventListener('wheel', onWheel, { signal, passive: false });
  return () => ends.abort();
}
