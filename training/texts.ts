import { readdirSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { partSignals, type Signal, wholeSignals } from '../src/adapters/stages/analysis/judgement.ts';
import { concerns, intents } from '../src/domain/message/message.ts';
import type { Example } from '../src/lib/learning/learner.ts';

/** The languages of the texts. */
const languages = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pt', 'pl'] as const;

/** The kinds of texts to a shop, beside a wish or a concern. */
const shopKinds = [
  ...['plain', 'concern', 'two_wishes', 'negated', 'feedback', 'complaint_story', 'sarcasm', 'spam'],
  ...['quoted', 'follow_up_unresolved', 'human_request', 'out_of_scope', 'injection', 'noise'],
  ...['thanks', 'greeting', 'smalltalk', 'auto_reply', 'bounce'],
] as const;

const shopTextSchema = z.strictObject({
  text: z.string().min(1),
  language: z.enum(languages).default('en'),
  concerns: z.array(z.enum(concerns)),
  intents: z.array(z.enum(intents)),
  kind: z.enum(shopKinds),
  /** True where a person has to see it. */
  person: z.boolean(),
  /** True for a text to a company of another branch than a shop; absent where that was not noted. */
  other_branch: z.boolean().default(false),
});

/** The kinds of texts to companies of other trades. `near_miss`: harmless, in alarming words. */
const tradeKinds = [
  ...['plain', 'near_miss', 'concern', 'human_request', 'unresolved', 'complaint', 'out_of_scope'],
  ...['for_person', 'thanks', 'greeting', 'feedback', 'automatic', 'spam'],
] as const;

const tradeTextSchema = z
  .strictObject({
    text: z.string().trim().min(1),
    language: z.enum(languages),
    trade: z.string().regex(/^[a-z]+(?:_[a-z]+)*$/),
    kind: z.enum(tradeKinds),
    concerns: z.array(z.enum(concerns)),
    /** True where a person has to see it. */
    person: z.boolean(),
    /** The intent that it has for its company, and what it is there: see `companies/intents.json`. */
    intent: z.string().optional(),
    role: z.enum(['example', 'ticket', 'fresh']).optional(),
  })
  .refine(({ kind, concerns }) => (kind === 'concern') === concerns.length > 0, {
    error: 'a text of kind concern names its concerns, and no other text does',
  })
  .refine(({ intent, role }) => (intent === undefined) === (role === undefined), {
    error: 'a text has an intent and a role, or neither',
  });

/** A text to a company of another trade. */
export type TradeText = z.output<typeof tradeTextSchema>;

/** A text to train the judgement on. */
export interface TrainingText {
  readonly text: string;
  readonly language: (typeof languages)[number];
  readonly concerns: readonly string[];
  /** Of the built-in playbook; empty for texts to other companies. */
  readonly intents: readonly string[];
  readonly kind: string;
  readonly person: boolean;
  /** True for a text to a company of another trade than a shop; undefined where that was not noted. */
  readonly otherTrade: boolean | undefined;
  /** The texts that are held out together when the model is measured have the same family. */
  readonly family: string;
}

/** Parses a line of a file of texts to the shop. Throws where it is not valid. */
export function parseText(line: string): z.output<typeof shopTextSchema> {
  return shopTextSchema.parse(JSON.parse(line));
}

/** Parses a line of a file of texts to companies of other trades. Throws where it is not valid. */
export function parseTradeText(line: string): TradeText {
  return tradeTextSchema.parse(JSON.parse(line));
}

/** The folders of texts to companies of other trades. */
export const tradeFolders = ['trades', 'companies', 'languages'] as const;

/** The files of a folder of texts, with their lines. */
export function readFolder(
  folder: string,
): readonly { readonly file: string; readonly lines: readonly string[] }[] {
  const url = new URL(`${folder}/`, import.meta.url);
  return readdirSync(url)
    .filter((name) => name.endsWith('.jsonl'))
    .sort()
    .map((file) => ({ file, lines: readFileSync(new URL(file, url), 'utf8').trim().split('\n') }));
}

/** All texts, in a fixed order. */
export function readTrainingTexts(): readonly TrainingText[] {
  const shop = readFolder('texts').flatMap(({ file, lines }) =>
    lines.map((line): TrainingText => {
      const text = parseText(line);
      return { ...text, otherTrade: text.other_branch, family: file };
    }),
  );
  const others = tradeFolders.flatMap((folder) =>
    readFolder(folder).flatMap(({ file, lines }) =>
      lines.map((line): TrainingText => {
        const { text, language, concerns: own, kind, person } = parseTradeText(line);
        const shared = { text, language, concerns: own, intents: [], kind, person };
        const otherTrade = folder === 'languages' ? undefined : true;
        return { ...shared, otherTrade, family: `${folder}/${file}` };
      }),
    ),
  );
  return [...shop, ...others];
}

/** Kinds that say nothing about the intents. */
const withoutIntent: ReadonlySet<string> = new Set([
  ...['out_of_scope', 'injection', 'noise', 'thanks', 'greeting', 'smalltalk', 'auto_reply', 'bounce'],
]);

/** True for a text that says what a customer of the shop wants. */
export function hasIntent({ intents: own, kind }: Pick<TrainingText, 'intents' | 'kind'>): boolean {
  return own.length > 0 && !withoutIntent.has(kind);
}

/** The signals that are right for a text, by group. */
export function targetsOf(text: TrainingText): Example['targets'] {
  return [partSignals, wholeSignals].map((group) =>
    group.map((signal) => {
      const has = hasSignal(text, signal);
      return has === undefined ? undefined : Number(has);
    }),
  );
}

/** The kinds of texts that show a signal. */
const kindsOf: Readonly<Partial<Record<Signal, readonly string[]>>> = {
  human: ['human_request'],
  unresolved: ['follow_up_unresolved', 'unresolved'],
  upset: ['complaint_story', 'sarcasm', 'complaint'],
  off_topic: ['out_of_scope', 'injection', 'noise'],
  thanks: ['thanks'],
  greeting: ['greeting', 'smalltalk'],
  feedback: ['feedback'],
  automatic: ['auto_reply', 'bounce', 'automatic'],
};

/** True for a text that shows a signal; undefined where that is not known. */
export function hasSignal(text: TrainingText, signal: Signal): boolean | undefined {
  const { kind, intents: own } = text;
  switch (signal) {
    case 'concern':
      return text.concerns.length > 0;
    case 'person':
      return text.person;
    case 'other_trade':
      return text.otherTrade;
    case 'spam':
      return own.includes('spam') || (kind === 'spam' && own.length === 0);
    case 'human':
      return kind === 'human_request' || own.includes('human_agent');
    default:
      return kindsOf[signal]?.includes(kind) ?? text.concerns.includes(signal);
  }
}
