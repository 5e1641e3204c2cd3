import type { ModelFailure } from '../../../src/ports/language-model.ts';
import type { ProviderReply } from './fake-provider.ts';
import { json } from './provider-replies.ts';

/** The answer that is in every shape of a good reply, as JSON. */
const SHAPE_ANSWER = '{"answer":"yes","sure":true}';

/** A part of every text of a provider that is no answer. It must appear nowhere. */
export const SHAPE_TEXT = 'canary-of-the-shapes';

/** A reply in the shape in which a provider sends it, and what the port makes of it. */
export interface ProviderShape {
  readonly provider: 'OpenAI' | 'Azure' | 'Ollama' | 'vLLM' | 'llama.cpp' | 'Mistral';
  readonly name: string;
  readonly reply: ProviderReply;
  /** Null for the answer. */
  readonly reason: ModelFailure | null;
  readonly tokens: { readonly input: number; readonly cachedInput: number; readonly output: number };
}

type Provider = ProviderShape['provider'];

const noTokens = { input: 0, cachedInput: 0, output: 0 };

type Tokens = ProviderShape['tokens'];

/** Makes the shapes of a provider whose good replies have these counts. */
function shapesOf(provider: Provider, usual: Tokens) {
  return {
    /** A reply of status 200. */
    answered(name: string, reason: ModelFailure | null, body: object, tokens = usual): ProviderShape {
      return { provider, name, reply: json(body), reason, tokens };
    },
    /** A reply with an error. */
    refused(status: number, reason: ModelFailure, body: unknown, name = 'an error'): ProviderShape {
      const reply: ProviderReply = { kind: 'reply', status, body: JSON.stringify(body) };
      return { provider, name: `${name} (${status})`, reply, reason, tokens: noTokens };
    },
  };
}

/** The parts of a choice of OpenAI beside the text. */
interface ChoiceParts {
  readonly refusal?: string | null;
  readonly tool_calls?: readonly object[];
  readonly finish_reason?: string;
}

const toolCall = {
  id: 'call_9aV2',
  type: 'function',
  function: { name: 'find_parcel', arguments: '{"parcel":"P-1"}' },
};

function openai(content: string | null, { finish_reason = 'stop', ...more }: ChoiceParts = {}): object {
  return {
    id: 'chatcmpl-B7qLw2',
    object: 'chat.completion',
    created: 1_741_569_952,
    model: 'gpt-4o-mini-2024-07-18',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content, refusal: null, annotations: [], ...more },
        logprobs: null,
        finish_reason,
      },
    ],
    usage: {
      prompt_tokens: 1_250,
      completion_tokens: 14,
      total_tokens: 1_264,
      prompt_tokens_details: { cached_tokens: 1_024, audio_tokens: 0 },
      completion_tokens_details: {
        reasoning_tokens: 0,
        audio_tokens: 0,
        accepted_prediction_tokens: 0,
        rejected_prediction_tokens: 0,
      },
    },
    service_tier: 'default',
    system_fingerprint: 'fp_2f1c6a',
  };
}

const openaiError = (type: string, code: string | null, param: string | null = null) => ({
  error: { message: SHAPE_TEXT, type, param, code },
});

const openaiShape = shapesOf('OpenAI', { input: 1_250, cachedInput: 1_024, output: 14 });

const openaiShapes: readonly ProviderShape[] = [
  openaiShape.answered('the answer', null, openai(SHAPE_ANSWER)),
  openaiShape.answered('a refusal', 'refused', openai(null, { refusal: SHAPE_TEXT })),
  openaiShape.answered(
    'a reply that reached the limit',
    'truncated',
    openai('{"answer":"ye', { finish_reason: 'length' }),
  ),
  openaiShape.answered(
    'filtered content',
    'refused',
    openai(SHAPE_TEXT, { finish_reason: 'content_filter' }),
  ),
  openaiShape.answered(
    'a call of a tool',
    'bad_reply',
    openai(null, { tool_calls: [toolCall], finish_reason: 'tool_calls' }),
  ),
  openaiShape.refused(400, 'rejected', openaiError('invalid_request_error', 'context_length_exceeded')),
  openaiShape.refused(401, 'unauthorized', openaiError('invalid_request_error', 'invalid_api_key')),
  openaiShape.refused(404, 'not_found', openaiError('invalid_request_error', 'model_not_found', 'model')),
  openaiShape.refused(429, 'rate_limited', openaiError('insufficient_quota', 'insufficient_quota')),
  openaiShape.refused(500, 'provider_error', openaiError('server_error', null)),
];

const safe = { filtered: false, severity: 'safe' };

const safeResults = { hate: safe, self_harm: safe, sexual: safe, violence: safe };

const filteredResults = { ...safeResults, violence: { filtered: true, severity: 'medium' } };

function azure(message: object, finish_reason: string, results: object): object {
  return {
    id: 'chatcmpl-AzK31',
    object: 'chat.completion',
    created: 1_741_570_011,
    model: 'gpt-4o-mini-2024-07-18',
    system_fingerprint: 'fp_ded0d1',
    prompt_filter_results: [{ prompt_index: 0, content_filter_results: safeResults }],
    choices: [{ index: 0, message, finish_reason, logprobs: null, content_filter_results: results }],
    usage: {
      prompt_tokens: 310,
      completion_tokens: 12,
      total_tokens: 322,
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
    },
  };
}

const azureText = (content: string) => ({ role: 'assistant', content, refusal: null });

const azureFiltered = {
  error: {
    message: `The prompt was filtered: ${SHAPE_TEXT}`,
    type: null,
    param: 'prompt',
    code: 'content_filter',
    status: 400,
    innererror: { code: 'ResponsibleAIPolicyViolation', content_filter_result: filteredResults },
  },
};

const azureShape = shapesOf('Azure', { input: 310, cachedInput: 0, output: 12 });

const azureShapes: readonly ProviderShape[] = [
  azureShape.answered('the answer', null, azure(azureText(SHAPE_ANSWER), 'stop', safeResults)),
  azureShape.answered(
    'filtered content',
    'refused',
    azure({ role: 'assistant' }, 'content_filter', filteredResults),
  ),
  azureShape.refused(400, 'refused', azureFiltered, 'a filtered prompt'),
  azureShape.refused(400, 'rejected', { error: { code: 'BadRequest', message: SHAPE_TEXT } }),
  azureShape.refused(401, 'unauthorized', { error: { code: '401', message: SHAPE_TEXT } }),
  azureShape.refused(
    401,
    'unauthorized',
    { statusCode: 401, message: SHAPE_TEXT },
    'an error of its gateway',
  ),
  azureShape.refused(404, 'not_found', { error: { code: 'DeploymentNotFound', message: SHAPE_TEXT } }),
  azureShape.refused(429, 'rate_limited', { error: { code: '429', message: SHAPE_TEXT } }),
  azureShape.refused(500, 'provider_error', { error: { code: 'InternalServerError', message: SHAPE_TEXT } }),
];

function ollama(message: object, finish_reason = 'stop'): object {
  return {
    id: 'chatcmpl-417',
    object: 'chat.completion',
    created: 1_741_570_123,
    model: 'qwen3:8b',
    system_fingerprint: 'fp_ollama',
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }],
    usage: { prompt_tokens: 96, completion_tokens: 41, total_tokens: 137 },
  };
}

const ollamaError = (type: string) => ({ error: { message: SHAPE_TEXT, type, param: null, code: null } });

const ollamaShape = shapesOf('Ollama', { input: 96, cachedInput: 0, output: 41 });

const ollamaShapes: readonly ProviderShape[] = [
  ollamaShape.answered('the answer', null, ollama({ content: SHAPE_ANSWER })),
  ollamaShape.answered(
    'reasoning before the answer',
    null,
    ollama({ content: `<think>\nThe customer asks {"answer"}.\n</think>\n\n${SHAPE_ANSWER}` }),
  ),
  ollamaShape.answered(
    'empty reasoning before an answer in a fence',
    null,
    ollama({ content: `<think>\n\n</think>\n\n\`\`\`json\n${SHAPE_ANSWER}\n\`\`\`` }),
  ),
  ollamaShape.answered(
    'reasoning beside the answer',
    null,
    ollama({ content: SHAPE_ANSWER, reasoning: SHAPE_TEXT }),
  ),
  ollamaShape.answered(
    'reasoning that reached the limit',
    'truncated',
    ollama({ content: '<think>\nThe customer' }, 'length'),
  ),
  ollamaShape.answered(
    'a call of a tool',
    'bad_reply',
    ollama({ content: '', tool_calls: [{ index: 0, ...toolCall }] }, 'tool_calls'),
  ),
  ollamaShape.refused(400, 'rejected', ollamaError('invalid_request_error')),
  ollamaShape.refused(401, 'unauthorized', { error: SHAPE_TEXT }, 'an error of its proxy'),
  ollamaShape.refused(404, 'not_found', ollamaError('api_error'), 'a model that was not pulled'),
  ollamaShape.refused(429, 'rate_limited', ollamaError('rate_limit_error')),
  ollamaShape.refused(500, 'provider_error', ollamaError('api_error')),
];

function vllm(message: object, finish_reason = 'stop', details: object | null = null): object {
  return {
    id: 'chatcmpl-6f0c1e',
    object: 'chat.completion',
    created: 1_741_570_200,
    model: 'Qwen/Qwen3-8B',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          refusal: null,
          annotations: null,
          audio: null,
          function_call: null,
          tool_calls: [],
          reasoning_content: null,
          ...message,
        },
        logprobs: null,
        finish_reason,
        stop_reason: null,
        token_ids: null,
      },
    ],
    service_tier: null,
    system_fingerprint: null,
    usage: {
      prompt_tokens: 220,
      total_tokens: 283,
      completion_tokens: 63,
      prompt_tokens_details: details,
    },
    prompt_logprobs: null,
    prompt_token_ids: null,
    kv_transfer_params: null,
  };
}

const vllmError = (type: string, code: number) => ({
  error: { message: SHAPE_TEXT, type, param: null, code },
});

const vllmShape = shapesOf('vLLM', { input: 220, cachedInput: 0, output: 63 });

const vllmShapes: readonly ProviderShape[] = [
  vllmShape.answered('the answer', null, vllm({ content: SHAPE_ANSWER })),
  vllmShape.answered(
    'reasoning beside the answer',
    null,
    vllm({ content: SHAPE_ANSWER, reasoning_content: `\n${SHAPE_TEXT}\n` }),
  ),
  vllmShape.answered(
    'reasoning of which the template wrote the beginning',
    null,
    vllm({ content: `The customer asks.\n</think>\n\n${SHAPE_ANSWER}` }),
  ),
  vllmShape.answered('cached tokens', null, vllm({ content: SHAPE_ANSWER }, 'stop', { cached_tokens: 208 }), {
    input: 220,
    cachedInput: 208,
    output: 63,
  }),
  vllmShape.answered(
    'nothing but reasoning',
    'truncated',
    vllm({ content: null, reasoning_content: SHAPE_TEXT }, 'length'),
  ),
  vllmShape.answered(
    'a call of a tool',
    'bad_reply',
    vllm({ content: null, tool_calls: [toolCall] }, 'tool_calls'),
  ),
  vllmShape.refused(400, 'rejected', vllmError('BadRequestError', 400)),
  vllmShape.refused(
    400,
    'rejected',
    { object: 'error', message: SHAPE_TEXT, type: 'BadRequestError', param: null, code: 400 },
    'an error of older versions',
  ),
  vllmShape.refused(
    400,
    'rejected',
    {
      error: {
        message: `'max_tokens' or 'max_completion_tokens' is too large: 4096. ${SHAPE_TEXT}`,
        type: 'BadRequestError',
        param: 'max_completion_tokens',
        code: 400,
      },
    },
    'too little room for the reply',
  ),
  vllmShape.refused(401, 'unauthorized', { error: 'Unauthorized' }),
  vllmShape.refused(404, 'not_found', vllmError('NotFoundError', 404)),
  vllmShape.refused(429, 'rate_limited', vllmError('TooManyRequestsError', 429)),
  vllmShape.refused(500, 'provider_error', vllmError('InternalServerError', 500)),
];

function llamaCpp(message: object, finish_reason = 'stop'): object {
  return {
    choices: [{ finish_reason, index: 0, message: { role: 'assistant', ...message } }],
    created: 1_741_570_300,
    model: 'gpt-oss-20b.gguf',
    system_fingerprint: 'b6432-9a1c0b2d',
    object: 'chat.completion',
    usage: {
      completion_tokens: 22,
      prompt_tokens: 180,
      total_tokens: 202,
      prompt_tokens_details: { cached_tokens: 151 },
    },
    id: 'chatcmpl-oZp7',
    timings: {
      cache_n: 151,
      prompt_n: 29,
      prompt_ms: 31.4,
      predicted_n: 22,
      predicted_ms: 402.7,
      prompt_per_second: 923.5,
      predicted_per_second: 54.6,
    },
  };
}

const llamaCppError = (code: number, type: string) => ({ error: { code, message: SHAPE_TEXT, type } });

const llamaCppShape = shapesOf('llama.cpp', { input: 180, cachedInput: 151, output: 22 });

const llamaCppShapes: readonly ProviderShape[] = [
  llamaCppShape.answered('the answer', null, llamaCpp({ content: SHAPE_ANSWER })),
  llamaCppShape.answered(
    'reasoning beside the answer',
    null,
    llamaCpp({ reasoning_content: SHAPE_TEXT, content: SHAPE_ANSWER }),
  ),
  llamaCppShape.answered(
    'a reply that reached the limit',
    'truncated',
    llamaCpp({ content: '{"answer":"' }, 'length'),
  ),
  llamaCppShape.answered(
    'a call of a tool',
    'bad_reply',
    llamaCpp({ content: null, tool_calls: [toolCall] }, 'tool_calls'),
  ),
  llamaCppShape.refused(400, 'rejected', llamaCppError(400, 'invalid_request_error')),
  llamaCppShape.refused(401, 'unauthorized', llamaCppError(401, 'authentication_error')),
  llamaCppShape.refused(404, 'not_found', llamaCppError(404, 'not_found_error')),
  llamaCppShape.refused(429, 'rate_limited', { error: SHAPE_TEXT }, 'an error of its proxy'),
  llamaCppShape.refused(500, 'provider_error', llamaCppError(500, 'server_error')),
  llamaCppShape.refused(503, 'provider_error', llamaCppError(503, 'unavailable_error'), 'a model that loads'),
];

function mistral(message: object, finish_reason = 'stop'): object {
  return {
    id: '5f3c0e7a9b',
    created: 1_741_570_400,
    model: 'mistral-small-latest',
    usage: {
      prompt_tokens: 75,
      total_tokens: 93,
      completion_tokens: 18,
      prompt_tokens_details: { cached_tokens: 64 },
    },
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        finish_reason,
        message: { role: 'assistant', tool_calls: null, prefix: false, ...message },
      },
    ],
  };
}

const mistralError = (type: string, code: string) => ({
  object: 'error',
  message: SHAPE_TEXT,
  type,
  param: null,
  code,
  raw_status_code: 400,
});

const mistralShape = shapesOf('Mistral', { input: 75, cachedInput: 64, output: 18 });

const mistralShapes: readonly ProviderShape[] = [
  mistralShape.answered('the answer', null, mistral({ content: SHAPE_ANSWER })),
  mistralShape.answered(
    'reasoning before the answer, in parts',
    null,
    mistral({
      content: [
        { type: 'thinking', thinking: [{ type: 'text', text: SHAPE_TEXT }], closed: true },
        { type: 'text', text: SHAPE_ANSWER },
      ],
    }),
  ),
  mistralShape.answered(
    'a reply that reached the limit of the model',
    'truncated',
    mistral({ content: '{"ans' }, 'model_length'),
  ),
  mistralShape.answered(
    'a call of a tool',
    'bad_reply',
    mistral({ content: '', tool_calls: [toolCall] }, 'tool_calls'),
  ),
  mistralShape.refused(400, 'rejected', mistralError('invalid_request_message_order', '3230')),
  mistralShape.refused(401, 'unauthorized', { detail: SHAPE_TEXT }),
  mistralShape.refused(404, 'not_found', { detail: SHAPE_TEXT }),
  mistralShape.refused(422, 'rejected', {
    object: 'error',
    type: 'invalid_request_error',
    param: null,
    code: null,
    message: { detail: [{ type: 'missing', loc: ['body', 'model'], msg: SHAPE_TEXT, input: {} }] },
  }),
  mistralShape.refused(429, 'rate_limited', mistralError('rate_limited', '1300')),
  mistralShape.refused(500, 'provider_error', mistralError('internal_server_error', '1000')),
];

/** Shapes of replies of OpenAI-compatible providers, by their public documentation. */
export const providerShapes: readonly ProviderShape[] = [
  ...openaiShapes,
  ...azureShapes,
  ...ollamaShapes,
  ...vllmShapes,
  ...llamaCppShapes,
  ...mistralShapes,
];

/** A server that refuses the member `max_completion_tokens`, or the JSON schema of the reply. */
export interface RefusalShape {
  readonly name: string;
  readonly status: 400 | 422;
  readonly body: unknown;
}

const invalid = (message: string, param: string | null = null) => ({
  error: { message, type: 'invalid_request_error', param, code: null },
});

/** The same fault by FastAPI, in the shapes of Mistral and of servers on top of vLLM. */
const forbidden = (member: string) => [
  { type: 'extra_forbidden', loc: ['body', member], msg: 'Extra inputs are not permitted', input: 4_096 },
];

/** Refusals of `max_completion_tokens`. */
export const tokenLimitRefusals: readonly RefusalShape[] = [
  {
    name: 'an older Azure',
    status: 400,
    body: invalid('Unrecognized request argument supplied: max_completion_tokens'),
  },
  {
    name: 'Mistral',
    status: 422,
    body: {
      object: 'error',
      type: 'invalid_request_error',
      param: null,
      code: null,
      message: { detail: forbidden('max_completion_tokens') },
    },
  },
  {
    name: 'an older vLLM',
    status: 400,
    body: {
      object: 'error',
      type: 'BadRequestError',
      param: null,
      code: 400,
      message: JSON.stringify(forbidden('max_completion_tokens')),
    },
  },
  { name: 'a server in plain text', status: 400, body: 'unknown field max_completion_tokens' },
];

/** Refusals of a JSON schema. */
export const schemaRefusals: readonly RefusalShape[] = [
  {
    name: 'an older model of OpenAI',
    status: 400,
    body: invalid("'response_format' of type 'json_schema' is not supported with this model."),
  },
  {
    name: 'OpenAI, of a schema that is not strict enough',
    status: 400,
    body: invalid("Invalid schema for response_format 'x'", 'response_format'),
  },
  {
    name: 'an older Azure',
    status: 400,
    body: invalid('json_schema needs a later api version', 'response_format'),
  },
  { name: 'DeepSeek', status: 400, body: invalid('This response_format type is unavailable now') },
  {
    name: 'vLLM',
    status: 400,
    body: invalid('The JSON schema has features that xgrammar does not support.'),
  },
  {
    name: 'llama.cpp',
    status: 400,
    body: { error: { code: 400, message: 'failed to parse grammar', type: 'x' } },
  },
];
