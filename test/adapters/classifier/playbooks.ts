import { createExampleClassifier } from '../../../src/adapters/classifier/examples.ts';
import type { IntentClassifier } from '../../../src/domain/playbook/intent-classifier.ts';
import type { PlaybookIntent } from '../../../src/domain/playbook/playbook.ts';

/** The part of a playbook about an intent. */
export interface ExampleIntent {
  readonly name: string;
  readonly description: string;
  readonly examples: readonly string[];
}

/** The part of a playbook from which intents are told apart. */
export function playbookOf(
  intents: readonly ExampleIntent[],
  articles: ReadonlyMap<string, readonly string[]> = new Map(),
) {
  const complete = (own: ExampleIntent): PlaybookIntent => ({
    ...own,
    threshold: undefined,
    modelThreshold: undefined,
    required: [],
    tools: [],
    articles: false,
    handover: false,
    replies: new Map(),
    notFound: new Map(),
  });
  return { intents: new Map(intents.map((own) => [own.name, complete(own)])), articleTexts: articles };
}

/** The classifier of these intents, for texts that nothing else speaks against. */
export function classifierOf(
  intents: readonly ExampleIntent[],
  articles?: ReadonlyMap<string, readonly string[]>,
): IntentClassifier {
  return createExampleClassifier(playbookOf(intents, articles), (_, confidence) => confidence);
}

const intent = (name: string, description: string, ...examples: readonly string[]): ExampleIntent => ({
  name,
  description,
  examples,
});

/** A dentist, in German. */
const dentist: readonly ExampleIntent[] = [
  intent(
    'termin',
    'Ein Termin.',
    'Ich möchte einen Termin vereinbaren',
    'Wann haben Sie etwas frei?',
    'Kann ich nächste Woche zur Kontrolle kommen?',
    'Termin für eine Zahnreinigung',
  ),
  intent(
    'schmerzen',
    'Schmerzen und Notfälle.',
    'Ich habe starke Zahnschmerzen',
    'Mein Backenzahn tut weh',
    'Die Füllung ist herausgefallen',
    'Meine Backe ist geschwollen',
  ),
  intent(
    'absage',
    'Ein Termin wird abgesagt.',
    'Ich muss meinen Termin absagen',
    'Leider kann ich morgen nicht kommen',
    'Bitte stornieren Sie den Termin am Dienstag',
  ),
  intent(
    'rechnung',
    'Fragen zur Rechnung.',
    'Ich habe eine Frage zur Rechnung',
    'Warum zahlt die Krankenkasse nicht alles?',
    'Können Sie mir die Rechnung noch einmal schicken?',
  ),
];

/** A library. */
const library: readonly ExampleIntent[] = [
  intent(
    'renew_loan',
    'Keep a book for longer.',
    'Can I renew my books?',
    'please extend my loan by two weeks',
    'I need the novel a bit longer, can you prolong it',
  ),
  intent(
    'late_fee',
    'A fee for a late return.',
    'Why do I have to pay a late fee?',
    'how much is the fine for an overdue book',
    'I was fined although I returned everything',
  ),
  intent(
    'reserve_book',
    'Reserve a title that is out.',
    'I would like to reserve a title',
    'put me on the waiting list for the new thriller',
    'can you hold a copy for me',
  ),
  intent(
    'lost_card',
    'A lost library card.',
    'I lost my library card',
    'my card was stolen, can I get a replacement',
    'need a new reader card',
  ),
  intent('rooms', 'Rooms for groups.', 'Can we book a study room?', 'is the reading room free on Saturday'),
];

/** A broadband provider. */
const broadband: readonly ExampleIntent[] = [
  intent(
    'outage',
    'No connection.',
    'My internet is down',
    'no connection since this morning',
    'the router shows a red light',
    'is there an outage in my street',
  ),
  intent(
    'slow_line',
    'A slow connection.',
    'The connection is so slow in the evening',
    'I only get 5 Mbit instead of 50',
    'videos keep buffering',
  ),
  intent(
    'move_house',
    'The customer moves.',
    'I am moving house next month, can I take my contract along?',
    'we move to a new flat, please switch the line',
  ),
  intent(
    'engineer_visit',
    'A visit of an engineer.',
    'When does the engineer come?',
    'the technician did not show up',
    'I want to change the date of the engineer visit',
  ),
];

/** Invented playbooks, by what they are for. */
export const playbooks = { dentist, library, broadband } as const;
