import { stem } from '../../../../../lib/text/stemmer.ts';

/** Irregular past tenses and participles, by their verb. */
const irregular: ReadonlyMap<string, string> = new Map(
  Object.entries({
    send: 'sent',
    make: 'made',
    give: 'gave given',
    take: 'took taken',
    put: 'put',
    pay: 'paid',
    do: 'did done',
    go: 'went gone',
    write: 'wrote written',
    speak: 'spoke spoken',
    tell: 'told',
    get: 'got gotten',
    bring: 'brought',
    cut: 'cut',
    set: 'set',
    reset: 'reset',
    withdraw: 'withdrew withdrawn',
    begin: 'began begun',
    sell: 'sold',
    buy: 'bought',
    choose: 'chose chosen',
    keep: 'kept',
    undo: 'undid undone',
    ring: 'rang rung',
    leave: 'left',
    hold: 'held',
    shut: 'shut',
    resend: 'resent',
    find: 'found',
    look: 'looked',
    understand: 'understood',
    see: 'saw seen',
    hear: 'heard',
    know: 'knew known',
    be: 'been',
    have: 'had',
    think: 'thought',
    mean: 'meant',
    feel: 'felt',
    read: 'read',
    let: 'let',
    learn: 'learnt',
    become: 'became become',
    come: 'came come',
    lose: 'lost',
  }).flatMap(([verb, forms]) => forms.split(' ').map((form) => [form, verb] as const)),
);

/** The stem of a verb in any of its forms: `refund` for `refunded` and `refunding`. */
export function verbOf(word: string): string {
  const verb = stem(irregular.get(word) ?? word);
  return verb.endsWith('ll') ? verb.slice(0, -1) : verb;
}

/** True for a past tense or a participle, regular or not. */
export function isPast(word: string): boolean {
  return irregular.has(word) || (word.length > 3 && word.endsWith('ed') && !notPast.has(word));
}

const notPast = new Set('need proceed exceed succeed feed speed indeed unneeded'.split(' '));

/** True for the `-ing` form of a verb. */
export function isProgressive(word: string): boolean {
  return word.length > 4 && word.endsWith('ing') && !notProgressive.has(word);
}

const notProgressive = new Set(
  'nothing something everything anything having being during willing looking-forward hoping wondering missing following morning evening'.split(
    ' ',
  ),
);

const stems = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/).map(verbOf));

/** What a service does for a customer. */
export const actions = stems(`
  refund reimburse credit compensate waive cancel replace exchange swap send resend ship reship dispatch issue process
  approve arrange book schedule reserve change update amend correct delete remove erase close deactivate activate
  reactivate unlock reset block suspend unsubscribe renew extend upgrade downgrade transfer forward escalate report pass
  assign open raise create register file call phone ring contact email mail message write reply respond notify inform
  investigate review resolve fix repair offer give grant apply add deduct charge pay return collect prioritize
  prioritise expedite rush follow hold stop order reorder place submit request initiate trigger start settle handle
  match double provide prepare confirm finalize finalise complete deliver sort record flag mark restore recover
`);

/** Verbs by which nothing is done for a customer: what was read, is known or is felt, and what the reply itself does. */
export const harmlessPast = stems(`
  find check look see notice understand read hear know have be think mean feel learn want need try hope wish like love
  apologize apologise appreciate regret value include attach list explain outline summarize summarise describe mention
  say ask happen become design base relate
`);

/** What may be said of the future without promising a deed. */
export const harmlessFuture = stems(`
  be need find see help depend show appear work mean include contain ask say have want know notice let enjoy love
  like
`);

/** What things do by themselves: `it should take three days`. */
export const harmlessOfThings = stems('take cost apply last fit start end');

/** The base forms of promises in so many words: `we guarantee`. */
export const promises: ReadonlySet<string> = new Set(
  'guarantee promise assure ensure undertake pledge vow'.split(' '),
);

/** What customers are promised to get: `you will receive`. */
export const gains = stems('receive get hear have expect');
