import { randomUUID } from 'node:crypto';
import type { Clock } from '../../ports/clock.ts';
import type { Notice, Store } from '../../ports/storage/store.ts';

/** Options of {@link createWatch}. */
export interface WatchOptions {
  readonly clock: Pick<Clock, 'after'>;
  /** True while the server can be used. */
  readonly isAvailable: () => boolean;
  /** Makes notices arrive. Called with each listener. */
  readonly listen: () => void;
  /** Sends a payload to all processes, this one included, over another connection than that of the notices. */
  readonly send: (payload: string) => Promise<void>;
}

/** The listeners of this process. */
export interface Watch extends Pick<Store, 'watch'> {
  /** Tells the listeners of this process of notices that it has sent, unless these arrive by the server. */
  sent(notices: readonly Notice[]): void;
  /** Takes what has arrived by the server. */
  receive(payload: string): void;
  /** Notices arrive from now on: some may have been lost before. */
  renew(): void;
  /** Calls no listener from now on. */
  close(): void;
}

/** Milliseconds between two looks for what was lost, while notices do not arrive. */
const LOOK_EVERY_MS = 5_000;

/** A payload must have less than 8,000 bytes. */
const MAX_PAYLOAD_BYTES = 7_999;

/** The payload of a notice; where it is too long, of one that has lost its text. */
export function payloadOf({ topic, text }: Notice): string {
  const payload = JSON.stringify([topic, text]);
  return Buffer.byteLength(payload) <= MAX_PAYLOAD_BYTES ? payload : JSON.stringify([topic, null]);
}

/**
 * Creates a {@link Watch}. It sends a payload to itself over and over: while none arrives, as through a pooler of
 * connections, the listeners look themselves.
 */
export function createWatch({ clock, isAvailable, listen, send }: WatchOptions): Watch {
  const listeners = new Map<string, Set<(text: string | undefined) => void>>();
  let expected: string | undefined;
  let doNoticesArrive = false;
  let cancelNextTest: (() => void) | undefined;

  function tell(topic: string, text: string | undefined): void {
    for (const listener of [...(listeners.get(topic) ?? [])]) listener(text);
  }

  function look(): void {
    for (const topic of [...listeners.keys()]) tell(topic, undefined);
  }

  function test(): void {
    cancelNextTest?.();
    cancelNextTest = undefined;
    if (listeners.size === 0) return;
    expected = randomUUID();
    if (isAvailable()) send(JSON.stringify([expected])).catch(() => undefined);
    cancelNextTest = clock.after(LOOK_EVERY_MS, () => {
      if (expected !== undefined) doNoticesArrive = false;
      if (expected !== undefined && isAvailable()) look();
      test();
    });
  }

  return {
    watch(topic, listener) {
      const watching = listeners.get(topic) ?? new Set();
      listeners.set(topic, watching.add(listener));
      listen();
      if (cancelNextTest === undefined) test();
      return () => {
        watching.delete(listener);
        if (watching.size === 0 && listeners.get(topic) === watching) listeners.delete(topic);
      };
    },
    sent(notices) {
      if (!doNoticesArrive) for (const { topic, text } of notices) tell(topic, text);
    },
    receive(payload) {
      const parts = parse(payload);
      const [topic, text] = parts;
      if (topic === undefined || topic === null) return;
      if (parts.length > 1) tell(topic, text ?? undefined);
      else if (topic === expected) {
        expected = undefined;
        doNoticesArrive = true;
      }
    },
    renew() {
      doNoticesArrive = false;
      look();
      test();
    },
    close() {
      cancelNextTest?.();
      listeners.clear();
    },
  };
}

/** The parts of a payload; none of one that another program has sent. */
function parse(payload: string): readonly (string | null)[] {
  try {
    const parts: unknown = JSON.parse(payload);
    const isPart = (part: unknown): part is string | null => part === null || typeof part === 'string';
    return Array.isArray(parts) && parts.every(isPart) ? parts : [];
  } catch {
    return [];
  }
}
