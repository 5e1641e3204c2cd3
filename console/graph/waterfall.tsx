import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { now as clock } from '../app/now.ts';
import { MAX_ROWS, visibleRows } from '../ui/rows.ts';
import { ticksOf } from './time/axis.ts';
import { Row } from './time/row.tsx';
import type { WaterfallProps } from './types.ts';
import './waterfall.css';

/** Pixels of a row, and of the row of times above; the style sheet has the same. */
const ROW_HEIGHT = 30;
/** Pixels between two marks of the axis, at least. */
const TICK_PIXELS = 90;
/** Pixels of the text at a mark; a mark with less room is left out. */
const LABEL_PIXELS = 44;

const legend = [
  ['dependencies', 'waits for earlier steps'],
  ['queued', 'waits for a place'],
  ['attempt is-completed', 'done'],
  ['attempt is-open', 'under way'],
  ['attempt is-failed', 'failed'],
  ['backoff', 'pause before the next attempt'],
  ['waiting', 'waits for a person, a time or a run'],
] as const;

/**
 * The steps of a run over time. It is a list box whose options are the steps: arrow keys, Home, End and Page keys
 * choose one, as a click does. Only rows in view are in the document. Bars grow while the run goes on.
 */
export function Waterfall({ label, data, selected, onSelect }: WaterfallProps) {
  const { rows, from } = data;
  const to = Math.max(data.to ?? clock.value, from + 1);
  const prefix = useId();
  const body = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 800, width: 900 });
  const part = visibleRows(rows.length, ROW_HEIGHT, view.top, view.height);
  const isLong = rows.length > MAX_ROWS / 2;
  const chosen = rows.findIndex(({ id }) => id === selected);

  useEffect(() => {
    const element = body.current;
    if (element === null) return;
    const measure = (): void =>
      setView({
        top: element.scrollTop,
        height: element.clientHeight,
        width: element.querySelector('.waterfall-plot')?.clientWidth ?? element.clientWidth,
      });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener('scroll', measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', measure);
    };
  }, []);
  useEffect(() => {
    const element = body.current;
    if (element === null || chosen < 0 || !isLong) return;
    const top = chosen * ROW_HEIGHT;
    // The row of times covers the upper edge.
    const bottom = top + 2 * ROW_HEIGHT - element.clientHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (bottom > element.scrollTop) element.scrollTop = bottom;
  }, [chosen, isLong]);

  const onKeyDown = (event: KeyboardEvent): void => {
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: chosen + 1,
      ArrowUp: chosen - 1,
      Home: 0,
      End: rows.length - 1,
      PageDown: chosen + 10,
      PageUp: chosen - 10,
    };
    const next = steps[event.key];
    if (next === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const row = rows[Math.max(0, Math.min(rows.length - 1, next))];
    if (row !== undefined) onSelect(row.id);
  };
  const onClick = ({ target }: MouseEvent): void => {
    const index =
      target instanceof Element ? target.closest('[data-index]')?.getAttribute('data-index') : null;
    const row = rows[Number(index ?? Number.NaN)];
    if (row !== undefined) onSelect(row.id);
  };
  const isInView = chosen >= part.from && chosen < part.to;
  const ticks = ticksOf(to - from, Math.max(1, Math.floor(view.width / TICK_PIXELS)));
  const hasRoom = (at: number): boolean => (1 - at / (to - from)) * view.width >= LABEL_PIXELS;

  return (
    <div class="waterfall">
      <div
        ref={body}
        class={isLong ? 'waterfall-body waterfall-scrolls' : 'waterfall-body'}
        role="listbox"
        aria-label={label}
        aria-activedescendant={isInView ? `${prefix}-${chosen}` : undefined}
        tabIndex={0}
        onClick={onClick}
        onKeyDown={onKeyDown}
      >
        <div class="waterfall-row waterfall-times" role="presentation" aria-hidden="true">
          <span class="waterfall-name">step</span>
          <span class="waterfall-plot">
            {ticks
              .filter(({ at }) => hasRoom(at))
              .map(({ at, label: text }) => (
                <span key={at} class="waterfall-tick" style={{ left: `${(at / (to - from)) * 100}%` }}>
                  {text}
                </span>
              ))}
          </span>
          <span class="number waterfall-took">took</span>
        </div>
        <div role="presentation" style={{ height: `${part.from * ROW_HEIGHT}px` }} />
        {rows.slice(part.from, part.to).map((row, offset) => (
          <Row
            key={row.id}
            id={`${prefix}-${part.from + offset}`}
            row={row}
            index={part.from + offset}
            count={rows.length}
            isSelected={row.id === selected}
            from={from}
            to={to}
          />
        ))}
        <div role="presentation" style={{ height: `${(rows.length - part.to) * ROW_HEIGHT}px` }} />
      </div>
      <p class="waterfall-legend">
        {legend.map(([kind, text]) => (
          <span key={kind}>
            <span class={`waterfall-bar waterfall-${kind}`} aria-hidden="true" /> {text}
          </span>
        ))}
        <span>
          <span class="waterfall-mark" aria-hidden="true" /> critical path
        </span>
      </p>
    </div>
  );
}
