import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Scores, score } from '../../src/domain/evaluation/scores.ts';
import {
  findTicketIssue,
  type JudgedTicket,
  mistakesOf,
  type Ticket,
} from '../../src/domain/evaluation/tickets.ts';
import {
  concerns,
  type Disposition,
  dispositions,
  type Intent,
  intents,
  type RecordedIntent,
} from '../../src/domain/message/message.ts';

type Other = Omit<Partial<JudgedTicket>, 'ticket'> & Partial<Ticket>;

/** By default the ticket is answered, and another threshold may change that. */
function judged(
  expectedIntent: Intent | undefined,
  predicted: RecordedIntent,
  other: Other = {},
): JudgedTicket {
  const {
    message = 'some words',
    expectedTools,
    expectedEscalated,
    expectedDisposition,
    expectedConcerns,
    ...outcome
  } = other;
  const escalated = other.escalated ?? other.disposition === 'escalated';
  return {
    ticket: {
      message,
      expectedIntent,
      expectedTools,
      expectedEscalated,
      expectedDisposition,
      expectedConcerns,
    },
    predicted,
    confidence: 0.9,
    tools: [],
    escalated,
    reasons: [],
    disposition: escalated ? 'escalated' : 'answered',
    concerns: [],
    dependsOnThreshold: true,
    failed: false,
    latencyMs: 1,
    evidence: [],
    ...outcome,
  };
}

function repeated(count: number, one: JudgedTicket): readonly JudgedTicket[] {
  return Array.from({ length: count }, () => one);
}

const share = fc.oneof(
  fc.double({ min: 0, max: 1, noNaN: true }),
  fc.integer({ min: 0, max: 20 }).map((step) => step / 20),
  fc.constantFrom(0, 1, 0.1 + 0.2, 0.7 - 0.1, Number.MIN_VALUE, 1 - Number.EPSILON / 2),
);
const toolNames = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 4 });
const someConcerns = fc.uniqueArray(fc.constantFrom(...concerns), { maxLength: 2 });

const anyJudged: fc.Arbitrary<JudgedTicket> = fc
  .record({
    expectedIntent: fc.option(fc.constantFrom(...intents), { nil: undefined, freq: 8 }),
    predicted: fc.constantFrom(...intents, 'unknown' as const),
    isMet: fc.boolean(),
    expectedTools: fc.option(toolNames, { nil: undefined }),
    expectedEscalated: fc.option(fc.boolean(), { nil: undefined }),
    expectedDisposition: fc.option(fc.constantFrom(...dispositions), { nil: undefined }),
    expectedConcerns: fc.option(someConcerns, { nil: undefined }),
    confidence: share,
    tools: toolNames,
    disposition: fc.constantFrom(...dispositions),
    concerns: someConcerns,
    isForConfidence: fc.boolean(),
    failed: fc.boolean(),
    latencyMs: fc.double({ min: 0, max: 1e6, noNaN: true }),
  })
  .map(({ expectedIntent, predicted, isMet, isForConfidence, ...other }) => {
    const disposition: Disposition = other.failed ? 'escalated' : other.disposition;
    return judged(expectedIntent, isMet ? (expectedIntent ?? predicted) : predicted, {
      ...other,
      disposition,
      escalated: disposition === 'escalated',
      concerns: disposition === 'escalated' ? other.concerns : [],
      dependsOnThreshold:
        !other.failed && (disposition === 'answered' || (disposition === 'escalated' && isForConfidence)),
    });
  });

const anyTickets = fc.array(anyJudged, { maxLength: 60 });

/** Ten refunds, of which seven are seen; five orders, of which three are; one spam that nobody expected. */
const example: readonly JudgedTicket[] = [
  ...repeated(7, judged('refund', 'refund')),
  ...repeated(2, judged('refund', 'order_status')),
  judged('refund', 'spam'),
  ...repeated(3, judged('order_status', 'order_status')),
  ...repeated(2, judged('order_status', 'refund')),
];

describe('the scores of a worked example', () => {
  const scores = score(example);

  test('have the accuracy of the intents', () => {
    expect(scores).toMatchObject({ totalTickets: 15, classificationAccuracy: 10 / 15 });
  });

  test('have precision, recall and F1 for each intent that was expected or predicted', () => {
    expect(scores.perIntent).toEqual([
      ['refund', { precision: 7 / 9, recall: 7 / 10, f1: 14 / 19, support: 10 }],
      ['order_status', { precision: 3 / 5, recall: 3 / 5, f1: 3 / 5, support: 5 }],
      ['spam', { precision: 0, recall: 0, f1: 0, support: 0 }],
    ]);
    expect(scores.macroF1).toBeCloseTo((14 / 19 + 3 / 5 + 0) / 3, 12);
  });

  test('have a count for each pair of expected and predicted intents', () => {
    expect(scores.confusion).toEqual([
      [
        'refund',
        [
          ['refund', 7],
          ['order_status', 2],
          ['spam', 1],
        ],
      ],
      [
        'order_status',
        [
          ['order_status', 3],
          ['refund', 2],
        ],
      ],
    ]);
  });

  test('list the misclassified tickets in order', () => {
    expect(scores.misclassified).toEqual([7, 8, 9, 13, 14].map((index) => example[index]));
  });
});

describe('misclassified tickets', () => {
  test('are listed up to the twentieth', () => {
    const many = Array.from({ length: 50 }, (_, index) => [
      judged('refund', 'refund'),
      judged('refund', 'spam', { message: `number ${index}` }),
    ]).flat();
    const shown = score(many).misclassified.map(({ ticket }) => ticket.message);
    expect(shown).toEqual(Array.from({ length: 20 }, (_, index) => `number ${index}`));
  });

  test('are none when every intent is right', () => {
    expect(score(repeated(3, judged('spam', 'spam'))).misclassified).toEqual([]);
  });
});

describe('the calibration error', () => {
  test('weights each bin of confidence by its tickets', () => {
    const tickets = [
      ...repeated(3, judged('refund', 'refund', { confidence: 0.95 })),
      judged('refund', 'spam', { confidence: 0.95 }),
      judged('refund', 'refund', { confidence: 0.31 }),
      judged('refund', 'spam', { confidence: 0.35 }),
    ];
    // Of four tickets at 0.95, three are right; of two at 0.33 on average, one is.
    expect(score(tickets).calibrationError).toBeCloseTo((4 * 0.2 + 2 * 0.17) / 6, 12);
  });

  test.each([
    [0, true, 1],
    [0, false, 0],
    [1, true, 0],
    [1, false, 1],
    [0.5, true, 0.5],
  ])('of one ticket at confidence %d that is right: %s, is %d', (confidence, right, error) => {
    const one = judged('refund', right ? 'refund' : 'spam', { confidence });
    expect(score([one]).calibrationError).toBe(error);
  });

  test.each([
    [0.1, 0.19],
    [0.3, 0.39],
    [0.6, 0.69],
    [0.7, 0.79],
    [0.9, 1],
  ])('lets confidences of %d and %d make up for each other, as they are of one tenth', (low, high) => {
    const scores = score([
      judged('refund', 'refund', { confidence: low }),
      judged('refund', 'spam', { confidence: high }),
    ]);
    expect(scores.calibrationError).toBeCloseTo(Math.abs((low + high) / 2 - 0.5), 12);
  });

  test('does not balance one bin with another', () => {
    const scores = score([
      judged('refund', 'refund', { confidence: 0.49 }),
      judged('refund', 'spam', { confidence: 0.5 }),
    ]);
    expect(scores.calibrationError).toBeCloseTo((0.51 + 0.5) / 2, 12);
  });
});

describe('the thresholds', () => {
  test('go from 0 to 1 in steps of exactly 0.05', () => {
    const written = JSON.stringify(score(example).thresholds.map(({ threshold }) => threshold));
    expect(written).toBe(
      '[0,0.05,0.1,0.15,0.2,0.25,0.3,0.35,0.4,0.45,0.5,0.55,0.6,0.65,0.7,0.75,0.8,0.85,0.9,0.95,1]',
    );
  });

  test('have the shares answered, answered wrongly and escalated', () => {
    const { thresholds } = score([
      judged('refund', 'refund', { confidence: 0.9 }),
      judged('refund', 'refund', { confidence: 0.45 }),
      judged('refund', 'spam', { confidence: 0.449 }),
      judged('refund', 'refund', { confidence: 1, escalated: true, dependsOnThreshold: false }),
      judged('refund', 'refund', { confidence: 1, escalated: true, dependsOnThreshold: false, failed: true }),
    ]);
    const at = (threshold: number) => thresholds.find((row) => row.threshold === threshold);
    expect(at(0)).toEqual({ threshold: 0, coverage: 0.6, errorRate: 1 / 3, escalationRate: 0.4 });
    expect(at(0.4)).toMatchObject({ coverage: 0.6, errorRate: 1 / 3, escalationRate: 0.4 });
    expect(at(0.45)).toMatchObject({ coverage: 0.4, errorRate: 0, escalationRate: 0.6 });
    expect(at(0.5)).toMatchObject({ coverage: 0.2, errorRate: 0, escalationRate: 0.8 });
    expect(at(0.95)).toEqual({ threshold: 0.95, coverage: 0, errorRate: 0, escalationRate: 1 });
  });

  test('count as answered what was escalated only for a confidence above them', () => {
    const unsure = judged('refund', 'refund', { confidence: 0.3, escalated: true });
    const { escalationRate, thresholds } = score([unsure]);
    expect(escalationRate).toBe(1);
    expect(thresholds.map(({ coverage }) => coverage)).toEqual(
      Array.from({ length: 21 }, (_, step) => (step <= 6 ? 1 : 0)),
    );
  });
});

describe('tools and escalations', () => {
  test('are not judged without expectations', () => {
    expect(score(example)).toMatchObject({ toolSelectionAccuracy: null, escalationAccuracy: null });
  });

  test('are judged over the tickets with expectations', () => {
    const scores = score([
      judged('refund', 'refund', { expectedTools: ['a', 'b'], tools: ['b', 'a'] }),
      judged('refund', 'refund', { expectedTools: ['a'], tools: ['a', 'a'] }),
      judged('refund', 'refund', { expectedTools: [], tools: [] }),
      judged('refund', 'refund', { expectedTools: ['a'], tools: ['a', 'b'] }),
      judged('refund', 'refund', { expectedTools: ['a', 'b'], tools: ['a'] }),
      judged('refund', 'refund', { expectedTools: ['a'], tools: [] }),
      judged('refund', 'refund', { expectedTools: [], tools: ['a'] }),
      judged('refund', 'refund', { expectedTools: ['a', 'a'], tools: ['b', 'a'] }),
      judged('refund', 'refund', { tools: ['a'], expectedEscalated: true, escalated: true }),
      judged('refund', 'refund', { expectedEscalated: false, escalated: true }),
      judged('refund', 'refund', { expectedEscalated: true }),
      judged('refund', 'refund', { expectedEscalated: false }),
    ]);
    expect(scores).toMatchObject({ toolSelectionAccuracy: 3 / 8, escalationAccuracy: 2 / 4 });
    expect(scores.escalationRate).toBe(2 / 12);
  });
});

describe('tickets without an expected intent', () => {
  test('count in no score of intents', () => {
    const scores = score([judged('refund', 'refund'), judged(undefined, 'spam', { confidence: 0.1 })]);
    expect(scores).toMatchObject({
      totalTickets: 2,
      classificationAccuracy: 1,
      macroF1: 1,
      confusion: [['refund', [['refund', 1]]]],
      misclassified: [],
    });
    expect(scores.calibrationError).toBeCloseTo(0.1, 12);
    expect(scores.perIntent.map(([intent]) => intent)).toEqual(['refund']);
  });
});

describe('the calibration', () => {
  test('has ten bins with the tickets and the accuracy of each, null in an empty one', () => {
    const { calibration } = score([
      judged('refund', 'refund', { confidence: 1 }),
      judged('refund', 'spam', { confidence: 0.9 }),
      judged('refund', 'refund', { confidence: 0.3 }),
    ]);
    expect(calibration).toHaveLength(10);
    expect(calibration[9]).toEqual({ from: 0.9, to: 1, count: 2, accuracy: 0.5 });
    expect(calibration[3]).toEqual({ from: 0.3, to: 0.4, count: 1, accuracy: 1 });
    expect(calibration[0]).toEqual({ from: 0, to: 0.1, count: 0, accuracy: null });
  });
});

describe('dispositions', () => {
  test('are counted by what was expected, over the tickets that say it', () => {
    const { dispositions: counts } = score([
      judged('refund', 'refund', { expectedDisposition: 'answered' }),
      judged('refund', 'refund', { expectedDisposition: 'answered', disposition: 'escalated' }),
      judged(undefined, 'spam', { expectedDisposition: 'no_reply', disposition: 'no_reply' }),
      judged('refund', 'refund', { disposition: 'escalated' }),
    ]);
    expect(counts).toEqual([
      [
        'answered',
        [
          ['answered', 1],
          ['escalated', 1],
        ],
      ],
      ['no_reply', [['no_reply', 1]]],
    ]);
  });

  test('say whether an escalation is expected, where the ticket does not say it itself', () => {
    const met = (other: Other) => score([judged('refund', 'refund', other)]).escalationAccuracy;
    expect(met({ expectedDisposition: 'escalated' })).toBe(0);
    expect(met({ expectedDisposition: 'answered' })).toBe(1);
    expect(met({ expectedDisposition: 'no_reply' })).toBe(1);
    expect(met({ expectedConcerns: ['legal'] })).toBe(0);
    expect(met({ expectedConcerns: [] })).toBeNull();
  });
});

describe('the rate of wrong answers', () => {
  test.each<[string, Intent | undefined, Other, number]>([
    ['an answer to the expected intent', 'refund', {}, 0],
    ['an answer to another intent', 'spam', {}, 1],
    ['an answer where no intent is expected', undefined, { expectedDisposition: 'answered' }, 0],
    ['an answer where an escalation is expected', 'refund', { expectedEscalated: true }, 1],
    ['an answer where a person should see it', 'refund', { expectedDisposition: 'escalated' }, 1],
    ['an answer to a concern', undefined, { expectedConcerns: ['fraud'] }, 1],
    ['an answer to an automatic message', undefined, { expectedDisposition: 'no_reply' }, 1],
    ['an escalation with another intent', 'spam', { disposition: 'escalated' }, 0],
    ['no reply to what should be escalated', 'spam', { disposition: 'no_reply', expectedEscalated: true }, 0],
  ])('counts, or not, %s', (_, expectedIntent, other, count) => {
    const tickets = [
      judged(expectedIntent, 'refund', other),
      ...repeated(3, judged('refund', 'refund', { disposition: 'escalated' })),
    ];
    expect(score(tickets).answeredWrongRate).toBe(count / 4);
  });
});

describe('concerns', () => {
  const found = (expectedConcerns: Ticket['expectedConcerns'], actual: JudgedTicket['concerns']) =>
    judged(undefined, 'complaint', {
      expectedConcerns,
      concerns: actual,
      disposition: actual.length > 0 ? 'escalated' : 'answered',
    });

  test('are found when any is, and each is scored by its name', () => {
    const scores = score([
      found(['legal'], ['legal']),
      found(['legal'], ['fraud']),
      found(['legal', 'injury'], ['injury', 'legal']),
      found(['legal'], []),
      found([], ['fraud']),
      found([], []),
    ]);
    expect(scores.concerns).toEqual({
      recall: 3 / 4,
      precision: 3 / 4,
      perConcern: [
        ['injury', { recall: 1, precision: 1, support: 1 }],
        ['fraud', { recall: null, precision: 0, support: 0 }],
        ['legal', { recall: 1 / 2, precision: 1, support: 4 }],
      ],
    });
  });

  test('are judged only for tickets that state theirs', () => {
    expect(score([found(undefined, ['legal'])]).concerns).toEqual({
      recall: null,
      precision: null,
      perConcern: [],
    });
    expect(score([found([], [])]).concerns).toMatchObject({ recall: null, precision: null });
    expect(score([found(['press'], [])]).concerns).toEqual({
      recall: 0,
      precision: null,
      perConcern: [['press', { recall: 0, precision: null, support: 1 }]],
    });
  });

  test('of any tickets have the recall and the precision of their definition', () => {
    fc.assert(
      fc.property(anyTickets, (tickets) => {
        const stated = tickets.filter(({ ticket }) => ticket.expectedConcerns !== undefined);
        const expecting = stated.filter(({ ticket }) => ticket.expectedConcerns?.length !== 0);
        const naming = stated.filter((one) => one.concerns.length > 0);
        const both = expecting.filter((one) => naming.includes(one)).length;
        const scores = score(tickets).concerns;
        expect(scores.recall).toBe(expecting.length === 0 ? null : both / expecting.length);
        expect(scores.precision).toBe(naming.length === 0 ? null : both / naming.length);
        for (const [concern, { support }] of scores.perConcern) {
          expect(support).toBe(
            stated.filter(({ ticket }) => ticket.expectedConcerns?.includes(concern)).length,
          );
        }
      }),
    );
  });
});

describe('what a ticket expects', () => {
  test.each<Omit<Ticket, 'message'>>([
    { expectedIntent: 'refund' },
    { expectedDisposition: 'no_reply' },
    { expectedConcerns: [] },
    { expectedConcerns: ['legal'], expectedEscalated: true, expectedDisposition: 'escalated' },
    { expectedIntent: 'refund', expectedEscalated: false, expectedDisposition: 'answered' },
  ])('has no issue: %j', (ticket) => {
    expect(findTicketIssue(ticket)).toBeUndefined();
  });

  test.each<[Omit<Ticket, 'message'>, string]>([
    [{}, 'intent'],
    [{ expectedTools: [], expectedEscalated: true }, 'intent'],
    [{ expectedIntent: 'refund', expectedEscalated: true, expectedDisposition: 'answered' }, 'disposition'],
    [{ expectedIntent: 'refund', expectedEscalated: false, expectedDisposition: 'escalated' }, 'disposition'],
    [{ expectedConcerns: ['legal'], expectedDisposition: 'no_reply' }, 'disposition'],
    [{ expectedConcerns: ['legal'], expectedEscalated: false }, 'escalated'],
  ])('has an issue where it says too little, or contradicts itself: %j', (ticket, expected) => {
    expect(findTicketIssue(ticket)).toMatchObject({ expected });
  });
});

describe('tickets that fail', () => {
  test('are counted, with an unknown intent where there is none', () => {
    const scores = score([
      judged('refund', 'unknown', {
        failed: true,
        escalated: true,
        dependsOnThreshold: false,
        confidence: 0,
      }),
      judged('refund', 'refund', { failed: true, escalated: true, dependsOnThreshold: false }),
      judged('refund', 'refund'),
    ]);
    expect(scores).toMatchObject({
      classificationAccuracy: 2 / 3,
      failureRate: 2 / 3,
      escalationRate: 2 / 3,
    });
    expect(scores.perIntent).toEqual([['refund', { precision: 1, recall: 2 / 3, f1: 0.8, support: 3 }]]);
    expect(scores.confusion).toEqual([
      [
        'refund',
        [
          ['unknown', 1],
          ['refund', 2],
        ],
      ],
    ]);
    expect(scores.misclassified).toHaveLength(1);
  });
});

describe('latencies', () => {
  test('have a mean and a 95th percentile', () => {
    const tickets = Array.from({ length: 100 }, (_, index) =>
      judged('refund', 'refund', { latencyMs: ((index * 37) % 100) + 1 }),
    );
    expect(score(tickets)).toMatchObject({ averageLatencyMs: 50.5, p95LatencyMs: 95 });
  });

  test('of one ticket are its latency', () => {
    const one = judged('refund', 'refund', { latencyMs: 12.5 });
    expect(score([one])).toMatchObject({ averageLatencyMs: 12.5, p95LatencyMs: 12.5 });
  });
});

const divided = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);

/** The scores once more, as their definitions say them: one question to all tickets at a time. */
function oracle(tickets: readonly JudgedTicket[]) {
  const count = (holds: (one: JudgedTicket) => boolean): number => tickets.filter(holds).length;
  const classified = tickets.filter(({ ticket }) => ticket.expectedIntent !== undefined);
  const met = (one: JudgedTicket): boolean => one.ticket.expectedIntent === one.predicted;
  const missed = (one: JudgedTicket): boolean => classified.includes(one) && !met(one);
  const wantsPerson = ({ ticket }: JudgedTicket): boolean | undefined => {
    if (ticket.expectedEscalated !== undefined) return ticket.expectedEscalated;
    if (ticket.expectedDisposition !== undefined) return ticket.expectedDisposition === 'escalated';
    return (ticket.expectedConcerns ?? []).length > 0 ? true : undefined;
  };
  const isWrong = (one: JudgedTicket): boolean => {
    const { expectedDisposition } = one.ticket;
    if (wantsPerson(one)) return true;
    if (one.disposition === 'no_reply' && expectedDisposition !== undefined)
      return expectedDisposition !== 'no_reply';
    return missed(one) || (expectedDisposition === 'no_reply' && one.disposition !== 'no_reply');
  };
  const perIntent = intents.flatMap((intent) => {
    const hits = count((one) => one.predicted === intent && met(one));
    const wrongly = count((one) => one.predicted === intent && missed(one));
    const lost = count((one) => one.ticket.expectedIntent === intent && !met(one));
    if (hits + wrongly + lost === 0) return [];
    const precision = divided(hits, hits + wrongly);
    const recall = divided(hits, hits + lost);
    const f1 = divided(2 * precision * recall, precision + recall);
    return [{ intent, precision, recall, f1, support: hits + lost }];
  });
  let distance = 0;
  for (let bin = 0; bin < 10; bin++) {
    const within = classified.filter(
      ({ confidence }) => confidence >= bin / 10 && (confidence < (bin + 1) / 10 || bin === 9),
    );
    const confidence = within.reduce((total, one) => total + one.confidence, 0);
    distance +=
      Math.abs(divided(confidence, within.length) - divided(within.filter(met).length, within.length)) *
      within.length;
  }
  const sorted = tickets.map(({ latencyMs }) => latencyMs).sort((one, other) => one - other);
  const key = (names: readonly string[]): string => [...new Set(names)].sort().join();
  const withTools = tickets.filter(({ ticket }) => ticket.expectedTools !== undefined);
  const withEscalation = tickets.filter((one) => wantsPerson(one) !== undefined);
  return {
    accuracy: divided(count(met), classified.length),
    answeredWrongly: divided(
      count((one) => one.disposition === 'answered' && isWrong(one)),
      tickets.length,
    ),
    perIntent,
    macroF1: divided(
      perIntent.reduce((total, { f1 }) => total + f1, 0),
      perIntent.length,
    ),
    calibrationError: divided(distance, classified.length),
    average: divided(
      sorted.reduce((total, one) => total + one, 0),
      tickets.length,
    ),
    p95: sorted.find((_, index) => (index + 1) * 20 >= tickets.length * 19) ?? 0,
    tools: divided(
      withTools.filter(({ ticket, tools }) => key(ticket.expectedTools ?? []) === key(tools)).length,
      withTools.length,
    ),
    judgesTools: withTools.length > 0,
    escalations: divided(
      withEscalation.filter((one) => wantsPerson(one) === one.escalated).length,
      withEscalation.length,
    ),
    judgesEscalations: withEscalation.length > 0,
    thresholds: Array.from({ length: 21 }, (_, step) => {
      const answered = tickets.filter(
        (one) =>
          one.disposition === 'no_reply' || (one.dependsOnThreshold && one.confidence >= (step * 5) / 100),
      );
      return {
        coverage: divided(answered.length, tickets.length),
        errorRate: divided(answered.filter(isWrong).length, answered.length),
        escalationRate: divided(
          tickets.filter((one) => one.disposition !== 'draft' && !answered.includes(one)).length,
          tickets.length,
        ),
      };
    }),
  };
}

/** Every number in a value of any depth. */
function numbersIn(value: unknown): readonly number[] {
  if (typeof value === 'number') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : [];
}

describe('the scores of any tickets', () => {
  test('match their definitions', () => {
    fc.assert(
      fc.property(anyTickets, (tickets) => {
        const scores = score(tickets);
        const expected = oracle(tickets);
        expect(scores.totalTickets).toBe(tickets.length);
        expect(scores.classificationAccuracy).toBe(expected.accuracy);
        expect(scores.answeredWrongRate).toBe(expected.answeredWrongly);
        expect(scores.macroF1).toBeCloseTo(expected.macroF1, 10);
        expect(scores.perIntent.map(([intent]) => intent)).toEqual(
          expected.perIntent.map(({ intent }) => intent),
        );
        scores.perIntent.forEach(([, one], index) => {
          expect(one.precision).toBe(expected.perIntent[index]?.precision);
          expect(one.recall).toBe(expected.perIntent[index]?.recall);
          expect(one.f1).toBeCloseTo(expected.perIntent[index]?.f1 ?? -1, 10);
          expect(one.support).toBe(expected.perIntent[index]?.support);
        });
        expect(scores.calibrationError).toBeCloseTo(expected.calibrationError, 10);
        expect(scores.averageLatencyMs).toBeCloseTo(expected.average, 6);
        expect(scores.p95LatencyMs).toBe(expected.p95);
        expect(scores.toolSelectionAccuracy).toBe(expected.judgesTools ? expected.tools : null);
        expect(scores.escalationAccuracy).toBe(expected.judgesEscalations ? expected.escalations : null);
        expect(scores.thresholds.map(({ threshold: _, ...row }) => row)).toEqual(expected.thresholds);
      }),
    );
  });

  test('have a confusion matrix that sums to the tickets', () => {
    fc.assert(
      fc.property(anyTickets, (tickets) => {
        const { confusion, perIntent } = score(tickets);
        const supports = new Map(perIntent.map(([intent, { support }]) => [intent, support]));
        for (const [expected, row] of confusion) {
          expect(row.reduce((total, [, count]) => total + count, 0)).toBe(supports.get(expected));
          for (const [predicted, times] of row) {
            const same = tickets.filter(
              (one) => one.ticket.expectedIntent === expected && one.predicted === predicted,
            );
            expect(times).toBe(same.length);
          }
        }
        const classified = tickets.filter(({ ticket }) => ticket.expectedIntent !== undefined);
        expect(numbersIn(confusion).reduce((total, one) => total + one, 0)).toBe(classified.length);
      }),
    );
  });

  test('have only finite numbers, and shares from 0 to 1', () => {
    fc.assert(
      fc.property(anyTickets, (tickets) => {
        const scores: Scores = score(tickets);
        expect(numbersIn(scores).filter((number) => !Number.isFinite(number))).toEqual([]);
        const { totalTickets: _, averageLatencyMs: _a, p95LatencyMs: _p, confusion: _c, ...rest } = scores;
        const {
          misclassified: _m,
          dispositions: _d,
          perIntent,
          calibration,
          concerns: found,
          ...shares
        } = rest;
        const all = numbersIn([
          shares,
          perIntent.map(([, { support: _s, ...one }]) => one),
          calibration.map(({ count: _n, ...one }) => one),
          [found.recall, found.precision, found.perConcern.map(([, { support: _s, ...one }]) => one)],
        ]);
        expect(all.filter((number) => number < 0 || number > 1)).toEqual([]);
      }),
    );
  });

  test('answer less and escalate more as the threshold rises', () => {
    fc.assert(
      fc.property(anyTickets, (tickets) => {
        const coverages = score(tickets).thresholds.map(({ coverage }) => coverage);
        expect(coverages).toEqual([...coverages].sort((one, other) => other - one));
      }),
    );
  });

  test('do not depend on the order of the tickets, except the listed ones', () => {
    fc.assert(
      fc.property(anyTickets, (tickets) => {
        const { classificationAccuracy, thresholds, perIntent } = score(tickets);
        expect(score(tickets.toReversed())).toMatchObject({ classificationAccuracy, thresholds, perIntent });
      }),
    );
  });

  test('of no tickets are 0', () => {
    const scores = score([]);
    expect(scores).toMatchObject({ perIntent: [], confusion: [], misclassified: [] });
    expect(scores.concerns).toEqual({ recall: null, precision: null, perConcern: [] });
    const { thresholds, calibration, ...others } = scores;
    expect(calibration.every(({ count, accuracy }) => count === 0 && accuracy === null)).toBe(true);
    expect(numbersIn(others).every((number) => number === 0)).toBe(true);
    expect(thresholds.every(({ coverage, escalationRate }) => coverage + escalationRate === 0)).toBe(true);
  });
});

describe('the mistakes about a ticket', () => {
  const handedOver = new Set(['human_agent']);
  const mistakes = (...args: Parameters<typeof judged>) => mistakesOf(judged(...args), handedOver);

  test('are none where everything is as expected', () => {
    expect(mistakes('refund', 'refund')).toEqual({ wrong: [], needless: false });
    expect(mistakes('human_agent', 'human_agent', { escalated: true })).toEqual({
      wrong: [],
      needless: false,
    });
  });

  test('name each decision that is another one', () => {
    const expected = {
      ...({ expectedTools: ['a'], expectedDisposition: 'answered', expectedConcerns: ['legal'] } as const),
    };
    expect(mistakes('refund', 'spam', { ...expected, tools: ['b'], disposition: 'no_reply' })).toEqual({
      wrong: ['intent', 'tools', 'disposition', 'concerns'],
      needless: false,
    });
  });

  test('tell what a person got needlessly', () => {
    const escalated = { escalated: true };
    expect(mistakes('refund', 'refund', escalated)).toEqual({ wrong: [], needless: true });
    expect(mistakes('refund', 'refund', { ...escalated, expectedEscalated: false })).toEqual({
      wrong: ['escalated'],
      needless: true,
    });
    expect(mistakes('refund', 'refund', { ...escalated, expectedEscalated: true }).needless).toBe(false);
    expect(mistakes(undefined, 'refund', { ...escalated, expectedConcerns: [] }).needless).toBe(false);
  });
});
