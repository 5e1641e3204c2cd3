import type { Clock } from '../../ports/clock.ts';
import type { HealthProbe } from '../../ports/health-probe.ts';
import { cancelBody } from './provider-fetch.ts';

/** Milliseconds within which the provider must reply. */
const PROBE_TIMEOUT_MS = 1_000;

/** Creates a probe that requests the provider's list of models, which uses no tokens and checks the key. */
export function createModelProbe(clock: Clock, baseUrl: string, apiKey: string): HealthProbe {
  return async () => {
    const controller = new AbortController();
    const cancelTimer = clock.after(PROBE_TIMEOUT_MS, () => controller.abort());
    try {
      const response = await fetch(`${baseUrl}/models`, {
        headers: { authorization: `Bearer ${apiKey}` },
        redirect: 'manual',
        signal: controller.signal,
      });
      await cancelBody(response);
      return response.ok ? 'ok' : 'error';
    } catch {
      return 'error';
    } finally {
      cancelTimer();
    }
  };
}
