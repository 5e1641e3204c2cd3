import { z } from 'zod';
import { type Concern, concerns } from '../../../domain/message/message.ts';
import type { PreparedMessage } from '../../../domain/message/prepared.ts';
import { type Playbook, type Sureness, surenesses } from '../../../domain/playbook/playbook.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import type { ReplySchema } from '../../../ports/language-model.ts';
import type { MachineTalk } from '../analysis/machine-talk.ts';
import { type Assessment, limits, type PersonReason } from '../assessment.ts';
import type { Assessor } from '../assessor.ts';
import { listOf, type ProposedCall, strictObjectOf, strictSchema, textSchema } from './ask.ts';
import { ownWordsOf, saidIn } from './own-words.ts';
import type { ToolDescription } from './plan.ts';
import { isCut, personMeanings } from './prompts.ts';

/** The word of the model about a message. */
export interface AssessReply {
  readonly intent: string;
  readonly other_intents: readonly string[];
  readonly concerns: readonly { readonly name: Concern; readonly words: string }[];
  readonly person: { readonly needed: boolean; readonly reason: string };
  readonly language: string;
  readonly entities: Readonly<Record<string, string | null>>;
  readonly missing: readonly string[];
  readonly tool_calls: readonly ProposedCall[];
  readonly sure: Sureness;
}

/** Further members of the lists of a reply are not used. */
const MAX_INTENTS = 16;
const MAX_CONCERNS = 32;

/**
 * The reply that is demanded and the one that is accepted. Strict providers hold to the first; others may leave out
 * what is empty, and write the input of a call as text.
 */
export function createAssessSchema(
  { intents }: Pick<Playbook, 'intents'>,
  entities: readonly string[],
  tools: readonly ToolDescription[],
): ReplySchema<AssessReply> {
  const intent = z.enum([...intents.keys()]);
  const call = z
    .looseObject({
      tool_name: z.string().optional(),
      name: z.string().optional(),
      tool: z.string().optional(),
      input: z.unknown(),
    })
    .transform(
      ({ tool_name, name, tool, input }): ProposedCall => ({
        tool: tool_name ?? name ?? tool ?? '',
        input,
      }),
    );
  const accepted = z.strictObject({
    intent,
    other_intents: z
      .array(intent)
      .default([])
      .transform((named) => [...new Set(named)].slice(0, MAX_INTENTS)),
    concerns: z
      .array(z.strictObject({ name: z.enum(concerns), words: z.string().default('') }))
      .default([])
      .transform((named) => named.slice(0, MAX_CONCERNS)),
    person: z
      .strictObject({
        needed: z.boolean(),
        reason: z
          .string()
          .nullish()
          .transform((text) => text ?? 'none'),
      })
      .default({ needed: false, reason: 'none' }),
    language: z.string().default(''),
    entities: z
      .record(z.string(), z.string().nullable())
      .nullish()
      .transform((found) => found ?? {}),
    missing: z
      .array(z.string())
      .default([])
      .transform((names) => names.slice(0, MAX_INTENTS)),
    tool_calls: z.array(call).default([]),
    sure: z.enum(surenesses),
  });
  const text = textSchema;
  const demanded = strictObjectOf({
    intent: { enum: [...intents.keys()], ...text },
    other_intents: listOf({ enum: [...intents.keys()], ...text }),
    concerns: listOf(strictObjectOf({ name: { enum: [...concerns], ...text }, words: text })),
    person: strictObjectOf({
      needed: { type: 'boolean' },
      reason: { enum: ['none', ...Object.keys(personMeanings)], ...text },
    }),
    language: text,
    entities: strictObjectOf(
      Object.fromEntries(entities.map((name) => [name, { type: ['string', 'null'] }])),
    ),
    missing: listOf(entities.length === 0 ? text : { enum: [...entities], ...text }),
    tool_calls: listOf(callSchema(tools)),
    sure: { enum: [...surenesses], ...text },
  });
  return {
    safeParse: (value) => accepted.safeParse(value),
    toJSONSchema: () => demanded,
  };
}

/** One of the tools with an input of its own schema; the JSON text of one where strict providers cannot take that. */
function callSchema(tools: readonly ToolDescription[]): JsonObject {
  const text = textSchema;
  const calls = tools.map(({ name, inputSchema }) =>
    strictObjectOf({ tool_name: { enum: [name], ...text }, input: strictSchema(inputSchema) ?? text }),
  );
  return calls.length === 0 ? strictObjectOf({ tool_name: text, input: text }) : { anyOf: calls };
}

/**
 * The judgement by the word of the model and by what stands above it. `talk`: how the message speaks to the machine.
 */
export function assessmentBy(
  reply: AssessReply,
  message: PreparedMessage,
  assessor: Assessor,
  talk: MachineTalk | undefined,
): Assessment {
  const builtIn = assessor.builtIn(message);
  const isSaid = saidIn(message);
  const named = reply.concerns.filter((one) => isSaid(one.words));
  const isNamed = (concern: Concern) => named.some(({ name }) => name === concern);
  const evidenceOf = (concern: Concern) =>
    named.filter(({ name }) => name === concern).map((one) => one.words);
  const reasons = personReasons(reply, builtIn);
  if (talk !== undefined) {
    // A text that speaks to the machine: the built-in judgement holds, and the model can only add to it.
    const added = concerns.filter((concern) => builtIn.concerns.includes(concern) || isNamed(concern));
    return {
      ...builtIn,
      kind: added.length > 0 || reasons.length > 0 ? 'wish' : builtIn.kind,
      concerns: added,
      sureConcerns: concerns.filter((one) => builtIn.sureConcerns.includes(one) || isNamed(one)),
      reasons: [...new Set([...builtIn.reasons, ...reasons])],
      evidence: { ...evidence(added.filter(isNamed), evidenceOf), ...builtIn.evidence },
    };
  }
  // The model cannot call harmless a part that it could not read.
  const unread = isCut(message) ? builtIn : undefined;
  const found = concerns.filter(
    (concern) =>
      builtIn.floor.concerns.includes(concern) ||
      isNamed(concern) ||
      unread?.concerns.includes(concern) === true,
  );
  const allReasons = [...new Set([...reasons, ...(unread?.reasons ?? [])])];
  const kind = kindOf(reply, builtIn, found.length > 0 || allReasons.length > 0);
  const isSame = reply.intent === builtIn.intent;
  const others = reply.other_intents.filter((intent) => intent !== reply.intent);
  const { modelConfidence } = assessor.playbook;
  return {
    ...builtIn,
    intent: reply.intent,
    confidence: modelConfidence[reply.sure],
    intents:
      builtIn.completion !== undefined && isSame
        ? builtIn.intents
        : [...new Set([reply.intent, ...others.filter((intent) => isAnswered(intent, assessor))])],
    alternatives: [],
    kind,
    concerns: found,
    sureConcerns: found,
    reasons: allReasons,
    doubt: 0,
    thresholds: new Map(),
    evidence: {
      ...(isSame && builtIn.evidence['intent'] ? { intent: builtIn.evidence['intent'] } : {}),
      ...evidence(found, (concern) =>
        isNamed(concern) ? evidenceOf(concern) : (builtIn.evidence[concern] ?? []),
      ),
    },
    completion: isSame ? builtIn.completion : undefined,
    language: languageCode(reply.language),
  };
}

/** The two letters of a code such as `de-AT`; undefined for what is none. */
function languageCode(text: string): string | undefined {
  return /^[a-z]{2}(?=$|[-_])/i.exec(text.trim())?.[0].toLowerCase();
}

/** False for intents that say nothing about what else is to be answered. */
function isAnswered(intent: string, { playbook }: Assessor): boolean {
  return intent !== 'spam' && intent !== 'feedback' && playbook.intents.get(intent) !== undefined;
}

function evidence(
  found: readonly Concern[],
  evidenceOf: (concern: Concern) => readonly string[],
): Assessment['evidence'] {
  return Object.fromEntries(found.map((concern) => [concern, evidenceOf(concern)]));
}

/** A request for a person in unmistakable words counts whatever the model says. */
function personReasons({ intent, person }: AssessReply, { floor }: Assessment): readonly PersonReason[] {
  const found = new Set<PersonReason>();
  if (floor.wantsPerson || intent === 'human_agent') found.add('human_requested');
  if (person.needed) found.add(isPersonReason(person.reason) ? person.reason : 'needs_person');
  return [...found];
}

function isPersonReason(text: string): text is PersonReason {
  return Object.hasOwn(personMeanings, text);
}

function kindOf(reply: AssessReply, { kind, intent }: Assessment, isForPerson: boolean): Assessment['kind'] {
  if (isForPerson) return 'wish';
  if (reply.intent === 'spam') return 'spam';
  // Thanks and greetings have texts of their own, where the model sees nothing else in them.
  const isSmallTalk = kind === 'thanks' || kind === 'greeting';
  const isSame = reply.intent === intent || reply.intent === 'feedback';
  return isSmallTalk && isSame && reply.other_intents.length === 0 ? kind : 'wish';
}

/** The concern for which the model is asked once more: it found none, and the built-in judgement is nearly sure. */
export function concernForSecondLook(judged: Assessment, builtIn: Assessment): Concern | undefined {
  if (judged.concerns.length > 0) return undefined;
  const [likeliest] = builtIn.suspicions
    .filter(({ probability }) => probability >= limits.secondLook)
    .toSorted((a, b) => b.probability - a.probability);
  return likeliest?.concern;
}

/** The most sentences that a second look shows, and the longest one in characters. */
const MAX_SENTENCES = 3;
const MAX_SENTENCE = 500;

/** The sentences of a text that have one of these words. */
export function sentencesWith(text: string, words: readonly string[]): readonly string[] {
  const wanted = words.map((word) => word.toLowerCase());
  return text
    .split(/(?<=[.!?])\s+|\n+/)
    .filter((sentence) => wanted.some((word) => sentence.toLowerCase().includes(word)))
    .slice(0, MAX_SENTENCES)
    .map((sentence) => sentence.slice(0, MAX_SENTENCE).toWellFormed());
}

/** A judgement with a concern that a second look found. */
export function withConcern(judged: Assessment, concern: Concern, words: readonly string[]): Assessment {
  return {
    ...judged,
    kind: 'wish',
    concerns: [concern],
    sureConcerns: [concern],
    evidence: { ...judged.evidence, [concern]: words },
  };
}

/**
 * The entities that the model read beside those that patterns found: a value that stands in the customer's own words
 * and that the pattern of its name accepts.
 */
export function entitiesFrom(
  { entities }: AssessReply,
  message: PreparedMessage,
  { namedEntities }: Assessor,
): Readonly<Record<string, string>> {
  const words = ownWordsOf(message);
  const found = namedEntities.flatMap(({ name, find }) => {
    const stated = Object.hasOwn(entities, name) ? entities[name] : null;
    if (stated == null || !words.haveAll([stated])) return [];
    const match = find(stated);
    return match === undefined ? [] : [[name, match.value] as const];
  });
  return Object.fromEntries(found);
}
