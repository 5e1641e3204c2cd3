import { formatNumber, formatShare } from '../../ui/format.ts';
import { evidenceOf, recordOf, type Trace, textsOf } from './trace.ts';
import { inWords, sourceWords } from './words.ts';

/** A point of the account of a message, with its lines: each a text, after a name where it is about something. */
export interface Point {
  readonly name: string;
  readonly lines: readonly { readonly about?: string; readonly text: string }[];
}

/** The decisions about a message. Points about which they say nothing are absent. */
export interface Account {
  /** Its judge, the deciding words, second looks, overrides of the judge, and the other opinion. */
  readonly judged: readonly Point[];
  /** Which reply was refused, what the check of the reply found, and what the language model used. */
  readonly answered: readonly Point[];
}

type Decision = Trace['agent_decisions'][number];
type Lines = Point['lines'];

/** Reads how a message was decided from the decisions of its stages. Members of another type are left out. */
export function accountOf(trace: Pick<Trace, 'agent_decisions' | 'cost' | 'currency'>): Account {
  const decisionBy = (stage: string) => trace.agent_decisions.find(({ agent }) => agent === stage);
  const classifier = decisionBy('classifier');
  const { evidence, second_look, floor, built_in } = recordOf(classifier?.data);
  return {
    judged: pointsOf([
      ['Judged by', classifier === undefined ? [] : [{ text: judgeOf(classifier) }]],
      [
        'Evidence',
        evidenceOf(evidence).map(({ name, words }) => ({ about: inWords(name), text: words.join(', ') })),
      ],
      ['Second look', secondLookOf(recordOf(second_look))],
      ['Above the judge', floor === undefined ? [] : floorOf(recordOf(floor))],
      ['Built-in opinion', opinionOf(recordOf(built_in))],
    ]),
    answered: pointsOf([
      ['Reply refused', refusedOf(decisionBy('responder'))],
      ['Check of the reply', checkOf(recordOf(decisionBy('verifier')?.data))],
      ['Tokens', trace.agent_decisions.flatMap(spentOn)],
      ['Cost', costOf(trace)],
    ]),
  };
}

function pointsOf(points: readonly (readonly [string, Lines])[]): readonly Point[] {
  return points.flatMap(([name, lines]) => (lines.length === 0 ? [] : [{ name, lines }]));
}

const judges = new Map([
  ['built_in', 'the built-in model'],
  ['classifier', 'the classifier that was trained on own tickets'],
  ['llm', 'the language model'],
]);

function judgeOf({ source, data }: Decision): string {
  const { judge, reason, model } = data;
  if (typeof judge !== 'string') return sourceWords[source];
  const name = judges.get(judge) ?? inWords(judge);
  if (source === 'fallback') return `${name}, because the language model failed${inBrackets(reason)}`;
  // The model was asked, and something above it let the built-in judgement hold.
  if (source === 'llm' && judge !== 'llm') return `${name}, because the text speaks to the machine`;
  return `${name}${judge === 'llm' ? inBrackets(recordOf(model)['sure']) : ''}`;
}

function secondLookOf({ concern, raised, reason }: Readonly<Record<string, unknown>>): Lines {
  if (typeof concern !== 'string' || typeof raised !== 'boolean') return [];
  const counts =
    typeof reason === 'string' ? `: it failed${inBrackets(reason)}, the built-in model counts` : '';
  return [{ about: inWords(concern), text: `${raised ? 'raised' : 'not raised'}${counts}` }];
}

const talks = new Map([
  ['instructions', 'instructions to an assistant'],
  ['role', 'an imitated role or marker'],
  ['member', 'members of a reply of a model'],
  ['encoded', 'text that is encoded or hidden'],
]);

function floorOf({ concerns, wants_person, machine_talk }: Readonly<Record<string, unknown>>): Lines {
  const lines = [
    ...textsOf(concerns).map((concern) => ({ about: inWords(concern), text: 'in unmistakable words' })),
    ...(wants_person === true ? [{ about: 'a person', text: 'asked for in unmistakable words' }] : []),
    ...(typeof machine_talk === 'string'
      ? [{ about: 'speaks to the machine', text: talks.get(machine_talk) ?? inWords(machine_talk) }]
      : []),
  ];
  return lines.length === 0 ? [{ text: 'nothing' }] : lines;
}

function opinionOf({ intent, confidence, concerns, reasons }: Readonly<Record<string, unknown>>): Lines {
  if (typeof intent !== 'string') return [];
  const share = typeof confidence === 'number' ? ` ${formatShare(confidence)}` : '';
  const further = (
    [
      ['concerns', concerns],
      ['reasons', reasons],
    ] as const
  ).map(([about, names]) => ({
    about,
    text: textsOf(names).map(inWords).join(', '),
  }));
  return [{ text: `${inWords(intent)}${share}` }, ...further.filter(({ text }) => text !== '')];
}

function refusedOf(responder: Decision | undefined): Lines {
  const { refused, reason, left_open } = recordOf(responder?.data);
  const kinds = [...new Set(textsOf(refused))].map(inWords);
  const which = reason === 'unsafe_reply' ? 'the first and the mended reply' : 'the first reply';
  return [
    ...(kinds.length === 0 ? [] : [{ about: which, text: `by the guard: ${kinds.join(', ')}` }]),
    ...(typeof reason === 'string' && reason !== 'unsafe_reply'
      ? [{ text: `the language model wrote none${inBrackets(reason)}` }]
      : []),
    ...(isCount(left_open) ? [{ about: 'left open', text: counted(left_open, 'question') }] : []),
  ];
}

function checkOf({ fits, unsupported, unanswered, reason }: Readonly<Record<string, unknown>>): Lines {
  if (typeof fits !== 'boolean') {
    return typeof reason === 'string' ? [{ text: `the language model failed${inBrackets(reason)}` }] : [];
  }
  return [
    { text: fits ? 'it fits' : 'it does not fit' },
    ...(isCount(unsupported) ? [{ about: 'without a source', text: counted(unsupported, 'statement') }] : []),
    ...(isCount(unanswered) ? [{ about: 'not answered', text: counted(unanswered, 'question') }] : []),
  ];
}

function spentOn({ agent, data }: Decision): Lines {
  const { calls, cost, currency } = data;
  const { input, cached_input, output } = recordOf(data['tokens']);
  if (!isCount(calls)) return [];
  const parts = [
    counted(calls, 'call'),
    ...(typeof input === 'number' ? [`${formatNumber(input)} in`] : []),
    ...(isCount(cached_input) ? [`${formatNumber(cached_input)} of them cached`] : []),
    ...(typeof output === 'number' ? [`${formatNumber(output)} out`] : []),
    ...costOf({ cost, currency }).map(({ text }) => text),
  ];
  return [{ about: agent, text: parts.join(', ') }];
}

const amount = new Intl.NumberFormat('en', { maximumSignificantDigits: 4 });

function costOf({ cost, currency }: { readonly cost: unknown; readonly currency: unknown }): Lines {
  if (typeof cost !== 'number') return [];
  return [{ text: `${amount.format(cost)}${typeof currency === 'string' ? ` ${currency}` : ''}` }];
}

const inBrackets = (word: unknown): string => (typeof word === 'string' ? ` (${inWords(word)})` : '');
const isCount = (value: unknown): value is number => typeof value === 'number' && value > 0;
const counted = (count: number, name: string): string =>
  `${formatNumber(count)} ${name}${count === 1 ? '' : 's'}`;
