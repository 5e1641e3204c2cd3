import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { goTo } from '../app/router.ts';
import { isNarrow } from './narrow.ts';
import { MAX_ROWS, visibleRows } from './rows.ts';
import { Changed } from './status.tsx';

/** A column of a table. */
export interface Column<Row> {
  readonly name: string;
  readonly label: string;
  /** A width as CSS has it in a grid, such as `8rem` or `minmax(10rem, 2fr)`. */
  readonly width: string;
  /** Numbers stand at the right, in figures of one width. */
  readonly isNumber?: boolean;
  /** Left out where the window is narrow. */
  readonly isMinor?: boolean;
  readonly cell: (row: Row, index: number) => ComponentChildren;
}

interface TableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly idOf: (row: Row) => string;
  /** Where a row leads: a click anywhere in it goes there. The first cell must contain the link itself. */
  readonly hrefOf?: (row: Row) => string;
  /** The row that is chosen, by its id. */
  readonly selected?: string | undefined;
  readonly onSelect?: (row: Row) => void;
  /** The ids of rows whose values are of before. */
  readonly old?: ReadonlySet<string>;
  /** Called when the end of the rows comes into view. */
  readonly onEnd?: (() => void) | undefined;
  /** Rows in all, where not all are here. */
  readonly total?: number | undefined;
}

/** Pixels of a row; the style sheet has the same. */
const ROW_HEIGHT = 38;

/**
 * A table that is fast with a hundred thousand rows: only those in view are in the document. Rows never move by
 * themselves. Arrow keys, Home, End and Page keys choose a row where rows can be chosen.
 */
export function Table<Row>(props: TableProps<Row>) {
  const { label, rows, idOf, hrefOf, selected, onSelect, old, onEnd, total } = props;
  const columns = isNarrow.value ? props.columns.filter(({ isMinor }) => isMinor !== true) : props.columns;
  const body = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 800 });
  const isLong = rows.length > MAX_ROWS / 2;
  const part = visibleRows(rows.length, ROW_HEIGHT, view.top, view.height);

  useEffect(() => {
    const element = body.current;
    if (element === null || !isLong) return;
    const measure = (): void => setView({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener('scroll', measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', measure);
    };
  }, [isLong]);

  useEffect(() => {
    if (isLong && part.to >= rows.length) onEnd?.();
  }, [isLong, part.to, rows.length, onEnd]);

  const choose = (index: number): void => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, index))];
    if (row === undefined || onSelect === undefined) return;
    onSelect(row);
    const element = body.current;
    const top = rows.indexOf(row) * ROW_HEIGHT;
    if (element === null) return;
    if (!isLong) {
      element.querySelector(`[data-index="${rows.indexOf(row)}"]`)?.scrollIntoView({ block: 'nearest' });
      return;
    }
    if (top < element.scrollTop) element.scrollTop = top;
    const bottom = top + ROW_HEIGHT - element.clientHeight;
    if (bottom > element.scrollTop) element.scrollTop = bottom;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (onSelect === undefined) return;
    const at = rows.findIndex((row) => idOf(row) === selected);
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      Home: 0,
      End: rows.length - 1,
      PageDown: at + 10,
      PageUp: at - 10,
    };
    const to = steps[event.key];
    if (to === undefined) return;
    event.preventDefault();
    choose(to);
  };
  const onClick = ({ target }: MouseEvent): void => {
    if (!(target instanceof Element) || target.closest('a, button, input') !== null) return;
    const index = target.closest('[data-index]')?.getAttribute('data-index');
    const row = rows[Number(index ?? Number.NaN)];
    if (row === undefined) return;
    if (hrefOf !== undefined) goTo(hrefOf(row));
    else onSelect?.(row);
  };
  const grid = { gridTemplateColumns: columns.map(({ width }) => width).join(' ') };
  const classOf = ({ isNumber }: Column<Row>): string => (isNumber === true ? 'cell number' : 'cell');

  return (
    <div class="table" role="table" aria-label={label} aria-rowcount={(total ?? rows.length) + 1}>
      <div class="row row-head" role="row" aria-rowindex={1} style={grid}>
        {columns.map((column) => (
          <span key={column.name} class={classOf(column)} role="columnheader">
            {column.label}
          </span>
        ))}
      </div>
      <div
        ref={body}
        class={isLong ? 'table-body table-scrolls' : 'table-body'}
        role="rowgroup"
        tabIndex={isLong || onSelect !== undefined ? 0 : undefined}
        aria-label={isLong || onSelect !== undefined ? `${label}: rows` : undefined}
        onClick={onClick}
        onKeyDown={onKeyDown}
      >
        <div role="presentation" style={{ height: `${part.from * ROW_HEIGHT}px` }} />
        {rows.slice(part.from, part.to).map((row, offset) => {
          const index = part.from + offset;
          const id = idOf(row);
          const isOld = old?.has(id) === true;
          const looks = [
            id === selected && 'row-selected',
            (hrefOf ?? onSelect) && 'row-leads',
            isOld && 'row-old',
          ];
          return (
            <div
              key={id}
              role="row"
              aria-rowindex={index + 2}
              class={['row', ...looks].filter(Boolean).join(' ')}
              style={grid}
              data-index={index}
            >
              {columns.map((column, place) => (
                <span key={column.name} class={classOf(column)} role="cell">
                  {place === 0 && isOld && <Changed />}
                  {column.cell(row, index)}
                </span>
              ))}
            </div>
          );
        })}
        <div role="presentation" style={{ height: `${(rows.length - part.to) * ROW_HEIGHT}px` }} />
      </div>
    </div>
  );
}
