import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { defaultPorts } from '../../../src/adapters/defaults.ts';
import { makeSyntheticTickets } from '../../../src/adapters/evaluation/synthetic-tickets.ts';
import { wishes } from '../../../src/adapters/evaluation/templates.ts';
import { createRuleBasedStages } from '../../../src/adapters/stages/rule-based.ts';
import { concernLexicon } from '../../../src/adapters/stages/rules/concern-cues.ts';
import { createPhraseBook } from '../../../src/adapters/stages/rules/phrase-book.ts';
import { entriesOf } from '../../../src/adapters/stages/rules/tables.ts';
import { exampleTools } from '../../../src/adapters/tools/example-tools.ts';
import { createOrchestrator } from '../../../src/application/orchestrator.ts';
import type { Scores } from '../../../src/domain/evaluation/scores.ts';
import { type CustomerMessage, intents } from '../../../src/domain/message/message.ts';
import { tokenize } from '../../../src/lib/text/tokenize.ts';
import type { Stages } from '../../../src/ports/stages.ts';

const rules = createRuleBasedStages({ escalationThreshold: 0.45 });

/** The scores of the stages that serve messages, some of them replaced. */
async function scoresWith(instead: Partial<Stages> = {}): Promise<Scores> {
  const orchestrator = createOrchestrator(defaultPorts({ stages: { ...rules, ...instead } }));
  for (const tool of exampleTools) orchestrator.tools.register(tool);
  const { scores } = await orchestrator.evaluation.run({ seed: 5, size: 1_000 });
  return scores;
}

/** The classifier, to which messages come edited. */
function reading(edit: (text: string) => string): Partial<Stages> {
  return {
    classify: (message: CustomerMessage, context) =>
      rules.classify({ ...message, message: edit(message.message) }, context),
  };
}

/** All tables of words and phrases that the rules read messages by, whichever files they are in. */
async function lexiconOfRules(): Promise<Readonly<Record<string, string>>> {
  const folder = new URL('../../../src/adapters/stages/rules/lexicon/', import.meta.url);
  const tables: Record<string, string>[] = [concernLexicon];
  for (const name of readdirSync(fileURLToPath(folder))) {
    const exported: Record<string, unknown> = await import(new URL(name, folder).href);
    tables.push(...Object.values(exported).map((table) => table as Record<string, string>));
  }
  // Two tables may name a concept alike: each keeps its own entries.
  return Object.fromEntries(
    tables.flatMap((table, index) => Object.entries(table).map(([name, list]) => [`${index} ${name}`, list])),
  );
}

describe('the tickets and the rules', () => {
  let find: (text: string) => readonly string[];
  let phrases = 0;

  beforeAll(async () => {
    const lexicon = await lexiconOfRules();
    const book = createPhraseBook(lexicon, new Set());
    phrases = Object.values(lexicon)
      .flatMap(entriesOf)
      .filter((entry) => entry.split(' ').length >= 3).length;
    find = (text) => {
      const terms = tokenize(text).map((word) => book.term(word));
      return terms.flatMap((_, at) => {
        const length = book.longestAt(terms, at)?.length ?? 0;
        if (length < 3) return [];
        const phrase = terms.slice(at, at + length).map(({ word }) => word);
        return [phrase.join(' ')];
      });
    };
  });

  test('can be compared: a phrase of the rules is found, in other inflections too', () => {
    expect(phrases).toBeGreaterThan(100);
    expect(find('well, I was told it is out for delivery')).toEqual(['out for delivery']);
    expect(find('they changed my mind')).toEqual(['changed my mind']);
  });

  test('share no phrase of three words or more', () => {
    const shared = wishes.flatMap(({ texts }) =>
      texts.flatMap((text) => find(text).map((phrase) => `“${phrase}” in “${text}”`)),
    );
    expect(shared).toEqual([]);
  });

  test('share none in what people say around their wish either', () => {
    const shared = new Set(
      [1, 2, 3].flatMap((seed) => makeSyntheticTickets(seed, 2_000).flatMap(({ message }) => find(message))),
    );
    expect([...shared]).toEqual([]);
  });
});

describe('the score of the rules', () => {
  let whole: Scores;

  beforeAll(async () => {
    whole = await scoresWith();
  });

  test('is well above guessing, and below perfect', () => {
    expect(whole.classificationAccuracy).toBeGreaterThan(0.6);
    expect(whole.classificationAccuracy).toBeLessThan(1);
    expect(whole.failureRate).toBe(0);
  });

  test.each(intents)('falls when the classifier reads every %s as something else', async (broken) => {
    const other = broken === 'spam' ? 'refund' : 'spam';
    const scores = await scoresWith({
      async classify(message, context) {
        const decided = await rules.classify(message, context);
        const { intent } = decided.value;
        return { ...decided, value: { ...decided.value, intent: intent === broken ? other : intent } };
      },
    });
    const recallOf = ({ perIntent }: Scores) => new Map(perIntent).get(broken)?.recall;
    const lost = (recallOf(whole) ?? 0) * (new Map(whole.perIntent).get(broken)?.support ?? 0);
    expect(lost).toBeGreaterThan(0);
    expect(recallOf(scores)).toBe(0);
    expect(scores.macroF1).toBeLessThan(whole.macroF1);
    // Where it read something else wrongly as this intent, the break may mend a ticket of the other one.
    expect(scores.classificationAccuracy).toBeLessThan(whole.classificationAccuracy - lost / 2_000);
  });

  test('falls to a guess when the classifier sees no text', async () => {
    const scores = await scoresWith(reading(() => '…'));
    expect(scores.classificationAccuracy).toBeLessThan(0.12);
    expect(scores.perIntent.filter(([, { recall }]) => recall > 0)).toHaveLength(1);
  });

  test.each<[string, (text: string) => string]>([
    ['negations', (text) => text.replaceAll(/\b(?:not|no|never|cannot|cant|dont|nothing)\b/gi, '')],
    ['the first half', (text) => text.slice(text.length / 2)],
    ['the second half', (text) => text.slice(0, text.length / 2)],
    [
      'every other word',
      (text) =>
        text
          .split(' ')
          .filter((_, index) => index % 2 === 0)
          .join(' '),
    ],
    ['vowels', (text) => text.replaceAll(/[aeiou]/gi, '')],
  ])('falls when the classifier does not see %s', async (_, edit) => {
    const scores = await scoresWith(reading(edit));
    expect(scores.classificationAccuracy).toBeLessThan(whole.classificationAccuracy);
    expect(scores.macroF1).toBeLessThan(whole.macroF1);
  });

  test('falls when a rule is lost: mentions of orders, of money', async () => {
    for (const lost of [/orders?|ordered/gi, /money|refund\w*|reimburs\w*|return\w*/gi]) {
      const scores = await scoresWith(reading((text) => text.replaceAll(lost, 'thing')));
      expect(scores.classificationAccuracy).toBeLessThan(whole.classificationAccuracy - 0.01);
    }
  });

  test('falls for tools when the planner calls none', async () => {
    const scores = await scoresWith({
      async plan(input, context) {
        return { ...(await rules.plan(input, context)), value: { toolCalls: [] } };
      },
    });
    expect(scores.toolSelectionAccuracy).toBeLessThan((whole.toolSelectionAccuracy ?? 0) / 2);
  });

  test('falls for escalations when the verifier decides the other way round', async () => {
    const scores = await scoresWith({
      async verify(input, context) {
        const decided = await rules.verify(input, context);
        return { ...decided, value: { escalated: !decided.value.escalated, reasons: ['on a whim'] } };
      },
    });
    expect(whole.escalationAccuracy).toBeGreaterThan(0.8);
    expect(scores.escalationAccuracy).toBeCloseTo(1 - (whole.escalationAccuracy ?? 0), 10);
    expect(scores.escalationRate).toBeCloseTo(1 - whole.escalationRate, 10);
  });

  test('shows a classifier that is too sure of itself as badly calibrated', async () => {
    const sure = await scoresWith({
      async classify(message, context) {
        const decided = await rules.classify(message, context);
        return { ...decided, value: { ...decided.value, confidence: 1 } };
      },
    });
    expect(sure.classificationAccuracy).toBe(whole.classificationAccuracy);
    expect(sure.calibrationError).toBeCloseTo(1 - whole.classificationAccuracy, 10);
    expect(sure.calibrationError).toBeGreaterThan(whole.calibrationError);
  });

  test('is the whole score for stages that know the answers', async () => {
    const answers = new Map(makeSyntheticTickets(5, 1_000).map((one) => [one.message, one]));
    const scores = await scoresWith({
      async classify(message, context) {
        const decided = await rules.classify(message, context);
        const intent = answers.get(message.message)?.expectedIntent ?? decided.value.intent;
        return { ...decided, value: { intent, confidence: 1 } };
      },
    });
    expect(scores).toMatchObject({ classificationAccuracy: 1, macroF1: 1, calibrationError: 0 });
    expect(scores.toolSelectionAccuracy).toBeGreaterThan(0.97);
  });
});
