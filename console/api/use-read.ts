import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type AnyResponse, type Body, type Call, type CallError, send, toCallError } from './call.ts';
import type { EventResponse } from './client.ts';
import { onEvents } from './live.ts';
import { requests } from './pace.ts';

/** Seconds between two attempts at most: they begin with two, and double. */
const MAX_WAIT_SECONDS = 10;

/** The newest answer that a page has read, and the error where there is none or no newer one. */
export interface Read<Value> {
  readonly value: Value | undefined;
  /** The failure of the last reading; undefined after one that succeeded. */
  readonly error: CallError | undefined;
  readonly isLoading: boolean;
  /** Reads again. */
  readonly reload: () => void;
  /** The call, for its curl. */
  readonly call: Call;
}

interface ReadOptions {
  /** True for an event that makes the answer stale. Without it, only {@link Read.reload} reads again. */
  readonly stale?: ((event: EventResponse) => boolean) | undefined;
  /**
   * Milliseconds after which an answer is read once more, because the service may answer with one that is a little
   * older than the last event, or than the page.
   */
  readonly againMs?: number | undefined;
  /** False: nothing is read for now. */
  readonly enabled?: boolean | undefined;
}

/**
 * Reads something of the API now, when `key` changes, and when an event says that it has changed. The key names what is
 * read, with all its parameters: the answer to another key is never shown. Components may use the same key: each reads
 * for itself.
 */
export function useRead<Answer extends AnyResponse>(
  key: string,
  call: Call<Answer>,
  { stale, againMs, enabled = true }: ReadOptions = {},
): Read<Body<Answer>> {
  const [state, setState] = useState<State<Body<Answer>>>({ key, value: undefined, error: undefined });
  const [loadingKey, setLoadingKey] = useState<string | undefined>(enabled ? key : undefined);
  const newest = useRef({ call, stale, againMs, key, round: 0, failures: 0 });
  Object.assign(newest.current, { call, stale, againMs, key });

  const read = useCallback(async () => {
    const round = ++newest.current.round;
    const of = newest.current.key;
    setLoadingKey(of);
    const outcome = await send(newest.current.call).then(
      (value) => ({ value, error: undefined }),
      (error: unknown) => ({ error: toCallError(error) }),
    );
    if (round !== newest.current.round) return;
    setLoadingKey(undefined);
    setState((before) => ({ ...(before.key === of ? before : { value: undefined }), ...outcome, key: of }));
    const { error } = outcome;
    newest.current.failures = error === undefined ? 0 : newest.current.failures + 1;
    if (error !== undefined && error.kind !== 'refused') {
      setTimeout(
        () => {
          if (round === newest.current.round) requests.run(newest, read);
        },
        (error.retryAfterSeconds ?? Math.min(2 ** newest.current.failures, MAX_WAIT_SECONDS)) * 1_000,
      );
    }
  }, []);

  useEffect(() => {
    if (!enabled) return;
    void read();
    let again: ReturnType<typeof setTimeout> | undefined;
    const readAgainLater = (): void => {
      clearTimeout(again);
      const { againMs: later } = newest.current;
      if (later !== undefined) again = setTimeout(() => requests.run(newest, () => void read()), later);
    };
    readAgainLater();
    const unsubscribe = onEvents((events, missed) => {
      const { stale: isStale } = newest.current;
      if (isStale === undefined || !(missed || events.some(isStale))) return;
      requests.run(newest, () => void read());
      readAgainLater();
    });
    return () => {
      clearTimeout(again);
      unsubscribe();
      requests.drop(newest);
      newest.current.round++;
    };
  }, [key, enabled, read]);

  const isCurrent = state.key === key;
  return {
    value: isCurrent ? state.value : undefined,
    error: isCurrent ? state.error : undefined,
    isLoading: loadingKey === key || (enabled && !isCurrent),
    reload: () => void read(),
    call,
  };
}

interface State<Value> {
  readonly key: string;
  readonly value: Value | undefined;
  readonly error: CallError | undefined;
}
