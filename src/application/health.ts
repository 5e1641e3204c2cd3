import { withTimeout } from '../lib/async/timeout.ts';
import type { HealthProbe, HealthStatus } from '../ports/health-probe.ts';
import type { Ports } from '../ports/ports.ts';

/** The health of the process and of its dependencies (decisions, section 7). */
export interface HealthReport {
  readonly status: 'ok' | 'degraded' | 'draining';
  readonly uptimeSeconds: number;
  readonly checks: { readonly kvstore: HealthStatus; readonly llm: HealthStatus };
}

/** The probes of the dependencies; absent for those that are not configured. */
export interface HealthProbes {
  readonly kvstore?: HealthProbe | undefined;
  readonly llm?: HealthProbe | undefined;
}

/** Reports the health of the service. */
export interface Health {
  /** Resolves within a second, from probe results that are at most ten seconds old. Never rejects. */
  report(): Promise<HealthReport>;
  /** Makes all later reports `draining`. */
  drain(): void;
}

const CACHE_MS = 10_000;
const PROBE_TIMEOUT_MS = 1_000;

/** Creates the health report over the configured probes. Each probe runs at most once at a time. */
export function createHealth(ports: Pick<Ports, 'clock' | 'storage'>, probes: HealthProbes): Health {
  const { clock, storage } = ports;
  const startedMs = clock.monotonic();
  const probeStore = cachedProbe(clock, probes.kvstore);
  const probeLlm = cachedProbe(clock, probes.llm);
  let draining = false;

  /** Checks the storage port first, which detects the start and the end of an outage without a probe. */
  async function storeStatus(): Promise<HealthStatus> {
    try {
      storage.assertAvailable();
    } catch {
      return 'error';
    }
    return probeStore();
  }

  return {
    async report() {
      const [kvstore, llm] = await Promise.all([storeStatus(), probeLlm()]);
      const failing = kvstore === 'error' || llm === 'error';
      return {
        status: draining ? 'draining' : failing ? 'degraded' : 'ok',
        uptimeSeconds: Math.floor((clock.monotonic() - startedMs) / 1_000),
        checks: { kvstore, llm },
      };
    },
    drain() {
      draining = true;
    },
  };
}

/** Wraps a probe: limits its time and caches its result for ten seconds. */
function cachedProbe(clock: Ports['clock'], probe: HealthProbe | undefined): HealthProbe {
  if (probe === undefined) return async () => 'not_configured';
  let probedMs = Number.NEGATIVE_INFINITY;
  let result: Promise<HealthStatus> = Promise.resolve('error');
  return () => {
    if (clock.monotonic() - probedMs >= CACHE_MS) {
      probedMs = clock.monotonic();
      result = withTimeout(probe, { clock, timeoutMs: PROBE_TIMEOUT_MS }).catch(() => 'error' as const);
    }
    return result;
  };
}
