import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { onEvents } from '../../api/live.ts';
import { useList } from '../../api/use-list.ts';
import { useKeys } from '../../app/keys.ts';
import { announce } from '../../app/messages.tsx';
import { now } from '../../app/now.ts';
import { hrefTo, place } from '../../app/router.ts';
import { visibleRows } from '../../ui/rows.ts';
import { Empty, Failed, Loading } from '../../ui/states.tsx';
import { Changed, lookOf, Status } from '../../ui/status.tsx';
import { kindWords } from './filters.ts';
import { changedHere } from './logic/acts.ts';
import { type QueueFilter, readQueue } from './logic/calls.ts';
import { type Change, isOfInbox, noteChanges, withChange } from './logic/changes.ts';
import { drafts } from './logic/drafts.ts';
import type { Item } from './logic/types.ts';
import { coarse, inWords, isOverdue, isWaiting } from './logic/why.ts';

interface QueueProps {
  readonly filter: QueueFilter;
  /** The item that is open. */
  readonly current: string | undefined;
  /** Grows when the queue is to be read from its beginning. */
  readonly round: number;
  readonly refresh: () => void;
}

/** Pixels of a row; the style sheet has the same. */
const ROW_HEIGHT = 72;

/** The prefix of the ids of rows' links. */
const ROW_ID = 'inbox-row-';

/**
 * The queue in the order of the service. It stays still: what comes waits for `refresh`, what ends stays in its place.
 */
export function Queue({ filter, current, round, refresh }: QueueProps) {
  const list = useList({
    key: `inbox ${JSON.stringify(filter)} ${round}`,
    call: (next) => readQueue(filter, next),
    pageOf: ({ items, next_cursor }) => ({ rows: items, next: next_cursor }),
    idOf: ({ item_id }) => item_id,
    stale: isOfInbox,
  });
  const [changes, setChanges] = useState<ReadonlyMap<string, Change>>(new Map());
  useEffect(() => {
    setChanges(new Map());
    return onEvents((events) => setChanges((before) => noteChanges(before, events)));
  }, [round]);
  const own = changedHere.value;
  useEffect(() => {
    if (own > 0) list.reload();
  }, [own]);
  // While it is read from its beginning, the rows of before stay.
  const last = useRef<readonly Item[]>([]);
  if (!list.isLoading) last.current = list.rows;
  const rows = last.current.map((row) => withChange(row, changes.get(row.item_id)));
  const { news, old } = list;
  useEffect(() => {
    if (news !== '') announce(`${news} in the inbox`);
  }, [news]);

  return (
    <div class="stack">
      {list.error && <Failed error={list.error} retry={list.reload} />}
      {news !== '' && (
        <button type="button" class="new-rows" onClick={refresh}>
          {news}
        </button>
      )}
      {list.isLoading && rows.length === 0 && <Loading rows={6} what="Reading the queue" />}
      {!list.isLoading && !list.error && rows.length === 0 && (
        <Empty>
          {Object.values(filter).some(Boolean)
            ? 'No item fits these filters.'
            : 'Nothing waits for a person. New items appear here by themselves.'}
        </Empty>
      )}
      {rows.length > 0 && <Rows rows={rows} old={old} current={current} />}
      {rows.length > 0 && (
        <footer class="table-foot">
          <span class="faint">{rows.length.toLocaleString('en')} shown</span>
          {list.more && (
            <button type="button" onClick={list.more}>
              More
            </button>
          )}
        </footer>
      )}
    </div>
  );
}

interface RowsProps {
  readonly rows: readonly Item[];
  /** The ids of rows whose values are of before. */
  readonly old: ReadonlySet<string>;
  readonly current: string | undefined;
}

/** The rows in view. `j` and `k`, or the arrows in the list, move the focus; Enter then opens. */
function Rows({ rows, old, current }: RowsProps) {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 800 });
  const [wanted, setWanted] = useState<string>();
  // The row that gets the focus next: keys may be quicker than rendering.
  const goal = useRef<string | undefined>(undefined);
  const part = visibleRows(rows.length, ROW_HEIGHT, view.top, view.height);
  const measure = (): void => {
    const element = box.current;
    if (element !== null) setView({ top: element.scrollTop, height: element.clientHeight });
  };
  useEffect(() => {
    const observer = new ResizeObserver(measure);
    if (box.current !== null) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    const link = wanted === undefined ? null : document.getElementById(`${ROW_ID}${wanted}`);
    if (link === null) return;
    link.focus();
    link.scrollIntoView({ block: 'nearest' });
    goal.current = undefined;
    setWanted(undefined);
  });
  useEffect(() => {
    const at = rows.findIndex(({ item_id }) => item_id === current);
    const element = box.current;
    if (at < 0 || element === null) return;
    const above = at * ROW_HEIGHT - element.scrollTop;
    const isSeen = above >= 0 && above + ROW_HEIGHT <= element.clientHeight;
    if (!isSeen) element.scrollTop += above - element.clientHeight / 2;
  }, [current]);
  const move = (step: number): void => {
    const focused = goal.current ?? document.activeElement?.id.replace(ROW_ID, '');
    const at = rows.findIndex(({ item_id }) => item_id === focused);
    const from = at >= 0 ? at : rows.findIndex(({ item_id }) => item_id === current);
    const to = from < 0 ? 0 : Math.max(0, Math.min(rows.length - 1, from + step));
    const row = rows[to];
    if (row === undefined || box.current === null) return;
    // The row may be out of the document: scrolling brings it in.
    if (to < part.from || to >= part.to) box.current.scrollTop = to * ROW_HEIGHT;
    goal.current = row.item_id;
    setWanted(row.item_id);
  };
  useKeys('Queue', [
    { key: 'j', label: 'to the next row', run: () => move(1) },
    { key: 'k', label: 'to the row before', run: () => move(-1) },
  ]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    move(step);
  };
  const space = { paddingTop: part.from * ROW_HEIGHT, paddingBottom: (rows.length - part.to) * ROW_HEIGHT };
  return (
    <div ref={box} class="inbox-queue" onScroll={measure}>
      <ol aria-label="Queue" style={space} onKeyDown={onKeyDown}>
        {rows.slice(part.from, part.to).map((row, offset) => (
          <li key={row.item_id} aria-posinset={part.from + offset + 1} aria-setsize={rows.length}>
            <Row item={row} isOld={old.has(row.item_id)} isOpen={row.item_id === current} />
          </li>
        ))}
      </ol>
    </div>
  );
}

interface RowProps {
  readonly item: Item;
  readonly isOld: boolean;
  readonly isOpen: boolean;
}

function Row({ item, isOld, isOpen }: RowProps) {
  const { item_id, kind, title, customer_id, reasons, opened_at, assignee, status, priority } = item;
  const ended = !isWaiting(item);
  return (
    <a
      id={`${ROW_ID}${item_id}`}
      class={ended ? 'inbox-row inbox-row-ended' : 'inbox-row'}
      href={hrefTo(['inbox', item_id], Object.fromEntries(place.value.query))}
      aria-current={isOpen ? 'true' : undefined}
    >
      <span class="inbox-row-first">
        <Due item={item} />
        <b class="inbox-row-title">{title}</b>
        {drafts.value.has(item_id) && !ended && (
          <span class="inbox-row-draft" title="Something is filled in here, and not sent">
            <span aria-hidden="true">✎</span>
            <span class="only-read">filled in, not sent</span>
          </span>
        )}
      </span>
      <span class="inbox-row-second">
        <span class={priority === 1 ? 'tag tone-bad' : 'tag'}>
          {kindWords[kind]} <span title={`priority ${priority}`}>P{priority}</span>
        </span>
        <span class="inbox-row-more">
          {[customer_id, ...reasons.slice(0, 2).map(inWords)].filter(Boolean).join(' · ')}
        </span>
        <span class="inbox-row-who">
          {ended ? (
            <Status of={status} />
          ) : isOld ? (
            <Changed />
          ) : assignee === null ? null : (
            `${lookOf('claimed').glyph} ${assignee}`
          )}
          {!ended && !isOld && assignee === null && `${coarse(now.value - Date.parse(opened_at))} old`}
        </span>
      </span>
    </a>
  );
}

/** When an item is due, or for how long it has been. */
function Due({ item }: { readonly item: Pick<Item, 'status' | 'due_at'> }) {
  if (item.due_at === null || !isWaiting(item)) return <span class="inbox-due faint">–</span>;
  const left = Date.parse(item.due_at) - now.value;
  return isOverdue(item, now.value) ? (
    <span class="inbox-due tone-bad">
      <span aria-hidden="true">!</span> {coarse(-left)} late
    </span>
  ) : (
    <span class="inbox-due faint">due in {coarse(left)}</span>
  );
}
