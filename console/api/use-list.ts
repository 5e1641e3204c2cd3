import { useMemo, useState } from 'preact/hooks';
import { type AnyResponse, type Call, CallError, send, toCallError } from './call.ts';
import { addPage, startList } from './gather.ts';
import { type ListOptions, useGathered } from './use-gathered.ts';
import { useRead } from './use-read.ts';

/** A list of a page. */
export interface List<Row> {
  readonly rows: readonly Row[];
  /** The ids of rows that have changed since and left the list: their values are of before. */
  readonly old: ReadonlySet<string>;
  /**
   * The rows that have come since, such as `12 new`, which wait for {@link List.showNew}: nothing moves under the
   * pointer. Empty where there are none.
   */
  readonly news: string;
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

/**
 * A list that stays still while it lives: new rows gather until they are asked for, changed ones change in their places
 * or are said to be old, and further pages join at the end.
 */
export function useList<Answer extends AnyResponse, Row>(options: ListOptions<Answer, Row>): List<Row> {
  const { key, call, pageOf, idOf, stale } = options;
  const first = useRead(key, call(undefined), { stale });
  const { list, change, error } = useGathered(options, first.value);
  const [isLoadingMore, setIsLoadingMore] = useState(false);
  const [moreError, setMoreError] = useState<CallError>();
  const shown = useMemo(() => list?.kept.slice(list.waitingCount) ?? [], [list]);
  const rows = useMemo(() => shown.map(({ row }) => row), [shown]);
  const old = new Set(shown.flatMap(({ row, isOld }) => (isOld ? [idOf(row)] : [])));

  const more = async (from: string): Promise<void> => {
    setIsLoadingMore(true);
    const outcome = await send(call(from)).then(pageOf, toCallError);
    setMoreError(outcome instanceof CallError ? outcome : undefined);
    if (!(outcome instanceof CallError))
      change((before) => ({ ...addPage(before, outcome.rows, from, idOf), next: outcome.next }));
    setIsLoadingMore(false);
  };
  const showNew = (): void => {
    if (list === undefined || first.value === undefined) return;
    const { rows: newest, next } = pageOf(first.value);
    const isBroken = list.hasGap || old.size > 0;
    change((before) => (isBroken ? { ...startList(newest), next } : { ...before, waitingCount: 0 }));
    if (isBroken) first.reload();
  };
  const next = list?.next ?? null;
  return {
    rows,
    old,
    news: !list ? '' : list.hasGap ? 'many new' : list.waitingCount > 0 ? `${list.waitingCount} new` : '',
    showNew,
    more: next === null || isLoadingMore ? undefined : () => void more(next),
    total: first.value === undefined ? undefined : pageOf(first.value).total,
    isLoading: list === undefined && first.error === undefined,
    error: first.error ?? moreError ?? error,
    reload: first.reload,
    call: first.call,
  };
}
