import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defaultPorts } from '../../../src/adapters/defaults.ts';
import { playbookPorts } from '../../../src/adapters/playbook-ports.ts';
import { defineTool } from '../../../src/adapters/tools/define-tool.ts';
import { exampleTools } from '../../../src/adapters/tools/example-tools.ts';
import { createOrchestrator } from '../../../src/application/orchestrator.ts';
import type { CustomerMessage } from '../../../src/domain/message/message.ts';
import type { Trace } from '../../../src/domain/message/trace.ts';
import type { Playbook } from '../../../src/domain/playbook/playbook.ts';
import { ToolError } from '../../../src/domain/tool-error.ts';
import { dentist, playbookOf } from './own-playbooks.ts';

/** A turn of a conversation: what it became, and with which inputs tools were called. */
interface Said {
  readonly trace: Trace;
  readonly reasons: readonly string[];
  readonly calls: readonly unknown[];
  readonly data: Readonly<Record<string, unknown>>;
}

/** Finds all times but those of the visit V-0000. */
const freeTimes = (calls: unknown[]) =>
  defineTool({
    name: 'free_times',
    description: 'Finds free times.',
    effect: 'read',
    input: z.object({ visit: z.string(), for: z.string() }),
    execute: (input) => {
      calls.push(input.visit);
      if (input.visit === 'V-0000') throw new ToolError('no such visit', { notFound: true });
      return { times: ['Monday 9:00'] };
    },
  });

/** The dentist with German examples. */
const germanDentist = playbookOf({
  ...dentist,
  intents: dentist.intents.map((intent) =>
    intent.name === 'move_visit'
      ? { ...intent, examples: ['Kann ich meinen Termin verschieben?', 'Ich brauche einen anderen Termin'] }
      : intent,
  ),
});

/** The dentist with visits whose numbers people write in many ways. */
const readyForAll = playbookOf({
  ...dentist,
  entities: [
    {
      name: 'visit',
      pattern: '\\b(?:visit |besuch )?(?<value>v[ -]?[0-9]{2}[ .-]?[0-9]{2})\\b',
      normalize: ['compact', 'upper'],
      examples: ['visit v-12 34'],
    },
    { name: 'card', pattern: '\\b[a-z]-?[0-9]+\\b' },
  ],
});

/** The dentist with replies in each language that has built-in texts. */
const allLanguages = {
  ...dentist,
  company: { name: 'Practice Dr Sand', languages: ['en', 'de', 'fr', 'es', 'it', 'nl', 'pl', 'pt'] },
};

/** Begins a conversation with a service. */
function startConversation(playbook?: Playbook) {
  const calls: unknown[] = [];
  const ports = playbook === undefined ? {} : playbookPorts({ playbook, classifier: undefined });
  const service = createOrchestrator(defaultPorts(ports));
  for (const tool of exampleTools) {
    service.tools.register({
      ...tool,
      execute: (input, context) => {
        calls.push(input);
        return tool.execute(input, context);
      },
    });
  }
  service.tools.register(freeTimes(calls));
  const say = async (message: string, more: Partial<CustomerMessage> = {}): Promise<Said> => {
    calls.length = 0;
    const trace = await service.messages.process({
      source: 'chat',
      customerId: 'c-1',
      conversationId: 'talk',
      message,
      ...more,
    });
    const decisions = trace.timeline.flatMap((event) => (event.type === 'agent.decided' ? [event] : []));
    const data = Object.assign({}, ...decisions.map((event) => event.data));
    return { trace, reasons: data.reasons, calls: [...calls], data };
  };
  const release = async (): Promise<void> => {
    const { items = [] } = (await service.inbox?.list({}, { limit: 10 })) ?? {};
    for (const { itemId } of items) await service.inbox?.resolve(itemId, { outcome: 'dismissed', by: 'Ann' });
  };
  return { say, release, service };
}

describe('a message that names what the service asked for', () => {
  test.each([
    ['A-1234', 'A-1234'],
    ["it's A-1234", 'A-1234'],
    ['order number: A-1234, thanks', 'A-1234'],
    ['sorry, A-1235', 'A-1235'],
    ['here you go: 88213', '88213'],
    ['5512', '5512'],
    ['The number is A-1234. Can you tell me when it will be delivered?', 'A-1234'],
    ['A-1234, I bought it last week', 'A-1234'],
  ])('completes the earlier wish: %s', async (text, id) => {
    const { say } = startConversation();
    expect((await say('Where is my order?')).reasons).toEqual(['question_asked']);
    const { trace, calls, reasons, data } = await say(text);
    expect(trace).toMatchObject({ intent: 'order_status', disposition: 'answered', concerns: [] });
    expect(calls).toEqual([{ order_id: id }]);
    expect(reasons).toEqual(['answerable']);
    expect(trace.response).toContain(`Your order ${id}`);
    expect(data['conversation']).toBe(
      'The message names order_id, which completes the earlier wish order_status.',
    );
  });

  test('completes it after small talk, and after a number that was not found, which is never used again', async () => {
    const { say } = startConversation();
    await say('Where is my order missing-42?');
    expect((await say('hello?')).reasons).toEqual(['small_talk']);
    const { calls, trace } = await say('sorry, A-1235');
    expect(calls).toEqual([{ order_id: 'A-1235' }]);
    expect(trace.response).not.toContain('missing-42');
  });

  test.each([
    ['I want to cancel order A-1234', 'cancellation'],
    ['A-1234 and I want to talk to a human', 'human_agent'],
  ])('does not where it wants something else: %s', async (text, intent) => {
    const { say } = startConversation();
    await say('Where is my order?');
    const { trace, calls } = await say(text);
    expect(trace.intent).toBe(intent);
    expect(calls).not.toContainEqual({ order_id: 'A-1234' });
  });

  test('does not where it raises a concern', async () => {
    const { say } = startConversation();
    await say('Where is my order?');
    const { trace, calls } = await say('A-1234. My lawyer will sue you.');
    expect(trace).toMatchObject({ disposition: 'escalated' });
    expect(trace.concerns).toContain('legal');
    expect(calls).toEqual([]);
  });

  test('does not in another conversation, or without one', async () => {
    const { say } = startConversation();
    await say('Where is my order?');
    expect((await say('A-1234', { conversationId: null })).calls).toEqual([]);
    expect((await say('A-1234', { conversationId: 'other' })).calls).toEqual([]);
  });

  test('completes the wishes of an own playbook by its own entities, in the language of the conversation', async () => {
    const { say } = startConversation(germanDentist);
    const asked = await say('Kann ich bitte meinen Termin verschieben?');
    expect(asked.reasons).toEqual(['question_asked']);
    expect(asked.trace.response).toContain('Um welchen Termin geht es?');
    const { trace, calls } = await say('V-1234');
    expect(calls).toEqual(['V-1234']);
    expect(trace.response).toContain('Frei: Monday 9:00.');
  });

  test.each([
    'v1234',
    'V-12.34',
    "it's visit V 12-34, thanks",
    'Which visit? v-1234',
    'the visit number is v 1234 please',
  ])('completes the wish with the normalized value of what was asked for: %s', async (text) => {
    const { say } = startConversation(readyForAll);
    expect((await say('Can I move my appointment?')).reasons).toEqual(['question_asked']);
    const { calls, reasons, trace } = await say(text);
    expect(calls).toEqual(['V1234']);
    expect(reasons).toEqual(['answerable']);
    expect(trace.concerns).toEqual([]);
  });

  test('reads what was asked for first, and nothing else in its place', async () => {
    const { say } = startConversation(readyForAll);
    await say('Can I move my appointment?');
    expect((await say('v-1234')).data['entities']).toEqual({ visit: 'V1234' });
    const alone = startConversation(readyForAll);
    const { data } = await alone.say('Please reschedule v-1234');
    expect(data['entities']).toEqual({ visit: 'V1234', card: 'v-1234', order_id: 'v-1234' });
  });

  test.each(['ok', '17:00?', 'V-9', 'refund?'])(
    'is answered in German in a conversation that is held in German: %s',
    async (text) => {
      const { say } = startConversation(germanDentist);
      await say('Kann ich bitte meinen Termin verschieben?');
      const { trace } = await say(text);
      expect(trace.prepared.language).toBe('de');
      expect(trace.response).toMatch(/^Guten Tag,/);
    },
  );

  test.each([
    ['wo parken?', 'Guten Tag,'],
    ['parkplatz?', 'Guten Tag,'],
    ['parking?', 'Hello,'],
    ['car park', 'Hello,'],
  ])('is short, and is read in one of the languages of the playbook: %s', async (text, greeting) => {
    const { say } = startConversation(germanDentist);
    const { trace, reasons } = await say(text);
    expect(trace.response.split('\n')[0]).toBe(greeting);
    expect(reasons).not.toContain('language');
  });

  test('is taken from the conversation after a report that it was not found, too', async () => {
    const { say } = startConversation(playbookOf(dentist));
    expect((await say('Please reschedule V-0000')).reasons).toEqual(['not_found']);
    expect((await say('sorry, V-1234')).calls).toEqual(['V-1234']);
  });
});

describe('a wish that comes again', () => {
  test('is escalated where it was answered, about the same order', async () => {
    const { say } = startConversation();
    await say('Where is my order A-1234?');
    const { trace, reasons, data } = await say('Where is my order A-1234?');
    expect(trace).toMatchObject({ escalated: true, disposition: 'escalated' });
    expect(reasons).toEqual(['repeated_wish']);
    expect(data['conversation']).toBe('the customer repeats a wish that came up before');
    expect(trace.response).toContain('A colleague will read your message and answer it.');
  });

  test('is escalated without its number too', async () => {
    const { say } = startConversation();
    await say('Where is my order?');
    await say('A-1234');
    expect((await say('Where is my order?')).reasons).toEqual(['repeated_wish']);
  });

  test('is escalated where the service has asked for its number, or found nothing under it', async () => {
    const asked = startConversation();
    expect((await asked.say('Where is my order?')).reasons).toEqual(['question_asked']);
    expect((await asked.say('So where is my order??')).reasons).toContain('repeated_wish');
    const unknown = startConversation();
    expect((await unknown.say('Where is my order missing-42?')).reasons).toEqual(['not_found']);
    expect((await unknown.say('Where is my order missing-42?')).reasons).toContain('repeated_wish');
  });

  test('is another one with another number, and another question of the same intent', async () => {
    const { say } = startConversation();
    await say('Where is my order A-1234?');
    expect((await say('Where is my order A-99881?')).reasons).toEqual(['answerable']);
    await say('What are your opening hours?');
    expect((await say('Do you sell gift cards?')).reasons).toEqual(['answerable']);
    expect((await say('What are your opening hours?')).reasons).toEqual(['repeated_wish']);
  });

  test('does not count where it is praise', async () => {
    const { say } = startConversation();
    for (let turn = 0; turn < 2; turn++) {
      expect((await say('Lovely shop and quick delivery')).trace.disposition).toBe('answered');
    }
  });
});

describe('a third turn without an answer', () => {
  test('is escalated', async () => {
    const { say } = startConversation();
    expect((await say('Where is my order?')).reasons).toEqual(['question_asked']);
    expect((await say('Where is my order missing-42?')).reasons).toEqual(['not_found']);
    const { trace, reasons } = await say('missing-43');
    expect(trace.disposition).toBe('escalated');
    expect(reasons).toEqual(['third_turn']);
  });

  test('is answered where it brings the answer, which begins anew', async () => {
    const { say } = startConversation();
    await say('Where is my order?');
    await say('missing-42');
    expect((await say('A-1234')).reasons).toEqual(['answerable']);
    expect((await say('Where is my order missing-44?')).reasons).toEqual(['not_found']);
  });
});

describe('a follow-up after an answer', () => {
  test.each([
    'no',
    'No!',
    "that's not what I asked",
    'That did not help me.',
    'still nothing',
    'Das hilft mir nicht',
    "Ce n'est pas ma question",
    'To nie pomogło',
  ])('that says that it did not help is escalated: %s', async (text) => {
    const { say } = startConversation();
    await say('How do I return these shoes?');
    const { trace, reasons } = await say(text);
    expect(trace.disposition).toBe('escalated');
    expect(reasons).toContain('not_resolved');
  });

  test.each(['ok, thanks', 'No thanks', 'great, thank you!'])(
    'that thanks stays thanks: %s',
    async (text) => {
      const { say } = startConversation();
      await say('How do I return these shoes?');
      expect((await say(text)).reasons).not.toContain('not_resolved');
    },
  );

  test('says nothing of the kind without a conversation', async () => {
    const { say } = startConversation();
    expect((await say('still nothing', { conversationId: null })).reasons).not.toContain('repeated_wish');
  });
});

/** `Still no answer` in each language with built-in texts. */
const silence = [
  ...['still no answer', 'Still no reply from you!', 'I have not heard back yet', 'nobody has replied to me'],
  ...['Immer noch keine Antwort', 'Ich habe bisher nichts von Ihnen gehört', 'Warum antwortet niemand?'],
  ...[
    'Keine Antwort',
    'Sie haben mir nicht geantwortet',
    'Keine Rückmeldung erhalten',
    'Immer noch nix gehört',
  ],
  ...['Wann bekomme ich endlich eine Antwort?', 'Ich warte immer noch auf eine Antwort von euch'],
  ...['Auf meine Mail kam nie eine Antwort', 'Nach wie vor keine Reaktion', 'Toujours pas de réponse'],
  ...['Sigo sin respuesta', 'Nadie me ha respondido', 'Ancora nessuna risposta', 'Nog steeds geen antwoord'],
  ...['Nadal brak odpowiedzi', 'Nikt mi nie odpowiedział', 'Ainda sem resposta'],
];

describe('a customer who says that no answer came', () => {
  test.each(silence)('complains about no answer where there was none: %s', async (text) => {
    const { say } = startConversation(playbookOf(allLanguages));
    const first = await say(text);
    expect(first.reasons).not.toContain('not_resolved');
    expect(first.trace).toMatchObject({ disposition: 'escalated', concerns: [] });
  });

  test('complains about none after a question, and after a hand-over', async () => {
    const asked = startConversation();
    expect((await asked.say('Where is my order?')).reasons).toEqual(['question_asked']);
    const { reasons, trace } = await asked.say('still no answer');
    expect(reasons).not.toContain('not_resolved');
    expect(trace.disposition).toBe('escalated');
    const held = startConversation();
    await held.say('I want to talk to a human');
    const second = await held.say('still no answer');
    expect(second.reasons).toContain('person_holds');
    expect(second.reasons).not.toContain('not_resolved');
    expect(second.trace.response).not.toContain('our last answer did not help');
  });

  test.each(silence)('complains about the answer where there was one: %s', async (text) => {
    const { say } = startConversation(playbookOf(allLanguages));
    expect((await say('Where can I park?')).reasons).toEqual(['answerable']);
    const { reasons, trace } = await say(text);
    expect(reasons).toContain('not_resolved');
    expect(trace.disposition).toBe('escalated');
  });

  test('complains about what a person wrote, too', async () => {
    const { say, service } = startConversation();
    const { trace } = await say('I want to talk to a human');
    const answer = { outcome: 'answered', response: 'Please call us.', by: 'Ann' } as const;
    await service.inbox?.resolve(String(trace.itemId), answer);
    expect((await say('still no answer')).reasons).toContain('not_resolved');
  });

  test.each(['Der Drucker antwortet nicht mehr', 'Mein Router antwortet nicht'])(
    'is none who says another thing with its words: %s',
    async (text) => {
      const { say } = startConversation(germanDentist);
      expect((await say(text)).reasons).not.toContain('needs_person');
    },
  );

  test('has the wish beside it answered', async () => {
    const { say } = startConversation();
    const { reasons, calls } = await say('Still no answer. Where is my order A-1234?');
    expect(reasons).toEqual(['answerable']);
    expect(calls).toEqual([{ order_id: 'A-1234' }]);
  });

  test('still complains about an answer with other words for it', async () => {
    const { say } = startConversation();
    await say('Where is my order?');
    expect((await say("That's not what I asked. Still no answer.")).reasons).toContain('not_resolved');
  });
});

describe('a conversation that a person holds', () => {
  test('is not answered, and calls no tool', async () => {
    const { say, release } = startConversation();
    await say('I want to talk to a human');
    const { trace, reasons, calls, data } = await say('Where is my order A-1234?');
    expect(trace).toMatchObject({ escalated: true, disposition: 'escalated' });
    expect(reasons).toEqual(['person_holds']);
    expect(data['conversation']).toBe('a person holds the conversation');
    expect(calls).toEqual([]);
    expect((await say('ok, thanks')).reasons).toEqual(['person_holds']);
    await release();
    expect((await say('Where is my order A-1234?')).reasons).toEqual(['answerable']);
  });

  test('still gets no reply to automatic messages and spam, and the careful reply to a concern', async () => {
    const { say } = startConversation();
    await say('I want to talk to a human');
    const away =
      'Automatic reply: I am out of the office until Monday and will answer your mail when I am back.';
    expect((await say(away)).trace.disposition).toBe('no_reply');
    const { trace, reasons } = await say('I want to kill myself');
    expect(reasons).toContain('person_holds');
    expect(trace.concerns).toContain('self_harm');
    expect(trace.response).toContain('findahelpline.com');
  });
});

describe('drafts in a conversation', () => {
  test('are completed like replies once a person has sent them', async () => {
    const { say, service } = startConversation(playbookOf({ ...dentist, mode: 'draft' }));
    const { trace, reasons } = await say('Can I move my appointment?');
    expect(reasons).toEqual(['question_asked', 'draft_mode']);
    const answer = { outcome: 'answered', response: 'Which visit?', by: 'Ann' } as const;
    await service.inbox?.resolve(String(trace.itemId), answer);
    const completed = await say('V-1234');
    expect(completed.calls).toEqual(['V-1234']);
    expect(completed.trace.disposition).toBe('draft');
  });
});
