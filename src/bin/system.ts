import type { SystemDetails } from '../adapters/http/options.ts';
import { getLlmStages } from '../adapters/settings/llm-stages.ts';
import { getNamesOfSet, getRecovery, type Settings } from '../adapters/settings/settings.ts';

/** What `GET /system` says of this process: nothing secret, no path and no URL. */
export function describeSystem(settings: Settings): SystemDetails {
  return {
    startedAt: performance.timeOrigin,
    notice: settings.CONSOLE_NOTICE,
    storage: { backend: settings.TRACE_BACKEND, recovery: getRecovery(settings) },
    model:
      settings.LLM_API_KEY === undefined
        ? undefined
        : { name: settings.LLM_MODEL, stages: [...getLlmStages(settings)] },
    rateLimit: { requests: settings.RATE_LIMIT_REQUESTS, windowSeconds: settings.RATE_LIMIT_WINDOW_SECONDS },
    settings: getNamesOfSet(settings, process.env),
  };
}
