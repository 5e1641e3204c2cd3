import { createHash } from 'node:crypto';
import { costOf, type ModelPrice } from '../../../domain/model-price.ts';
import {
  getOwn,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../../lib/json/json.ts';
import type { GenerationRequest, LanguageModel, LlmObserver, Tokens } from '../../../ports/language-model.ts';
import type { Logger } from '../../../ports/logger.ts';

/** The use of calls of the model. */
interface Usage {
  readonly calls: number;
  readonly tokens: Tokens;
}

/** The outcome of a question: the reply, or why there is none. */
type Asked<R> = (
  | { readonly reply: R; readonly failure?: undefined }
  | { readonly reply?: undefined; readonly failure: string }
) & { readonly usage: Usage };

/** Asks the model. Never rejects: a failure is reported to the observer and is a part of the outcome. */
export type Ask = <R>(request: GenerationRequest<R>) => Promise<Asked<R>>;

/** No call at all. */
export const noUsage: Usage = { calls: 0, tokens: { input: 0, cachedInput: 0, output: 0 } };

/** Creates an {@link Ask}. */
export function createAsk({
  model,
  observer,
}: {
  readonly model: LanguageModel;
  readonly observer: LlmObserver;
}): Ask {
  return async (request) => {
    const generation = await model(request);
    const { tokens } = generation;
    if (tokens.input + tokens.output > 0)
      observer.tokens(request.purpose, tokens.input, tokens.output, tokens.cachedInput);
    const usage: Usage = { calls: generation.calls, tokens };
    return generation.status === 'success'
      ? { reply: generation.value, usage }
      : { failure: generation.reason, usage };
  };
}

/** Reports that the rules decide in place of the model. A shutdown is no failure of the model. */
export function reportFallback(
  { observer, logger }: { readonly observer: LlmObserver; readonly logger: Logger },
  stage: string,
  reason: string,
): void {
  if (reason === 'interrupted') return;
  observer.fallback(stage, reason);
  if (reason === 'bad_plan' || reason === 'unsafe_reply')
    logger.warn('a reply of the language model was rejected', { stage, reason });
}

/** The use of several calls together. */
export function addUsage(one: Usage, other: Usage): Usage {
  return {
    calls: one.calls + other.calls,
    tokens: {
      input: one.tokens.input + other.tokens.input,
      cachedInput: one.tokens.cachedInput + other.tokens.cachedInput,
      output: one.tokens.output + other.tokens.output,
    },
  };
}

/** The use of calls, for the data of a decision. Empty where there was no call. */
export function describeUsage({ calls, tokens }: Usage, price: ModelPrice | undefined): JsonObject {
  if (calls === 0) return {};
  const { input, cachedInput, output } = tokens;
  return {
    calls,
    tokens: { input, cached_input: cachedInput, output },
    ...(price === undefined ? {} : { cost: costOf(tokens, price), currency: price.currency ?? null }),
  };
}

/** The version of a prompt: another text has another one. */
export function promptVersion(instructions: string): string {
  return createHash('sha256').update(instructions).digest('hex').slice(0, 12);
}

// Notes about a message

/** A call of a tool that the model asks for. */
export interface ProposedCall {
  readonly tool: string;
  /** The input that it fills in: an object, or the JSON text of one. */
  readonly input: unknown;
}

/** The answer of the model to a message. */
export type ModelAnswer = {
  /** The use of the calls for it. */
  readonly usage: Usage;
  /** The use of the check of the reply; none where there was no check. */
  readonly checkUsage: Usage;
  /** Further members of the data of the responder's decision, and of the verifier's. */
  readonly data: JsonObject;
  readonly checkData: JsonObject;
} & (
  | {
      readonly kind: 'reply';
      readonly reply: string;
      /** True for a text of the rules, which the model has only checked. */
      readonly isOfRules: boolean;
    }
  /** The rules write the reply, because the model could not: they would answer the same from the same sources. */
  | { readonly kind: 'by_rules'; readonly failure: string }
  | {
      readonly kind: 'person';
      readonly reason: 'left_open' | 'reply_does_not_fit' | 'reply_missing';
      /** The reply that must not be sent. */
      readonly draft: string | undefined;
      readonly failure: string | undefined;
    }
);

/** The notes of the stages of a language model about one message, for the stages after them. */
export interface ModelNotes {
  /**
   * The reason for which the rules judged the message in place of the model; undefined where the model did or was not
   * asked.
   */
  failure?: string;
  /** The calls that the model asks for; undefined where it was not asked. */
  proposed?: readonly ProposedCall[];
  /** The answer of the model; undefined before its verdict, and where the model has no part in it. */
  answer?: ModelAnswer | undefined;
}

// Strict schemas

/** Keywords that strict providers take as they are. */
const kept = ['type', 'enum', 'const', 'description'] as const;

/** The deepest nesting of the schema of an input: providers allow about ten levels in all. */
const MAX_DEPTH = 5;

/** The schema of an object with these members, all of them demanded and no others allowed. */
export function strictObjectOf(properties: JsonObject): JsonObject {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

/** The schema of a list. */
export function listOf(items: JsonObject): JsonObject {
  return { type: 'array', items };
}

/** The schema of a text. */
export const textSchema: JsonObject = { type: 'string' };

/**
 * A JSON Schema as providers with strict schemas take it: all members are demanded and no others allowed, and an
 * optional one may be null. Bounds and formats are left out. Undefined where the schema cannot be told so.
 */
export function strictSchema(schema: JsonObject, depth = 0): JsonObject | undefined {
  if (depth > MAX_DEPTH) return undefined;
  const type = getOwn(schema, 'type');
  const strict: Record<string, JsonValue> = {};
  for (const keyword of kept) {
    const value = getOwn(schema, keyword);
    if (value !== undefined) strict[keyword] = value;
  }
  if (type === 'object') return strictObject(schema, strict, depth);
  if (type === 'array') {
    const items = getOwn(schema, 'items');
    const own = isJsonObject(items) ? strictSchema(items, depth + 1) : undefined;
    return own && { ...strict, items: own };
  }
  const isScalar =
    typeof type === 'string' || (isJsonArray(type) && !type.includes('object') && !type.includes('array'));
  if (isScalar) return strict;
  // Values without a type: strict providers want one.
  const values = isJsonArray(strict['enum']) ? strict['enum'] : [strict['const']];
  return values.every((value) => typeof value === 'string') ? { ...strict, type: 'string' } : undefined;
}

function strictObject(schema: JsonObject, strict: JsonObject, depth: number): JsonObject | undefined {
  const properties = getOwn(schema, 'properties');
  const required = getOwn(schema, 'required');
  if (!isJsonObject(properties)) return undefined;
  const names = Object.keys(properties);
  const members: [string, JsonObject][] = [];
  for (const name of names) {
    const member = getOwn(properties, name);
    const own = isJsonObject(member) ? strictSchema(member, depth + 1) : undefined;
    if (own === undefined) return undefined;
    const isRequired = isJsonArray(required) && required.includes(name);
    members.push([name, isRequired ? own : { anyOf: [own, { type: 'null' }] }]);
  }
  return {
    ...strict,
    properties: Object.fromEntries(members),
    required: names,
    additionalProperties: false,
  };
}

/** A value without the members that are null: of an optional member that a strict schema demands, it means absent. */
export function withoutNulls(value: JsonValue): JsonValue {
  if (isJsonArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) =>
      member === null ? [] : [[name, withoutNulls(member)]],
    ),
  );
}
