import { useEffect, useRef, useState } from 'preact/hooks';
import { type AnyResponse, type Body, type Call, CallError, send, toCallError } from './call.ts';
import type { EventResponse } from './client.ts';
import { type Gathered, markStale, stalePage, startList, takePage } from './gather.ts';
import { onEvents } from './live.ts';
import { requests } from './pace.ts';

/** A page of a list. `next` leads to the page after it: an offset or a cursor, null on the last one. */
export interface ListPage<Row> {
  readonly rows: readonly Row[];
  readonly next: string | null;
  readonly total?: number | undefined;
}

/** The request and the rows of a list, and the events that change it. */
export interface ListOptions<Answer extends AnyResponse, Row> {
  /** Names the list with all its filters. */
  readonly key: string;
  /** Reads a page; `next` is that of the page before, undefined for the first one. */
  readonly call: (next: string | undefined) => Call<Answer>;
  readonly pageOf: (body: Body<Answer>) => ListPage<Row>;
  readonly idOf: (row: Row) => string;
  /** True for an event that may change the list. The row that it changes has the id of its subject. */
  readonly stale: (event: EventResponse) => boolean;
}

/** The pages of a list that were read. */
interface Loaded<Row> extends Gathered<Row> {
  readonly key: string;
  /** The cursor of the page after all of them; null after the last one. */
  readonly next: string | null;
}

/** Changes a list. */
type Change<Row> = (to: (before: Loaded<Row>) => Gathered<Row> & { readonly next?: string | null }) => void;

interface GatheredList<Row> {
  /** Undefined until the first answer. */
  readonly list: Loaded<Row> | undefined;
  readonly change: Change<Row>;
  /** The failure of the last attempt to read rows again that may have changed. */
  readonly error: CallError | undefined;
}

/**
 * The pages of a list, of which the first is read by the caller, and the others again when an event names one of their
 * rows.
 */
export function useGathered<Answer extends AnyResponse, Row>(
  options: ListOptions<Answer, Row>,
  first: Body<Answer> | undefined,
): GatheredList<Row> {
  const { key } = options;
  const [loaded, setLoaded] = useState<Loaded<Row>>();
  const newest = useRef(options);
  newest.current = options;
  const change: Change<Row> = (to) =>
    setLoaded((before) => {
      if (before?.key !== key) return before;
      const after = to(before);
      return after === before ? before : { ...before, ...after };
    });
  useEffect(() => {
    if (first === undefined) return;
    const { pageOf, idOf } = newest.current;
    const { rows, next } = pageOf(first);
    const page = { rows, next, from: undefined, asOf: Number.POSITIVE_INFINITY };
    setLoaded((before) =>
      before?.key === key
        ? { ...before, ...takePage(before, page, idOf) }
        : { ...startList(rows), key, next },
    );
  }, [key, first]);
  const list = loaded?.key === key ? loaded : undefined;
  return { list, change, error: useStalePages(options, list, change) };
}

/** Marks the rows that events name, and reads the further pages with such rows again, one after the other. */
function useStalePages<Answer extends AnyResponse, Row>(
  options: ListOptions<Answer, Row>,
  list: Loaded<Row> | undefined,
  change: Change<Row>,
): CallError | undefined {
  const [error, setError] = useState<CallError>();
  const newest = useRef({ options, change, changes: 0, isReading: false });
  Object.assign(newest.current, { options, change });
  useEffect(() => {
    const unsubscribe = onEvents((events, missed) => {
      const { stale, idOf } = newest.current.options;
      const ids = new Set(events.filter(stale).map(({ subject }) => subject.id));
      const now = ++newest.current.changes;
      newest.current.change((before) => markStale(before, missed ? 'all' : ids, now, idOf));
    });
    return () => {
      unsubscribe();
      requests.drop(newest);
      newest.current.isReading = false;
    };
  }, [options.key]);

  useEffect(() => {
    const from = list && stalePage(list);
    if (from === undefined || newest.current.isReading) return;
    newest.current.isReading = true;
    const { call, pageOf, idOf } = options;
    requests.run(newest, async () => {
      const { changes: asOf } = newest.current;
      const outcome = await send(call(from)).then(pageOf, toCallError);
      newest.current.isReading = false;
      setError(outcome instanceof CallError ? outcome : undefined);
      if (!(outcome instanceof CallError))
        change((before) => takePage(before, { ...outcome, from, asOf }, idOf));
    });
  }, [list]);
  return error;
}
