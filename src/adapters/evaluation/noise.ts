import type { Chance } from './random.ts';

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
const courtesies = [
  'Thanks in advance!',
  'Many thanks',
  'cheers',
  'Kind regards, Sam',
  'merci',
  'thx a lot',
  'Best, Priya',
];
const angers = [
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
const links = ['And one more thing:', 'Also,', 'Oh, and another question:', 'PS:', 'Besides,'];
const noises = ['!!!', '…', ' :)', ' 🙏', ' ???', ' -- sent from my phone', ' asap'];
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

/** How people write: greeted or not, polite or angry, with chatter and slips of the finger around what they want. */
export function inSomeManner(wish: string, chance: Chance): string {
  const before: string[] = [];
  const after: string[] = [];
  if (chance.flip(0.35)) before.push(chance.pick(greetings));
  if (chance.flip(0.15)) before.push(chance.pick(chatter));
  if (chance.flip(0.15)) before.push(chance.pick(angers));
  if (chance.flip(0.1)) after.push(chance.pick(asides));
  if (chance.flip(0.25)) after.push(chance.pick(courtesies));
  let said = wish;
  if (chance.flip(0.25)) said = inSlang(said);
  if (chance.flip(0.35)) said = withSlip(said, chance);
  if (chance.flip(0.1)) said = withSlip(said, chance);
  if (chance.flip(0.08)) said = said.toUpperCase();
  if (chance.flip(0.2)) said += chance.pick(noises);
  return [...before, said, ...after].join(' ');
}

/** A message with a second wish behind it. */
export function afterthought(said: string, wish: string, chance: Chance): string {
  return `${said} ${chance.pick(links)} ${wish}`;
}

function inSlang(text: string): string {
  return slang.reduce((said, [plain, short]) => said.replace(plain, short), text);
}

/** Swaps, drops or doubles a letter within a longer word that holds no digit; addresses and numbers stay whole. */
function withSlip(text: string, chance: Chance): string {
  const words = text.split(' ');
  const places = words.flatMap((word, index) => (/^[a-zA-Z]{5,}$/.test(word) ? [index] : []));
  if (places.length === 0) return text;
  const place = chance.pick(places);
  const word = words[place] ?? '';
  const at = 1 + Math.floor(chance.next() * (word.length - 3));
  const [head, one, two, tail] = [
    word.slice(0, at),
    word.charAt(at),
    word.charAt(at + 1),
    word.slice(at + 2),
  ];
  words[place] = chance.pick([head + two + one + tail, head + two + tail, head + one + one + two + tail]);
  return words.join(' ');
}
