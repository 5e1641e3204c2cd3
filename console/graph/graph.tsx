import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';
import type { Painter } from './draw/canvas.ts';
import { CanvasGraph } from './draw/canvas-graph.tsx';
import { faceOf, sizeWith } from './draw/face.ts';
import type { Scene } from './draw/scene.ts';
import { SvgGraph } from './draw/svg.tsx';
import { pan, reveal, toDrawing } from './layout/camera.ts';
import type { Point } from './layout/layout.ts';
import { isWalkKey, walk } from './layout/walk.ts';
import type { GraphProps } from './types.ts';
import { useCamera } from './use-camera.ts';
import { useShape } from './use-shape.ts';
import './graph.css';

/** Graphs of more steps than this fold. */
const FOLD_FROM = 60;
/** Graphs of more nodes than this are drawn on a canvas: browsers take long to scale the texts of an SVG drawing. */
const MAX_SVG_NODES = 80;
/** In graphs of more nodes than this, all of the graph is seen at first, however small. */
const MAX_LEGIBLE_NODES = 500;
/** In others, a first view is no smaller: where all has no room so, it shows the chosen or a failed step. */
const MIN_SCALE = 0.8;
/** Pixels that a key moves what is seen. */
const PAN_PIXELS = 80;

/**
 * The steps of a workflow as a graph, layer by layer from left to right. It is a list box whose options are the steps:
 * arrow keys go along the edges, Enter or a click chooses a step or unfolds a node, Shift with an arrow key and a drag
 * move what is seen, `+`, `-` and Ctrl with the wheel zoom, `0` shows all. What is seen holds still while statuses
 * change.
 */
export function Graph({ label, nodes, edges, selected, onSelect, foldFrom = FOLD_FROM }: GraphProps) {
  const prefix = useId();
  const box = useRef<HTMLDivElement>(null);
  const moved = useRef<SVGGElement>(null);
  const painter = useRef<Painter>(null);
  const picked = useRef(selected);
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set());
  const [activeId, setActiveId] = useState<string>();
  const hasStatus = nodes.some(({ status }) => status !== undefined);
  const size = sizeWith(hasStatus);
  const shape = useShape(nodes, edges, { unfolded, foldFrom, size });
  const { shown, shownOf, indexOf, layout } = shape;
  const faces = useMemo(() => shown.map((node) => faceOf(node, nodes)), [shown, nodes]);

  /** The shown node of a step, or of the first step of a fold. */
  const shownAt = (id: string | undefined): number => {
    const index = id === undefined ? undefined : indexOf.get(id);
    return index === undefined ? -1 : (shownOf[index] ?? -1);
  };
  const chosen = shownAt(selected);
  const active = Math.max(0, shownAt(activeId ?? selected));
  const scene: Scene = { layout, size, faces, selected: chosen, active };
  const view = useCamera(box, {
    drawing: layout,
    minScale: shown.length > MAX_LEGIBLE_NODES ? 0 : MIN_SCALE,
    focus() {
      const first = chosen >= 0 ? chosen : faces.findIndex(({ status }) => status === 'FAILED');
      const corner = layout.corners[first];
      return corner && { corner, size };
    },
    draw(camera, window) {
      const { x, y, scale } = camera;
      const hidden = [
        x < 0 && '10px 0',
        x + layout.width * scale > window.width && '-10px 0',
        y < 0 && '0 10px',
        y + layout.height * scale > window.height && '0 -10px',
      ].filter(Boolean);
      const shades = hidden.map((side) => `inset ${side} 10px -8px var(--line-strong)`);
      box.current?.style.setProperty('--more', shades.join());
      moved.current?.setAttribute('transform', `translate(${x} ${y}) scale(${scale})`);
      painter.current?.draw(scene, camera, window);
    },
    onPick: (at, target) => {
      const index = nodeAt(at, target);
      if (index >= 0) pick(index);
    },
  });

  const nodeAt = (at: Point, target: EventTarget | null): number => {
    const option = target instanceof Element ? target.closest('g[role="option"]') : null;
    if (option !== null) return Number(option.id.slice(prefix.length + 1));
    const { x, y } = toDrawing(view.camera(), at);
    const isIn = (corner: Point): boolean =>
      x >= corner.x && y >= corner.y && x <= corner.x + size.width && y <= corner.y + size.height;
    return layout.corners.findIndex(isIn);
  };
  const firstStep = (index: number): string | undefined => nodes[shown[index]?.members[0] ?? -1]?.id;
  const show = (index: number): void => {
    const corner = layout.corners[index];
    if (corner !== undefined) view.set(reveal(view.camera(), corner, size, view.window()));
  };
  /** Where the first step of an unfolded node has to stay in the window. */
  const anchor = useRef<{ readonly id: string; readonly corner: Point }>(undefined);
  const pick = (index: number): void => {
    const node = shown[index];
    const id = firstStep(index);
    if (node === undefined || id === undefined) return;
    setActiveId(id);
    if (node.shape === undefined) {
      picked.current = id;
      onSelect(id);
      return;
    }
    // From here on the camera does not follow the drawing.
    view.set(view.camera());
    anchor.current = { id, corner: layout.corners[index] ?? { x: 0, y: 0 } };
    setUnfolded(new Set([...unfolded, node.id]));
  };
  const foldAll = (): void => {
    setUnfolded(new Set());
    view.showAll();
  };

  useEffect(() => {
    const held = anchor.current;
    anchor.current = undefined;
    const corner = layout.corners[shownAt(held?.id)];
    if (held === undefined || corner === undefined) return;
    const { scale } = view.camera();
    view.set(pan(view.camera(), (held.corner.x - corner.x) * scale, (held.corner.y - corner.y) * scale));
  }, [layout]);
  useEffect(() => {
    // A step that was chosen elsewhere comes into view; one that was clicked here is seen already.
    if (selected !== picked.current && chosen >= 0 && view.window().width > 0) show(chosen);
    picked.current = selected;
  }, [selected]);

  const onKeyDown = (event: KeyboardEvent): void => {
    const { key, shiftKey } = event;
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const pans: Readonly<Record<string, readonly [number, number]>> = {
      ArrowLeft: [PAN_PIXELS, 0],
      ArrowRight: [-PAN_PIXELS, 0],
      ArrowUp: [0, PAN_PIXELS],
      ArrowDown: [0, -PAN_PIXELS],
    };
    const by = pans[key];
    if (shiftKey && by !== undefined) view.set(pan(view.camera(), ...by));
    else if (isWalkKey(key)) {
      const next = walk(layout, active, key);
      setActiveId(firstStep(next));
      show(next);
    } else if (key === 'Enter' || key === ' ') pick(active);
    else if (key === '+' || key === '=') view.zoomBy(1.25);
    else if (key === '-') view.zoomBy(0.8);
    else if (key === '0') view.showAll();
    else return;
    event.preventDefault();
  };

  const idOf = (index: number): string => `${prefix}-${index}`;
  return (
    <div class="graph" style={{ '--graph-height': `${Math.ceil(layout.height) + 56}px` }}>
      <div
        ref={box}
        class="graph-window"
        role="listbox"
        aria-label={label}
        aria-activedescendant={shown.length > 0 ? idOf(active) : undefined}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onFocus={view.redraw}
        onBlur={view.redraw}
      >
        {shown.length > MAX_SVG_NODES ? (
          <CanvasGraph scene={scene} painter={painter} idOf={idOf} redraw={view.redraw} />
        ) : (
          <SvgGraph scene={scene} moved={moved} idOf={idOf} />
        )}
      </div>
      <div class="graph-tools">
        {shape.isUnfolded && (
          <button type="button" onClick={foldAll}>
            Fold again
          </button>
        )}
        <button type="button" aria-label="Zoom in" title="Zoom in (+)" onClick={() => view.zoomBy(1.25)}>
          +
        </button>
        <button type="button" aria-label="Zoom out" title="Zoom out (-)" onClick={() => view.zoomBy(0.8)}>
          −
        </button>
        <button type="button" title="Show all (0)" onClick={view.showAll}>
          Fit
        </button>
      </div>
    </div>
  );
}
