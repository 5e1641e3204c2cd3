import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Effect } from '../../../ui/effect.tsx';
import { formatDuration } from '../../../ui/format.ts';
import { visibleRows } from '../../../ui/rows.ts';
import { Status } from '../../../ui/status.tsx';
import { Age, Lasting } from '../../../ui/time.tsx';
import { callOf, type Effects, effectOf } from '../logic/plan.ts';
import type { StepDefinition } from '../logic/reads.ts';
import { moveIn, type TreeRow, treeRows } from '../logic/tree.ts';
import type { ViewProps } from './graph.tsx';

/** Pixels of a row; the style sheet has the same. */
const ROW_HEIGHT = 34;

/** Pixels of the row of heads. */
const HEAD_HEIGHT = 32;

const rowId = (id: string): string => `steps-${id}`;

/**
 * The steps of a run as a tree: layers, their steps, and the items of steps with `foreach`. It is the twin of the
 * graph. Only rows in view are in the document.
 */
export function StepsView({ run, definition, effects, selected, onSelect }: ViewProps) {
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const [cursor, setCursor] = useState(selected);
  const [view, setView] = useState({ top: 0, height: 600 });
  const body = useRef<HTMLDivElement>(null);
  const steps = new Map(definition?.steps.map((step) => [step.id, step]));
  const rows = treeRows(run, (id) => steps.get(id)?.foreach !== undefined, toggled);
  const at = rows.findIndex(({ id }) => id === cursor);
  const part = visibleRows(rows.length, ROW_HEIGHT, view.top, view.height);

  useEffect(() => {
    const element = body.current;
    if (element === null) return;
    const measure = (): void => setView({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener('scroll', measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', measure);
    };
  }, []);
  useLayoutEffect(() => setCursor(selected), [selected]);

  const toggle = (id: string): void => {
    const next = new Set(toggled);
    if (!next.delete(id)) next.add(id);
    setToggled(next);
  };
  const go = (index: number): void => {
    const row = rows[index];
    if (row === undefined) return;
    setCursor(row.id);
    if (row.kind !== 'layer') onSelect(row.id);
    const element = body.current;
    if (element === null) return;
    // The head stays at the top, and covers the first rows.
    const top = index * ROW_HEIGHT;
    const bottom = top + ROW_HEIGHT + HEAD_HEIGHT - element.clientHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (bottom > element.scrollTop) element.scrollTop = bottom;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const row = rows[at];
    const move = moveIn(rows, at, event.key);
    const isPressed = (event.key === 'Enter' || event.key === ' ') && row?.isOpen !== undefined;
    if (move === undefined && !isPressed) return;
    event.preventDefault();
    if (move?.kind === 'to') go(move.index);
    else if (row !== undefined) toggle(row.id);
  };
  const onClick = ({ target }: MouseEvent): void => {
    if (!(target instanceof Element) || target.closest('a, button') !== null) return;
    const index = Number(target.closest('[data-index]')?.getAttribute('data-index') ?? Number.NaN);
    const row = rows[index];
    if (row === undefined) return;
    if (row.kind === 'layer' || target.closest('[data-toggle]') !== null) toggle(row.id);
    if (row.kind !== 'layer') go(index);
  };

  return (
    <div
      ref={body}
      class="table runs-tree"
      role="treegrid"
      aria-label="Steps"
      aria-rowcount={rows.length + 1}
      aria-activedescendant={rows[at] && rowId(rows[at].id)}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onClick={onClick}
    >
      <div class="runs-tree-head" role="rowgroup">
        <div class="row row-head runs-tree-row" role="row" aria-rowindex={1}>
          {heads.map(([name, kind]) => (
            <span key={name} class={`cell ${kind}`} role="columnheader">
              {name}
            </span>
          ))}
        </div>
      </div>
      <div role="rowgroup">
        <div role="presentation" style={{ height: `${part.from * ROW_HEIGHT}px` }} />
        {rows.slice(part.from, part.to).map((row, offset) => (
          <div
            key={row.id}
            id={rowId(row.id)}
            role="row"
            class={`row row-leads runs-tree-row runs-${row.kind} runs-level-${row.level}${row.id === cursor ? ' row-selected' : ''}`}
            aria-rowindex={part.from + offset + 2}
            aria-level={row.level}
            aria-expanded={row.isOpen}
            aria-selected={row.id === cursor}
            data-index={part.from + offset}
          >
            <Cells row={row} step={row.kind === 'step' ? steps.get(row.id) : undefined} effects={effects} />
          </div>
        ))}
        <div role="presentation" style={{ height: `${(rows.length - part.to) * ROW_HEIGHT}px` }} />
      </div>
    </div>
  );
}

/** The columns, with the classes that say where there is no room for them. */
const heads = [
  ['Step', ''],
  ['Status', ''],
  ['Calls', 'runs-third'],
  ['Effect', 'runs-second'],
  ['Attempts', 'number runs-third'],
  ['Started', 'runs-first'],
  ['Duration', 'number'],
] as const;

interface CellsProps {
  readonly row: TreeRow;
  readonly step: StepDefinition | undefined;
  readonly effects: Effects | undefined;
}

function Cells({ row, step, effects }: CellsProps) {
  const arrow = row.isOpen !== undefined && (
    <span class="runs-arrow" aria-hidden="true" data-toggle>
      {row.isOpen ? '▾' : '▸'}
    </span>
  );
  if (row.kind === 'layer') {
    return (
      <>
        <span class="cell runs-name" role="gridcell">
          {arrow} Layer {row.layer + 1}
        </span>
        <span class="cell faint runs-wide" role="gridcell">
          {row.ended} of {row.count} ended
        </span>
      </>
    );
  }
  if (row.kind === 'item') {
    const { index, status, error, output } = row.item;
    return (
      <>
        <span class="cell runs-name number" role="gridcell">
          item {index}
        </span>
        <span class="cell" role="gridcell">
          <Status of={status} />
        </span>
        <span class="cell faint runs-rest" role="gridcell">
          {error ?? JSON.stringify(output)}
        </span>
      </>
    );
  }
  const { result, items } = row;
  return (
    <>
      <span class="cell runs-name mono" role="gridcell" title={result.error ?? undefined}>
        {arrow} {result.step_id}
        {items > 0 && <span class="faint"> ×{items.toLocaleString('en')}</span>}
      </span>
      <span class="cell" role="gridcell">
        <Status of={result.status} />
      </span>
      <span class="cell runs-third" role="gridcell">
        {callOf(step, result.kind)}
      </span>
      <span class="cell runs-second" role="gridcell">
        {effects !== undefined && <Effect of={effectOf(step, effects)} />}
      </span>
      <span class="cell number runs-third" role="gridcell">
        {result.attempts}
      </span>
      <span class="cell runs-first" role="gridcell">
        <Age at={result.started_at} />
      </span>
      <span class="cell number" role="gridcell">
        {result.completed_at === null ? (
          <Lasting from={result.started_at} ms={result.duration_ms} />
        ) : (
          formatDuration(result.duration_ms)
        )}
      </span>
    </>
  );
}
