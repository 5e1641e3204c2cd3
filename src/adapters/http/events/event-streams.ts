import type { Context } from 'hono';
import { unavailable } from '../../../domain/errors.ts';
import { onAbort } from '../../../lib/async/on-abort.ts';
import { sleep } from '../../../lib/async/sleep.ts';
import { systemClock } from '../../shared/system.ts';
import type { AppEnv } from '../env.ts';
import type { HttpMetrics } from '../options.ts';
import { createResponse } from '../response.ts';
import { onClientGone } from './client-gone.ts';
import { createEventStream, type EventStream, type StreamTimes } from './event-stream.ts';
import { createPacer } from './pacer.ts';
import { createStreamHub, type StreamHub, type StreamLog } from './stream-hub.ts';

/** Options of {@link createEventStreams}. */
export interface EventStreamsOptions {
  /** Maximum number of open streams. */
  readonly maxStreams: number;
  /** Ends all streams and waits when it is aborted. */
  readonly shutdown: AbortSignal;
  readonly metrics: Pick<HttpMetrics, 'eventStreams' | 'eventsSent' | 'eventStreamRejected'>;
  readonly times?: StreamTimes;
}

/** A log that streams share. */
export interface SharedLog {
  /** Streams of one key share the work. */
  readonly key: string;
  /** Opens the log for the first stream. */
  open(): StreamLog;
}

/** The open event streams of the app. */
export interface EventStreams {
  /** Aborted when the service shuts down. */
  readonly shutdown: AbortSignal;
  /**
   * Responds with a stream of what comes after a position, or with what comes from now on where it is undefined. Throws
   * `unavailable` when too many streams are open, or the service shuts down.
   */
  respond(c: Context<AppEnv>, log: SharedLog, after: number | undefined): Response;
}

const defaultTimes: StreamTimes = { commentAfterMs: 15_000, stalledAfterMs: 60_000 };

/** Milliseconds between two checks of all streams. */
const CHECK_EVERY_MS = 500;

/** Milliseconds that clients have at a shutdown to take what was sent. */
const SHUTDOWN_MS = 500;

const RETRY_AFTER_SECONDS = 5;

const streamHeaders = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
  Vary: 'Accept',
};

/** A log with the streams that read it. */
interface OpenLog {
  readonly log: StreamLog;
  readonly hub: StreamHub;
  streams: number;
}

interface OpenStream {
  readonly stream: EventStream;
  readonly disconnect: () => void;
}

/** Creates the registry of the event streams of an app. There is a timer only while streams are open. */
export function createEventStreams(options: EventStreamsOptions): EventStreams {
  const { maxStreams, shutdown, metrics, times = defaultTimes } = options;
  const now = systemClock.monotonic;
  const pacer = createPacer(systemClock, now);
  const logs = new Map<string, OpenLog>();
  const streams = new Set<OpenStream>();
  let isChecking = false;

  function checkAll(): void {
    for (const { stream } of streams) stream.check();
    isChecking = streams.size > 0;
    if (isChecking) systemClock.after(CHECK_EVERY_MS, checkAll);
  }

  function joinLog({ key, open }: SharedLog): OpenLog {
    let joined = logs.get(key);
    if (joined === undefined) {
      const log = open();
      const hub = createStreamHub(log, { pacer, now, sleep: (ms) => sleep(systemClock, ms) });
      joined = { log, hub, streams: 0 };
      logs.set(key, joined);
    }
    joined.streams += 1;
    return joined;
  }

  function leaveLog(key: string, joined: OpenLog): void {
    joined.streams -= 1;
    if (joined.streams > 0) return;
    logs.delete(key);
    joined.log.close();
  }

  onAbort(shutdown, () => {
    const ended = [...streams];
    for (const { stream } of ended) stream.end();
    if (ended.length === 0) return;
    systemClock.after(SHUTDOWN_MS, () => {
      for (const { stream, disconnect } of ended) if (stream.isPending) disconnect();
    });
  });

  return {
    shutdown,
    respond(c, shared, after) {
      if (shutdown.aborted) throw unavailable('the service is shutting down', RETRY_AFTER_SECONDS);
      if (streams.size >= maxStreams) {
        metrics.eventStreamRejected();
        throw unavailable(`the limit of ${maxStreams} event streams is reached`, RETRY_AFTER_SECONDS);
      }
      if (c.req.method === 'HEAD') return createResponse(c, null, 200, streamHeaders);
      const joined = joinLog(shared);
      const { outgoing } = c.env ?? {};
      const disconnect = (): void => {
        if (outgoing?.writableFinished === false) outgoing.destroy();
      };
      const stream = createEventStream({
        hub: joined.hub,
        after: after ?? joined.log.position(),
        times,
        now,
        onSent: (events) => metrics.eventsSent(events),
        onEnd() {
          unlisten();
          streams.delete(open);
          leaveLog(shared.key, joined);
          metrics.eventStreams(streams.size);
        },
        disconnect,
      });
      const open: OpenStream = { stream, disconnect };
      const unlisten = onClientGone(c, () => {
        stream.end();
        disconnect();
      });
      streams.add(open);
      metrics.eventStreams(streams.size);
      if (!isChecking) systemClock.after(CHECK_EVERY_MS, checkAll);
      isChecking = true;
      return createResponse(c, stream.body, 200, streamHeaders);
    },
  };
}
