import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { loadBuiltInPlaybook } from '../../../src/adapters/playbook/built-in.ts';
import { createPlaybook, loadPlaybook } from '../../../src/adapters/playbook/load.ts';
import { builtInLanguages, completeTexts } from '../../../src/adapters/playbook/texts.ts';
import { reasons } from '../../../src/adapters/stages/verifier.ts';
import { exampleTools } from '../../../src/adapters/tools/example-tools.ts';
import { concerns } from '../../../src/domain/message/message.ts';
import { standardTexts } from '../../../src/domain/playbook/playbook.ts';
import { cpuTime } from '../../support/event-loop.ts';
import { company, context, load } from './playbooks.ts';

const repairs = load(`
company:
  name: Tannenhof Cycles
  signature: The Tannenhof workshop
  contact: { email: workshop@tannenhof.example }
  languages: [en, de]
  tone: { greeting: { en: 'Hi,' } }
mode: draft
auto_reply: [repair_status]
entities:
  - { name: job_number, pattern: 'WJ-[0-9]{5}', examples: [WJ-12345] }
intents:
  - name: repair_status
    description: How far a repair is.
    examples: ['Is my bike ready?']
    threshold: 0.7
    required:
      - { entity: job_number, question: { en: 'Which job number?', de: 'Welche Auftragsnummer?' } }
    tool:
      name: job_lookup
      input:
        job: '\${{ entities.job_number }}'
        by: { customer: '\${{ customer.id }}', shop: '\${{ message.metadata.shop }}' }
        lines: ['\${{ entities.job_number }}', fixed, '\${{ message.metadata.shop }}']
        text: 'Job \${{ entities.job_number }} of \${{ customer.id }}'
        count: 3
    replies: { en: 'Your repair is {{ tool.state }}.', de: 'Ihre Reparatur: {{ tool.state }}.' }
    not_found: { en: 'We cannot find {{ entities.job_number }}.', de: 'Nichts gefunden.' }
  - { name: accident, description: A crash., handover: always }
concerns:
  injury: { phrases: ['Fork Broke'], harmless: ['My chain fell off'], sensitivity: low, priority: 2, reply: { en: 'We of {{ company.name }} are sorry.' } }
hours: { timezone: Europe/Berlin, weekdays: '08:00-17:00', friday: '08:00-12:30', wednesday: closed, sunday: '10:00-24:00' }
sla: { 1: { within: 10m, hours: always }, 3: { within: 1h }, 5: 9d }
tools: [{ name: job_lookup }]
example_tools: false
`);

const { playbook } = repairs;
const status = playbook.intents.get('repair_status');

test('an intent without a description is described by the words of its name', () => {
  const { playbook: bare } = load(`${company}\nintents: [{ name: lost_key, replies: { en: Hi. } }]`);
  expect(bare.intents.get('lost_key')?.description).toBe('lost key');
});

describe('a playbook', () => {
  test('has what its file states', () => {
    expect(playbook).toMatchObject({
      company: {
        name: 'Tannenhof Cycles',
        signature: 'The Tannenhof workshop',
        contact: { email: 'workshop@tannenhof.example' },
        languages: ['en', 'de'],
      },
      mode: 'draft',
      autoReply: new Set(['repair_status']),
      articlesTool: undefined,
    });
    expect(status).toMatchObject({
      threshold: 0.7,
      articles: false,
      handover: false,
      examples: ['Is my bike ready?'],
    });
    expect(playbook.intents.get('accident')?.handover).toBe(true);
    expect(repairs).toMatchObject({ exampleTools: false, tools: [{ name: 'job_lookup' }], warnings: [] });
  });

  test('has the intents that are always there, after its own', () => {
    expect([...playbook.intents.keys()]).toEqual([
      'repair_status',
      'accident',
      'human_agent',
      'spam',
      'feedback',
    ]);
    expect(playbook.intents.get('human_agent')?.handover).toBe(true);
    expect(playbook.intents.get('human_agent')?.replies.get('de')?.render({})).toContain(
      'mit einer Person sprechen',
    );
    expect(playbook.intents.get('feedback')?.replies.get('en')?.render({})).toContain('You are welcome');
    expect(playbook.intents.get('spam')?.replies.size).toBe(0);
  });

  test('keeps an intent of its own under such a name', () => {
    const own = load(
      `${company}\nintents: [{ name: feedback, description: Praise., replies: { en: 'Nice!' } }]`,
    );
    expect(own.playbook.intents.get('feedback')?.replies.get('en')?.render({})).toBe('Nice!');
    expect(own.playbook.intents.size).toBe(3);
  });

  test('has defaults for everything but its intents', () => {
    const least = load('intents: []').playbook;
    expect(least).toMatchObject({
      company: { name: 'Customer service', signature: 'Customer service', contact: {}, languages: ['en'] },
      mode: 'reply',
      autoReply: undefined,
      messageTools: new Set(),
      entities: [],
      hours: undefined,
      sla: {
        1: { within: 1_800_000, hours: 'opening' },
        2: { within: 7_200_000, hours: 'opening' },
        3: { within: 14_400_000, hours: 'opening' },
        4: { within: 86_400_000, hours: 'opening' },
        5: { within: 172_800_000, hours: 'opening' },
      },
    });
    expect(least.concerns.self_harm.priority).toBe(1);
  });

  test('may be JSON', () => {
    expect(load(JSON.stringify({ intents: [], mode: 'draft' })).playbook.mode).toBe('draft');
  });

  test('finds entities, without regard to case', () => {
    const [jobNumber] = playbook.entities;
    expect(jobNumber?.find('about job WJ-20113 and WJ-11111')?.value).toBe('WJ-20113');
    expect(jobNumber?.find('about job wj-20113')).toEqual({ value: 'wj-20113', text: 'wj-20113' });
    expect(jobNumber?.find('')).toBeUndefined();
  });

  test('searches long texts in time that is linear', () => {
    const [slow] = load(`${company}\nintents: []\nentities: [{ name: a, pattern: '(x+x+)+y' }]`).playbook
      .entities;
    expect(slow?.find(`${'x'.repeat(30_000)}!`)).toBeUndefined();
    expect(slow?.find(`${'x'.repeat(30)}y`)?.value).toBe(`${'x'.repeat(30)}y`);
  });

  test.each([
    ['[upper]', 'Straße-7', 'STRASSE-7'],
    ['[lower]', 'ÄB-7', 'äb-7'],
    ['[compact]', 'ab - 7/8.9\u00a0\u201310 \u2011 x', 'ab78910x'],
    ['[digits]', 'ab-7/8', '78'],
    ['[compact, upper]', 'a b', 'AB'],
    ['[upper, lower]', 'aB', 'ab'],
    ['[lower, upper]', 'aB', 'AB'],
    ['[]', ' aB', ' aB'],
  ])('normalizes the value of an entity by %s: %s', (normalize, text, value) => {
    const entities = `[{ name: a, pattern: '(?s).+', normalize: ${normalize} }]`;
    const [entity] = load(`${company}\nintents: []\nentities: ${entities}`).playbook.entities;
    expect(entity?.find(text)).toEqual({ value, text });
  });

  test.each(['(?<value>…)', '(?P<value>…)'])('takes the group %s for the value', (group) => {
    const pattern = `job (?:no\\.? )?${group.replace('…', '[a-z]{2}[- ]?[0-9]{4}')}`;
    const entities = `[{ name: a, pattern: '${pattern}', normalize: [upper, compact], examples: [job ls 4471] }]`;
    const [entity] = load(`${company}\nintents: []\nentities: ${entities}`).playbook.entities;
    expect(entity?.find('How far is Job No. ls-4471?')).toEqual({ value: 'LS4471', text: 'Job No. ls-4471' });
  });

  test('takes all of a match for the value where the group is not a part of it, and none that is empty', () => {
    const made = load(`
${company}
intents: []
entities:
  - { name: a, pattern: 'no (?<value>[0-9]+)|LS[0-9]+' }
  - { name: b, pattern: '[a-z]+', normalize: [digits] }
`);
    const [either, none] = made.playbook.entities;
    expect(either?.find('no 12')?.value).toBe('12');
    expect(either?.find('ls12')?.value).toBe('ls12');
    expect(none?.find('abc')).toBeUndefined();
  });

  test('has the texts of its tone, and the built-in ones', () => {
    expect(playbook.texts.get('en')?.greeting).toBe('Hi,');
    expect(playbook.texts.get('de')?.greeting).toBe('Guten Tag,');
    for (const texts of playbook.texts.values()) expect(Object.keys(texts)).toEqual([...standardTexts]);
  });

  test('has concerns of its own beside the built-in ones', () => {
    const { injury, legal } = playbook.concerns;
    expect(injury).toMatchObject({ priority: 2, phrases: ['fork broke'] });
    expect(injury).toMatchObject({ harmless: ['My chain fell off'], sensitivity: 'low' });
    expect(legal).toMatchObject({ harmless: [], sensitivity: 'normal' });
    expect(injury.reply.get('en')?.render({ company: { name: 'X' } })).toBe('We of X are sorry.');
    expect(injury.reply.get('de')?.render({})).toContain('112');
    expect(legal.priority).toBe(2);
    expect(legal.reply.get('en')?.render({})).toContain('We do not answer it automatically');
  });

  test('has hours by day from Sunday on, and time limits in milliseconds', () => {
    const day = { from: 480, to: 1_020 };
    expect(playbook.hours).toEqual({
      timezone: 'Europe/Berlin',
      days: [{ from: 600, to: 1_440 }, day, day, null, day, { from: 480, to: 750 }, null],
    });
    expect(playbook.sla).toMatchObject({
      1: { within: 600_000, hours: 'always' },
      2: { within: 7_200_000, hours: 'opening' },
      3: { within: 3_600_000, hours: 'opening' },
      5: { within: 777_600_000, hours: 'opening' },
    });
  });
});

describe('the input of a tool', () => {
  test('is filled in, with values of any kind', () => {
    const input = status?.tools[0]?.input({
      entities: { job_number: 'WJ-20113' },
      customer: { id: 'c-1' },
      message: { text: 'x', metadata: { shop: 'Graz' } },
      conversation: {},
    });
    expect(input).toEqual({
      job: 'WJ-20113',
      by: { customer: 'c-1', shop: 'Graz' },
      lines: ['WJ-20113', 'fixed', 'Graz'],
      text: 'Job WJ-20113 of c-1',
      count: 3,
    });
  });

  test('leaves out members that name something which the message does not', () => {
    const input = status?.tools[0]?.input({
      entities: {},
      customer: { id: 'c-1' },
      message: { metadata: {} },
    });
    expect(input).toEqual({ by: { customer: 'c-1' }, lines: ['fixed'], count: 3 });
  });
});

describe('a template', () => {
  test('is filled in for its language; a missing value gives no text', () => {
    expect(status?.replies.get('de')?.render({ tool: { state: 'fertig' } })).toBe('Ihre Reparatur: fertig.');
    expect(status?.replies.get('en')?.render({ tool: {} })).toBeUndefined();
    expect(status?.replies.get('fr')).toBeUndefined();
  });

  test('never takes a value as a template', () => {
    const state = '{{ tool.secret }}{% assign x = 1 %}';
    const text = status?.replies.get('en')?.render({ tool: { state, secret: 'SECRET' } });
    expect(text).toBe(`Your repair is ${state}.`);
  });

  const rendered = (text: string) => {
    const yaml = { intents: [{ name: 'a', description: 'a', replies: { en: text } }] };
    const { playbook: made } = createPlaybook(yaml, context);
    return made.intents
      .get('a')
      ?.replies.get('en')
      ?.render({ entities: { order_id: '1' } });
  };

  test.each([
    '{% for i in (1..100000000) %}{{ i }}{% endfor %}',
    '{% for i in (1..100000) %}{% for j in (1..100000) %}x{% endfor %}{% endfor %}',
    '{% assign x = "aaaaaaaaaa" %}{% for i in (1..50) %}{% assign x = x | append: x %}{% endfor %}{{ x }}',
    '{% assign x = "a,b" | split: "," %}{% for i in (1..50) %}{% assign x = x | concat: x %}{% endfor %}{{ x | size }}',
    '{{ 1 | date: "%999999999Y" }}',
    '{% tablerow i in (1..100000000) %}x{% endtablerow %}',
    '{{ (1..100000000) | join }}',
  ])('with endless work gives no text, soon: %s', (text) => {
    const { result, ms } = cpuTime(() => rendered(text));
    expect(result).toBeUndefined();
    expect(ms).toBeLessThan(10_000);
  });

  test('sees only own members', () => {
    expect(rendered('{{ entities.order_id }}')).toBe('1');
    expect(rendered('{% if entities.order_id.constructor %}a{% else %}b{% endif %}')).toBe('b');
  });
});

describe('the texts of values', () => {
  /** Renders a text in English and German. */
  const render = (text: string, tool: object, more = ''): readonly (string | undefined)[] => {
    const { playbook: made } = load(`
company: { name: A, languages: [en, de, fr] }
labels:
  confirmed: { en: confirmed by us, de: bestätigt }
  open: { de: offen }
  '3': { en: three, de: drei }
${more}
intents: [{ name: a, replies: { en: ${JSON.stringify(text)}, de: ${JSON.stringify(text)}, fr: ${JSON.stringify(text)} }, tool: { name: refund_policy } }]
`);
    const replies = made.intents.get('a')?.replies;
    return ['en', 'de', 'fr'].map((language) =>
      replies?.get(language)?.render(JSON.parse(JSON.stringify({ tool }))),
    );
  };

  test('are those of the language of the reply, else of the first one, else the values', () => {
    expect(render('It is {{ tool.state | label }}.', { state: 'confirmed' })).toEqual([
      ...['It is confirmed by us.', 'It is bestätigt.', 'It is confirmed by us.'],
    ]);
    expect(render('{{ tool.state | label }}', { state: 'open' })).toEqual(['open', 'offen', 'open']);
    expect(render('{{ tool.state | label }}', { state: 'lost' })).toEqual(['lost', 'lost', 'lost']);
    expect(render('{{ tool.count | label }}', { count: 3 })).toEqual(['three', 'drei', 'three']);
    expect(render('{{ tool.state | label }}', {})).toEqual([undefined, undefined, undefined]);
    expect(render('{{ tool.state | label }}', { state: 'constructor' })[0]).toBe('constructor');
  });

  test('can be changed further, and compared', () => {
    expect(render('{{ tool.state | label | upcase }}', { state: 'open' })[1]).toBe('OFFEN');
    const text = '{% assign shown = tool.state | label %}{% if shown == "offen" %}ja{% else %}no{% endif %}';
    expect(render(text, { state: 'open' })).toEqual(['no', 'ja', 'no']);
  });

  test.each([
    ['2026-12-08', ['December 8, 2026', '8. Dezember 2026', '8 décembre 2026']],
    ['2026-12-08T23:30:00Z', ['December 9, 2026', '9. Dezember 2026', '9 décembre 2026']],
    ['2026-12-08T23:30:00.123+01:00', ['December 8, 2026', '8. Dezember 2026', '8 décembre 2026']],
    ['2026-12-08T23:30:00-0500', ['December 9, 2026', '9. Dezember 2026', '9 décembre 2026']],
    ['2026-12-08T23:30', ['December 8, 2026', '8. Dezember 2026', '8 décembre 2026']],
    ['2026-12-08 23:30:00', ['December 8, 2026', '8. Dezember 2026', '8 décembre 2026']],
    [1_796_772_600_000, ['December 9, 2026', '9. Dezember 2026', '9 décembre 2026']],
  ])('of the date %s are in the language of the reply and in the time zone of the company', (date, texts) => {
    expect(render('{{ tool.date | date }}', { date }, 'hours: { timezone: Europe/Berlin }')).toEqual(texts);
  });

  test.each([
    ['short', ['Jul 1, 2026', '01.07.2026', '1 juil. 2026']],
    ['long', ['Wednesday, July 1, 2026', 'Mittwoch, 1. Juli 2026', 'mercredi 1 juillet 2026']],
    ['time', ['5:05 PM', '17:05', '17:05']],
    ['%d.%m.%Y %H:%M', ['01.07.2026 17:05', '01.07.2026 17:05', '01.07.2026 17:05']],
  ])('of a date can be %s', (format, texts) => {
    const date = '2026-07-01T15:05:00Z';
    const zone = 'hours: { timezone: Europe/Berlin }';
    expect(render(`{{ tool.date | date: '${format}' }}`, { date }, zone)).toEqual(texts);
  });

  test('of a date are those of UTC without hours of the company', () => {
    expect(render("{{ tool.date | date: 'time' }}", { date: '2026-07-01T15:05:00Z' })[1]).toBe('15:05');
    expect(render("{{ tool.date | date: '%H' }}", { date: '2026-07-01T15:05:00+02:00' })[1]).toBe('13');
  });

  test.each([
    'soon',
    '',
    'now',
    '2026-02-30',
    '2026-13-01',
    '2026-12-08T25:00',
    '08.12.2026',
    '1796772600000',
  ])('of what is no date are the value itself: %j', (date) => {
    expect(render('{{ tool.date | date }}', { date })[0]).toBe(date);
  });

  test.each([true, 9e15, 12.5])('of the value %s are no date, or one that there is', (date) => {
    const [text] = render('{{ tool.date | date }}', { date });
    expect([String(date), 'January 1, 1970']).toContain(text);
  });

  test('of a date without a clock have no time', () => {
    expect(render("{{ tool.date | date: 'time' }}", { date: '2026-07-01' })[0]).toBe('2026-07-01');
  });

  test('stand in questions, in texts for what was not found, and in replies to concerns', () => {
    const { playbook: made } = load(`
company: { name: A, languages: [de] }
labels: { chat: { de: im Chat } }
intents:
  - name: a
    required: [{ entity: order_id, question: { de: "Welche, {{ message.source | label }}?" } }]
    not_found: { de: "Am {{ message.metadata.day | date }} nichts." }
    tool: { name: refund_policy }
    replies: { de: Ja. }
concerns: { legal: { reply: { de: "Danke {{ message.source | label }}." } } }
`);
    const values = { message: { source: 'chat', metadata: { day: '2026-12-08' } } };
    const intent = made.intents.get('a');
    expect(intent?.required[0]?.question.get('de')?.render(values)).toBe('Welche, im Chat?');
    expect(intent?.notFound.get('de')?.render(values)).toBe('Am 8. Dezember 2026 nichts.');
    expect(made.concerns.legal.reply.get('de')?.render(values)).toBe('Danke im Chat.');
  });
});

describe('the built-in playbook', () => {
  const file = fileURLToPath(new URL('../../../playbook/playbook.yaml', import.meta.url));

  test('passes the checks of any playbook, without a warning', () => {
    const { warnings, playbook: checked } = loadPlaybook(file, context);
    expect(warnings).toEqual([]);
    expect([...checked.intents.keys()]).toEqual([...loadBuiltInPlaybook().intents.keys()]);
  });

  test('answers from the articles of the help center, and calls the example tools', () => {
    const builtIn = loadBuiltInPlaybook();
    expect(builtIn).toMatchObject({ source: 'built-in', articlesTool: 'search_help_center' });
    const tools = [...builtIn.intents.values()].flatMap((intent) => intent.tools.map(({ name }) => name));
    expect(exampleTools.map(({ name }) => name)).toEqual(expect.arrayContaining(tools));
    const asked = builtIn.intents.get('order_status');
    expect(asked?.tools[0]?.input({ entities: { order_id: 'A-1' } })).toEqual({ order_id: 'A-1' });
    expect(asked?.replies.get('en')?.render({ tool: { status: 'packed' }, entities: {} })).toContain(
      'is packed',
    );
  });
});

/** The built-in texts as they are sent, with and without an inbox. */
function completeIn(hasInbox: boolean, contact: Readonly<Record<string, string>> = {}) {
  return builtInLanguages.map((language) => {
    const { texts, concerns: replies } = completeTexts(language, contact, hasInbox) ?? {};
    return { language, texts: { ...texts }, replies: { ...replies } };
  });
}

describe('the built-in texts', () => {
  test.each([true, false])('are there in eight languages, complete and different: inbox %s', (hasInbox) => {
    const all = completeIn(hasInbox);
    expect(all.map(({ language }) => language).sort()).toEqual([
      'de',
      'en',
      'es',
      'fr',
      'it',
      'nl',
      'pl',
      'pt',
    ]);
    for (const { texts, replies } of all) {
      expect(Object.keys(texts).sort()).toEqual([...standardTexts].sort());
      expect(Object.keys(replies).sort()).toEqual([...concerns].sort());
    }
    const texts = all.flatMap((one) => [...Object.values(one.texts), ...Object.values(one.replies)]);
    expect(new Set(texts).size).toBe(texts.length);
    for (const text of texts) expect(text).not.toMatch(/[<>{}%]|\s{2}|^\s|\s$/);
  });

  const handovers = ['handover', 'unresolved', 'upset', 'language', 'human', 'failure'] as const;
  /** Promises that only a service with an inbox may make, in each of the languages. */
  const promise =
    /will read|marked|wird .*(?:lesen|antworten)|vorgemerkt|lira|signalé|leerá|marcado|leggerà|segnalato|zal .*lezen|gemarkeerd|przeczyta (?:ją|Państwa)|oznaczona|vai l|marcada/;

  test('promise a person where there is an inbox, and only there', () => {
    for (const { texts, replies } of completeIn(true)) {
      for (const name of handovers) expect(texts[name]).toMatch(promise);
      for (const name of concerns) expect(replies[name]).toMatch(promise);
    }
    for (const { texts, replies } of completeIn(false)) {
      for (const text of [...Object.values(texts), ...Object.values(replies)])
        expect(text).not.toMatch(promise);
    }
  });

  test('name how to reach the company where there is no inbox, but not to somebody who may harm themselves', () => {
    const contact = { email: 'help@shop.example', phone: '+43 $& 1' };
    for (const { texts, replies } of completeIn(false, contact)) {
      const named = [...handovers.map((name) => texts[name]), replies.legal, replies.injury];
      for (const text of named) expect(text).toMatch(/: help@shop\.example, \+43 \$& 1$/);
      expect(replies.self_harm).not.toContain('shop');
    }
  });

  /** The beginnings of the words of a shop: product, order, parcel, packaging, delivery, shop, goods. */
  const shopWords: Readonly<Record<string, string>> = {
    en: 'product|order|parcel|packag|deliver|ship|shop|store|goods|item|refund|return',
    de: 'produkt|artikel|bestell|paket|päckchen|verpack|liefer|versand|laden|ware(?!n)|sendung|erstatt',
    fr: 'produit|article|commande|colis|emball|livr|expédi|boutique|magasin|marchandis|rembours',
    es: 'product|artículo|pedido|paquete|embal|envase|entrega|envío|tienda|mercanc|reembols',
    it: 'prodott|articol|ordin|pacc|imball|consegn|spedi|negozi|merce|rimbors',
    nl: 'product|artikel|bestel|pakk|verpakk|lever|bezorg|winkel|goederen|zending|terugbetal',
    pt: 'produto|artigo|encomenda|pedido|pacote|embal|entreg|loja|mercador|reembols',
    pl: 'produkt|artykuł|towar|zamów|paczk|opakowa|dostaw|przesył|sklep|zwrot',
  };

  test.each(Object.entries(shopWords))('name no trade, as the reasons do not: %s', (language, beginnings) => {
    const word = new RegExp(`(?<!\\p{L})(?:${beginnings})\\p{L}*`, 'iu');
    const all = [...completeIn(true), ...completeIn(false)].filter((one) => one.language === language);
    const spoken = all.flatMap(({ texts, replies }) => [...Object.values(texts), ...Object.values(replies)]);
    expect(spoken.length).toBeGreaterThan(40);
    for (const text of spoken) expect(text).not.toMatch(word);
    if (language === 'en') for (const text of Object.values(reasons)) expect(text).not.toMatch(word);
  });

  test('name help lines that exist', () => {
    const of = (wanted: string) =>
      completeIn(true).find(({ language }) => language === wanted)?.replies.self_harm;
    for (const { language, replies } of completeIn(false)) {
      expect(replies.self_harm).toContain('findahelpline.com');
      if (language !== 'en') expect(replies.self_harm).toContain('112');
    }
    expect(of('de')).toContain('0800 111 0 111');
    expect(of('fr')).toContain('3114');
    expect(of('es')).toContain('024');
    expect(of('nl')).toContain('113');
  });
});

describe('a playbook for a service without an inbox', () => {
  const stated = load(`
company:
  languages: [en, de]
  contact: { email: help@shop.example }
  tone: { handover: { en: A colleague reads it. } }
concerns: { legal: { reply: { en: 'Our lawyer {{ company.contact.email }} answers.' } } }
intents: []
`).playbook;
  const without = stated.withoutInbox;

  test('keeps the texts of the company as they are', () => {
    expect(without.texts.get('en')?.handover).toBe('A colleague reads it.');
    const values = { company: { contact: { email: 'a@b.example' } } };
    expect(without.concerns.legal.reply.get('en')?.render(values)).toBe('Our lawyer a@b.example answers.');
  });

  test('promises nothing in the built-in ones, such as the reply to those who ask for a person', () => {
    const human = (playbook: typeof without, language: string) =>
      playbook.intents.get('human_agent')?.replies.get(language)?.render({});
    expect(human(stated, 'en')).toContain('A colleague will read your message');
    expect(human(without, 'en')).toBe(
      'Thank you for your message. You would like to speak with a person. Please contact us directly: help@shop.example',
    );
    expect(without.texts.get('de')?.handover).toContain('help@shop.example');
    expect(without.concerns.press.priority).toBe(stated.concerns.press.priority);
  });

  test('has a text for failures in languages without built-in texts: that of any handover', () => {
    const tone = standardTexts.filter((name) => name !== 'failure').map((name) => `${name}: { sv: ${name} }`);
    const replies = concerns.map((name) => `${name}: { reply: { sv: a } }`);
    const { playbook } = load(
      `company: { languages: [sv], tone: { ${tone.join(', ')} } }\nconcerns: { ${replies.join(', ')} }\nintents: []`,
    );
    expect(playbook.texts.get('sv')?.failure).toBe('handover');
  });
});
