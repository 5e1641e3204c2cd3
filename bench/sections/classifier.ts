import { encodeModelFile, loadTrainedClassifier } from '../../src/adapters/classifier/intent-model.ts';
import { testModel } from '../../src/adapters/classifier/report.ts';
import { cleanTickets, type LabeledTicket, readTicketFile } from '../../src/adapters/classifier/tickets.ts';
import { trainIntents } from '../../src/adapters/classifier/training.ts';
import { createAnswerable } from '../../src/adapters/rule-based.ts';
import { createRandom } from '../../src/lib/learning/learner.ts';
import type { Section } from '../support/report/section.ts';
import { median } from '../support/report/statistics.ts';
import { decimal, integer, markdownTable } from '../support/report/table.ts';
import { atMost, type TargetResult } from '../support/report/target.ts';

const INTENTS = 77;
const ROWS = 10_000;

/** The largest model file, in KiB. */
const MAX_KIB = 1_024;

export const classifier: Section = {
  name: 'classifier',
  title: 'A classifier from own tickets',
  async measure(quick) {
    const [file, testFile] = [process.env['BENCH_TICKETS'], process.env['BENCH_TEST_TICKETS']];
    const rows = quick ? 2_000 : ROWS;
    const tickets = file === undefined ? makeTickets(rows, INTENTS, 1) : await readTicketFile(file);
    const tests = testFile === undefined ? tickets.slice(0, 3_000) : await readTicketFile(testFile);
    const { cells, targets } = measure(tickets, tests, testFile !== undefined);
    return { targets, blocks: [explanation, markdownTable(head, [cells])] };
  },
};

const explanation =
  'In one process, on made-up tickets, or on those of the files `BENCH_TICKETS` and `BENCH_TEST_TICKETS` (CSV or JSON Lines): a training as `train` does it, cross-validation included, in seconds of CPU time and of the clock; the size of the model; microseconds of CPU time for a prediction.';

const head = [
  'Tickets',
  'intents',
  'training, CPU s',
  'clock s',
  'model, KiB',
  'load, ms',
  'prediction, µs',
  'cross-validated accuracy',
  'accuracy on the test file',
];

function measure(tickets: readonly LabeledTicket[], tests: readonly LabeledTicket[], isTested: boolean) {
  const { examples, intents } = cleanTickets(tickets);
  const startedAt = performance.now();
  const before = process.cpuUsage();
  const { model } = trainIntents(
    {
      intents,
      tickets: examples.map(({ message, intent }) => ({ text: message, intent })),
      support: [],
      handedOver: new Set(),
    },
    { seed: 0, targetError: 0.05, answerable: createAnswerable(), withCurve: true },
  );
  const bytes = Buffer.from(encodeModelFile(model));
  const used = process.cpuUsage(before);
  const cpuSeconds = (used.user + used.system) / 1e6;
  const clockSeconds = (performance.now() - startedAt) / 1e3;
  const loadedAt = performance.now();
  const loaded = loadTrainedClassifier(bytes);
  const loadMs = performance.now() - loadedAt;
  const microseconds = predictionTime(loaded.classifier.rank, tests);
  const accuracy = isTested ? testModel(loaded.classifier, loaded.intents, tests).accuracy : undefined;
  const kib = bytes.length / 1_024;
  const targets: TargetResult[] = [
    atMost(`training on ${integer(tickets.length)} tickets, CPU time`, cpuSeconds, 10, ' s'),
    atMost('model file', kib, MAX_KIB, ' KiB'),
    atMost('prediction, CPU time', microseconds, 30, ' µs'),
  ];
  const cells = [
    integer(tickets.length),
    integer(loaded.intents.length),
    decimal(cpuSeconds, 1),
    decimal(clockSeconds, 1),
    integer(kib),
    decimal(loadMs, 1),
    decimal(microseconds, 1),
    decimal(model.figures.accuracy, 3),
    accuracy === undefined ? '' : decimal(accuracy, 3),
  ];
  return { cells, targets };
}

/** Median microseconds of CPU time over rounds through the texts; the first round only warms up. */
function predictionTime(rank: (text: string) => unknown, tests: readonly LabeledTicket[]): number {
  const samples = Array.from({ length: 8 }, () => {
    const before = process.threadCpuUsage();
    for (const { message } of tests) rank(message);
    const used = process.threadCpuUsage(before);
    return (used.user + used.system) / tests.length;
  });
  return median(samples.slice(1));
}

const syllables = 'ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo zu'.split(' ');

/**
 * Made-up tickets of as many intents as banking77 has, of about as many words. Each intent has words of its own, that
 * other intents share in part, among words that all have.
 */
function makeTickets(count: number, intents: number, seed: number): readonly LabeledTicket[] {
  const random = createRandom(seed);
  const pick = <T>(list: readonly T[]): T => {
    const item = list[Math.floor(random() * list.length)];
    if (item === undefined) throw new RangeError('the list is empty');
    return item;
  };
  const word = (): string =>
    Array.from({ length: 2 + Math.floor(random() * 2) }, () => pick(syllables)).join('');
  const common = Array.from({ length: 400 }, word);
  const special = Array.from({ length: 600 }, word);
  const ofIntent = Array.from({ length: intents }, () => Array.from({ length: 12 }, () => pick(special)));
  return Array.from({ length: count }, (_, at) => {
    const own = ofIntent[at % intents] ?? special;
    const length = 6 + Math.floor(random() * 12);
    const words = Array.from({ length }, () => (random() < 0.3 ? pick(own) : pick(common)));
    return { message: `${words.join(' ')} ${at}?`, intent: `intent_${at % intents}`, line: at + 2 };
  });
}
