import { z } from 'zod';
import { defaultLimits, type Limits } from '../../domain/limits.ts';
import { builtInAgentNames, isBuiltInAgentName } from '../../domain/routing/built-in-agents.ts';
import { defaultRecoveryPolicy, type RecoveryPolicy } from '../../domain/run/recover.ts';
import { quote } from '../../lib/text/quote.ts';
import { logLevels } from '../../ports/logger.ts';
import { allowedHostIssues, allowedOriginIssues } from '../shared/allowed-sources.ts';
import { isLoopback } from '../shared/loopback.ts';
import { allowListIssues } from '../shared/outbound/allow-list.ts';
import { embeddingFields, embeddingIssues } from './embedding.ts';
import {
  databaseSchema,
  file,
  fileByDefault,
  flag,
  flagByDefault,
  integer,
  list,
  notice,
  onByDefault,
  onOrOff,
  providerAddress,
  providerKey,
  rateLimitBackend,
  recordBackend,
  runRecovery,
  temperature,
  unknownOutcome,
  url,
} from './fields.ts';
import { isLlmStage, llmStages } from './llm-stages.ts';

const SECOND_MS = 1_000;
const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 24 * HOUR_SECONDS;
const DAY_MS = DAY_SECONDS * SECOND_MS;
const MAX_RETENTION_DAYS = 3_650;
const MEBIBYTE = 1_024 * 1_024;

/** The most calls of the language model in a stage: a reply, another one in place of a refused one, and the check. */
const MAX_CALLS_OF_STAGE = 3;
const MILLION = 1_000_000;

const schema = z.object({
  HOST: z.string().trim().min(1, 'must not be empty').prefault('127.0.0.1'),
  PORT: integer(0, 65_535, 8_000),
  CONSOLE: onOrOff,
  LOG_LEVEL: z
    .string()
    .trim()
    .toLowerCase()
    .pipe(z.enum(logLevels, { error: `must be one of ${logLevels.join(' ')}` }))
    .prefault('info'),
  AUTH_ENABLED: flag,
  API_KEYS: list,
  API_KEY: z.string().trim().prefault(''),
  KVSTORE_URL: url(['redis:', 'rediss:'], 'must be a redis:// or rediss:// URL').optional(),
  KVSTORE_PREFIX: z.string().max(128, 'must be at most 128 characters').prefault('orchestration:'),
  KVSTORE_TIMEOUT_MS: integer(10, 60 * SECOND_MS, 500),
  DATABASE_URL: url(['postgres:', 'postgresql:'], 'must be a postgres:// URL').optional(),
  DATABASE_SCHEMA: databaseSchema,
  DATABASE_POOL_SIZE: integer(1, 200, 10),
  TRACE_BACKEND: recordBackend,
  SQLITE_PATH: fileByDefault('./data/orchestration.db'),
  RATE_LIMIT_BACKEND: rateLimitBackend,
  RATE_LIMIT_REQUESTS: integer(1, MILLION, 600),
  RATE_LIMIT_WINDOW_SECONDS: integer(1, 24 * HOUR_SECONDS, 60),
  TRUST_PROXY_HEADERS: flag,
  ALLOWED_HOSTS: list.superRefine((entries, context) => {
    for (const message of allowedHostIssues(entries)) context.addIssue({ code: 'custom', message });
  }),
  ALLOWED_ORIGINS: list.superRefine((entries, context) => {
    for (const message of allowedOriginIssues(entries)) context.addIssue({ code: 'custom', message });
  }),
  LLM_API_KEY: providerKey,
  LLM_BASE_URL: providerAddress,
  LLM_MODEL: z.string().trim().min(1, 'must not be empty').prefault('gpt-4o-mini'),
  LLM_STAGES: list.refine(
    (named) => named.every((stage) => isLlmStage(stage) || stage === 'all'),
    `must name stages among ${llmStages.join(' ')}`,
  ),
  LLM_TEMPERATURE: temperature,
  LLM_TIMEOUT_MS: integer(100, 600 * SECOND_MS, 15_000),
  LLM_MAX_RETRIES: integer(0, 10, 2),
  ...embeddingFields,
  OTEL_ENABLED: flag,
  EXTENSIONS: list,
  PLAYBOOK: file,
  TOOLS_FILE: file,
  CLASSIFIER_MODEL: file,
  REDACT_PII: flagByDefault,
  OUTBOUND_ALLOW: list.superRefine((entries, context) => {
    for (const message of allowListIssues(entries)) context.addIssue({ code: 'custom', message });
  }),
  BUILT_IN_AGENTS: list
    .transform((named, context) => {
      const unknown = named.filter((name) => !isBuiltInAgentName(name));
      if (unknown.length > 0) context.addIssue({ code: 'custom', message: unknownAgents(unknown) });
      return named.filter(isBuiltInAgentName);
    })
    .prefault(builtInAgentNames.join(',')),
  ESCALATION_THRESHOLD: z
    .string()
    .trim()
    .regex(/^(?:0|1|0?\.\d{1,9}|1\.0{1,9})$/, 'must be a number from 0 to 1')
    .transform(Number)
    .prefault('0.45'),
  INBOX: onByDefault,
  INBOX_CLAIM_SECONDS: integer(1, 7 * DAY_SECONDS, defaultLimits.inboxClaimMs / SECOND_MS),
  TRACE_RETENTION_DAYS: integer(1, MAX_RETENTION_DAYS, 7),
  RUN_RETENTION_DAYS: integer(1, MAX_RETENTION_DAYS, 30),
  IDEMPOTENCY_TTL_SECONDS: integer(1, 365 * 24 * HOUR_SECONDS, 24 * HOUR_SECONDS),
  MAX_BODY_BYTES: integer(1_024, 64 * MEBIBYTE, MEBIBYTE),
  MAX_BATCH_SIZE: integer(1, 10_000, defaultLimits.maxBatchSize),
  MAX_WORKFLOW_STEPS: integer(1, 100_000, defaultLimits.maxWorkflowSteps),
  MAX_FOREACH_ITEMS: integer(1, 100_000, defaultLimits.maxForeachItems),
  MAX_CHILD_RUNS: integer(1, MILLION, defaultLimits.maxChildRuns),
  MAX_CONCURRENT_STEPS: integer(1, MILLION, defaultLimits.maxConcurrentSteps),
  MAX_BACKGROUND_RUNS: integer(1, MILLION, defaultLimits.maxBackgroundRuns),
  MAX_EVENT_STREAMS: integer(1, 100_000, 1_000),
  MAX_SUBTASKS: integer(1, 100_000, defaultLimits.maxSubtasks),
  TOOL_MAX_ATTEMPTS: integer(1, 100, defaultLimits.toolMaxAttempts),
  TOOL_TIMEOUT_MS: integer(1, 24 * HOUR_SECONDS * SECOND_MS, defaultLimits.toolTimeoutMs),
  AGENT_TIMEOUT_MS: integer(1, 24 * HOUR_SECONDS * SECOND_MS, defaultLimits.agentTimeoutMs),
  CANCEL_GRACE_MS: integer(0, 600 * SECOND_MS, defaultLimits.cancelGraceMs),
  RUN_RECOVERY: runRecovery,
  RUN_MAX_RECOVERIES: integer(0, 100, defaultRecoveryPolicy.maxRecoveries),
  RUN_UNKNOWN_OUTCOME: unknownOutcome,
  SHUTDOWN_GRACE_SECONDS: integer(0, HOUR_SECONDS, 20),
  CONSOLE_NOTICE: notice,
});

/** The names of all settings. */
export const settingNames: ReadonlySet<string> = new Set(Object.keys(schema.shape));

function unknownAgents(names: readonly string[]): string {
  const unknown = names.map(quote).join(', ');
  return `must name agents among ${builtInAgentNames.join(' ')}, or be empty for none; there is no ${unknown}`;
}

/** The variables that are no absent ones when they are empty. */
const mayBeEmpty: ReadonlySet<string> = new Set(['BUILT_IN_AGENTS']);

/** The variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Issues of settings that depend on each other. A setting that is invalid by itself is ignored here. */
function checkCombinations(present: Environment): readonly string[] {
  const authEnabled = flag.safeParse(present['AUTH_ENABLED']).data === true;
  const hasKey = [...list.parse(present['API_KEYS']), ...list.parse(present['API_KEY'])].length > 0;
  const records = recordBackend.safeParse(present['TRACE_BACKEND']).data;
  const backends: readonly unknown[] = [
    records,
    rateLimitBackend.safeParse(present['RATE_LIMIT_BACKEND']).data,
  ];
  const issues: string[] = [];
  if (authEnabled && !hasKey)
    issues.push('AUTH_ENABLED: is on, but neither API_KEYS nor API_KEY names a key');
  issues.push(...embeddingIssues(present));
  if (backends.includes('kvstore') && present['KVSTORE_URL'] === undefined) {
    issues.push('KVSTORE_URL: must be a redis:// or rediss:// URL, because a backend is kvstore');
  }
  if (backends.includes('postgres') && present['DATABASE_URL'] === undefined) {
    issues.push('DATABASE_URL: must be a postgres:// URL, because a backend is postgres');
  }
  const hasInbox = onByDefault.safeParse(present['INBOX']).data !== false;
  if (unknownOutcome.safeParse(present['RUN_UNKNOWN_OUTCOME']).data === 'ask' && !hasInbox) {
    issues.push('RUN_UNKNOWN_OUTCOME: ask needs INBOX on');
  }
  if (records === 'memory' && runRecovery.safeParse(present['RUN_RECOVERY']).data === 'resume') {
    issues.push(
      'RUN_RECOVERY: resume needs TRACE_BACKEND sqlite, kvstore or postgres, because memory keeps no runs',
    );
  }
  return issues;
}

/** Valid settings (decisions, section 8), by the names of their variables. */
export type Settings = z.output<typeof schema>;

/** Valid settings, or all issues: one line each, in the form `VARIABLE: problem`, without a secret. */
export type SettingsOutcome =
  | { readonly settings: Settings; readonly issues?: never }
  | { readonly settings?: never; readonly issues: readonly string[] };

/** True when a variable is set: an empty one is not, except those that mean something when they are empty. */
export function isSet(name: string, value: string | undefined): boolean {
  return value !== undefined && (value.trim() !== '' || mayBeEmpty.has(name));
}

/** Parses all settings. An empty variable counts as absent, except an empty `BUILT_IN_AGENTS`, which names none. */
export function parseSettings(environment: Environment): SettingsOutcome {
  const present = Object.entries(environment).filter(([name, value]) => isSet(name, value));
  const values = Object.fromEntries(present);
  const parsed = schema.safeParse(values);
  const combined = checkCombinations(values);
  if (parsed.success && combined.length === 0) return { settings: parsed.data };
  const single = parsed.error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];
  return { issues: [...single, ...combined] };
}

/** The keys that requests may use: API_KEYS and API_KEY without duplicates. */
export function getApiKeys(settings: Settings): readonly string[] {
  const keys = settings.API_KEY === '' ? settings.API_KEYS : [...settings.API_KEYS, settings.API_KEY];
  return [...new Set(keys)];
}

/** Texts that must never be logged: keys, and the passwords in the URLs of stores, encoded and decoded. */
export function getSecrets(settings: Settings): readonly string[] {
  const secrets = [...getApiKeys(settings), settings.LLM_API_KEY ?? '', settings.EMBEDDING_API_KEY ?? ''];
  for (const url of [settings.KVSTORE_URL, settings.DATABASE_URL]) {
    const { password } = url === undefined ? { password: '' } : new URL(url);
    secrets.push(password, decodePassword(password));
  }
  return secrets.filter((secret) => secret !== '');
}

function decodePassword(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The limits of the use cases. */
export function getLimits(settings: Settings): Limits {
  return {
    ...defaultLimits,
    maxBatchSize: settings.MAX_BATCH_SIZE,
    maxWorkflowSteps: settings.MAX_WORKFLOW_STEPS,
    maxForeachItems: settings.MAX_FOREACH_ITEMS,
    maxChildRuns: settings.MAX_CHILD_RUNS,
    maxConcurrentSteps: settings.MAX_CONCURRENT_STEPS,
    maxBackgroundRuns: settings.MAX_BACKGROUND_RUNS,
    maxSubtasks: settings.MAX_SUBTASKS,
    toolMaxAttempts: settings.TOOL_MAX_ATTEMPTS,
    toolTimeoutMs: settings.TOOL_TIMEOUT_MS,
    agentTimeoutMs: settings.AGENT_TIMEOUT_MS,
    cancelGraceMs: settings.CANCEL_GRACE_MS,
    inboxClaimMs: settings.INBOX_CLAIM_SECONDS * SECOND_MS,
    inboxExpiryMs: getRetention(settings).traceRetentionMs,
    idempotencyTtlMs: settings.IDEMPOTENCY_TTL_SECONDS * SECOND_MS,
    // Longer than the three calls of the model that a stage can make: after them the rules decide, but a stage that
    // times out fails the message.
    stageTimeoutMs: Math.max(
      defaultLimits.stageTimeoutMs,
      MAX_CALLS_OF_STAGE * settings.LLM_TIMEOUT_MS + settings.EMBEDDING_TIMEOUT_MS + 5 * SECOND_MS,
    ),
  };
}

/** Where the playbook and what belongs to it come from. */
export function getPlaybookSources(settings: Settings) {
  return {
    file: settings.PLAYBOOK,
    classifierFile: settings.CLASSIFIER_MODEL,
    toolsFile: settings.TOOLS_FILE,
    outboundAllow: settings.OUTBOUND_ALLOW,
  };
}

/** For how long records are kept, in milliseconds. */
export interface Retention {
  /** Traces, conversations since their last change, and ended items of the inbox. */
  readonly traceRetentionMs: number;
  /** Ended runs and routed goals. */
  readonly runRetentionMs: number;
}

/** For how long the stores keep records; those in memory go by number and not by time. */
export function getRetention(settings: Settings): Retention {
  return {
    traceRetentionMs: settings.TRACE_RETENTION_DAYS * DAY_MS,
    runRetentionMs: settings.RUN_RETENTION_DAYS * DAY_MS,
  };
}

/** The policy for unfinished runs whose process is lost; undefined where they are not continued. */
export function getRecovery(settings: Settings): RecoveryPolicy | undefined {
  if (settings.RUN_RECOVERY === 'interrupt') return undefined;
  return { maxRecoveries: settings.RUN_MAX_RECOVERIES, unknownOutcome: settings.RUN_UNKNOWN_OUTCOME };
}

/** True when the console is served: as `CONSOLE` says, else only where the service listens for this machine alone. */
export function hasConsole({ CONSOLE, HOST }: Pick<Settings, 'CONSOLE' | 'HOST'>): boolean {
  return CONSOLE ?? isLoopback(HOST);
}

/** The names of the settings that the environment sets, sorted. Variables that are no settings are not among them. */
export function getNamesOfSet(settings: Settings, environment: Environment): readonly string[] {
  return Object.keys(settings)
    .filter((name) => isSet(name, environment[name]))
    .sort();
}
