import type { GenerationRequest } from '../../ports/language-model.ts';
import type { InputIssue } from '../../ports/tool.ts';
import { type Call, failed, type Outcome } from './call.ts';
import { createPrompt, createRepairPrompt, type Prompt, repeatsInstructions } from './prompt.ts';
import { ProviderError } from './provider-error.ts';
import { answerOf, parseAnswer } from './reply-text.ts';
import type { Ask } from './request-form.ts';

/** The most issues that the model is told, and the length of one. */
const MAX_ISSUES = 8;
const MAX_ISSUE_LENGTH = 200;

/** Requests an object of the schema. Rejects with errors other than {@link ProviderError}. */
export type Generate = <T>(
  request: GenerationRequest<T>,
  signal: AbortSignal,
  call: Call,
) => Promise<Outcome<T>>;

/** A reply that is no object of the schema, and what is wrong with it. */
interface Unfit {
  readonly status: 'unfit';
  readonly text: string;
  readonly issues: readonly string[];
}

/**
 * Requests an object. A reply that is none of the schema is shown to the model once, with what is wrong with it; an
 * empty one, or one that gives away the instructions, is not.
 */
export function createGenerate(ask: Ask): Generate {
  return async <T>(request: GenerationRequest<T>, signal: AbortSignal, call: Call): Promise<Outcome<T>> => {
    const askOnce = async (prompt: Prompt): Promise<Outcome<T> | Unfit> => {
      const { purpose: name, schema } = request;
      const { system, user } = prompt;
      const reply = await ask({ name, system, user, schema: schema.toJSONSchema() }, signal, call);
      if (reply.failure !== undefined) return failed(reply.failure);
      return readReply(answerOf(reply.text), prompt, request);
    };
    try {
      const prompt = createPrompt(request.instructions, request.data);
      const first = await askOnce(prompt);
      if (first.status !== 'unfit') return first;
      const second = await askOnce(createRepairPrompt(prompt, first.text, first.issues));
      return second.status === 'unfit' ? failed('bad_reply') : second;
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      return failed(error.complaint === 'content' ? 'refused' : error.reason);
    }
  };
}

function readReply<T>(text: string, prompt: Prompt, { schema }: GenerationRequest<T>): Outcome<T> | Unfit {
  if (text === '' || repeatsInstructions(text, prompt)) return failed('bad_reply');
  const value = parseAnswer(text);
  if (value === undefined) return { status: 'unfit', text, issues: ['The reply is not one JSON object.'] };
  const parsed = schema.safeParse(value);
  if (parsed.success) return { status: 'success', value: parsed.data };
  return { status: 'unfit', text, issues: parsed.error.issues.slice(0, MAX_ISSUES).map(describe) };
}

function describe({ path, message }: InputIssue): string {
  const place = path.map(String).join('.');
  return `${place === '' ? 'The reply' : place}: ${message}`.slice(0, MAX_ISSUE_LENGTH);
}
