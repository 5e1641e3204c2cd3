import type { HealthProbe, HealthStatus } from '../ports/health-probe.ts';
import type { Ports } from '../ports/ports.ts';

/** How the process and what it depends on are (decisions, section 7). */
export interface HealthReport {
  readonly status: 'ok' | 'degraded' | 'draining';
  readonly uptimeSeconds: number;
  readonly checks: { readonly kvstore: HealthStatus; readonly llm: HealthStatus };
}

/** What is probed; absent where nothing is configured. */
export interface HealthProbes {
  readonly kvstore?: HealthProbe | undefined;
  readonly llm?: HealthProbe | undefined;
}

/** How the process and what it depends on are, asked as often as anybody likes. */
export interface Health {
  /** The state of everything. Answers within a second, from outcomes at most ten seconds old. */
  report(): Promise<HealthReport>;
  /** Says from now on that the service takes no more work. */
  drain(): void;
}

const KEPT_MS = 10_000;
const BOUND_MS = 1_000;

/** Health over the probes of what is configured; each is under way at most once at a time. */
export function createHealth(ports: Pick<Ports, 'clock' | 'storage'>, probes: HealthProbes): Health {
  const { clock, storage } = ports;
  const started = clock.monotonic();
  const askStore = kept(clock, probes.kvstore);
  const askLlm = kept(clock, probes.llm);
  let draining = false;

  /** What is known without asking comes first, so that an outage and its end are seen at once. */
  async function storeStatus(): Promise<HealthStatus> {
    try {
      storage.assertAvailable();
    } catch {
      return 'error';
    }
    return askStore();
  }

  return {
    async report() {
      const [kvstore, llm] = await Promise.all([storeStatus(), askLlm()]);
      const failing = kvstore === 'error' || llm === 'error';
      return {
        status: draining ? 'draining' : failing ? 'degraded' : 'ok',
        uptimeSeconds: Math.floor((clock.monotonic() - started) / 1_000),
        checks: { kvstore, llm },
      };
    },
    drain() {
      draining = true;
    },
  };
}

/** A probe whose outcome is kept for ten seconds and waited for no longer than one. */
function kept(clock: Ports['clock'], probe: HealthProbe | undefined): HealthProbe {
  if (probe === undefined) return async () => 'not_configured';
  let asked = Number.NEGATIVE_INFINITY;
  let outcome: Promise<HealthStatus> = Promise.resolve('error');
  return () => {
    if (clock.monotonic() - asked >= KEPT_MS) {
      asked = clock.monotonic();
      outcome = within(clock, probe);
    }
    return outcome;
  };
}

function within(clock: Ports['clock'], probe: HealthProbe): Promise<HealthStatus> {
  return new Promise((resolve) => {
    const cancel = clock.after(BOUND_MS, () => resolve('error'));
    const answer = (status: HealthStatus): void => {
      cancel();
      resolve(status);
    };
    const asked = async () => probe();
    asked().then(answer, () => answer('error'));
  });
}
