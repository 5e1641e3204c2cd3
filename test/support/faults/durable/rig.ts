import { createRandom, type Random } from '../../../../src/adapters/evaluation/random.ts';
import { type Cluster, type ClusterOptions, startCluster } from './cluster.ts';
import { createEffectLog, type EffectLine, type EffectLog } from './effect-log.ts';

/** The parts of a fault run. */
export interface Rig {
  readonly cluster: Cluster;
  readonly log: EffectLog;
  readonly findings: Findings;
  readonly random: Random;
  /** All lines of the log of side effects so far. */
  lines(): Promise<readonly EffectLine[]>;
}

/** Options of {@link withRig}. */
export interface RigOptions extends ClusterOptions {
  readonly seed: number;
  /** True where replicas count as gone after seconds. */
  readonly isQuick?: boolean;
  /** The names of the figures, in the order in which they are shown. */
  readonly figures?: readonly string[];
}

/** Settings with which a process loads the file that shortens the times of recovery. */
const quickRecovery = { NODE_OPTIONS: `--import ${new URL('../quick/preload.ts', import.meta.url).href}` };

/** Starts processes, does the work, stops them, and returns what was found. */
export async function withRig(options: RigOptions, work: (rig: Rig) => Promise<void>): Promise<Findings> {
  const { seed, isQuick = false, figures, settings } = options;
  const findings = createFindings(figures);
  const since = performance.now();
  const log = await createEffectLog();
  try {
    const cluster = await startCluster(log, {
      ...options,
      fromSources: isQuick,
      settings: { ...(isQuick ? quickRecovery : {}), ...settings },
    });
    try {
      const lines = async (): Promise<readonly EffectLine[]> => [...(await log.read()).values()].flat();
      await work({ cluster, log, findings, random: createRandom(seed), lines });
    } finally {
      await cluster.close();
    }
  } finally {
    await log.remove();
  }
  findings.add('seconds in all', Math.round((performance.now() - since) / 1_000));
  return findings;
}

/** A broken promise: how often, and one example. */
interface Violation {
  count: number;
  readonly example: string;
}

/** The counts of a fault run, and the promises that it found broken. */
export interface Findings {
  /** Counts and largest values by name, in the order in which they were first named. */
  readonly figures: ReadonlyMap<string, number>;
  readonly violations: ReadonlyMap<string, Violation>;
  add(figure: string, count?: number): void;
  max(figure: string, value: number): void;
  violate(kind: string, example: unknown): void;
  /** A violation unless the figure is at least `least`, so that a run in which nothing happens cannot pass. */
  atLeast(figure: string, least: number): void;
}

const MAX_EXAMPLE = 2_000;

/** Creates empty findings. The figures named in `names` begin with 0. */
function createFindings(names: readonly string[] = []): Findings {
  const figures = new Map<string, number>(names.map((name) => [name, 0]));
  const violations = new Map<string, Violation>();
  function violate(kind: string, example: unknown): void {
    const known = violations.get(kind);
    if (known !== undefined) known.count++;
    else violations.set(kind, { count: 1, example: JSON.stringify(example).slice(0, MAX_EXAMPLE) });
  }
  return {
    figures,
    violations,
    add: (figure, count = 1) => void figures.set(figure, (figures.get(figure) ?? 0) + count),
    max: (figure, value) => void figures.set(figure, Math.max(figures.get(figure) ?? 0, value)),
    violate,
    atLeast(figure, least) {
      const value = figures.get(figure) ?? 0;
      if (value < least) violate(`too little was tested: ${figure}`, { value, least });
    },
  };
}
