import { useEffect, useRef, useState } from 'preact/hooks';
import { type AnyResponse, type Body, type Call, CallError, send } from './call.ts';
import type { EventResponse } from './client.ts';
import { addPage, type Gathered, gather, showWaiting } from './gather.ts';
import { useRead } from './use-read.ts';

/** A page of a list. `next` leads to the page after it: an offset or a cursor, null on the last one. */
export interface ListPage<Row> {
  readonly rows: readonly Row[];
  readonly next: string | null;
  readonly total?: number | undefined;
}

interface ListOptions<Answer extends AnyResponse, Row> {
  /** Names the list with all its filters. */
  readonly key: string;
  /** Reads a page; `next` is that of the page before, undefined for the first one. */
  readonly call: (next: string | undefined) => Call<Answer>;
  readonly pageOf: (body: Body<Answer>) => ListPage<Row>;
  readonly idOf: (row: Row) => string;
  /** Whether an event may change the list. */
  readonly stale: (event: EventResponse) => boolean;
}

/** A list of a page. */
export interface List<Row> {
  readonly rows: readonly Row[];
  /** Rows that have come since, and wait for {@link List.showNew}: nothing moves under the pointer. */
  readonly newCount: number;
  readonly showNew: () => void;
  /** Reads the next page; undefined when there is none, or one is being read. */
  readonly more: (() => void) | undefined;
  readonly total: number | undefined;
  /** Undefined until the first answer. */
  readonly isLoading: boolean;
  readonly error: CallError | undefined;
  readonly reload: () => void;
  readonly call: Call;
}

interface Loaded<Row> extends Gathered<Row> {
  readonly key: string;
  readonly next: string | null;
}

/**
 * A list that stays still while it lives: new rows gather until they are asked for, changed ones change in their places,
 * and further pages join at the end.
 */
export function useList<Answer extends AnyResponse, Row>(options: ListOptions<Answer, Row>): List<Row> {
  const { key, call, pageOf, idOf, stale } = options;
  const first = useRead(key, call(undefined), { stale });
  const [loaded, setLoaded] = useState<Loaded<Row>>();
  const [isLoadingMore, setIsLoadingMore] = useState(false);
  const [moreError, setMoreError] = useState<CallError>();
  const newest = useRef(options);
  newest.current = options;

  useEffect(() => {
    if (first.value === undefined) return;
    const page = newest.current.pageOf(first.value);
    setLoaded((before) =>
      before?.key === key
        ? { ...before, ...gather(before, page.rows, newest.current.idOf) }
        : { key, shown: page.rows, waiting: [], next: page.next },
    );
  }, [key, first.value]);

  const current = loaded?.key === key ? loaded : undefined;
  const more = async (next: string): Promise<void> => {
    setIsLoadingMore(true);
    setMoreError(undefined);
    try {
      const page = pageOf(await send(call(next)));
      setLoaded((before) =>
        before?.key === key ? { ...before, ...addPage(before, page.rows, idOf), next: page.next } : before,
      );
    } catch (error) {
      if (error instanceof CallError) setMoreError(error);
    } finally {
      setIsLoadingMore(false);
    }
  };
  const next = current?.next ?? null;
  return {
    rows: current?.shown ?? [],
    newCount: current?.waiting.length ?? 0,
    showNew: () => setLoaded((before) => before && { ...before, ...showWaiting(before) }),
    more: next === null || isLoadingMore ? undefined : () => void more(next),
    total: first.value === undefined ? undefined : pageOf(first.value).total,
    isLoading: current === undefined && first.error === undefined,
    error: first.error ?? moreError,
    reload: first.reload,
    call: first.call,
  };
}
