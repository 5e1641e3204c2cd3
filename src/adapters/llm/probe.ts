import type { Clock } from '../../ports/clock.ts';
import type { HealthProbe } from '../../ports/health-probe.ts';
import { discard } from './provider-fetch.ts';

/** Milliseconds within which the provider must answer. */
const PROBE_MS = 1_000;

/** Asks the provider for its model list, which costs no tokens and finds out whether the key is accepted. */
export function createModelProbe(clock: Clock, baseUrl: string, apiKey: string): HealthProbe {
  return async () => {
    const controller = new AbortController();
    const cancel = clock.after(PROBE_MS, () => controller.abort());
    try {
      const response = await fetch(`${baseUrl}/models`, {
        headers: { authorization: `Bearer ${apiKey}` },
        redirect: 'manual',
        signal: controller.signal,
      });
      await discard(response);
      return response.ok ? 'ok' : 'error';
    } catch {
      return 'error';
    } finally {
      cancel();
    }
  };
}
