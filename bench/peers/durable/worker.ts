/** A process that runs the workflows of one peer, for `serveLoop`. The argument is {@link PeerOptions} as JSON. */
import '../disable-telemetry.ts';
import { serveLoop } from '../../support/durable/loop.ts';
import type { PreparePeer } from '../peer.ts';

/** The peer of a process, and where its runs are kept. */
export interface PeerOptions {
  readonly peer: 'dbos' | 'openworkflow' | 'bullmq';
  /** The URL of PostgreSQL or Redis, or the file of SQLite. */
  readonly place: string;
}

const STEPS = 10;

const modules = {
  dbos: () => import('./dbos.ts'),
  openworkflow: () => import('./openworkflow.ts'),
  bullmq: () => import('./flow.ts'),
} as const satisfies Record<PeerOptions['peer'], () => Promise<{ prepare: PreparePeer }>>;

const { peer, place } = JSON.parse(process.argv[2] ?? '') as PeerOptions;
const { prepare } = await modules[peer]();
const start = await prepare(place, STEPS, () => ended());
const ended = serveLoop(start);
