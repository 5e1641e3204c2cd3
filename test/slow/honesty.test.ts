import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { defaultPorts } from '../../src/adapters/defaults.ts';
import { makeSyntheticTickets } from '../../src/adapters/evaluation/synthetic-tickets.ts';
import { ticketTexts } from '../../src/adapters/evaluation/ticket-texts.ts';
import { createPlaybook } from '../../src/adapters/playbook/load.ts';
import { playbookContext } from '../../src/adapters/playbook-context.ts';
import { createPreparation } from '../../src/adapters/preparation/prepare.ts';
import { createAssessorFor, createRuleBasedStages } from '../../src/adapters/rule-based.ts';
import { exampleTools } from '../../src/adapters/tools/example-tools.ts';
import { createOrchestrator } from '../../src/application/orchestrator.ts';
import type { Scores } from '../../src/domain/evaluation/scores.ts';
import { concerns, type Disposition, intents, type Verdict } from '../../src/domain/message/message.ts';
import type { PreparedMessage, PreparedText } from '../../src/domain/message/prepared.ts';
import type { JsonObject } from '../../src/lib/json/json.ts';
import type { Ports } from '../../src/ports/ports.ts';
import type { Stages } from '../../src/ports/stages.ts';
import { readFolder, tradeFolders } from '../../training/texts.ts';
import { decided } from '../support/stages.ts';

const SEED = 5;
const SIZE = 700;
const tickets = makeSyntheticTickets(SEED, SIZE);

const rules = createRuleBasedStages({ escalationThreshold: 0.45 });

/** The scores of the stages that serve messages, some of them replaced. */
async function scoresWith(instead: Partial<Stages> = {}, ports: Partial<Ports> = {}): Promise<Scores> {
  const orchestrator = createOrchestrator(defaultPorts({ stages: { ...rules, ...instead }, ...ports }));
  for (const tool of exampleTools) orchestrator.tools.register(tool);
  const { scores } = await orchestrator.evaluation.run({ seed: SEED, size: SIZE });
  return scores;
}

/** A classifier that gets edited messages. */
function classifyEdited(edit: (text: string) => string): Partial<Stages> {
  return {
    classify: (message, context) =>
      rules.classify(
        { ...message, prepared: { ...message.prepared, text: edit(message.prepared.text) } },
        context,
      ),
  };
}

describe('the tickets and the texts of the training', () => {
  const wordsOf = (text: string): readonly string[] =>
    text
      .toLowerCase()
      .replaceAll('’', "'")
      .match(/[\p{L}\p{N}{}']+/gu) ?? [];
  const runsOf = (words: readonly string[], length: number): readonly string[] =>
    words.slice(length - 1).map((_, at) => words.slice(at, at + length).join(' '));
  const texts = ticketTexts().situations.flatMap(({ groups }) => groups.flat().map(({ text }) => text));
  const own = [...new Set(texts)].map(wordsOf);
  const trained = ['texts', ...tradeFolders]
    .flatMap(readFolder)
    .flatMap(({ lines }) =>
      lines.map((line) => wordsOf((JSON.parse(line) as { readonly text: string }).text)),
    );
  const sharing = (length: number): readonly string[] => {
    const runs = new Set(trained.flatMap((words) => runsOf(words, length)));
    return own
      .filter((words) => runsOf(words, length).some((run) => runs.has(run)))
      .map((words) => words.join(' '));
  };

  test('have no text of four words or more in common', () => {
    expect(trained.length).toBeGreaterThan(30_000);
    const known = new Set(trained.map((words) => words.join(' ')));
    expect(own.filter((words) => words.length >= 4 && known.has(words.join(' ')))).toEqual([]);
  });

  test('share no run of nine words, and rarely one of seven', () => {
    expect(sharing(9)).toEqual([]);
    // Ordinary phrases, such as `i want to talk to a human`, stand in 61,000 texts by chance.
    expect(sharing(7).length / own.length).toBeLessThan(0.04);
  });
});

describe('the score of the built-in judgement', () => {
  let ofRules: Scores;

  beforeAll(async () => {
    ofRules = await scoresWith();
  });

  test('is well above guessing, and below perfect', () => {
    expect(ofRules.classificationAccuracy).toBeGreaterThan(0.6);
    expect(ofRules.classificationAccuracy).toBeLessThan(1);
    expect(ofRules.failureRate).toBe(0);
  });

  test.each(intents)('falls when the classifier confuses every %s', async (broken) => {
    const other = broken === 'spam' ? 'refund' : 'spam';
    const scores = await scoresWith({
      async classify(message, context) {
        const decided = await rules.classify(message, context);
        const { intent } = decided.value;
        return { ...decided, value: { ...decided.value, intent: intent === broken ? other : intent } };
      },
    });
    const recallOf = ({ perIntent }: Scores) => new Map(perIntent).get(broken)?.recall;
    const lost = (recallOf(ofRules) ?? 0) * (new Map(ofRules.perIntent).get(broken)?.support ?? 0);
    expect(lost).toBeGreaterThan(0);
    expect(recallOf(scores)).toBe(0);
    expect(scores.macroF1).toBeLessThan(ofRules.macroF1);
    // Other tickets that were misclassified as this intent may become right.
    expect(scores.classificationAccuracy).toBeLessThan(ofRules.classificationAccuracy - lost / 2_000);
  });

  test('falls to a guess when the classifier gets no text', async () => {
    const scores = await scoresWith(classifyEdited(() => '…'));
    expect(scores.classificationAccuracy).toBeLessThan(0.12);
    expect(scores.perIntent.filter(([, { recall }]) => recall > 0)).toHaveLength(1);
  });

  test.each<[string, (text: string) => string]>([
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
  ])('falls when the classifier does not get %s', async (_, edit) => {
    const scores = await scoresWith(classifyEdited(edit));
    expect(scores.classificationAccuracy).toBeLessThan(ofRules.classificationAccuracy);
    expect(scores.macroF1).toBeLessThan(ofRules.macroF1);
  });

  test('falls when the words for orders or for money are lost', async () => {
    for (const lost of [/orders?|ordered/gi, /money|refund\w*|reimburs\w*|return\w*/gi]) {
      const scores = await scoresWith(classifyEdited((text) => text.replaceAll(lost, 'thing')));
      expect(scores.classificationAccuracy).toBeLessThan(ofRules.classificationAccuracy - 0.01);
    }
  });

  test('of tools falls when the planner calls none', async () => {
    const scores = await scoresWith({
      async plan(input, context) {
        return { ...(await rules.plan(input, context)), value: { toolCalls: [] } };
      },
    });
    expect(scores.toolSelectionAccuracy).toBeLessThan((ofRules.toolSelectionAccuracy ?? 0) / 2);
  });

  test('of escalations is inverted when the verifier is inverted', async () => {
    const scores = await scoresWith(
      verifyOtherwise((_, { escalated }) => verdict(escalated ? 'answered' : 'escalated')),
    );
    expect(scores.escalationAccuracy).toBeCloseTo(1 - (ofRules.escalationAccuracy ?? 0), 10);
    expect(scores.escalationRate).toBeCloseTo(1 - ofRules.escalationRate, 10);
  });

  test.each([
    ['never', 'answered'],
    ['always', 'escalated'],
  ] as const)('of escalations is well above that of %s escalating', async (_, disposition) => {
    const scores = await scoresWith(verifyOtherwise(() => verdict(disposition)));
    expect(ofRules.escalationAccuracy).toBeGreaterThan((scores.escalationAccuracy ?? 1) + 0.08);
  });

  test.each([
    ['overconfident', 1, (accuracy: number) => 1 - accuracy],
    ['underconfident', 0, (accuracy: number) => accuracy],
  ])('shows an %s classifier as badly calibrated', async (_, confidence, errorAt) => {
    const scores = await scoresWith({
      async classify(message, context) {
        const decided = await rules.classify(message, context);
        return { ...decided, value: { ...decided.value, confidence } };
      },
    });
    expect(scores.classificationAccuracy).toBe(ofRules.classificationAccuracy);
    expect(scores.calibrationError).toBeCloseTo(errorAt(scores.classificationAccuracy), 10);
    expect(scores.calibration.filter(({ count }) => count > 0)).toHaveLength(1);
  });

  test('is the best for stages that know the answers', async () => {
    const answers = new Map(tickets.map((one) => [one.message, one]));
    const inputs: Readonly<Record<string, (query: string) => JsonObject>> = {
      search_help_center: (query) => ({ query }),
      refund_policy: () => ({}),
      check_order_status: () => ({ order_id: '48213' }),
    };
    const scores = await scoresWith({
      classify: ({ message }) =>
        decided({
          intent: answers.get(message)?.expectedIntent ?? 'spam',
          confidence: 1,
          // The tools of all wishes, which the expected intent does not name.
          otherIntents: ['refund', 'order_status', 'general_question'],
        }),
      plan: ({ message: { message } }) =>
        decided({
          toolCalls: (answers.get(message)?.expectedTools ?? []).map((toolName) => ({
            toolName,
            input: inputs[toolName]?.(message) ?? {},
          })),
        }),
      verify({ message: { message } }) {
        const { expectedDisposition = 'answered', expectedConcerns = [] } = answers.get(message) ?? {};
        return decided({ ...verdict(expectedDisposition), concerns: expectedConcerns });
      },
    });
    expect(scores).toMatchObject({
      classificationAccuracy: 1,
      macroF1: 1,
      calibrationError: 0,
      toolSelectionAccuracy: 1,
      escalationAccuracy: 1,
      answeredWrongRate: 0,
      failureRate: 0,
      concerns: { recall: 1, precision: 1 },
    });
    for (const [expected, row] of scores.dispositions)
      expect(row.map(([actual]) => actual)).toEqual([expected]);
  });
});

/** A verdict without concerns. */
function verdict(disposition: Disposition): Verdict {
  return { escalated: disposition === 'escalated', reasons: ['on a whim'], disposition };
}

/** A verifier that changes the verdicts of the rules. */
function verifyOtherwise(change: (message: PreparedMessage, byRules: Verdict) => Verdict): Partial<Stages> {
  return {
    async verify(input, context) {
      const byRules = await rules.verify(input, context);
      return { ...byRules, value: change(input.message, byRules.value) };
    },
  };
}

/** A preparation that changes what is read. */
function prepareOtherwise(change: (message: PreparedMessage) => Partial<PreparedText>): Partial<Ports> {
  const prepare = createPreparation({ redactPii: true, languages: ['en'] });
  return {
    prepare(message) {
      const prepared = prepare(message);
      return { ...prepared, prepared: { ...prepared.prepared, ...change(prepared) } };
    },
  };
}

describe('a defect', () => {
  let ofRules: Scores;

  beforeAll(async () => {
    ofRules = await scoresWith();
  });

  const countOf = ({ dispositions }: Scores, expected: Disposition, actual: Disposition): number =>
    new Map(new Map(dispositions).get(expected)).get(actual) ?? 0;

  test.each(concerns)(
    'such as a message about %s answered unseen lowers the recall of concerns',
    async (concern) => {
      const scores = await scoresWith(
        verifyOtherwise((_, byRules) =>
          byRules.concerns?.includes(concern) ? verdict('answered') : byRules,
        ),
      );
      const recallOf = ({ concerns: { perConcern } }: Scores) => new Map(perConcern).get(concern)?.recall;
      expect(recallOf(ofRules)).toBeGreaterThan(0);
      expect(recallOf(scores)).toBe(0);
      expect(scores.concerns.recall).toBeLessThan(ofRules.concerns.recall ?? 0);
      expect(scores.answeredWrongRate).toBeGreaterThan(ofRules.answeredWrongRate);
      expect(countOf(scores, 'escalated', 'answered')).toBeGreaterThan(
        countOf(ofRules, 'escalated', 'answered'),
      );
    },
  );

  test('such as an answered out-of-office message raises the rate of wrong answers', async () => {
    const scores = await scoresWith(
      verifyOtherwise(({ prepared }, byRules) =>
        prepared.automatic !== false && !byRules.escalated ? verdict('answered') : byRules,
      ),
    );
    expect(countOf(scores, 'no_reply', 'answered')).toBeGreaterThan(
      countOf(ofRules, 'no_reply', 'answered') + 20,
    );
    expect(scores.answeredWrongRate).toBeGreaterThan(ofRules.answeredWrongRate + 0.02);
  });

  test('such as an automatic message that is not seen as one lowers the share of right dispositions', async () => {
    const scores = await scoresWith(
      {},
      prepareOtherwise(() => ({ automatic: false })),
    );
    expect(countOf(scores, 'no_reply', 'no_reply')).toBeLessThan(
      countOf(ofRules, 'no_reply', 'no_reply') - 10,
    );
    expect(scores.escalationAccuracy).toBeLessThan(ofRules.escalationAccuracy ?? 0);
  });

  test('such as an escalated `ok thanks` lowers the accuracy of escalations', async () => {
    const scores = await scoresWith(
      verifyOtherwise((_, byRules) =>
        byRules.reasons.includes('small_talk') ? verdict('escalated') : byRules,
      ),
    );
    expect(scores.escalationAccuracy).toBeLessThan((ofRules.escalationAccuracy ?? 0) - 0.01);
    expect(countOf(scores, 'answered', 'escalated')).toBeGreaterThan(
      countOf(ofRules, 'answered', 'escalated') + 15,
    );
  });

  test('such as an escalated near miss lowers the precision of concerns', async () => {
    const alarming =
      /\b(?:kill|fire|court|law|crime|burn|shoot|shot|die|dying|murder|police|knife|knives|poison|bomb|steal)/i;
    const scores = await scoresWith(
      verifyOtherwise(({ message }, byRules) =>
        alarming.test(message) && !byRules.escalated
          ? { ...verdict('escalated'), concerns: ['injury'] }
          : byRules,
      ),
    );
    expect(scores.concerns.precision).toBeLessThan(ofRules.concerns.precision ?? 0);
    expect(scores.escalationAccuracy).toBeLessThan(ofRules.escalationAccuracy ?? 0);
  });

  test('such as a quoted mail that is read as the message lowers several scores', async () => {
    const scores = await scoresWith(
      {},
      prepareOtherwise(({ message }) => ({ text: message })),
    );
    expect(scores.classificationAccuracy).toBeLessThan(ofRules.classificationAccuracy - 0.005);
    expect(scores.escalationAccuracy).toBeLessThan(ofRules.escalationAccuracy ?? 0);
    expect(scores.concerns.precision).toBeLessThan(ofRules.concerns.precision ?? 0);
  });

  test('such as an answer in another language than the message lowers the accuracy of escalations', async () => {
    const scores = await scoresWith(
      verifyOtherwise(({ prepared }, byRules) =>
        byRules.reasons.includes('language') && prepared.language !== 'en' ? verdict('answered') : byRules,
      ),
    );
    expect(scores.escalationAccuracy).toBeLessThan((ofRules.escalationAccuracy ?? 0) - 0.01);
    expect(scores.answeredWrongRate).toBeGreaterThan(ofRules.answeredWrongRate + 0.01);
  });

  test('such as a follow-up that gets one more answer raises the rate of wrong answers', async () => {
    const scores = await scoresWith(
      verifyOtherwise((_, byRules) =>
        byRules.reasons.includes('not_resolved') ? verdict('answered') : byRules,
      ),
    );
    expect(scores.answeredWrongRate).toBeGreaterThan(ofRules.answeredWrongRate);
  });

  test('such as a request for a person that is answered raises the rate of wrong answers', async () => {
    const scores = await scoresWith(
      verifyOtherwise((_, byRules) =>
        byRules.reasons.includes('human_requested') ? verdict('answered') : byRules,
      ),
    );
    expect(scores.answeredWrongRate).toBeGreaterThan(ofRules.answeredWrongRate + 0.02);
    expect(scores.escalationAccuracy).toBeLessThan(ofRules.escalationAccuracy ?? 0);
  });

  test('such as a second wish without its tool lowers the accuracy of tools', async () => {
    const scores = await scoresWith({
      async plan(input, context) {
        const byRules = await rules.plan(input, context);
        return { ...byRules, value: { toolCalls: byRules.value.toolCalls.slice(0, 1) } };
      },
    });
    expect(scores.toolSelectionAccuracy).toBeLessThan(ofRules.toolSelectionAccuracy ?? 0);
  });
});

describe('the concerns of companies of trades that appear nowhere in the training texts', () => {
  interface Row {
    readonly text: string;
    readonly language: string;
    readonly trade: string;
    readonly kind: 'plain' | 'near_miss' | 'concern';
  }
  const rows = readFileSync(new URL('../support/unseen-trades.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line): Row => JSON.parse(line));
  const { playbook } = createPlaybook(
    {
      company: { name: 'A company', languages: ['en', 'de'] },
      intents: [
        {
          name: 'question',
          description: 'Any question.',
          examples: ['I have a question', 'Ich habe eine Frage'],
          replies: { en: 'Thank you.', de: 'Danke.' },
        },
      ],
    },
    playbookContext('fault', {}),
  );
  const assessor = createAssessorFor({ playbook });
  const shareRaised = (kind: Row['kind'], language: string): number => {
    const own = rows.filter((row) => row.kind === kind && row.language === language);
    const raised = own.filter(({ text }) => {
      const prepared = { text, setApart: [], language, automatic: false } as const;
      return (
        assessor.assess({ source: 'email', customerId: 'c', message: text, prepared }).concerns.length > 0
      );
    });
    return raised.length / own.length;
  };

  test('are of trades without a file of their own', () => {
    expect(rows).toHaveLength(200);
    const trained = new Set(tradeFolders.flatMap(readFolder).map(({ file }) => file.replace('.jsonl', '')));
    expect(rows.filter(({ trade }) => trained.has(trade))).toEqual([]);
  });

  test.each([
    ['en', 0.65],
    ['de', 0.8],
  ])('are mostly found in %s, also where they are only hinted at', (language, least) => {
    expect(shareRaised('concern', language)).toBeGreaterThan(least);
  });

  test.each(['en', 'de'])('are rarely found in %s where there are none', (language) => {
    expect(shareRaised('plain', language)).toBeLessThan(0.08);
    expect(shareRaised('near_miss', language)).toBeLessThan(0.2);
  });
});
