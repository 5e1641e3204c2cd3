import { useSignalEffect } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { theme } from '../../app/theme.ts';
import { createPainter, type Painter } from './canvas.ts';
import { onSystemTheme } from './palette.ts';
import type { Scene } from './scene.ts';

interface CanvasGraphProps {
  readonly scene: Scene;
  readonly painter: RefObject<Painter | null>;
  readonly idOf: (index: number) => string;
  /** Asks for a drawing. */
  readonly redraw: () => void;
}

/**
 * The drawing of a graph of more nodes than a document can hold. Only the node that the keyboard is at is an element.
 */
export function CanvasGraph({ scene: { faces, active, selected }, painter, idOf, redraw }: CanvasGraphProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const recolour = (): void => {
    painter.current?.forgetColours();
    redraw();
  };
  useEffect(() => {
    if (canvas.current === null) return;
    const created = createPainter(canvas.current);
    painter.current = created;
    const release = onSystemTheme(recolour);
    redraw();
    return () => {
      release();
      created.end();
      painter.current = null;
    };
  }, []);
  useSignalEffect(() => {
    // Read so that this runs again when the reader chooses another theme.
    if (theme.value) requestAnimationFrame(recolour);
  });
  return (
    <>
      <canvas ref={canvas} class="graph-canvas" />
      <span
        id={idOf(active)}
        class="only-read"
        role="option"
        aria-selected={active === selected}
        aria-setsize={faces.length}
        aria-posinset={active + 1}
      >
        {faces[active]?.name}
      </span>
    </>
  );
}
