import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  checkHttpTool,
  checkHttpToolEnvironment,
  createHttpTool,
  HttpToolError,
  httpToolSchema,
  secretsOf,
} from '../../../../src/adapters/tools/http/http-tool.ts';
import { cpuTime } from '../../../support/event-loop.ts';
import { define } from './http-tool-under-test.ts';

const issuesOf = (request: object, more: object = {}) =>
  checkHttpTool(define(request, more)).map(({ path, message }) => `${path.join('.')}: ${message}`);

const url = 'https://erp.example/jobs/${{ input.job }}';
const outbound = { request: () => expect.fail('no request is made') };

describe('the schema of a tool', () => {
  const complete = {
    name: 'job_lookup',
    description: 'The state of a repair job.',
    effect: 'read',
    input: { type: 'object', required: ['job'], properties: { job: { type: 'string' } } },
    request: {
      method: 'GET',
      url,
      headers: { Authorization: 'env:ERP_TOKEN' },
      query: { verbose: true, page: 2, at: '${{ input.job }}' },
    },
    from_message: ['job'],
    output: { pick: '/data', schema: { type: 'object' }, status: { 404: 'not_found' } },
    owner: '/customer_id',
    timeout_ms: 2_000,
    retry: { max_attempts: 3, backoff_ms: 10, factor: 1.5, max_backoff_ms: 100 },
  };

  test('accepts the complete form, which has no issues', () => {
    expect(httpToolSchema.parse(complete)).toEqual({
      ...complete,
      output: { pick: '/data', schema: { type: 'object' }, status: { '404': 'not_found' } },
    });
    expect(checkHttpTool(httpToolSchema.parse(complete))).toEqual([]);
  });

  test('can be exported as JSON Schema', () => {
    expect(z.toJSONSchema(httpToolSchema, { io: 'input' })).toMatchObject({
      type: 'object',
      required: ['name', 'description', 'request'],
      additionalProperties: false,
    });
  });

  test.each([
    [{ nme: 'x' }, 'Unrecognized key: "nme"'],
    [{ request: { url, headrs: {} } }, 'Unrecognized key: "headrs"'],
    [{ output: { pik: '' } }, 'Unrecognized key: "pik"'],
    [{ retry: { max_attempts: 1, delay: 1 } }, 'Unrecognized key: "delay"'],
    [{ name: 'a b' }, 'must be 1 to 64 letters'],
    [{ request: { url, method: 'CONNECT' } }, 'Invalid option'],
    [{ request: { url, query: { a: null } } }, 'Invalid input'],
    [{ output: { status: { 302: 'not_found' } } }, 'Invalid key'],
    [{ output: { status: { 404: 'gone' } } }, 'Invalid input'],
    [{ retry: { max_attempts: 21 } }, 'Too big'],
    [{ retry: { backoff_ms: 1 } }, 'Invalid input'],
    [{ timeout_ms: 0 }, 'Too small'],
    [{ timeout_ms: 600_001 }, 'Too big'],
    [{ effect: 'destroy' }, 'Invalid option'],
  ])('refuses %j', (change, message) => {
    const parsed = httpToolSchema.safeParse({ ...complete, ...change });
    expect(parsed.error?.issues.map((issue) => issue.message).join()).toContain(message);
  });
});

describe('an address', () => {
  const origin =
    'request.url: must begin with https:// or http:// and a host, without expressions in the scheme, host or port, and without a user';

  test.each([
    ...['${{ input.url }}', 'https://${{ input.host }}/', 'https://${{ input.host }}.example/'],
    ...[
      'https://erp.${{ input.host }}/',
      'https://erp.example${{ input.path }}',
      'https://erp.example:${{ input.port }}/',
    ],
    ...[
      '${{ input.scheme }}://erp.example/',
      'https:${{ input.slashes }}erp.example/',
      'https://erp.example:8${{ input.port }}/',
    ],
    ...[
      'https://user@erp.example/',
      'https://user:${{ input.password }}@erp.example/',
      'https://${{ input.a }}@erp.example/',
    ],
    ...[
      'https://erp.example\\${{ input.path }}',
      'ftp://erp.example/',
      '//erp.example/',
      '/jobs',
      'https://',
      'https:///x',
    ],
    ...['https://erp.example:99999/', 'https://1.2.3.4.5/', 'https:/erp.example/', ' https://erp.example/'],
  ])('%j does not say where the request goes', (address) => {
    expect(issuesOf({ url: address })).toEqual([origin]);
  });

  test.each([
    'https://erp.example/#${{ input.a }}',
    'https://erp.example/a b',
    'https://erp.example/a\\b',
    'https://erp.example/a\nb',
  ])('%j has characters that it must not have', (address) => {
    expect(issuesOf({ url: address })).toEqual([
      'request.url: must not contain white space, "\\", "#" or control characters',
    ]);
  });

  test.each([
    'https://erp.example',
    'https://erp.example/${{ input.a }}',
    'https://erp.example:8443/a/${{ input.a }}-${{ input.b }}/c?d=${{ input.d }}&e',
    'http://127.0.0.1/?a=${{ input.a }}',
    'https://erp.example?a=${{ customer.id }}',
    'HTTPS://[::1]/',
  ])('%j is fine', (address) => {
    expect(issuesOf({ url: address })).toEqual([]);
  });
});

describe('expressions', () => {
  const input = { type: 'object', properties: { job: {}, 'other-job': {} } };
  const at = (expression: string) => `https://erp.example/\${{ ${expression} }}`;

  test.each([
    ['input.jb', 'request.url: there is no "input.jb": input has job, other-job'],
    ['customer.name', 'request.url: there is no "customer.name": customer has id'],
    ['conversation.text', 'request.url: there is no "conversation.text": conversation has id'],
    ['message.body', 'request.url: there is no "message.body": message has text, subject, source, metadata'],
  ])('of %s name what there is not', (expression, issue) => {
    expect(issuesOf({ url: at(expression) }, { input })).toEqual([issue]);
  });

  test.each(['entities.job', 'env.SECRET', 'process.env', 'tool.output'])('cannot read %s', (expression) => {
    expect(issuesOf({ url: at(expression) }, { input })).toHaveLength(1);
  });

  test.each([
    'input.job',
    'input["other-job"]',
    'customer.id',
    'conversation.id',
    'message.text',
    'message.subject',
    'message.source',
    'message.metadata.tenant',
    'metadata.tenant',
    'has(input.job) ? input.job : "none"',
  ])('may read %s', (expression) => {
    expect(issuesOf({ url: at(expression) }, { input })).toEqual([]);
  });

  test.each([
    [{ type: 'object', additionalProperties: true, properties: {} }],
    [{ type: 'object', additionalProperties: { type: 'string' }, properties: {} }],
    [{ type: 'object', properties: {}, patternProperties: { '^j': {} } }],
    [{ type: 'object' }],
  ])('may read any member of an input by %j', (schema) => {
    expect(issuesOf({ url: at('input.job') }, { input: schema })).toEqual([]);
  });

  test('of a tool without a schema may read no input, and it takes none', () => {
    const definition = { name: 'ping', description: 'x', request: { url: 'https://erp.example/' } };
    const tool = createHttpTool(httpToolSchema.parse(definition), { outbound, env: {} });
    expect(tool.input.safeParse({}).success).toBe(true);
    expect(tool.input.safeParse({ a: 1 }).success).toBe(false);
    const reading = { ...definition, request: { url: at('input.a') } };
    expect(checkHttpTool(httpToolSchema.parse(reading))).toMatchObject([
      { message: 'there is no "input.a": input has no members' },
    ]);
  });

  test('that are wrong are reported where they stand, all of them', () => {
    const issues = issuesOf(
      {
        method: 'POST',
        url: at('1 +'),
        headers: { 'X-A': '${{ ( }}' },
        query: { q: '${{ nothing }}' },
        body: { list: [{ a: '${{ input.jb }}' }, '${{ 1 + }}'] },
      },
      { input, output: { pick: 'data' } },
    );
    expect(issues.map((issue) => issue.split(':')[0])).toEqual([
      'request.url',
      'request.query.q',
      'request.headers.X-A',
      'request.body',
      'output.pick',
    ]);
  });
});

describe('headers', () => {
  test.each([
    ['Host', 'x', 'is set by the client itself'],
    ['Content-Length', '1', 'is set by the client itself'],
    ['X Y', 'x', 'is not a valid name of a header'],
    ['X\r\nY', 'x', 'is not a valid name of a header'],
    ['X', 'a\r\nY: b', 'must be visible ASCII characters'],
    ['X', 'ä', 'must be visible ASCII characters'],
    ['X', 'env:', 'must be env:NAME or Bearer env:NAME, to take a secret from the environment'],
    ['X', 'env:A B', 'must be env:NAME or Bearer env:NAME, to take a secret from the environment'],
    [
      'X',
      'Bearer env:${{ input.a }}',
      'must be env:NAME or Bearer env:NAME, to take a secret from the environment',
    ],
  ])('of the name %j with the value %j are an issue', (name, value, message) => {
    expect(issuesOf({ url: 'https://erp.example/', headers: { [name]: value } })).toEqual([
      `request.headers.${name}: ${message}`,
    ]);
  });

  test('that are there twice are an issue', () => {
    const headers = { 'X-A': '1', 'x-a': '2' };
    expect(issuesOf({ url: 'https://erp.example/', headers })).toEqual([
      'request.headers.x-a: is there twice',
    ]);
  });
});

describe('a body', () => {
  const at = (method: string, body: unknown, contentType?: string) =>
    issuesOf({
      method,
      url: 'https://erp.example/',
      body,
      headers: contentType === undefined ? {} : { 'content-type': contentType },
    });

  test.each(['GET', 'HEAD'])('must be absent with %s', (method) => {
    expect(at(method, {})).toEqual([`request.body: must be absent with ${method}`]);
  });

  test('with expressions must be of a type for which values can be encoded', () => {
    expect(at('POST', 'a=${{ input.a }}', 'text/csv')).toEqual([
      'request.body: must not have expressions, because it is not known how to encode values for text/csv',
    ]);
    expect(at('POST', 'a=b', 'text/csv')).toEqual([]);
  });

  test('must be JSON of bounded size and depth', () => {
    const deep = Array.from({ length: 100_000 }).reduce<unknown>((inner) => [inner], 1);
    expect(at('POST', deep)).toEqual([expect.stringContaining('request.body: is nested deeper')]);
    expect(at('POST', 'x'.repeat(100_000))).toEqual([expect.stringContaining('request.body: is larger')]);
  });
});

describe('the schema of the input', () => {
  test('is checked, with the place of what is wrong', () => {
    const input = { type: 'object', properties: { a: { type: 'number', pattern: '(a' } } };
    expect(issuesOf({ url: 'https://erp.example/' }, { input })).toEqual([
      expect.stringMatching(/^input\.properties\.a\.pattern: /),
    ]);
  });

  test.each([
    ['a reference to itself', { $ref: '#' }],
    [
      '100,000 levels',
      { properties: Array.from({ length: 100_000 }).reduce<object>((inner) => ({ a: inner }), {}) },
    ],
    [
      'a million members',
      { properties: Object.fromEntries(Array.from({ length: 1_000_000 }, (_, n) => [`p${n}`, {}])) },
    ],
    ['a pattern without linear time', { properties: { a: { type: 'string', pattern: '(a)\\1' } } }],
  ])('with %s is refused at once', (_what, input) => {
    const { result, ms } = cpuTime(() => issuesOf({ url: 'https://erp.example/' }, { input }));
    expect(result).not.toEqual([]);
    // A generous bound against hanging.
    expect(ms).toBeLessThan(10_000);
  });
});

describe('the schema of the output', () => {
  const output = {
    schema: { type: 'object', properties: { of: { type: 'object', properties: { id: {} } } } },
  };
  const issues = (more: object) => issuesOf({ url: 'https://a.example/' }, more);

  test('is checked, with the place of what is wrong', () => {
    expect(issues({ output: { schema: { properties: { a: { type: 'txt' } } } } })).toEqual([
      expect.stringMatching(/^output\.schema\.properties\.a\.type: must be one of /),
    ]);
    expect(issues({ output: { schema: { enum: ['x'.repeat(20_000)] } } })).toEqual([
      expect.stringMatching(/^output\.schema: is larger than/),
    ]);
  });

  test('has the owner that is stated', () => {
    expect(issues({ output, owner: '/of/id' })).toEqual([]);
    expect(issues({ owner: '/anything' })).toEqual([]);
    expect(issues({ output, owner: '/of/name' })).toEqual([
      'owner: there is no "name": output.schema has id',
    ]);
    expect(issues({ output, owner: 'of' })).toEqual([
      'owner: must be a JSON pointer into the output, such as /customer_id',
    ]);
  });
});

describe('the identifiers of an input', () => {
  const input = { type: 'object', properties: { job: { type: 'string' }, day: {} } };
  const issues = (more: object) => issuesOf({ url: 'https://a.example/' }, more);

  test('are members that it has, which the tool names', () => {
    expect(issues({ input, from_message: ['job'] })).toEqual([]);
    expect(issues({ input: { type: 'object', additionalProperties: true }, from_message: ['job'] })).toEqual(
      [],
    );
    expect(issues({ input, from_message: ['day', 'jbo'] })).toEqual([
      'from_message.1: there is no "jbo": the input has job, day',
    ]);
    expect(issues({ input: undefined, from_message: ['job'] })).toEqual([
      'from_message.0: there is no "job": the input has no members',
    ]);
    const definition = define({ url: 'https://a.example/' }, { input, from_message: ['job'], owner: '/of' });
    const tool = createHttpTool(definition, { outbound, env: {} });
    expect(tool).toMatchObject({ fromMessage: ['job'], owner: '/of' });
  });
});

describe('secrets', () => {
  const definition = define({
    url: 'https://erp.example/',
    headers: { Authorization: 'Bearer env:ERP_TOKEN', 'X-Key': 'env:ERP_KEY', 'X-Plain': 'env' },
  });

  test('that are missing are an issue that names the variable and the header', () => {
    const missing = (variable: string, header: string) => ({
      path: ['request', 'headers', header],
      message: `the environment variable ${variable} is not set`,
    });
    expect(checkHttpToolEnvironment(definition, { ERP_KEY: ' ' })).toEqual([
      missing('ERP_TOKEN', 'Authorization'),
      missing('ERP_KEY', 'X-Key'),
    ]);
    expect(checkHttpTool(definition)).toEqual([]);
  });

  test('that a header cannot have are an issue that does not contain them', () => {
    const issues = checkHttpToolEnvironment(definition, { ERP_TOKEN: 'hid\nden', ERP_KEY: 'fine' });
    expect(issues).toEqual([
      {
        path: ['request', 'headers', 'Authorization'],
        message: 'the environment variable ERP_TOKEN has characters that a header cannot have',
      },
    ]);
  });

  test('are told to those who mask them', () => {
    expect(secretsOf(definition, { ERP_TOKEN: ' token\n', ERP_KEY: 'key', OTHER: 'other' })).toEqual([
      'token',
      'key',
    ]);
    expect(secretsOf(definition, {})).toEqual([]);
  });

  test('that are missing, and all other issues, are the error of the creation', () => {
    const wrong = define({ ...definition.request, url: '${{ input.url }}' });
    const create = () => createHttpTool(wrong, { outbound, env: { ERP_KEY: 'key' } });
    expect(create).toThrow(HttpToolError);
    expect(create).toThrow(
      /^the tool "probe" is not valid: request\.url: must begin .*; request\.headers\.Authorization: the environment variable ERP_TOKEN is not set$/,
    );
  });
});
