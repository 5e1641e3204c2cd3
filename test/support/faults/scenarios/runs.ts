import { call } from '../calls.ts';
import type { Serving } from '../durable/cluster.ts';
import { type AcknowledgedRun, definitionOf, type Work } from '../durable/load.ts';
import type { Rig } from '../durable/rig.ts';
import { verifyAll } from '../oracle/verify.ts';
import type { LossKind } from '../oracle/verify-run.ts';

/** The runs that a scenario starts. */
export interface Runs {
  readonly acknowledged: AcknowledgedRun[];
  readonly works: Map<string, Work>;
  /**
   * Creates a workflow and returns a function that starts it in the background in a process. It resolves to undefined
   * when it is not accepted.
   */
  define(work: Work): Promise<(life?: Serving) => Promise<AcknowledgedRun | undefined>>;
  /** Compares everything at the end: see `verifyAll`. */
  verify(losses: LossKind): Promise<void>;
}

/** Creates {@link Runs}. With `mayFail` a start may be answered 503. */
export function createRuns({ cluster, findings, log }: Rig, { mayFail = false } = {}): Runs {
  const acknowledged: AcknowledgedRun[] = [];
  const works = new Map<string, Work>();

  function anyServing(): Serving {
    const [life] = cluster.serving();
    if (life === undefined) throw new Error('no process serves');
    return life;
  }

  return {
    acknowledged,
    works,
    async define(work) {
      const { body } = await call(anyServing(), '/workflows', definitionOf(work));
      const { id } = body as { readonly id: string };
      return async (life = anyServing()) => {
        const token = `t${works.size}`;
        works.set(token, work);
        const path = `/workflows/${id}/run`;
        const reply = await call(life, path, { background: true, input: { token } });
        if (reply.outcome !== 'succeeded') {
          if (!mayFail || reply.outcome !== 'unavailable') findings.violate('a run was not accepted', reply);
          findings.add('starts that were not accepted');
          return undefined;
        }
        const { execution_id } = reply.body as { readonly execution_id: string };
        const run = { id: execution_id, token, ended: undefined, saved: new Map<string, string>() };
        acknowledged.push(run);
        return run;
      };
    },
    verify: async (losses) => {
      await verifyAll(cluster, { acknowledged, works, readLines: log.read, losses }, findings);
    },
  };
}

/** Options of every scenario. */
export interface ScenarioOptions {
  readonly seed: number;
  /** True where replicas count as gone after seconds. */
  readonly isQuick: boolean;
}
