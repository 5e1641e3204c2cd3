import { type ProviderReply, type ProviderScript, purposeOf } from './fake-provider.ts';

/** The parts of a completion beside its text. */
export interface CompletionParts {
  readonly finish?: string | null;
  readonly refusal?: string;
  readonly usage?: unknown;
}

/** A completion with `content` as its message: texts unchanged, anything else as JSON. */
export function completion(content: unknown, parts: CompletionParts = {}): ProviderReply {
  const text = typeof content === 'string' || content === null ? content : JSON.stringify(content);
  return json({
    id: 'completion-1',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'fake-model',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: text, refusal: parts.refusal ?? null },
        finish_reason: parts.finish === undefined ? 'stop' : parts.finish,
      },
    ],
    usage:
      parts.usage === undefined ? { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 } : parts.usage,
  });
}

/** A reply of status 200 with a JSON body. */
export function json(body: unknown): ProviderReply {
  return { kind: 'reply', status: 200, body: JSON.stringify(body) };
}

/** A reply of another status, with an error text as providers send it. */
export function failure(
  status: number,
  headers: Record<string, string> = {},
  text = 'it went wrong',
): ProviderReply {
  return {
    kind: 'reply',
    status,
    headers,
    body: JSON.stringify({ error: { message: text, type: 'error', code: null } }),
  };
}

/** The replies in order, the last one for all further requests. Requests for the list of models always succeed. */
export function inTurn(...replies: readonly [ProviderReply, ...ProviderReply[]]): ProviderScript {
  let next = 0;
  return (request) => {
    if (request.path.endsWith('/models')) return json({ object: 'list', data: [] });
    const reply = replies[Math.min(next, replies.length - 1)] ?? replies[0];
    next += 1;
    return reply;
  };
}

/** A completion with the value of the request's purpose, or a 400 if it has none. */
export function byPurpose(values: Readonly<Record<string, unknown>>): ProviderScript {
  return (request) => {
    if (request.path.endsWith('/models')) return json({ object: 'list', data: [] });
    const purpose = purposeOf(request);
    return Object.hasOwn(values, purpose) ? completion(values[purpose]) : failure(400);
  };
}
