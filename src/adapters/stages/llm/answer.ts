import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { ToolCall, ToolOutcome } from '../../../domain/message/message.ts';
import { MAX_REPLY_LENGTH } from '../../../domain/message/stage-contract.ts';
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from '../../../lib/json/json.ts';
import { truncate } from '../../../lib/text/truncate.ts';
import type { ReplySchema } from '../../../ports/language-model.ts';
import type { ResponseInput, StageContext, Stages } from '../../../ports/stages.ts';
import type { Assessor } from '../assessor.ts';
import { masked } from '../responder.ts';
import { articleTexts } from '../template-values.ts';
import {
  type Ask,
  addUsage,
  listOf,
  type ModelAnswer,
  noUsage,
  promptVersion,
  strictObjectOf,
  textSchema,
} from './ask.ts';
import { describeRefusals, plainReply, type ReplySources, refusalsOf } from './guard.ts';
import { ownTextsOf } from './own-words.ts';
import { checkPrompt, isForModel, promptMessage, replyPrompt } from './prompts.ts';

/** The parts that write and check answers. */
interface AnswerParts {
  readonly ask: Ask;
  readonly assessor: Assessor;
  readonly rules: Stages;
  /** True where the model writes replies; and where it checks them. */
  readonly writes: boolean;
  readonly checks: boolean;
  /** The time of the company, for prompts. */
  now(): JsonObject;
}

const texts = (most: number) =>
  z
    .array(z.string())
    .default([])
    .transform((list) => list.slice(0, most));

const writtenReply = z.strictObject({ reply: z.string(), used: texts(64), left_open: texts(16) });
const replySchema: ReplySchema<z.output<typeof writtenReply>> = {
  safeParse: (value) => writtenReply.safeParse(value),
  toJSONSchema: () =>
    strictObjectOf({ reply: textSchema, used: listOf(textSchema), left_open: listOf(textSchema) }),
};

const foundByCheck = z.strictObject({ fits: z.boolean(), unsupported: texts(64), unanswered: texts(64) });
const checkSchema: ReplySchema<z.output<typeof foundByCheck>> = {
  safeParse: (value) => foundByCheck.safeParse(value),
  toJSONSchema: () =>
    strictObjectOf({
      fits: { type: 'boolean' },
      unsupported: listOf(textSchema),
      unanswered: listOf(textSchema),
    }),
};

/** Maximum length of what a prompt has of one source, in characters of JSON. */
const MAX_SOURCE = 8_000;
const MAX_SOURCES = 16;

/** The reasons of the rules' verifier for which they write the reply, and nobody has to check it. */
const ruleReplies: ReadonlySet<string> = new Set(['small_talk', 'question_asked', 'not_found']);

/**
 * Answers a message that the rules would answer under `input.verdict`: the model writes the reply, the guard reads it,
 * and the model checks it. Undefined where the model has no part in the reply.
 */
export async function answerByModel(
  input: ResponseInput,
  parts: AnswerParts,
  context: StageContext,
): Promise<ModelAnswer | undefined> {
  const { assessor, rules, writes, checks } = parts;
  const { verdict, message } = input;
  const isAnswer = verdict.disposition === 'answered' || verdict.disposition === 'draft';
  if (verdict.escalated || !isAnswer || !isForModel(message, assessor)) return undefined;
  // The rules have no texts in another language than those of the playbook.
  const isForeign = assessor.replyLanguage(message) === undefined;
  if (!isForeign && verdict.reasons.some((reason) => ruleReplies.has(reason))) return undefined;
  const sources = sourcesOf(input, assessor);
  const byRules = await rules.respond(input, context);
  const ruleText = typeof byRules.value === 'string' ? byRules.value : '';
  const isWritten = writes && (sources.length > 0 || isForeign);
  if (!isWritten) {
    return checks ? checkAnswer(byRulesAnswer(ruleText), input, parts, sources, context) : undefined;
  }
  const written = await writeAnswer(input, parts, sources, ruleText, context);
  if (written.kind === 'reply' && checks) return checkAnswer(written, input, parts, sources, context);
  return written;
}

function byRulesAnswer(reply: string): Extract<ModelAnswer, { kind: 'reply' }> {
  return {
    kind: 'reply',
    reply,
    isOfRules: true,
    usage: noUsage,
    checkUsage: noUsage,
    data: {},
    checkData: {},
  };
}

/** A source of a reply, as a prompt tells it. */
interface Source extends JsonObject {
  readonly id: string;
}

/** The outputs of tools, and the articles that were found, each with an id. */
function sourcesOf({ outcomes }: ResponseInput, { playbook }: Assessor): readonly Source[] {
  const sources: Source[] = [];
  for (const { toolName, output } of outcomes) {
    if (output === null) continue;
    const articles = toolName === playbook.articlesTool ? getOwn(output, 'articles') : undefined;
    if (!Array.isArray(articles)) {
      sources.push({ id: `c${sources.length + 1}`, tool: toolName, output: shortened(output) });
      continue;
    }
    for (const article of articles.filter(isJsonObject)) {
      const { title = '', excerpt = '' } = article;
      sources.push({ id: `a${sources.length + 1}`, title, text: shortened(excerpt) });
    }
  }
  return sources.slice(0, MAX_SOURCES);
}

function shortened(value: JsonValue): JsonValue {
  if (typeof value === 'string') return truncate(value, MAX_SOURCE);
  const text = JSON.stringify(value);
  return text.length <= MAX_SOURCE ? value : truncate(text, MAX_SOURCE);
}

async function writeAnswer(
  input: ResponseInput,
  { ask, assessor, rules, now }: AnswerParts,
  sources: readonly Source[],
  ruleText: string,
  context: StageContext,
): Promise<ModelAnswer> {
  const { message, outcomes, classification } = input;
  const { playbook } = assessor;
  const language = assessor.replyLanguage(message) ?? message.prepared.language;
  const instructions = replyPrompt(playbook.company, language);
  const ownArticles = outcomes.filter(({ toolName }) => toolName === playbook.articlesTool);
  const guarded: ReplySources = {
    outputs: outcomes.flatMap(({ output }) => output ?? []),
    texts: [ruleText, ...articleTexts(ownArticles), companyText(playbook.company)],
    own: ownTextsOf(message),
    instructions,
    language,
  };
  const data = {
    now: now(),
    intent: classification.intent,
    ...promptMessage(message),
    sources: [...sources],
    our_text: ruleText,
  };
  let usage = noUsage;
  let refused: JsonObject = {};
  let draft: string | undefined;
  let why: readonly string[] = [];
  // A refused reply is told to the model once.
  for (let attempt = 0; attempt < 2; attempt++) {
    const asked = await ask({
      purpose: 'responder',
      instructions,
      schema: replySchema,
      signal: context.signal,
      data: { ...data, ...refused },
    });
    usage = addUsage(usage, asked.usage);
    const notes = {
      prompt_version: promptVersion(instructions),
      ...(why.length > 0 ? { refused: [...why] } : {}),
    };
    if (asked.failure !== undefined) return withoutReply(asked.failure, notes);
    const { reply, left_open: leftOpen, used } = asked.reply;
    const text = plainReply(reply);
    if (text === '' || text.length > MAX_REPLY_LENGTH) return withoutReply('bad_reply', notes);
    draft = framed(text, input, assessor);
    const known = [...new Set(used)].filter((id) => sources.some((source) => source.id === id));
    const shown = { ...notes, used: known, left_open: leftOpen.length };
    const refusals = refusalsOf(text, guarded);
    if (refusals.length === 0) {
      const all = { usage, checkUsage: noUsage, data: { ...shown, length: draft.length }, checkData: {} };
      return leftOpen.length > 0
        ? { ...all, kind: 'person', reason: 'left_open', draft, failure: undefined }
        : { ...all, kind: 'reply', reply: draft, isOfRules: false };
    }
    why = [...why, ...refusals.map(({ kind }) => kind)];
    refused = { refused: { reply: text, because: describeRefusals(refusals) } };
  }
  return withoutReply('unsafe_reply', { prompt_version: promptVersion(instructions), refused: [...why] });

  /** The rules write the reply where they would answer the same from the same sources, else a person takes over. */
  async function withoutReply(failure: string, notes: JsonObject): Promise<ModelAnswer> {
    const all = { usage, checkUsage: noUsage, data: { ...notes, reason: failure }, checkData: {}, failure };
    if (await wouldAnswerTheSame(input, rules, assessor, context)) return { ...all, kind: 'by_rules' };
    return { ...all, kind: 'person', reason: 'reply_missing', draft };
  }
}

/** The name, the signature and the contacts of a company. */
function companyText({ name, signature, contact }: Assessor['playbook']['company']): string {
  return [name, signature, ...Object.values(contact)].join('\n');
}

/** The reply with the greeting and the signature of the playbook, where it has none, and what was hidden in it. */
function framed(text: string, { message }: ResponseInput, assessor: Assessor): string {
  const { company, texts } = assessor.playbook;
  const language = assessor.replyLanguage(message);
  const own = language === undefined ? undefined : texts.get(language);
  if (own === undefined) {
    const whole = text.includes(company.signature) ? text : `${text}\n\n${company.signature}`;
    return whole.slice(0, MAX_REPLY_LENGTH).toWellFormed();
  }
  const [first = ''] = text.split('\n');
  const greets = first.length <= 60 && /[,!]$/.test(first.trim());
  const signs = text.slice(-200).includes(company.signature);
  const isMasked = masked.test(message.message);
  const parts = [
    ...(greets ? [] : [own.greeting]),
    text,
    ...(isMasked ? [own.masked] : []),
    ...(signs ? [] : [`${own.closing}\n${company.signature}`]),
  ];
  return parts.join('\n\n').slice(0, MAX_REPLY_LENGTH).toWellFormed();
}

async function checkAnswer(
  written: Extract<ModelAnswer, { kind: 'reply' }>,
  { message, classification }: ResponseInput,
  { ask, assessor, now }: AnswerParts,
  sources: readonly Source[],
  context: StageContext,
): Promise<ModelAnswer> {
  const instructions = checkPrompt(assessor.playbook.company);
  const asked = await ask({
    purpose: 'verifier',
    instructions,
    schema: checkSchema,
    signal: context.signal,
    data: {
      now: now(),
      intent: classification.intent,
      ...promptMessage(message),
      sources: [...sources],
      reply: written.reply,
    },
  });
  const version = { prompt_version: promptVersion(instructions) };
  if (asked.failure !== undefined) {
    // The guard has read it, and the rules found no reason against it.
    return { ...written, checkUsage: asked.usage, checkData: { ...version, reason: asked.failure } };
  }
  const { fits, unsupported, unanswered } = asked.reply;
  const checkData = { ...version, fits, unsupported: unsupported.length, unanswered: unanswered.length };
  const checked = { ...written, checkUsage: asked.usage, checkData };
  if (fits && unsupported.length === 0 && unanswered.length === 0) return checked;
  return {
    ...checked,
    kind: 'person',
    reason: 'reply_does_not_fit',
    draft: written.reply,
    failure: undefined,
  };
}

/** True where the rules would answer the same intent, by calls that they would make themselves. */
async function wouldAnswerTheSame(
  { message, classification, outcomes }: ResponseInput,
  rules: Stages,
  assessor: Assessor,
  context: StageContext,
): Promise<boolean> {
  const own = assessor.builtIn(message);
  if (own.intent !== classification.intent || own.concerns.length > 0) return false;
  const planning = { message, classification, hasTool: () => true };
  const { toolCalls } = (await rules.plan(planning, context)).value;
  // A call that was left out of the plan, because its tool is not there, has no outcome.
  const made = toolCalls.filter((call) => outcomes.some(({ toolName }) => toolName === call.toolName));
  const isMade = (call: ToolCall) => outcomes.some((outcome) => isSameCall(call, outcome));
  return outcomes.length === made.length && made.every(isMade);
}

/** True for an outcome of this very call: the order of the members of its input does not count. */
function isSameCall({ toolName, input }: ToolCall, outcome: ToolOutcome): boolean {
  if (toolName !== outcome.toolName) return false;
  return isDeepStrictEqual(JSON.parse(JSON.stringify(input)), JSON.parse(JSON.stringify(outcome.input)));
}
