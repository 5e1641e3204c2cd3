import { z } from 'zod';
import type { Classification, Decision, Handover, Verdict } from '../../../domain/message/message.ts';
import type { PreparedMessage } from '../../../domain/message/prepared.ts';
import type { ModelPrice } from '../../../domain/model-price.ts';
import type { PlaybookArticle } from '../../../domain/playbook/playbook.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import { truncate } from '../../../lib/text/truncate.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { LanguageModel, LlmObserver, ReplySchema } from '../../../ports/language-model.ts';
import type { Logger } from '../../../ports/logger.ts';
import type { ResponseInput, StageContext, Stages } from '../../../ports/stages.ts';
import type { Tool } from '../../../ports/tool.ts';
import { machineTalkIn } from '../analysis/machine-talk.ts';
import { type Assessment, roundProbability } from '../assessment.ts';
import type { Assessor } from '../assessor.ts';
import { classifyMessage } from '../rule-based.ts';
import { reasons } from '../verifier.ts';
import { answerByModel } from './answer.ts';
import {
  addUsage,
  createAsk,
  describeUsage,
  type ModelAnswer,
  noUsage,
  promptVersion,
  reportFallback,
  strictObjectOf,
  textSchema,
} from './ask.ts';
import {
  type AssessReply,
  assessmentBy,
  concernForSecondLook,
  createAssessSchema,
  entitiesFrom,
  sentencesWith,
  withConcern,
} from './assess.ts';
import { hasLists } from './guard-reading.ts';
import { saidIn } from './own-words.ts';
import { completePlan, describeTools, withPlan } from './plan.ts';
import { assessPrompt, hasAllArticles, isForModel, promptMessage, secondLookPrompt } from './prompts.ts';

/** A stage that can use the model. */
export type ModelStage = 'classifier' | 'planner' | 'verifier' | 'responder';

/** Options of {@link createLlmStages}. */
export interface LlmStagesOptions {
  readonly model: LanguageModel;
  /** Reads messages by the playbook of the deterministic stages. */
  readonly assessor: Assessor;
  /** The deterministic stages: they decide where the model is not used or fails. */
  readonly rules: Stages;
  /** The stages that use the model. */
  readonly enabled: { has(stage: ModelStage): boolean };
  /** The registered tools, read for each message. */
  readonly tools: () => readonly Tool[];
  readonly clock: Pick<Clock, 'now'>;
  /** Finds the articles of the playbook for a text, the best first. */
  readonly findArticles: (text: string) => readonly PlaybookArticle[];
  /** The price of the tokens of the model; undefined where it is not known. */
  readonly price?: ModelPrice | undefined;
  readonly logger: Logger;
  readonly observer: LlmObserver;
}

const secondLook = z.strictObject({ raised: z.boolean(), words: z.string() });
const secondLookSchema: ReplySchema<z.output<typeof secondLook>> = {
  safeParse: (value) => secondLook.safeParse(value),
  toJSONSchema: () => strictObjectOf({ raised: { type: 'boolean' }, words: textSchema }),
};

/** The articles that the first call sees of a large base, and the longest beginning of one, in characters. */
const BEST_ARTICLES = 5;
const MAX_BEGINNING = 400;
const MAX_QUERY = 2_000;

/**
 * Creates the four stages with a language model, which judges messages in place of the built-in model, writes replies
 * and checks them: at most three calls, and one for a message that a person gets. Above it stand unmistakable words,
 * what the preparation found, the policies of the playbook, and the guard of replies. When it fails, the rules
 * decide, with the source `fallback` and the reason.
 */
export function createLlmStages(options: LlmStagesOptions): Stages {
  const { assessor, rules, enabled, price } = options;
  const { playbook } = assessor;
  const ask = createAsk(options);
  const judges = enabled.has('classifier');
  const plans = enabled.has('planner');
  const answerParts = {
    ask,
    assessor,
    rules,
    now,
    writes: enabled.has('responder'),
    checks: enabled.has('verifier'),
  };
  // A message in another language than those of the playbook can be judged, and needs somebody who writes the reply.
  const verifies = answerParts.writes || answerParts.checks || (judges && playbook.company.anyLanguage);
  const entities = assessor.namedEntities.map(({ name }) => name);
  let prompt: AssessPrompt | undefined;

  function now(): JsonObject {
    return timeIn(options.clock.now(), playbook.hours?.timezone ?? 'UTC');
  }

  /** The prompt of the first call, made anew only where other tools are registered. */
  function currentPrompt(): AssessPrompt {
    const tools = plans ? describeTools(playbook, options.tools()) : [];
    const key = JSON.stringify(tools);
    if (prompt?.key !== key) {
      const instructions = assessPrompt(playbook, entities, tools);
      const schema = createAssessSchema(playbook, entities, tools);
      prompt = { key, instructions, schema, version: promptVersion(instructions) };
    }
    return prompt;
  }

  /** The articles that fit a message best, where there are too many for the instructions. */
  function bestArticles({ prepared }: PreparedMessage): JsonObject {
    if (hasAllArticles(playbook)) return {};
    const found = options.findArticles(prepared.text.slice(0, MAX_QUERY)).slice(0, BEST_ARTICLES);
    return {
      articles: found.map(({ title, body }) => ({ title, text: truncate(body.trim(), MAX_BEGINNING) })),
    };
  }

  function assess(message: PreparedMessage, purpose: ModelStage, { signal }: StageContext) {
    const { instructions, schema } = currentPrompt();
    const data = { now: now(), ...promptMessage(message), ...bestArticles(message) };
    return ask({ purpose, instructions, schema, signal, data });
  }

  async function lookAgain(judged: Assessment, message: PreparedMessage, { signal }: StageContext) {
    const builtIn = assessor.builtIn(message);
    const concern = concernForSecondLook(judged, builtIn);
    if (concern === undefined) return { judged, usage: noUsage, data: {} };
    const words = builtIn.suspicions.find((one) => one.concern === concern)?.words ?? [];
    const asked = await ask({
      purpose: 'second_look',
      schema: secondLookSchema,
      signal,
      instructions: secondLookPrompt(playbook.company, concern),
      data: {
        now: now(),
        ...promptMessage(message),
        sentences: [...sentencesWith(message.prepared.text, words)],
      },
    });
    // Without a second word the built-in judgement of this concern counts.
    if (asked.failure !== undefined) reportFallback(options, 'second_look', asked.failure);
    const isRaised = asked.reply === undefined || asked.reply.raised;
    const said = asked.reply?.words ?? '';
    const evidence = saidIn(message)(said) ? [said] : words;
    const data = {
      second_look: { concern, raised: isRaised, ...(asked.failure ? { reason: asked.failure } : {}) },
    };
    return { judged: isRaised ? withConcern(judged, concern, evidence) : judged, usage: asked.usage, data };
  }

  async function classify(
    message: PreparedMessage,
    context: StageContext,
  ): Promise<Decision<Classification>> {
    const byRules = await rules.classify(message, context);
    if (!isForModel(message, assessor)) return byRules;
    const notes = assessor.notesOf(message);
    const asked = await assess(message, 'classifier', context);
    const version = { prompt_version: currentPrompt().version };
    if (asked.reply === undefined) {
      notes.failure = asked.failure;
      reportFallback(options, 'classifier', asked.failure);
      return {
        ...byRules,
        source: 'fallback',
        summary: fallbackSummary(asked.failure, byRules.summary),
        data: { ...byRules.data, ...version, ...describeUsage(asked.usage, price), reason: asked.failure },
      };
    }
    const builtIn = assessor.builtIn(message);
    const talk = machineTalkIn(message);
    const first = assessmentBy(asked.reply, message, assessor, talk);
    const { judged, usage, data } = await lookAgain(first, message, context);
    assessor.decide(message, judged, talk === undefined ? entitiesFrom(asked.reply, message, assessor) : {});
    // To a text that speaks to the machine the model adds nothing but reasons for a person.
    if (plans) notes.proposed = talk === undefined ? asked.reply.tool_calls : [];
    const decided = classifyMessage(message, assessor);
    const isOwn = talk === undefined;
    const { intent, confidence } = decided.value;
    const who = isOwn ? 'The language model classifies' : 'The built-in judgement holds: it classifies';
    return {
      value: { ...decided.value, ...(isOwn ? { byModel: true } : {}) },
      source: 'llm',
      summary: `${who} the message as ${intent} with confidence ${confidence.toFixed(2)}.`,
      data: {
        ...decided.data,
        judge: isOwn ? 'llm' : 'built_in',
        model: describeReply(asked.reply),
        built_in: {
          intent: builtIn.intent,
          confidence: roundProbability(builtIn.confidence),
          concerns: [...builtIn.concerns],
          reasons: [...builtIn.reasons],
        },
        floor: {
          concerns: [...builtIn.floor.concerns],
          wants_person: builtIn.floor.wantsPerson,
          machine_talk: talk ?? null,
        },
        ...data,
        ...version,
        ...describeUsage(addUsage(asked.usage, usage), price),
      },
    };
  }

  const plan: Stages['plan'] = async (input, context) => {
    const { message } = input;
    const byRules = await rules.plan(input, context);
    const notes = assessor.notesOf(message);
    const isAsked =
      notes.proposed === undefined && notes.failure === undefined && isForModel(message, assessor);
    const registered = options.tools();
    const rulesAlone = completePlan(input, byRules.value, [], registered, assessor);
    // The calls came with the classification, unless the rules classified.
    const asked =
      isAsked && !judges && rulesAlone.mayCall && machineTalkIn(message) === undefined
        ? await assess(message, 'planner', context)
        : undefined;
    const proposed = notes.proposed ?? asked?.reply?.tool_calls;
    const spent = asked === undefined ? {} : describeUsage(asked.usage, price);
    const failure = notes.failure ?? asked?.failure;
    if (failure !== undefined) {
      if (asked?.failure !== undefined) reportFallback(options, 'planner', failure);
      const own = withPlan(byRules, rulesAlone.plan);
      const summary = fallbackSummary(failure, own.summary);
      return { ...own, source: 'fallback', summary, data: { ...own.data, ...spent, reason: failure } };
    }
    if (proposed === undefined || !rulesAlone.mayCall) return withPlan(byRules, rulesAlone.plan);
    const completed = completePlan(input, byRules.value, proposed, registered, assessor);
    if (completed.isRefused) {
      reportFallback(options, 'planner', 'bad_plan');
      const own = withPlan(byRules, completed.plan);
      const summary = fallbackSummary('bad_plan', own.summary);
      return { ...own, source: 'fallback', summary, data: { ...own.data, ...spent, reason: 'bad_plan' } };
    }
    const names = completed.plan.toolCalls.map(({ toolName }) => toolName);
    return {
      value: completed.plan,
      source: 'llm',
      summary: `The language model plans to call ${names.length === 0 ? 'no tool' : names.join(', ')}.`,
      data: { intent: input.classification.intent, tools: names, ...spent },
    };
  };

  /** The answer of the model under a verdict of the rules, made once. */
  async function answerOf(input: ResponseInput, context: StageContext): Promise<ModelAnswer | undefined> {
    const notes = assessor.notesOf(input.message);
    notes.answer ??= await answerByModel(input, answerParts, context);
    return notes.answer;
  }

  const verify: Stages['verify'] = async (input, context) => {
    const byRules = await rules.verify(input, context);
    const { escalated, disposition = escalated ? 'escalated' : 'answered', concerns = [] } = byRules.value;
    const verdict = { ...byRules.value, disposition, concerns };
    const answer = await answerOf({ ...input, verdict }, context);
    const { message } = input;
    const isForeign =
      assessor.replyLanguage(message) === undefined && assessor.modelLanguage(message) !== undefined;
    const isByRules =
      answer === undefined || answer.kind === 'by_rules' || (answer.kind === 'reply' && answer.isOfRules);
    if (isForeign && isByRules && !escalated && disposition !== 'no_reply') return inNoLanguage(byRules);
    if (answer === undefined) return byRules;
    const checked = { ...answer.checkData, ...describeUsage(answer.checkUsage, price) };
    const isChecked = answer.checkData['prompt_version'] !== undefined;
    if (answer.kind === 'person') {
      const explanations = [reasons[answer.reason]];
      const value: Verdict = {
        escalated: true,
        reasons: [answer.reason],
        disposition: 'escalated',
        concerns: [],
        ...(answer.draft === undefined ? {} : { draft: answer.draft }),
      };
      return {
        value,
        source: isChecked ? 'llm' : byRules.source,
        summary: `Escalated: ${explanations.join('; ')}.`,
        data: {
          ...byRules.data,
          escalated: true,
          disposition: 'escalated',
          reasons: [...value.reasons],
          explanations,
          ...checked,
        },
      };
    }
    const isUnread = isForeign && !hasLists(message.prepared.language);
    if (isUnread) {
      const decided = asDraft(byRules, assessor.hasInbox);
      return {
        ...decided,
        source: isChecked ? 'llm' : byRules.source,
        data: { ...decided.data, ...checked },
      };
    }
    if (!isChecked) return byRules;
    const { value } = byRules;
    const { reason } = answer.checkData;
    if (typeof reason === 'string') {
      reportFallback(options, 'verifier', reason);
      const summary = fallbackSummary(reason, byRules.summary);
      return { value, source: 'fallback', summary, data: { ...byRules.data, ...checked } };
    }
    return {
      value,
      source: 'llm',
      summary: 'Not escalated: neither the rules nor the check of the reply see a need for a person.',
      data: { ...byRules.data, ...checked },
    };
  };

  async function respond(input: ResponseInput, context: StageContext): Promise<Decision<string | Handover>> {
    const answer = input.verdict.escalated
      ? assessor.notesOf(input.message).answer
      : await answerOf(input, context);
    const spent = answer === undefined ? {} : { ...answer.data, ...describeUsage(answer.usage, price) };
    if (answer?.kind === 'reply' && !input.verdict.escalated && !answer.isOfRules) {
      const { intent } = input.classification;
      const tools = input.outcomes.map(({ toolName }) => toolName);
      const data = { intent, escalated: false, tools, ...spent };
      return { value: answer.reply, source: 'llm', summary: 'The language model wrote the reply.', data };
    }
    const failure = answer?.kind === 'reply' ? undefined : answer?.failure;
    if (failure !== undefined) reportFallback(options, 'responder', failure);
    // Whoever calls this stage without the verifier's verdict hands over here.
    if (answer?.kind === 'person' && !input.verdict.escalated) {
      const because = [answer.reason];
      const verdict = {
        ...input.verdict,
        escalated: true,
        disposition: 'escalated',
        reasons: because,
      } as const;
      const handover = await rules.respond({ ...input, verdict }, context);
      const reply = typeof handover.value === 'string' ? handover.value : handover.value.reply;
      const summary = `Escalated: ${reasons[answer.reason]}.`;
      return {
        ...handover,
        value: { reply, reasons: because },
        summary,
        data: { ...handover.data, ...spent },
      };
    }
    const own = await rules.respond(input, context);
    if (failure === undefined) return { ...own, data: { ...own.data, ...spent } };
    const summary = fallbackSummary(failure, own.summary);
    return { ...own, source: 'fallback', summary, data: { ...own.data, ...spent } };
  }

  return {
    classify: judges ? classify : rules.classify,
    plan: plans ? plan : rules.plan,
    verify: verifies ? verify : rules.verify,
    respond: answerParts.writes ? respond : rules.respond,
  };
}

/** The first prompt, and what it was made from. */
interface AssessPrompt {
  readonly key: string;
  readonly instructions: string;
  readonly schema: ReturnType<typeof createAssessSchema>;
  readonly version: string;
}

/** The model's word for the trace, without texts of the customer. */
function describeReply(reply: AssessReply): JsonObject {
  return {
    intent: reply.intent,
    other_intents: [...reply.other_intents],
    concerns: reply.concerns.map(({ name }) => name),
    person: reply.person.needed,
    sure: reply.sure,
  };
}

/** An escalation where only the rules could reply, which have no texts in the language of the message. */
function inNoLanguage(byRules: Decision<Verdict>): Decision<Verdict> {
  return {
    ...byRules,
    value: { escalated: true, disposition: 'escalated', reasons: ['language'], concerns: [] },
    summary: `Escalated: ${reasons.language}.`,
    data: {
      ...byRules.data,
      escalated: true,
      disposition: 'escalated',
      reasons: ['language'],
      explanations: [reasons.language],
    },
  };
}

/** A draft in place of a reply in a language that the guard cannot read in full; an escalation without an inbox. */
function asDraft(byRules: Decision<Verdict>, hasInbox: boolean): Decision<Verdict> {
  if (!hasInbox) return inNoLanguage(byRules);
  const because = [...byRules.value.reasons, 'language'];
  return {
    ...byRules,
    value: { ...byRules.value, disposition: 'draft', reasons: because },
    summary: `Not sent before a person has seen it: the guard cannot read the language of the reply.`,
    data: { ...byRules.data, disposition: 'draft', reasons: because },
  };
}

function fallbackSummary(reason: string, summary: string): string {
  return `Decided by rules, because the language model failed (${reason}): ${summary}`;
}

/** The date, the weekday and the time in a time zone. */
function timeIn(at: number, timeZone: string): JsonObject {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    weekday: 'long',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(at);
  const part = (name: Intl.DateTimeFormatPartTypes): string =>
    parts.find(({ type }) => type === name)?.value ?? '';
  return {
    date: `${part('year')}-${part('month')}-${part('day')}`,
    weekday: part('weekday'),
    time: `${part('hour')}:${part('minute')}`,
    time_zone: timeZone,
  };
}
