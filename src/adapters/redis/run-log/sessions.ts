import type { RunChange } from '../../../domain/run/state.ts';

/** What this replica knows of a run that is active in it. */
export interface Session {
  /** Number of events of the log, with those that wait in the write buffer. */
  lastSeq: number;
  /** Whether the run has ended with the last of them. */
  ended: boolean;
  /** Whether another process has written to the log, or events of this one were dropped: no more is written. */
  lost: boolean;
  /** Whether its end was reported as appended before it was written, because a write had failed. */
  isReported: boolean;
  /** Of a durable run: whether it ends or is released at this moment, as far as is known. */
  isLeaving: boolean;
  /** Of a durable run: settles with the append that is being written; undefined for none. Never rejects. */
  writing: Promise<unknown> | undefined;
  /** Of a durable run: the token of its appends; undefined where the next append needs a new one. */
  token: string | undefined;
  /** Of a durable run: the change that is stored, as far as is known. */
  change: RunChange | undefined;
  /** Of a durable run: events that may be stored under `token`, because the reply to their write is missing. */
  unsure: readonly string[] | undefined;
}

/** The runs of this replica that the store may list as active. */
export interface Sessions {
  /** Number of runs, with those that are being opened. */
  readonly size: number;
  /** Whether a run is active here, or is being opened. */
  has(runId: string): boolean;
  /** The session of a run that is active here. */
  get(runId: string): Session | undefined;
  /** The ids of the runs that are active here and stay so, as far as is known. */
  staying(): readonly string[];
  /** Adds a run whose log has `lastSeq` events. */
  start(runId: string, lastSeq: number): Session;
  /** Removes a run; where `session` is given, only that one. */
  delete(runId: string, session?: Session): void;
  /** Runs `write`, which may make a run active here. Until it settles, the run counts as being opened. */
  opening<T>(runId: string, write: () => Promise<T>): Promise<T>;
}

/** Creates {@link Sessions} without runs. */
export function createSessions(): Sessions {
  const sessions = new Map<string, Session>();
  const opening = new Map<string, number>();
  return {
    get size() {
      return sessions.size + opening.size;
    },
    has: (runId) => sessions.has(runId) || opening.has(runId),
    get: (runId) => sessions.get(runId),
    staying() {
      const ids: string[] = [];
      for (const [runId, { ended, lost, isLeaving }] of sessions) {
        if (!ended && !lost && !isLeaving) ids.push(runId);
      }
      return ids;
    },
    start(runId, lastSeq) {
      const session: Session = {
        ...{ lastSeq, ended: false, lost: false, isReported: false },
        ...{ isLeaving: false, writing: undefined, token: undefined },
        ...{ change: undefined, unsure: undefined },
      };
      sessions.set(runId, session);
      return session;
    },
    delete(runId, session) {
      if (session === undefined || sessions.get(runId) === session) sessions.delete(runId);
    },
    async opening(runId, write) {
      opening.set(runId, (opening.get(runId) ?? 0) + 1);
      try {
        return await write();
      } finally {
        const others = (opening.get(runId) ?? 1) - 1;
        if (others === 0) opening.delete(runId);
        else opening.set(runId, others);
      }
    },
  };
}
