import { describe, expect, test } from 'vitest';
import { getEmbedding, readEmbedding } from '../../src/adapters/settings/embedding.ts';
import { getLlmStages } from '../../src/adapters/settings/llm-stages.ts';
import {
  getApiKeys,
  getLimits,
  getNamesOfSet,
  getRecovery,
  getRetention,
  getSecrets,
  hasConsole,
  parseSettings,
  type Settings,
} from '../../src/adapters/settings/settings.ts';
import { defaultLimits } from '../../src/domain/limits.ts';
import { defaultRecoveryPolicy } from '../../src/domain/run/recover.ts';

type Environment = Readonly<Record<string, string | undefined>>;

function settingsOf(environment: Environment): Settings {
  const { settings, issues } = parseSettings(environment);
  if (settings === undefined) throw new Error(`invalid: ${issues.join(' | ')}`);
  return settings;
}

function issuesOf(environment: Environment): readonly string[] {
  return parseSettings(environment).issues ?? [];
}

const defaults = {
  HOST: '127.0.0.1',
  PORT: 8_000,
  LOG_LEVEL: 'info',
  AUTH_ENABLED: false,
  API_KEYS: [],
  API_KEY: '',
  KVSTORE_PREFIX: 'orchestration:',
  KVSTORE_TIMEOUT_MS: 500,
  DATABASE_SCHEMA: 'orchestration',
  DATABASE_POOL_SIZE: 10,
  TRACE_BACKEND: 'memory',
  SQLITE_PATH: './data/orchestration.db',
  RATE_LIMIT_BACKEND: 'memory',
  RATE_LIMIT_REQUESTS: 600,
  RATE_LIMIT_WINDOW_SECONDS: 60,
  TRUST_PROXY_HEADERS: false,
  ALLOWED_HOSTS: [],
  ALLOWED_ORIGINS: [],
  LLM_MODEL: 'gpt-4o-mini',
  LLM_STAGES: [],
  LLM_TIMEOUT_MS: 15_000,
  LLM_MAX_RETRIES: 2,
  EMBEDDING_TIMEOUT_MS: 1_500,
  OTEL_ENABLED: false,
  EXTENSIONS: [],
  BUILT_IN_AGENTS: ['echo', 'summary', 'support_pipeline'],
  ESCALATION_THRESHOLD: 0.45,
  REDACT_PII: true,
  OUTBOUND_ALLOW: [],
  INBOX: true,
  INBOX_CLAIM_SECONDS: 1_800,
  TRACE_RETENTION_DAYS: 7,
  RUN_RETENTION_DAYS: 30,
  IDEMPOTENCY_TTL_SECONDS: 86_400,
  MAX_BODY_BYTES: 1_048_576,
  MAX_BATCH_SIZE: 100,
  MAX_WORKFLOW_STEPS: 1_000,
  MAX_FOREACH_ITEMS: 1_000,
  MAX_CHILD_RUNS: 10_000,
  MAX_CONCURRENT_STEPS: 256,
  MAX_BACKGROUND_RUNS: 256,
  MAX_EVENT_STREAMS: 1_000,
  MAX_SUBTASKS: 100,
  TOOL_MAX_ATTEMPTS: 3,
  TOOL_TIMEOUT_MS: 10_000,
  AGENT_TIMEOUT_MS: 60_000,
  CANCEL_GRACE_MS: 10_000,
  RUN_RECOVERY: 'interrupt',
  RUN_MAX_RECOVERIES: 3,
  RUN_UNKNOWN_OUTCOME: 'fail',
  SHUTDOWN_GRACE_SECONDS: 20,
};

describe('settings', () => {
  test('have defaults', () => {
    expect(settingsOf({})).toEqual(defaults);
  });

  test('have their defaults where a variable is empty or blank', () => {
    const empty = Object.fromEntries(
      Object.keys(defaults).map((name, index) => [name, ['', ' ', undefined][index % 3]]),
    );
    const other = { KVSTORE_URL: '', LLM_API_KEY: ' ', LLM_BASE_URL: '', BUILT_IN_AGENTS: undefined };
    expect(settingsOf({ ...empty, ...other })).toEqual(defaults);
  });

  test.each(['', ' ', ','])('name no built-in agents where the list is %j', (value) => {
    expect(settingsOf({ BUILT_IN_AGENTS: value }).BUILT_IN_AGENTS).toEqual([]);
  });

  test('are invalid where the list of built-in agents names others, and say which', () => {
    expect(issuesOf({ BUILT_IN_AGENTS: 'echo, nobody, Summary' })).toEqual([
      'BUILT_IN_AGENTS: must name agents among echo summary support_pipeline, or be empty for none; there is no "nobody", "Summary"',
    ]);
  });

  test.each<[Environment, boolean]>([
    [{}, true],
    [{ HOST: 'localhost' }, true],
    [{ HOST: '127.8.0.1' }, true],
    [{ HOST: '::1' }, true],
    [{ HOST: '::ffff:127.0.0.1' }, true],
    [{ HOST: '0.0.0.0' }, false],
    [{ HOST: '::' }, false],
    [{ HOST: '10.127.0.1' }, false],
    [{ HOST: 'localhost.example' }, false],
    [{ CONSOLE: 'off' }, false],
    [{ CONSOLE: '0' }, false],
    [{ HOST: '0.0.0.0', CONSOLE: 'On' }, true],
  ])(
    'have a console where only this machine reaches the service, or as they say: %j',
    (environment, expected) => {
      expect(hasConsole(settingsOf(environment))).toBe(expected);
    },
  );

  test('ignore other variables', () => {
    expect(settingsOf({ PATH: '/bin', port: '1', ['__proto__']: '1', constructor: '1' })).toEqual(defaults);
  });

  test('are read from the environment', () => {
    const environment = {
      HOST: '0.0.0.0',
      PORT: '0',
      CONSOLE: 'off',
      LOG_LEVEL: 'DEBUG',
      AUTH_ENABLED: 'true',
      API_KEYS: 'one,two',
      API_KEY: 'three',
      KVSTORE_URL: 'rediss://user:pass@store.example:6380/2',
      KVSTORE_PREFIX: 'mine:',
      KVSTORE_TIMEOUT_MS: '250',
      DATABASE_URL: 'postgres://user:pass@db.example:5432/records?sslmode=require',
      DATABASE_SCHEMA: 'mine',
      DATABASE_POOL_SIZE: '3',
      TRACE_BACKEND: 'kvstore',
      SQLITE_PATH: '/var/lib/records.db',
      RATE_LIMIT_BACKEND: 'KVStore',
      RATE_LIMIT_REQUESTS: '10',
      RATE_LIMIT_WINDOW_SECONDS: '1',
      TRUST_PROXY_HEADERS: '1',
      ALLOWED_HOSTS: 'app.example, app.example:8000,[::1]:80,*',
      ALLOWED_ORIGINS: 'https://app.example,http://localhost:5173',
      LLM_API_KEY: 'sk-canary',
      LLM_BASE_URL: 'http://127.0.0.1:9/v1',
      LLM_MODEL: 'small',
      LLM_STAGES: 'planner, responder',
      LLM_TEMPERATURE: '0.3',
      LLM_TIMEOUT_MS: '2000',
      LLM_MAX_RETRIES: '0',
      EMBEDDING_MODEL: ' nomic-embed-text ',
      EMBEDDING_BASE_URL: 'http://127.0.0.1:11434/v1',
      EMBEDDING_API_KEY: 'sk-embed',
      EMBEDDING_TIMEOUT_MS: '900',
      OTEL_ENABLED: 'TRUE',
      EXTENSIONS: './a.ts, some-package',
      BUILT_IN_AGENTS: 'summary , echo,',
      ESCALATION_THRESHOLD: '0.8',
      REDACT_PII: 'false',
      OUTBOUND_ALLOW: 'erp.internal:8443, 10.0.0.0/8',
      INBOX: ' Off',
      INBOX_CLAIM_SECONDS: '60',
      TRACE_RETENTION_DAYS: '1',
      RUN_RETENTION_DAYS: '365',
      IDEMPOTENCY_TTL_SECONDS: '3600',
      MAX_BODY_BYTES: '2048',
      MAX_BATCH_SIZE: '5',
      MAX_WORKFLOW_STEPS: '6',
      MAX_FOREACH_ITEMS: '77',
      MAX_CHILD_RUNS: '78',
      MAX_CONCURRENT_STEPS: '7',
      MAX_BACKGROUND_RUNS: '8',
      MAX_EVENT_STREAMS: '88',
      MAX_SUBTASKS: '9',
      TOOL_MAX_ATTEMPTS: '1',
      TOOL_TIMEOUT_MS: '11',
      AGENT_TIMEOUT_MS: '12',
      CANCEL_GRACE_MS: '13',
      RUN_RECOVERY: 'Resume',
      RUN_MAX_RECOVERIES: '14',
      RUN_UNKNOWN_OUTCOME: ' RETRY',
      SHUTDOWN_GRACE_SECONDS: '0',
      CONSOLE_NOTICE: 'Staging: nobody gets replies',
    };
    expect(settingsOf(environment)).toEqual({
      ...environment,
      PORT: 0,
      CONSOLE: false,
      LOG_LEVEL: 'debug',
      AUTH_ENABLED: true,
      API_KEYS: ['one', 'two'],
      KVSTORE_TIMEOUT_MS: 250,
      DATABASE_POOL_SIZE: 3,
      RATE_LIMIT_BACKEND: 'kvstore',
      RATE_LIMIT_REQUESTS: 10,
      RATE_LIMIT_WINDOW_SECONDS: 1,
      TRUST_PROXY_HEADERS: true,
      ALLOWED_HOSTS: ['app.example', 'app.example:8000', '[::1]:80', '*'],
      ALLOWED_ORIGINS: ['https://app.example', 'http://localhost:5173'],
      LLM_STAGES: ['planner', 'responder'],
      LLM_TEMPERATURE: 0.3,
      LLM_TIMEOUT_MS: 2_000,
      LLM_MAX_RETRIES: 0,
      EMBEDDING_MODEL: 'nomic-embed-text',
      EMBEDDING_TIMEOUT_MS: 900,
      OTEL_ENABLED: true,
      EXTENSIONS: ['./a.ts', 'some-package'],
      BUILT_IN_AGENTS: ['summary', 'echo'],
      ESCALATION_THRESHOLD: 0.8,
      REDACT_PII: false,
      OUTBOUND_ALLOW: ['erp.internal:8443', '10.0.0.0/8'],
      INBOX: false,
      INBOX_CLAIM_SECONDS: 60,
      TRACE_RETENTION_DAYS: 1,
      RUN_RETENTION_DAYS: 365,
      IDEMPOTENCY_TTL_SECONDS: 3_600,
      MAX_BODY_BYTES: 2_048,
      MAX_BATCH_SIZE: 5,
      MAX_WORKFLOW_STEPS: 6,
      MAX_FOREACH_ITEMS: 77,
      MAX_CHILD_RUNS: 78,
      MAX_CONCURRENT_STEPS: 7,
      MAX_BACKGROUND_RUNS: 8,
      MAX_EVENT_STREAMS: 88,
      MAX_SUBTASKS: 9,
      TOOL_MAX_ATTEMPTS: 1,
      TOOL_TIMEOUT_MS: 11,
      AGENT_TIMEOUT_MS: 12,
      CANCEL_GRACE_MS: 13,
      RUN_RECOVERY: 'resume',
      RUN_MAX_RECOVERIES: 14,
      RUN_UNKNOWN_OUTCOME: 'retry',
      SHUTDOWN_GRACE_SECONDS: 0,
    });
  });

  test('are trimmed', () => {
    expect(
      settingsOf({ PORT: ' 80 ', HOST: ' ::1\t', LOG_LEVEL: 'warn ', OTEL_ENABLED: ' 1 ' }),
    ).toMatchObject({
      PORT: 80,
      HOST: '::1',
      LOG_LEVEL: 'warn',
      OTEL_ENABLED: true,
    });
  });
});

const flags = ['AUTH_ENABLED', 'TRUST_PROXY_HEADERS', 'OTEL_ENABLED'];

describe.each(flags)('the flag %s', (name) => {
  test.each([
    ['true', true],
    ['TRUE', true],
    ['True', true],
    ['1', true],
    ['false', false],
    ['FALSE', false],
    ['0', false],
  ])('accepts %s', (text, on) => {
    expect(settingsOf({ [name]: text, API_KEY: 'key' })).toMatchObject({ [name]: on });
  });

  test.each([
    'yes',
    'no',
    'on',
    'off',
    't',
    '2',
    '-1',
    '00',
    '01',
    'truee',
    'constructor',
    '__proto__',
    'tostring',
  ])('rejects %s', (text) => {
    expect(issuesOf({ [name]: text })).toEqual([`${name}: must be true, false, 1 or 0`]);
  });
});

describe('the names of the settings that are set', () => {
  test('are sorted, and no names of other or empty variables', () => {
    const environment = { PORT: '1', LLM_API_KEY: 'sk-canary', HOST: ' ', BUILT_IN_AGENTS: '', PATH: '/bin' };
    const names = getNamesOfSet(settingsOf(environment), environment);
    expect(names).toEqual(['BUILT_IN_AGENTS', 'LLM_API_KEY', 'PORT']);
  });
});

describe('the notice of the console', () => {
  test.each(['Staging', 'Nur zur Probe: <b>äöü</b> 🧪', 'x'.repeat(200)])('may be %j', (notice) => {
    expect(settingsOf({ CONSOLE_NOTICE: notice }).CONSOLE_NOTICE).toBe(notice);
  });

  test.each([
    ['x'.repeat(201), 'must be at most 200 characters'],
    ['one\ntwo', 'must be one line without control characters'],
    ['red \u001b[31m', 'must be one line without control characters'],
  ])('is rejected: %j', (notice, issue) => {
    expect(issuesOf({ CONSOLE_NOTICE: notice })).toEqual([`CONSOLE_NOTICE: ${issue}`]);
  });
});

describe('the allowed hosts and origins', () => {
  test.each([
    'https://app.example',
    'app.example/',
    'app.example:x',
    'app.example:123456',
    'a b',
    'x@app.example',
    '*.app.example',
    '[::1',
    '::1:80]',
    '%00',
  ])('reject the host %j', (host) => {
    const problem = 'must be a host such as app.example or app.example:8000, or * for every host';
    expect(issuesOf({ ALLOWED_HOSTS: `app.example,${host}` })).toEqual([`ALLOWED_HOSTS: entry 2 ${problem}`]);
  });

  test.each([
    'app.example',
    'https://',
    'https://app.example/',
    'https://app.example/path',
    'https://u@app.example',
    'https://*.example',
    'https://app.example:99999',
    '*',
    'null',
  ])('reject the origin %j', (origin) => {
    const problem = 'must be an origin such as https://app.example, without a path or *';
    expect(issuesOf({ ALLOWED_ORIGINS: origin })).toEqual([`ALLOWED_ORIGINS: entry 1 ${problem}`]);
  });
});

describe('the switch INBOX', () => {
  test.each([
    ['on', true],
    ['off', false],
    [' OFF ', false],
    ['true', true],
    ['False', false],
    ['1', true],
    ['0', false],
    ['', true],
  ])('accepts %j', (text, on) => {
    expect(settingsOf({ INBOX: text })).toMatchObject({ INBOX: on });
  });

  test.each(['yes', 'no', 'none', 'offf', '2', 'constructor'])('rejects %s', (text) => {
    expect(issuesOf({ INBOX: text })).toEqual(['INBOX: must be on, off, true, false, 1 or 0']);
  });
});

const numbers: readonly (readonly [string, number, number])[] = [
  ['PORT', 0, 65_535],
  ['KVSTORE_TIMEOUT_MS', 10, 60_000],
  ['DATABASE_POOL_SIZE', 1, 200],
  ['RATE_LIMIT_REQUESTS', 1, 1_000_000],
  ['RATE_LIMIT_WINDOW_SECONDS', 1, 86_400],
  ['LLM_TIMEOUT_MS', 100, 600_000],
  ['LLM_MAX_RETRIES', 0, 10],
  ['EMBEDDING_TIMEOUT_MS', 10, 60_000],
  ['INBOX_CLAIM_SECONDS', 1, 604_800],
  ['TRACE_RETENTION_DAYS', 1, 3_650],
  ['RUN_RETENTION_DAYS', 1, 3_650],
  ['IDEMPOTENCY_TTL_SECONDS', 1, 31_536_000],
  ['MAX_BODY_BYTES', 1_024, 67_108_864],
  ['MAX_BATCH_SIZE', 1, 10_000],
  ['MAX_WORKFLOW_STEPS', 1, 100_000],
  ['MAX_FOREACH_ITEMS', 1, 100_000],
  ['MAX_CHILD_RUNS', 1, 1_000_000],
  ['MAX_CONCURRENT_STEPS', 1, 1_000_000],
  ['MAX_BACKGROUND_RUNS', 1, 1_000_000],
  ['MAX_EVENT_STREAMS', 1, 100_000],
  ['MAX_SUBTASKS', 1, 100_000],
  ['TOOL_MAX_ATTEMPTS', 1, 100],
  ['TOOL_TIMEOUT_MS', 1, 86_400_000],
  ['AGENT_TIMEOUT_MS', 1, 86_400_000],
  ['CANCEL_GRACE_MS', 0, 600_000],
  ['RUN_MAX_RECOVERIES', 0, 100],
  ['SHUTDOWN_GRACE_SECONDS', 0, 3_600],
];

describe.each(numbers)('the number %s', (name, from, to) => {
  test('accepts its minimum and its maximum', () => {
    for (const value of [from, to])
      expect(settingsOf({ [name]: String(value) })).toMatchObject({ [name]: value });
  });

  test.each([
    String(from - 1),
    String(to + 1),
    'abc',
    '1e3',
    '0x50',
    '+80',
    '80.0',
    '8_000',
    '80 80',
    '８０',
    '9'.repeat(30),
    'NaN',
    'Infinity',
  ])('rejects %s', (text) => {
    expect(issuesOf({ [name]: text })).toEqual([`${name}: must be an integer from ${from} to ${to}`]);
  });
});

const levels = 'trace debug info warn warning error fatal critical silent';

describe('a setting', () => {
  test.each<[Environment, string]>([
    [{ LOG_LEVEL: 'verbose' }, `LOG_LEVEL: must be one of ${levels}`],
    [{ LOG_LEVEL: 'constructor' }, `LOG_LEVEL: must be one of ${levels}`],
    [{ TRACE_BACKEND: 'redis' }, 'TRACE_BACKEND: must be memory, sqlite, kvstore or postgres'],
    [{ RATE_LIMIT_BACKEND: 'sqlite' }, 'RATE_LIMIT_BACKEND: must be memory, kvstore or postgres'],
    [{ SQLITE_PATH: 'x'.repeat(4_097) }, 'SQLITE_PATH: must be at most 4096 characters'],
    [{ RATE_LIMIT_BACKEND: 'none' }, 'RATE_LIMIT_BACKEND: must be memory, kvstore or postgres'],
    [{ RUN_RECOVERY: 'restart' }, 'RUN_RECOVERY: must be interrupt or resume'],
    [
      { RUN_RECOVERY: 'resume' },
      'RUN_RECOVERY: resume needs TRACE_BACKEND sqlite, kvstore or postgres, because memory keeps no runs',
    ],
    [{ RUN_UNKNOWN_OUTCOME: 'guess' }, 'RUN_UNKNOWN_OUTCOME: must be fail, ask or retry'],
    [{ RUN_UNKNOWN_OUTCOME: 'Ask', INBOX: 'off' }, 'RUN_UNKNOWN_OUTCOME: ask needs INBOX on'],
    [{ AUTH_ENABLED: 'true' }, 'AUTH_ENABLED: is on, but neither API_KEYS nor API_KEY names a key'],
    [
      { AUTH_ENABLED: 'true', API_KEYS: ' , ,', API_KEY: ' ' },
      'AUTH_ENABLED: is on, but neither API_KEYS nor API_KEY names a key',
    ],
    [
      { TRACE_BACKEND: 'kvstore' },
      'KVSTORE_URL: must be a redis:// or rediss:// URL, because a backend is kvstore',
    ],
    [
      { RATE_LIMIT_BACKEND: 'kvstore', KVSTORE_URL: ' ' },
      'KVSTORE_URL: must be a redis:// or rediss:// URL, because a backend is kvstore',
    ],
    [{ TRACE_BACKEND: 'postgres' }, 'DATABASE_URL: must be a postgres:// URL, because a backend is postgres'],
    [
      { RATE_LIMIT_BACKEND: 'postgres', DATABASE_URL: '' },
      'DATABASE_URL: must be a postgres:// URL, because a backend is postgres',
    ],
    [{ DATABASE_URL: 'mysql://localhost' }, 'DATABASE_URL: must be a postgres:// URL'],
    [{ DATABASE_URL: 'localhost:5432' }, 'DATABASE_URL: must be a postgres:// URL'],
    [
      { DATABASE_SCHEMA: 'Public' },
      'DATABASE_SCHEMA: must be 1 to 63 of a-z, 0-9 and _, and begin with no digit',
    ],
    [
      { DATABASE_SCHEMA: `a${'b'.repeat(63)}` },
      'DATABASE_SCHEMA: must be 1 to 63 of a-z, 0-9 and _, and begin with no digit',
    ],
    [{ KVSTORE_URL: 'localhost:6379' }, 'KVSTORE_URL: must be a redis:// or rediss:// URL'],
    [{ KVSTORE_URL: 'http://localhost' }, 'KVSTORE_URL: must be a redis:// or rediss:// URL'],
    [{ KVSTORE_URL: 'redis://' }, 'KVSTORE_URL: must be a redis:// or rediss:// URL'],
    [{ KVSTORE_URL: 'redis:///0' }, 'KVSTORE_URL: must be a redis:// or rediss:// URL'],
    [{ KVSTORE_URL: 'redis://host:99999' }, 'KVSTORE_URL: must be a redis:// or rediss:// URL'],
    [{ KVSTORE_PREFIX: 'x'.repeat(129) }, 'KVSTORE_PREFIX: must be at most 128 characters'],
    [{ LLM_BASE_URL: 'localhost' }, 'LLM_BASE_URL: must be an http:// or https:// URL'],
    [{ LLM_BASE_URL: 'ftp://x' }, 'LLM_BASE_URL: must be an http:// or https:// URL'],
    [
      { LLM_STAGES: 'planner,writer' },
      'LLM_STAGES: must name stages among classifier planner verifier responder decomposer',
    ],
    [
      { LLM_STAGES: 'constructor' },
      'LLM_STAGES: must name stages among classifier planner verifier responder decomposer',
    ],
    ...['1.1', '-0.1', '2', 'half', '0,5', '1e-1', 'NaN', '.', '0.', '١'].map(
      (text): [Environment, string] => [
        { ESCALATION_THRESHOLD: text },
        'ESCALATION_THRESHOLD: must be a number from 0 to 1',
      ],
    ),
    ...['2.1', '-1', '3', '2.01', 'warm', '0,5', '1e-1', '.', '1.'].map((text): [Environment, string] => [
      { LLM_TEMPERATURE: text },
      'LLM_TEMPERATURE: must be a number from 0 to 2',
    ]),
  ])('that is invalid is reported in one line: %o', (environment, issue) => {
    expect(issuesOf(environment)).toEqual([issue]);
  });

  test.each([
    ['0', 0],
    ['1', 1],
    ['0.45', 0.45],
    ['.5', 0.5],
    ['1.0', 1],
    ['0.0', 0],
  ])('ESCALATION_THRESHOLD may be %s', (text, value) => {
    expect(settingsOf({ ESCALATION_THRESHOLD: text })).toMatchObject({ ESCALATION_THRESHOLD: value });
  });

  test.each([
    ['0', 0],
    ['2', 2],
    ['2.0', 2],
    ['1.25', 1.25],
    ['.7', 0.7],
  ])('LLM_TEMPERATURE may be %s', (text, value) => {
    expect(settingsOf({ LLM_TEMPERATURE: text })).toMatchObject({ LLM_TEMPERATURE: value });
  });

  test('LLM_TEMPERATURE has no default', () => {
    expect(settingsOf({ LLM_TEMPERATURE: ' ' }).LLM_TEMPERATURE).toBeUndefined();
  });

  test.each(['trace', 'Debug', 'INFO', 'warn', 'WARNING', 'error', 'fatal', 'critical', 'silent'])(
    'LOG_LEVEL may be %s',
    (level) => {
      expect(settingsOf({ LOG_LEVEL: level })).toMatchObject({ LOG_LEVEL: level.toLowerCase() });
    },
  );

  test.each(['redis://localhost', 'redis://:pass@10.0.0.1:6379/3', 'rediss://[::1]:6380'])(
    'KVSTORE_URL may be %s, whether it is used or not',
    (url) => {
      expect(settingsOf({ KVSTORE_URL: url })).toMatchObject({ KVSTORE_URL: url });
      expect(settingsOf({ KVSTORE_URL: url, TRACE_BACKEND: 'kvstore' })).toMatchObject({ KVSTORE_URL: url });
    },
  );
});

describe('the issues of an environment', () => {
  const canary = 'canary-value';
  const wrong: Environment = {
    PORT: canary,
    LOG_LEVEL: canary,
    AUTH_ENABLED: canary,
    API_KEYS: canary,
    API_KEY: canary,
    KVSTORE_URL: `http://user:${canary}@host`,
    KVSTORE_PREFIX: canary.repeat(20),
    TRACE_BACKEND: canary,
    RATE_LIMIT_REQUESTS: canary,
    LLM_API_KEY: canary,
    LLM_BASE_URL: canary,
    LLM_STAGES: canary,
    OTEL_ENABLED: canary,
    ESCALATION_THRESHOLD: canary,
    RUN_RECOVERY: canary,
    RUN_MAX_RECOVERIES: canary,
    RUN_UNKNOWN_OUTCOME: canary,
  };

  test('are reported together, one line each, in the order of the variables', () => {
    const issues = issuesOf(wrong);
    expect(issues.map((issue) => issue.slice(0, issue.indexOf(':')))).toEqual([
      'PORT',
      'LOG_LEVEL',
      'AUTH_ENABLED',
      'KVSTORE_URL',
      'KVSTORE_PREFIX',
      'TRACE_BACKEND',
      'RATE_LIMIT_REQUESTS',
      'LLM_BASE_URL',
      'LLM_STAGES',
      'OTEL_ENABLED',
      'ESCALATION_THRESHOLD',
      'RUN_RECOVERY',
      'RUN_MAX_RECOVERIES',
      'RUN_UNKNOWN_OUTCOME',
    ]);
    expect(issues.join('')).not.toMatch(/[\r\n]/);
  });

  test('of settings that depend on each other are reported with those of single ones', () => {
    const environment = { PORT: 'x', AUTH_ENABLED: '1', TRACE_BACKEND: 'kvstore' };
    expect(issuesOf(environment)).toEqual([
      'PORT: must be an integer from 0 to 65535',
      'AUTH_ENABLED: is on, but neither API_KEYS nor API_KEY names a key',
      'KVSTORE_URL: must be a redis:// or rediss:// URL, because a backend is kvstore',
    ]);
  });

  test('blame no other setting for a backend that is invalid', () => {
    expect(issuesOf({ TRACE_BACKEND: 'disk', RUN_RECOVERY: 'resume' })).toEqual([
      'TRACE_BACKEND: must be memory, sqlite, kvstore or postgres',
    ]);
  });

  test('do not contain values, which may be secrets', () => {
    expect(JSON.stringify(parseSettings(wrong))).not.toContain(canary);
  });
});

describe('the API keys', () => {
  test.each<[Environment, readonly string[]]>([
    [{ API_KEYS: 'a' }, ['a']],
    [{ API_KEY: 'legacy' }, ['legacy']],
    [{ API_KEYS: 'a,b', API_KEY: 'legacy' }, ['a', 'b', 'legacy']],
    [{ API_KEYS: ' a , b ,' }, ['a', 'b']],
    [{ API_KEYS: 'a,,b' }, ['a', 'b']],
    [{ API_KEYS: 'a,b,a', API_KEY: 'b' }, ['a', 'b']],
    [{ API_KEYS: ',', API_KEY: ' legacy ' }, ['legacy']],
    [{ API_KEYS: 'a b,c' }, ['a b', 'c']],
    [{ API_KEYS: '__proto__,constructor' }, ['__proto__', 'constructor']],
    [{}, []],
  ])('of %o are those of API_KEYS and API_KEY, each once', (environment, keys) => {
    expect(getApiKeys(settingsOf({ AUTH_ENABLED: 'false', ...environment }))).toEqual(keys);
    if (keys.length > 0) expect(issuesOf({ AUTH_ENABLED: 'true', ...environment })).toEqual([]);
  });
});

describe('the secrets in the settings', () => {
  test('are the keys, and the password of the store, encoded and decoded', () => {
    const settings = settingsOf({
      API_KEYS: 'key-one,key-two',
      API_KEY: 'key-three',
      LLM_API_KEY: 'sk-canary',
      EMBEDDING_API_KEY: 'sk-other',
      KVSTORE_URL: 'redis://user:p%40ss@host',
    });
    const keys = ['key-one', 'key-two', 'key-three', 'sk-canary', 'sk-other'];
    expect(getSecrets(settings)).toEqual([...keys, 'p%40ss', 'p@ss']);
  });

  test('are empty where nothing is secret', () => {
    expect(getSecrets(settingsOf({ KVSTORE_URL: 'redis://host' }))).toEqual([]);
  });
});

describe('the stages that use the language model', () => {
  const all = ['classifier', 'planner', 'verifier', 'responder', 'decomposer'];
  test.each<[string | undefined, readonly string[]]>([
    [undefined, all],
    ['all', all],
    ['verifier', ['verifier']],
    ['responder,decomposer', ['responder', 'decomposer']],
    ['planner,planner', ['planner']],
  ])('are, for LLM_STAGES %s, %s', (text, stages) => {
    expect([...getLlmStages(settingsOf({ LLM_STAGES: text }))]).toEqual(stages);
  });
});

describe('the embedding model', () => {
  const own = { baseUrl: 'http://127.0.0.1:1/v1', apiKey: 'sk-embed' };
  const llm = { LLM_API_KEY: 'sk-llm', LLM_BASE_URL: 'https://llm.example/v1' };

  test.each<[Environment, ReturnType<typeof getEmbedding>]>([
    [{}, undefined],
    [{ EMBEDDING_BASE_URL: own.baseUrl, ...llm }, undefined],
    [
      { EMBEDDING_MODEL: 'm', ...llm },
      { model: 'm', baseUrl: llm.LLM_BASE_URL, apiKey: 'sk-llm', timeoutMs: 1_500 },
    ],
    [
      { EMBEDDING_MODEL: 'm', EMBEDDING_BASE_URL: own.baseUrl },
      { model: 'm', baseUrl: own.baseUrl, apiKey: undefined, timeoutMs: 1_500 },
    ],
    [
      {
        EMBEDDING_MODEL: 'm',
        EMBEDDING_BASE_URL: own.baseUrl,
        EMBEDDING_API_KEY: own.apiKey,
        EMBEDDING_TIMEOUT_MS: '20',
        ...llm,
      },
      { model: 'm', ...own, timeoutMs: 20 },
    ],
  ])('of %o is reached by %o', (environment, access) => {
    expect(getEmbedding(settingsOf(environment))).toEqual(access);
    expect(readEmbedding(environment)).toEqual(access);
  });

  test('needs a key or an address', () => {
    const issue = 'EMBEDDING_MODEL: needs EMBEDDING_API_KEY, or EMBEDDING_BASE_URL for a server without keys';
    expect(issuesOf({ EMBEDDING_MODEL: 'm' })).toEqual([issue]);
    expect(() => readEmbedding({ EMBEDDING_MODEL: 'm', EMBEDDING_TIMEOUT_MS: 'x' })).toThrow(issue);
  });

  test('has an address without user, query or fragment', () => {
    const wrong = { EMBEDDING_MODEL: 'm', EMBEDDING_BASE_URL: 'https://user:canary@host/v1' };
    expect(issuesOf(wrong)).toEqual(['EMBEDDING_BASE_URL: must contain no user, query or fragment']);
    expect(() => readEmbedding(wrong)).toThrow(/^EMBEDDING_BASE_URL: must contain no user/);
  });
});

describe('the recovery of runs', () => {
  const resume = { RUN_RECOVERY: 'resume', TRACE_BACKEND: 'sqlite' };

  test.each<[Environment, ReturnType<typeof getRecovery>]>([
    [{}, undefined],
    [{ RUN_MAX_RECOVERIES: '7', RUN_UNKNOWN_OUTCOME: 'retry', TRACE_BACKEND: 'sqlite' }, undefined],
    [resume, defaultRecoveryPolicy],
    [
      { ...resume, RUN_MAX_RECOVERIES: '0' },
      { maxRecoveries: 0, unknownOutcome: 'fail' },
    ],
    [
      { ...resume, RUN_UNKNOWN_OUTCOME: 'retry' },
      { maxRecoveries: 3, unknownOutcome: 'retry' },
    ],
    [{ ...resume, TRACE_BACKEND: 'kvstore', KVSTORE_URL: 'redis://host' }, defaultRecoveryPolicy],
  ])('of %o is %o', (environment, policy) => {
    expect(getRecovery(settingsOf(environment))).toEqual(policy);
  });
});

describe('the retention of records', () => {
  const dayMs = 24 * 60 * 60 * 1_000;

  test('is 7 days for traces and 30 for runs', () => {
    expect(getRetention(settingsOf({}))).toEqual({ traceRetentionMs: 7 * dayMs, runRetentionMs: 30 * dayMs });
  });

  test('is that of the settings, and items of the inbox expire with their traces', () => {
    const settings = settingsOf({ TRACE_RETENTION_DAYS: '2', RUN_RETENTION_DAYS: '3650' });
    expect(getRetention(settings)).toEqual({ traceRetentionMs: 2 * dayMs, runRetentionMs: 3_650 * dayMs });
    expect(getLimits(settings)).toMatchObject({ inboxExpiryMs: 2 * dayMs });
  });
});

describe('the limits of the use cases', () => {
  test('are the default ones without any setting', () => {
    expect(getLimits(settingsOf({}))).toEqual(defaultLimits);
  });

  test('are those of the settings', () => {
    const environment = {
      MAX_BATCH_SIZE: '5',
      MAX_WORKFLOW_STEPS: '6',
      MAX_CONCURRENT_STEPS: '7',
      MAX_BACKGROUND_RUNS: '8',
      MAX_SUBTASKS: '9',
      TOOL_MAX_ATTEMPTS: '1',
      TOOL_TIMEOUT_MS: '11',
      AGENT_TIMEOUT_MS: '12',
      CANCEL_GRACE_MS: '13',
      INBOX_CLAIM_SECONDS: '14',
    };
    expect(getLimits(settingsOf(environment))).toEqual({
      ...defaultLimits,
      maxBatchSize: 5,
      maxWorkflowSteps: 6,
      maxConcurrentSteps: 7,
      maxBackgroundRuns: 8,
      maxSubtasks: 9,
      toolMaxAttempts: 1,
      toolTimeoutMs: 11,
      agentTimeoutMs: 12,
      cancelGraceMs: 13,
      inboxClaimMs: 14_000,
    });
  });
});
