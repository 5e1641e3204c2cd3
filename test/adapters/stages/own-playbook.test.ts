import { describe, expect, test } from 'vitest';
import type { IntentClassifier } from '../../../src/domain/playbook/intent-classifier.ts';
import { decideWith, dentist, playbookOf } from './own-playbooks.ts';
import { messageOf } from './stage-inputs.ts';

const playbook = playbookOf(dentist);
const withoutThresholds = {
  ...dentist,
  intents: dentist.intents.map((intent) => ({ ...intent, threshold: undefined })),
};
const decide = decideWith(playbook);
const german = { language: 'de' };

/** A classifier that always says the same. */
function always(intent: string, confidence: number, threshold?: number): IntentClassifier {
  return {
    rank: () => [{ intent, confidence }],
    thresholds: new Map(threshold === undefined ? [] : [[intent, threshold]]),
  };
}

describe("a company's own intents", () => {
  test('are told apart by their examples', async () => {
    expect(await decide(messageOf('where can i park my car'))).toMatchObject({ intent: 'parking' });
    expect(await decide(messageOf('How much does a crown cost?'))).toMatchObject({ intent: 'prices' });
    expect(await decide(messageOf('I have toothache'))).toMatchObject({
      intent: 'pain',
      verdict: { disposition: 'escalated' },
    });
  });

  test.each([
    'Where can I park?',
    'What does a cleaning cost?',
    'Can I move my appointment?',
    'Wo kann ich parken?',
  ])(
    'are answered by examples alone where a message is one of them, however few there are: %j',
    async (text) => {
      const language = text.startsWith('Wo') ? 'de' : 'en';
      const { verdict } = await decideWith(playbookOf(withoutThresholds))(messageOf(text, { language }));
      expect(verdict).toMatchObject({ disposition: 'answered' });
    },
  );

  test('are all uncertain for a text about something else, which goes to a person', async () => {
    const { intent, confidence, verdict } = await decide(messageOf('Do you sell second hand bicycles?'));
    expect(confidence).toBeLessThan(0.5);
    expect(['human_agent', 'spam', 'feedback']).not.toContain(intent);
    expect(verdict.reasons).toContain('low_confidence');
  });

  test('ask for what is missing, call the tool with it, and say what was not found', async () => {
    const asked = await decide(messageOf('Can I move my appointment?'));
    expect(asked).toMatchObject({ calls: [], verdict: { reasons: ['question_asked'] } });
    expect(asked.reply).toContain('Which visit is it?');

    const message = messageOf('Can I move my appointment V-2044?');
    const found = await decide(message, () => ({ output: { times: ['Monday 9:00', 'Friday 11:30'] } }));
    expect(found.calls).toEqual([['free_times', { visit: 'V-2044', for: 'customer-1' }]]);
    expect(found.reply).toContain('Free: Monday 9:00, Friday 11:30.');
    expect(found.reply.endsWith('Your practice')).toBe(true);

    const missing = await decide(message, () => ({ status: 'error', output: null, notFound: true }));
    expect(missing).toMatchObject({ verdict: { disposition: 'answered', reasons: ['not_found'] } });
    expect(missing.reply).toContain('There is no visit V-2044.');
  });

  test('two in one message both get their answer, and one that a person answers hands over both', async () => {
    const both = await decide(messageOf('Where can I park? And how much is a crown?'));
    expect(both.verdict.disposition).toBe('answered');
    expect(both.reply).toContain('Behind the house.');
    expect(both.reply).toContain('See the list at the desk.');
    const joined = await decide(messageOf('Where can I park and how much is a crown?'));
    expect(joined.reply).toContain('See the list at the desk.');
    const delicate = await decide(messageOf('Where can I park? My tooth hurts badly.'));
    expect(delicate.verdict.escalated).toBe(true);
  });

  test('need their own threshold, else that of the classifier, else 0.6, and never less than the setting', async () => {
    const message = messageOf('Where can I park?');
    const own = playbookOf(withoutThresholds);
    const [moved, parking, ...others] = withoutThresholds.intents;
    if (moved === undefined || parking === undefined) throw new Error('the playbook has no intents');
    const strict = playbookOf({
      ...withoutThresholds,
      intents: [moved, { ...parking, threshold: 0.9 }, ...others],
    });
    const isAnswered = async (...[stated, options]: Parameters<typeof decideWith>): Promise<boolean> =>
      (await decideWith(stated, options)(message)).verdict.disposition === 'answered';
    // The judgement of the text lowers a confidence a little, so that the limits are told from afar.
    expect(await isAnswered(own, { classifier: always('parking', 0.85) })).toBe(true);
    expect(await isAnswered(own, { classifier: always('parking', 0.59) })).toBe(false);
    expect(await isAnswered(own, { classifier: always('parking', 0.59, 0.25), threshold: 0.2 })).toBe(true);
    expect(await isAnswered(own, { classifier: always('parking', 0.94, 0.95) })).toBe(false);
    expect(await isAnswered(strict, { classifier: always('parking', 0.89, 0.5) })).toBe(false);
    expect(await isAnswered(strict, { classifier: always('parking', 0.99, 0.999) })).toBe(true);
    expect(await isAnswered(own, { classifier: always('parking', 0.79), threshold: 0.8 })).toBe(false);
  });
});

describe('the language of a reply', () => {
  test('is that of the message, with the fixed texts too', async () => {
    const { reply, verdict } = await decide(messageOf('Wo kann ich parken?', german));
    expect(verdict.disposition).toBe('answered');
    expect(reply).toMatch(/^Guten Tag,\n\nHinter dem Haus\./);
  });

  test('of a text that is too short to tell is that of the sender, else the first one', async () => {
    const short = { language: 'und' };
    expect((await decide(messageOf('Wo parken?', short, { locale: 'de-AT' }))).reply).toContain('Guten Tag');
    expect((await decide(messageOf('parking', short, { locale: 'fr' }))).reply).toContain('Hello');
  });

  test.each([
    ['has no text for the intent', 'How much is a crown?', 'de', 'Guten Tag'],
    ['is not one of the playbook', 'Where can I park?', 'fr', 'Hello'],
  ])('that %s leaves the message to a person', async (_reason, text, language, greeting) => {
    const { reply, verdict } = await decide(messageOf(text, { language }));
    expect(verdict).toMatchObject({ escalated: true, reasons: expect.arrayContaining(['language']) });
    expect(reply.startsWith(greeting)).toBe(true);
  });
});

describe('thanks and greetings', () => {
  test.each([
    ['Vielen Dank für die schnelle Hilfe!', 'de', 'Gern geschehen'],
    ['Thank you so much!', 'en', 'You are welcome'],
  ])('get a short reply: %s', async (text, language, reply) => {
    const decided = await decide(messageOf(text, { language }));
    expect(decided).toMatchObject({ intent: 'feedback', verdict: { disposition: 'answered' } });
    expect(decided.reply).toContain(reply);
  });

  test('with a wish are a wish', async () => {
    const { intent } = await decide(messageOf('Hallo, wo kann ich parken?', german));
    expect(intent).toBe('parking');
  });
});

describe('an answer', () => {
  const broken = playbookOf({
    ...dentist,
    intents: dentist.intents.map((intent) =>
      intent.name === 'move_visit'
        ? { ...intent, replies: { en: 'At {{ tool.place.street }}.', de: '{{ tool.place.street }}' } }
        : intent,
    ),
  });

  test('whose text names what the tool did not bring goes to a person, and shows nothing of the tool', async () => {
    const message = messageOf('Please reschedule V-2044');
    const { verdict, reply } = await decideWith(broken)(message, () => ({ output: { secret_note: 'hush' } }));
    expect(verdict).toMatchObject({ escalated: true, reasons: ['nothing_to_answer_with'] });
    expect(reply).not.toContain('hush');
  });

  test('of an intent that is always handed over is its own text', async () => {
    const own = dentist.intents.map((intent) =>
      intent.name === 'pain'
        ? { ...intent, replies: { en: 'Please call {{ company.name }} now.', de: 'Rufen Sie an.' } }
        : intent,
    );
    const { verdict, reply } = await decideWith(playbookOf({ ...dentist, intents: own }))(
      messageOf('I have a terrible toothache'),
    );
    expect(verdict.escalated).toBe(true);
    expect(reply).toContain('Please call Practice Dr Sand now.');
  });

  test('to a concern may name the company', async () => {
    const concerns = { legal: { reply: { en: 'Write to {{ company.name }}.' } } };
    const { reply } = await decideWith(playbookOf({ ...dentist, concerns }))(
      messageOf('I will sue you, see you in court'),
    );
    expect(reply).toContain('Write to Practice Dr Sand.');
  });
});

describe('what may be sent without a person', () => {
  const draftMode = playbookOf({ ...dentist, mode: 'draft' });

  test('is nothing in the mode `draft`, which makes the complete answer; thanks then get no reply', async () => {
    const drafts = decideWith(draftMode);
    const drafted = await drafts(messageOf('Where can I park?'));
    expect(drafted.verdict).toMatchObject({
      escalated: false,
      disposition: 'draft',
      reasons: ['answerable', 'draft_mode'],
    });
    expect(drafted.reply).toBe((await decide(messageOf('Where can I park?'))).reply);
    expect((await drafts(messageOf('Thank you very much!'))).verdict.disposition).toBe('no_reply');
    const question = await drafts(messageOf('Can I move my appointment?'));
    expect(question.verdict.reasons).toEqual(['question_asked', 'draft_mode']);
  });

  test('is escalated where something else speaks against an answer, or there is no inbox', async () => {
    const upset = await decideWith(draftMode)(messageOf('My tooth hurts badly'));
    expect(upset.verdict).toMatchObject({ escalated: true, disposition: 'escalated' });
    expect(upset.verdict.reasons).toContain('draft_mode');
    const without = await decideWith(draftMode, { hasInbox: false })(messageOf('Where can I park?'));
    expect(without.verdict).toMatchObject({ disposition: 'escalated', reasons: ['draft_mode'] });
    expect(without.reply).toContain('Please contact us in another way.');
  });

  test('is nothing that the caller wants as a draft', async () => {
    const wanted = { draft: true };
    const { verdict } = await decide(messageOf('Where can I park?', {}, wanted));
    expect(verdict).toMatchObject({ disposition: 'draft', reasons: ['answerable', 'draft_requested'] });
    const thanks = await decide(messageOf('Thank you very much!', {}, wanted));
    expect(thanks.verdict).toMatchObject({
      disposition: 'draft',
      reasons: ['small_talk', 'draft_requested'],
    });
    const pain = await decide(messageOf('My tooth hurts badly', {}, wanted));
    expect(pain.verdict.disposition).toBe('escalated');
  });

  test('is what `auto_reply` names', async () => {
    const some = decideWith(playbookOf({ ...dentist, auto_reply: ['parking'] }));
    expect((await some(messageOf('Where can I park?'))).verdict.disposition).toBe('answered');
    const { verdict } = await some(messageOf('How much is a crown?'));
    expect(verdict).toMatchObject({ disposition: 'draft', reasons: ['answerable', 'no_auto_reply'] });
  });
});

describe('concerns under an own playbook', () => {
  const careful = decideWith(
    playbookOf({
      ...dentist,
      concerns: { injury: { phrases: ['broken needle'], reply: { en: 'Call us at once.' } } },
    }),
  );

  test('are raised by its phrases, in any case and over punctuation, with its reply', async () => {
    const { verdict, reply } = await careful(
      messageOf('Where can I park? I have a broken, NEEDLE in my gum'),
    );
    expect(verdict).toMatchObject({ disposition: 'escalated', concerns: ['injury'] });
    expect(reply).toContain('Call us at once.');
  });

  test('are not raised by a part of a phrase', async () => {
    expect((await careful(messageOf('Where can I park? My needlework is broken'))).verdict.concerns).toEqual(
      [],
    );
  });

  test.each([
    ['legal', 'Wo kann ich parken? Sonst gehe ich zum Anwalt.'],
    ['self_harm', 'Ich will nicht mehr leben. Wo kann ich parken?'],
    ['privacy', 'Löschen Sie alle meine Daten. Wo kann ich parken?'],
  ])('are found in plain words of its other languages: %s', async (concern, text) => {
    const { verdict } = await decide(messageOf(text, german));
    expect(verdict.concerns).toContain(concern);
  });

  test('are found in English as before', async () => {
    expect((await decide(messageOf('Where can I park? I will sue you.'))).verdict.concerns).toEqual([
      'legal',
    ]);
  });

  test('are not raised by the ordinary words of the trade, as the examples show them', async () => {
    for (const { examples = [], handover } of dentist.intents) {
      for (const text of handover === undefined ? examples : []) {
        const { verdict } = await decide(messageOf(text));
        expect({ text, concerns: verdict.concerns }).toEqual({ text, concerns: [] });
        expect(verdict.reasons).not.toContain('needs_person');
      }
    }
  });
});
