import { z } from 'zod';
import { defaultLimits, type Limits } from '../domain/limits.ts';
import { logLevels } from '../ports/logger.ts';

const switches: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

const flag = z
  .string()
  .transform((text, context) => {
    const value = switches.get(text.trim().toLowerCase());
    if (value !== undefined) return value;
    context.addIssue({ code: 'custom', message: 'must be true, false, 1 or 0' });
    return z.NEVER;
  })
  .prefault('false');

/** A whole number in plain digits from `from` to `to`. */
const whole = (from: number, to: number, fallback: number) =>
  z
    .string()
    .trim()
    .regex(/^\d{1,12}$/, `must be a whole number from ${from} to ${to}`)
    .transform(Number)
    .refine((value) => value >= from && value <= to, `must be a whole number from ${from} to ${to}`)
    .prefault(String(fallback));

const words = z
  .string()
  .transform((text) =>
    text
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== ''),
  )
  .prefault('');

const backend = z
  .string()
  .trim()
  .toLowerCase()
  .pipe(z.enum(['memory', 'kvstore'], { error: 'must be memory or kvstore' }))
  .prefault('memory');

export const llmStages = ['classifier', 'planner', 'verifier', 'responder', 'decomposer'] as const;

export type LlmStage = (typeof llmStages)[number];

const url = (protocols: readonly string[], message: string) =>
  z
    .string()
    .trim()
    .refine((text) => {
      if (!URL.canParse(text)) return false;
      const { protocol, hostname } = new URL(text);
      return protocols.includes(protocol) && hostname !== '';
    }, message);

const second = 1_000;
const hour = 3_600;
const mebibyte = 1_024 * 1_024;
const largest = 1_000_000;

const schema = z.object({
  HOST: z.string().trim().min(1, 'must not be empty').prefault('127.0.0.1'),
  PORT: whole(0, 65_535, 8_000),
  LOG_LEVEL: z
    .string()
    .trim()
    .toLowerCase()
    .pipe(z.enum(logLevels, { error: `must be one of ${logLevels.join(' ')}` }))
    .prefault('info'),
  AUTH_ENABLED: flag,
  API_KEYS: words,
  API_KEY: z.string().trim().prefault(''),
  KVSTORE_URL: url(['redis:', 'rediss:'], 'must be a redis:// or rediss:// URL').optional(),
  KVSTORE_PREFIX: z.string().max(128, 'must be at most 128 characters').prefault('orchestration:'),
  KVSTORE_TIMEOUT_MS: whole(10, 60 * second, 500),
  TRACE_BACKEND: backend,
  RATE_LIMIT_BACKEND: backend,
  RATE_LIMIT_REQUESTS: whole(1, largest, 600),
  RATE_LIMIT_WINDOW_SECONDS: whole(1, 24 * hour, 60),
  TRUST_PROXY_HEADERS: flag,
  LLM_API_KEY: z
    .string()
    .trim()
    .regex(/^[\x21-\x7e]+$/, 'must be visible ASCII characters')
    .optional(),
  LLM_BASE_URL: url(['http:', 'https:'], 'must be an http:// or https:// URL')
    .refine(isPlain, 'must hold no user, query or fragment')
    .optional(),
  LLM_MODEL: z.string().trim().min(1, 'must not be empty').prefault('gpt-4o-mini'),
  LLM_STAGES: words.refine(
    (named) => named.every((stage) => isLlmStage(stage) || stage === 'all'),
    `must name stages among ${llmStages.join(' ')}`,
  ),
  LLM_TIMEOUT_MS: whole(100, 600 * second, 15_000),
  LLM_MAX_RETRIES: whole(0, 10, 2),
  OTEL_ENABLED: flag,
  EXTENSIONS: words,
  ESCALATION_THRESHOLD: z
    .string()
    .trim()
    .regex(/^(?:0|1|0?\.\d{1,9}|1\.0{1,9})$/, 'must be a number from 0 to 1')
    .transform(Number)
    .prefault('0.45'),
  MAX_BODY_BYTES: whole(1_024, 64 * mebibyte, mebibyte),
  MAX_BATCH_SIZE: whole(1, 10_000, defaultLimits.maxBatchSize),
  MAX_WORKFLOW_STEPS: whole(1, 100_000, defaultLimits.maxWorkflowSteps),
  MAX_CONCURRENT_STEPS: whole(1, largest, defaultLimits.maxConcurrentSteps),
  MAX_BACKGROUND_RUNS: whole(1, largest, defaultLimits.maxBackgroundRuns),
  MAX_SUBTASKS: whole(1, 100_000, defaultLimits.maxSubtasks),
  TOOL_MAX_ATTEMPTS: whole(1, 100, defaultLimits.toolMaxAttempts),
  TOOL_TIMEOUT_MS: whole(1, 24 * hour * second, defaultLimits.toolTimeoutMs),
  AGENT_TIMEOUT_MS: whole(1, 24 * hour * second, defaultLimits.agentTimeoutMs),
  SHUTDOWN_GRACE_SECONDS: whole(0, hour, 20),
});

/** True for a URL that is an address and nothing more. */
function isPlain(text: string): boolean {
  if (!URL.canParse(text)) return true;
  const { username, password, search, hash } = new URL(text);
  return username + password + search + hash === '';
}

type Present = Readonly<Record<string, string | undefined>>;

/** Faults that only several settings together have. A setting that is wrong by itself takes no part. */
function faultsTogether(present: Present): readonly string[] {
  const { shape } = schema;
  const isOn = shape.AUTH_ENABLED.safeParse(present['AUTH_ENABLED']).data === true;
  const hasKey = [...words.parse(present['API_KEYS']), ...words.parse(present['API_KEY'])].length > 0;
  const stores = [present['TRACE_BACKEND'], present['RATE_LIMIT_BACKEND']];
  const isStored = stores.some((store) => backend.safeParse(store).data === 'kvstore');
  const faults: string[] = [];
  if (isOn && !hasKey) faults.push('AUTH_ENABLED: is on, but neither API_KEYS nor API_KEY names a key');
  if (isStored && present['KVSTORE_URL'] === undefined) {
    faults.push('KVSTORE_URL: must be a redis:// or rediss:// URL, because a backend is kvstore');
  }
  return faults;
}

/** Checked settings (decisions, section 8), by the names of their variables. */
export type Settings = z.output<typeof schema>;

/** Settings, or what is wrong with the environment: one line a fault, none of which shows a value. */
export type SettingsOutcome =
  | { readonly settings: Settings; readonly faults?: never }
  | { readonly settings?: never; readonly faults: readonly string[] };

/** Reads and checks all settings together. An empty variable counts as absent. */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): SettingsOutcome {
  const present = Object.entries(environment).filter(
    ([, value]) => value !== undefined && value.trim() !== '',
  );
  const values = Object.fromEntries(present);
  const parsed = schema.safeParse(values);
  const together = faultsTogether(values);
  if (parsed.success && together.length === 0) return { settings: parsed.data };
  const alone = parsed.error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];
  return { faults: [...alone, ...together] };
}

/** The keys that requests may present: API_KEYS and API_KEY together, each once. */
export function acceptedKeys(settings: Settings): readonly string[] {
  const keys = settings.API_KEY === '' ? settings.API_KEYS : [...settings.API_KEYS, settings.API_KEY];
  return [...new Set(keys)];
}

/** Texts that must never be shown: keys, and the password within the store's address. */
export function secretsOf(settings: Settings): readonly string[] {
  const secrets = [...acceptedKeys(settings), settings.LLM_API_KEY ?? ''];
  if (settings.KVSTORE_URL) {
    const { password } = new URL(settings.KVSTORE_URL);
    secrets.push(password, decoded(password));
  }
  return secrets.filter((secret) => secret !== '');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The bounds of the use cases. */
export function limitsOf(settings: Settings): Limits {
  return {
    ...defaultLimits,
    maxBatchSize: settings.MAX_BATCH_SIZE,
    maxWorkflowSteps: settings.MAX_WORKFLOW_STEPS,
    maxConcurrentSteps: settings.MAX_CONCURRENT_STEPS,
    maxBackgroundRuns: settings.MAX_BACKGROUND_RUNS,
    maxSubtasks: settings.MAX_SUBTASKS,
    toolMaxAttempts: settings.TOOL_MAX_ATTEMPTS,
    toolTimeoutMs: settings.TOOL_TIMEOUT_MS,
    agentTimeoutMs: settings.AGENT_TIMEOUT_MS,
    // A model's own time-out ends in a decision by the rules; the stage's would fail the message.
    stageTimeoutMs: Math.max(defaultLimits.stageTimeoutMs, settings.LLM_TIMEOUT_MS + 5 * second),
  };
}

/** The stages that the language model backs. */
export function enabledLlmStages(settings: Settings): ReadonlySet<LlmStage> {
  const named = settings.LLM_STAGES.filter(isLlmStage);
  return new Set(named.length === 0 ? llmStages : named);
}

function isLlmStage(word: string): word is LlmStage {
  const known: readonly string[] = llmStages;
  return known.includes(word);
}
