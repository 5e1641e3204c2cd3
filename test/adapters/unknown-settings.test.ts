import { describe, expect, test } from 'vitest';
import { settingNames } from '../../src/adapters/settings/settings.ts';
import { findUnknownSettings } from '../../src/adapters/settings/unknown.ts';

describe('a variable that looks like a setting and is none', () => {
  test.each([
    ['OUTBOUND_ALOW', 'OUTBOUND_ALLOW'],
    ['OUTBOUND_HOSTS', 'OUTBOUND_ALLOW'],
    ['KVSTORE_URI', 'KVSTORE_URL'],
    ['KVSTORE_PORT', 'KVSTORE_URL'],
    ['KV_STORE_URL', 'KVSTORE_URL'],
    ['TRACES_BACKEND', 'TRACE_BACKEND'],
    ['TRACE_BACKED', 'TRACE_BACKEND'],
    ['RUN_RECOVERIES', 'RUN_RECOVERY'],
    ['RUN_MAX_RECOVERY', 'RUN_MAX_RECOVERIES'],
    ['LLM_TIMEOUT', 'LLM_TIMEOUT_MS'],
    ['LLM_APIKEY', 'LLM_API_KEY'],
    ['AGENT_TIMEOUT', 'AGENT_TIMEOUT_MS'],
    ['MAX_BODY_BYTE', 'MAX_BODY_BYTES'],
    ['MAX_WORKFLOW_STEP', 'MAX_WORKFLOW_STEPS'],
    ['RATE_LIMIT_WINDOW', 'RATE_LIMIT_WINDOW_SECONDS'],
    ['AUTH_ENABLE', 'AUTH_ENABLED'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['EXTENSION', 'EXTENSIONS'],
    ['SHUTDOWN_GRACE', 'SHUTDOWN_GRACE_SECONDS'],
    ['llm_api_key', 'LLM_API_KEY'],
  ])('is named with the nearest one: %s', (variable, nearest) => {
    expect(findUnknownSettings({ [variable]: 'canary' })).toEqual([{ variable, nearest }]);
  });

  test('is none where it is empty, as a setting would be', () => {
    expect(findUnknownSettings({ OUTBOUND_ALOW: ' ' })).toEqual([]);
  });
});

describe('a variable of another program', () => {
  const kubernetes = {
    REDIS_SERVICE_HOST: '10.0.0.1',
    REDIS_PORT_6379_TCP: 'tcp://10.0.0.1:6379',
    KVSTORE_SERVICE_HOST: '10.0.0.1',
    KVSTORE_SERVICE_PORT: '6379',
    KVSTORE_SERVICE_PORT_REDIS: '6379',
    KVSTORE_PORT: 'tcp://10.0.0.1:6379',
    KVSTORE_PORT_6379_TCP: 'tcp://10.0.0.1:6379',
    KVSTORE_PORT_6379_TCP_ADDR: '10.0.0.1',
    KUBERNETES_PORT: 'tcp://10.0.0.1:443',
  };

  test.each(Object.entries(kubernetes))('is not reported: %s, of Kubernetes', (name, value) => {
    expect(findUnknownSettings({ [name]: value })).toEqual([]);
  });

  test.each([
    ...[
      'PATH',
      'HOME',
      'HOSTNAME',
      'PWD',
      'SHELL',
      'USER',
      'LANG',
      'LC_ALL',
      'TERM',
      'TZ',
      'TMPDIR',
      'EDITOR',
    ],
    ...['npm_config_registry', 'npm_package_version', 'npm_lifecycle_event', 'INIT_CWD', 'NODE', 'NODE_ENV'],
    ...[
      'NODE_OPTIONS',
      'NODE_COMPILE_CACHE',
      'NODE_EXTRA_CA_CERTS',
      'NODE_VERSION',
      'YARN_VERSION',
      'NO_COLOR',
    ],
    ...['PGHOST', 'PGPORT', 'PGPASSWORD', 'SQLITE_TMPDIR', 'SQLITE_HISTORY', 'REDIS_URL', 'REDIS_HOST'],
    ...['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_SERVICE_NAME', 'OTEL_SDK_DISABLED', 'HTTP_PROXY', 'https_proxy'],
    ...[
      'AWS_ACCESS_KEY_ID',
      'AWS_REGION',
      'OPENAI_API_KEY',
      'GITHUB_TOKEN',
      'APP_KEY',
      'API_URL',
      'API_TOKEN',
    ],
    ...[
      'RUN_ID',
      'RUN_NUMBER',
      'LOG_FILE',
      'LOG_FORMAT',
      'AUTH_TOKEN',
      'TRACE_ID',
      'AGENT_NAME',
      'AGENT_VERSION',
    ],
    ...['MAX_MEMORY', 'TOOL_CACHE', 'CONSOLE_FONT', 'SSH_AUTH_SOCK', 'XDG_RUNTIME_DIR', 'JAVA_TOOL_OPTIONS'],
    ...[
      'SYSTEMD_EXEC_PID',
      'INVOCATION_ID',
      'JOURNAL_STREAM',
      'VITEST_WORKER_ID',
      'CI',
      'SHOP_TOKEN',
      'MAIL_HOST',
    ],
  ])('is not reported: %s', (name) => {
    expect(findUnknownSettings({ [name]: 'value' })).toEqual([]);
  });

  test('is none of the settings', () => {
    const all = Object.fromEntries([...settingNames].map((name) => [name, 'value']));
    expect(findUnknownSettings(all)).toEqual([]);
  });
});
