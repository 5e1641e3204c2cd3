import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { concerns, dispositions, intents } from '../../domain/message/message.ts';
import { PACKAGE_FOLDER } from '../shared/package-folder.ts';
import type { Random } from './random.ts';

/**
 * The texts of synthetic tickets. They were written independently of the classifier's rules and of the texts that its
 * model is trained on. Do not tune on them: they would no longer measure anything.
 */
const TICKETS = new URL('playbook/tickets.json', PACKAGE_FOLDER);

const textsSchema = z.array(z.string()).min(1);

/** Texts that expect the same. A placeholder `{name}` is filled with one of `fillings`. */
const templateSchema = z.object({
  /** The intent of the customer; not judged when absent, as the members below. */
  intent: z.enum(intents).optional(),
  tools: z.array(z.string()).optional(),
  disposition: z.enum(dispositions).optional(),
  /** None when absent. */
  concerns: z.array(z.enum(concerns)).optional(),
  texts: textsSchema,
});

/** A kind of synthetic tickets. */
const situationSchema = z.object({
  name: z.string(),
  /** Its share of the tickets, in percent. */
  percent: z.number(),
  /** True where greetings, anger, small talk and typing errors are added. */
  hasNoise: z.boolean(),
  /** True where the text stands above a quoted mail, a signature or a footer. */
  isQuoted: z.boolean().optional(),
  /** The situation whose groups it has. */
  groupsOf: z.string().optional(),
  /** Each group is equally frequent, and within it each text. */
  groups: z.array(z.array(templateSchema)).optional(),
});

const fileSchema = z.object({
  /**
   * Situations that people have to see are more frequent than in most inboxes, so that a few hundred tickets tell
   * whether they are found.
   */
  situations: z.array(situationSchema),
  fillings: z.record(z.string(), textsSchema),
  /**
   * Mails with parts that are not their newest text, whose place is `{newest}`. The other parts speak of something
   * else, often of what a person would have to see: whoever reads them as the message decides wrongly.
   */
  quoteFrames: textsSchema,
  noise: z.object({
    greetings: textsSchema,
    chatter: textsSchema,
    complaints: textsSchema,
    asides: textsSchema,
    closings: textsSchema,
    connectors: textsSchema,
    suffixes: textsSchema,
    slang: z.array(z.tuple([z.string(), z.string()])),
  }),
});

/** Texts of synthetic tickets that expect the same. */
export type TicketTemplate = z.output<typeof templateSchema>;

/** A text and its template. */
export interface TemplateText {
  readonly text: string;
  readonly template: TicketTemplate;
}

/** A kind of synthetic tickets; each group is equally frequent, and within it each text. */
export interface Situation extends Omit<z.output<typeof situationSchema>, 'groups' | 'groupsOf'> {
  readonly groups: readonly (readonly TemplateText[])[];
}

/** The texts of synthetic tickets. The shares of the situations add up to 100. */
export interface TicketTexts extends Omit<z.output<typeof fileSchema>, 'situations'> {
  readonly situations: readonly Situation[];
}

let loaded: TicketTexts | undefined;

/** The texts of synthetic tickets, which are read at the first call. */
export function ticketTexts(): TicketTexts {
  loaded ??= load();
  return loaded;
}

function load(): TicketTexts {
  const { situations, ...texts } = fileSchema.parse(JSON.parse(readFileSync(TICKETS, 'utf8')));
  const groupsOf = (name: string | undefined) => situations.find((one) => one.name === name)?.groups;
  return {
    ...texts,
    situations: situations.map(({ groups, groupsOf: other, ...situation }) => ({
      ...situation,
      groups: (groups ?? groupsOf(other) ?? []).map((templates) =>
        templates.flatMap((template) => template.texts.map((text) => ({ text, template }))),
      ),
    })),
  };
}

/** Fills in the placeholders of a text. */
export function fillTemplate(text: string, random: Random): string {
  return text.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
    const values = ticketTexts().fillings[name];
    return values === undefined ? placeholder : random.pick(values);
  });
}

/** Adds the noise of real messages to a text: greetings, politeness, anger, small talk and typing errors. */
export function addNoise(text: string, random: Random): string {
  const { greetings, chatter, complaints, asides, closings, suffixes, slang } = ticketTexts().noise;
  const before: string[] = [];
  const after: string[] = [];
  if (random.flip(0.35)) before.push(random.pick(greetings));
  if (random.flip(0.15)) before.push(random.pick(chatter));
  if (random.flip(0.15)) before.push(random.pick(complaints));
  if (random.flip(0.1)) after.push(random.pick(asides));
  if (random.flip(0.25)) after.push(random.pick(closings));
  let noisy = text;
  if (random.flip(0.25)) {
    for (const [plain, short] of slang) noisy = noisy.replace(plain, short);
  }
  if (random.flip(0.35)) noisy = withTypo(noisy, random);
  if (random.flip(0.1)) noisy = withTypo(noisy, random);
  if (random.flip(0.08)) noisy = noisy.toUpperCase();
  if (random.flip(0.2)) noisy += random.pick(suffixes);
  return [...before, noisy, ...after].join(' ');
}

/** Swaps, drops or doubles a letter of a word of five letters or more. Words with digits or punctuation stay. */
function withTypo(text: string, random: Random): string {
  const words = text.split(' ');
  const candidates = [...words.entries()].filter(([, word]) => /^[a-zA-Z]{5,}$/.test(word));
  if (candidates.length === 0) return text;
  const [position, word] = random.pick(candidates);
  const at = 1 + Math.floor(random.next() * (word.length - 3));
  const [head, tail] = [word.slice(0, at), word.slice(at + 2)];
  const [first, second] = [word.charAt(at), word.charAt(at + 1)];
  const typo = random.pick([
    head + second + first + tail,
    head + second + tail,
    head + first + first + second + tail,
  ]);
  return words.with(position, typo).join(' ');
}
