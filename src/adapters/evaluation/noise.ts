import type { Random } from './random.ts';

const greetings = [
  'Hi,',
  'Hello there,',
  'Good morning,',
  'hey',
  'Dear team,',
  'Hola,',
  'Guten Tag,',
  'Bonjour,',
  'Yo',
];
const closings = [
  'Thanks in advance!',
  'Many thanks',
  'cheers',
  'Kind regards, Sam',
  'merci',
  'thx a lot',
  'Best, Priya',
];
const complaints = [
  'This is getting ridiculous.',
  'I am losing my patience here!!',
  'For heaven’s sake,',
  'Honestly, what a mess.',
  'damn it,',
];
const chatter = [
  'I have shopped with you for years.',
  'My sister told me about you.',
  'Sorry to bother you on a weekend.',
  'I am writing from my phone so excuse the spelling.',
  'It is raining cats and dogs over here.',
  'Ich hoffe, das ist die richtige Adresse.',
];
const asides = [
  'By the way, the parcel before that one came quickly.',
  'The newsletter is fun to read, too.',
  'You need not call me.',
  'Apart from that everything was fine with my last invoice.',
];
const connectors = ['And one more thing:', 'Also,', 'Oh, and another question:', 'PS:', 'Besides,'];
const suffixes = ['!!!', '…', ' :)', ' 🙏', ' ???', ' -- sent from my phone', ' asap'];
const slang: readonly (readonly [string, string])[] = [
  ['please', 'pls'],
  [' you ', ' u '],
  [' your ', ' ur '],
  ['want to', 'wanna'],
  ['do not', 'dont'],
  ['cannot', 'cant'],
  ['because', 'cuz'],
  ['I am', 'im'],
];

/** Adds the noise of real messages to a text: greetings, politeness, anger, small talk and typing errors. */
export function addNoise(text: string, random: Random): string {
  const before: string[] = [];
  const after: string[] = [];
  if (random.flip(0.35)) before.push(random.pick(greetings));
  if (random.flip(0.15)) before.push(random.pick(chatter));
  if (random.flip(0.15)) before.push(random.pick(complaints));
  if (random.flip(0.1)) after.push(random.pick(asides));
  if (random.flip(0.25)) after.push(random.pick(closings));
  let noisy = text;
  if (random.flip(0.25)) noisy = withSlang(noisy);
  if (random.flip(0.35)) noisy = withTypo(noisy, random);
  if (random.flip(0.1)) noisy = withTypo(noisy, random);
  if (random.flip(0.08)) noisy = noisy.toUpperCase();
  if (random.flip(0.2)) noisy += random.pick(suffixes);
  return [...before, noisy, ...after].join(' ');
}

/** Adds a second request to a message. */
export function appendRequest(message: string, request: string, random: Random): string {
  return `${message} ${random.pick(connectors)} ${request}`;
}

function withSlang(text: string): string {
  return slang.reduce((result, [plain, short]) => result.replace(plain, short), text);
}

/** Swaps, drops or doubles a letter of a word of five letters or more. Words with digits or punctuation stay. */
function withTypo(text: string, random: Random): string {
  const words = text.split(' ');
  const candidates = [...words.entries()].filter(([, word]) => /^[a-zA-Z]{5,}$/.test(word));
  if (candidates.length === 0) return text;
  const [position, word] = random.pick(candidates);
  const at = 1 + Math.floor(random.next() * (word.length - 3));
  const [head, first, second, tail] = [
    word.slice(0, at),
    word.charAt(at),
    word.charAt(at + 1),
    word.slice(at + 2),
  ];
  const typo = random.pick([
    head + second + first + tail,
    head + second + tail,
    head + first + first + second + tail,
  ]);
  return words.with(position, typo).join(' ');
}
