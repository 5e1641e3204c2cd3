import { describe, expect, test } from 'vitest';
import { defaultPorts } from '../../../src/adapters/defaults.ts';
import { createPlaybook } from '../../../src/adapters/playbook/load.ts';
import { builtInLanguages, builtInTextsIn } from '../../../src/adapters/playbook/texts.ts';
import { playbookContext } from '../../../src/adapters/playbook-context.ts';
import { playbookPorts } from '../../../src/adapters/playbook-ports.ts';
import { createOrchestrator } from '../../../src/application/orchestrator.ts';
import type { CustomerMessage } from '../../../src/domain/message/message.ts';

/** A company with its own text in the default language alone. */
function companyIn(languages: readonly [string, ...string[]]) {
  const [first] = languages;
  return createPlaybook(
    {
      company: { name: 'Weir Boats', languages, tone: { upset: { [first]: 'UPSET.' } } },
      intents: [
        {
          name: 'hours',
          description: 'Opening hours.',
          examples: ['When are you open?'],
          replies: Object.fromEntries(languages.map((language) => [language, `OPEN ${language}.`])),
        },
        {
          name: 'accident',
          description: 'An accident.',
          examples: ['I fell into the water'],
          handover: 'always',
          replies: { [first]: `ACCIDENT ${first}.` },
        },
      ],
    },
    playbookContext('fault', {}),
  ).playbook;
}

async function reply(
  languages: readonly [string, ...string[]],
  message: string,
  more: Partial<CustomerMessage> & { readonly fails?: boolean } = {},
) {
  const { fails = false, ...sent } = more;
  const ports = defaultPorts(playbookPorts({ playbook: companyIn(languages), classifier: undefined }));
  const broken = { ...ports.stages, plan: () => Promise.reject(new Error('broken')) };
  const orchestrator = createOrchestrator(fails ? { ...ports, stages: broken } : ports);
  const trace = await orchestrator.messages.process({ source: 'chat', customerId: 'c-1', message, ...sent });
  await orchestrator.close();
  return trace;
}

/** The languages whose texts are in a reply. */
function languagesIn(response: string): readonly string[] {
  return builtInLanguages.filter((language) => {
    const own = builtInTextsIn(language);
    if (own === undefined) return false;
    const { texts, handovers, promises } = own;
    const all = [texts.greeting, texts.closing, ...Object.values(handovers), ...Object.values(promises)];
    return all.some((text) => response.includes(text));
  });
}

const french = [
  'Bonjour, quand êtes-vous ouverts le dimanche ? Merci beaucoup pour votre réponse.',
  'Je vais porter plainte, mon avocat vous contactera demain.',
  'Je voudrais parler à une vraie personne, pas à une machine.',
  'Je ne veux plus vivre.',
  'Votre service est une honte, je suis furieux contre vous tous !',
  "Je suis tombé dans l'eau et je me suis blessé au bras.",
];

describe('a hand-over', () => {
  test.each(french)(
    'is in the first language of a company that does not list that of the message: %s',
    async (text) => {
      for (const languages of [
        ['en', 'de'],
        ['de', 'en'],
        ['it', 'nl', 'pl'],
      ] as const) {
        for (const more of [{}, { fails: true }, { locale: 'fr-FR' }]) {
          const trace = await reply(languages, text, more);
          expect(trace).toMatchObject({ disposition: 'escalated', prepared: { language: 'fr' } });
          expect(languagesIn(trace.response)).toEqual([languages[0]]);
        }
      }
    },
  );

  test('is in the language of the message where the company lists that one', async () => {
    for (const more of [{}, { fails: true }]) {
      const trace = await reply(['en', 'fr'], french[1] ?? '', more);
      expect(trace.disposition).toBe('escalated');
      expect(languagesIn(trace.response)).toEqual(['fr']);
    }
  });
});

describe('the reply to a message that fails', () => {
  test.each([
    ['de', 'Wann haben Sie am Sonntag geöffnet? Vielen Dank für Ihre Antwort.'],
    ['en', 'When are you open on Sunday?'],
  ])('has the greeting and the signature of other replies: %s', async (language, text) => {
    const answered = await reply(['en', 'de'], text);
    const failed = await reply(['en', 'de'], text, { fails: true });
    expect(failed).toMatchObject({ status: 'FAILED', disposition: 'escalated' });
    const { greeting, closing } = builtInTextsIn(language)?.texts ?? {};
    for (const { response } of [answered, failed]) {
      expect(response.startsWith(`${greeting}\n\n`)).toBe(true);
      expect(response.endsWith(`\n\n${closing}\nWeir Boats`)).toBe(true);
    }
  });
});
