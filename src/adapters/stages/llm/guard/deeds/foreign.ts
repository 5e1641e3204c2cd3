import type { Deed } from './english.ts';

/** Stems of German participles and infinitives of deeds. */
const german =
  'storn erstatt überw geschickt schick gesend send versend versand gelösch lösch geschlossen schließ geänder änder aktualis weitergeleit weiterleit eskal veranlass beauftrag ersetz gekündig kündig gebuch buch reservier bestätig genehmig ausgelös eingeleit erledig informier kontaktier zurückgesetz freigeschalt gesperr verlänger gutgeschrieb gutschreib angerufen anruf zurückruf melde bearbeit kümmer storno bezahl zahl entschädig austausch umtausch abgeschlossen eingereich erstell angeleg abgebuch verschick hinterleg gewähr erhalt bekomm liefer prüf entfern';

/** Stems of French and Spanish verbs of deeds. */
const french =
  'rembours annul envo enverr expédi supprim ferm clôtur modifi transmis transmett transfér escalad escalé remplac crédit valid confirm approuv contact recontact rappel appel résili trait effectu change offr accord ouvert prolong débloqu réinitialis recev trait';
const spanish =
  'reembols devuel devolv cancel anul envi elimin borr cerr cambi actualiz modific escal reemplaz sustitu abon confirm aprob contact llam tramit proces transfer traspas ofrec recib hecho gestion bloque restablec';

const either = (stems: string): string => `(${stems.split(' ').join('|')})`;

const B = '(?<![\\p{L}])';
/** The rest of a clause, at most so many characters. */
const gap = '[^.!?;\\n]{0,120}?';

/** Patterns whose group is the stem of the deed. */
const patterns: readonly (readonly [Deed['kind'], RegExp])[] = [
  // German
  [
    'done',
    new RegExp(
      `${B}(?:haben?|hat|wurden?|worden|ist|sind) ${gap}${B}(?:zurück|rück|weiter|ab|an)?${either(german)}\\p{L}*`,
      'gu',
    ),
  ],
  [
    'promise',
    new RegExp(`${B}(?:werden?|wird) ${gap}${B}(?:zurück|rück|weiter|ab|an)?${either(german)}\\p{L}*`, 'gu'),
  ],
  [
    'promise',
    new RegExp(
      `${B}(?:wir|ich|kolleg(?:e|in|en)|mitarbeiter(?:in)?|team|sie) (?:\\p{L}+ ){0,3}?(?:zurück)?${either(`${german} rufe leite`)}\\p{L}*`,
      'gu',
    ),
  ],
  [
    'promise',
    new RegExp(
      `${B}${either('erstatten schicken senden stornieren überweisen ersetzen veranlassen')} wir(?!\\p{L})`,
      'gu',
    ),
  ],
  // French
  [
    'done',
    new RegExp(`${B}(?:avons|ai|j'ai|ont|été|est|sont) (?:\\p{L}+ ){0,3}?${either(french)}\\p{L}*`, 'gu'),
  ],
  ['promise', new RegExp(`${B}(?:allons|vais|va|vont) (?:\\p{L}+ ){0,3}?${either(french)}\\p{L}*`, 'gu')],
  ['promise', new RegExp(`${B}${either(french)}\\p{L}*(?:rons|rai|ra|ront|rez)(?!\\p{L})`, 'gu')],
  ['promise', new RegExp(`${B}(?:nous|je) (?:vous )?${either(french)}\\p{L}*(?:ons|e|ons)(?!\\p{L})`, 'gu')],
  ['promise', new RegExp(`${B}(?:serez|sera|seront) (?:\\p{L}+ ){0,3}?${either(french)}\\p{L}*`, 'gu')],
  // Not `a contact` or `a change`, which are English.
  [
    'done',
    new RegExp(
      `${B}a (?:été |bien |déjà ){0,3}${either(french)}\\p{L}*(?:ées?|és?|ise?|erte?)(?!\\p{L})`,
      'gu',
    ),
  ],
  // Spanish
  [
    'done',
    new RegExp(
      `${B}(?:hemos|he|ha|han|sido|está|están|fue|fueron) (?:\\p{L}+ ){0,3}?${either(spanish)}\\p{L}*`,
      'gu',
    ),
  ],
  ['done', new RegExp(`${B}${either(spanish)}(?:é|amos|imos|aron)(?!\\p{L})`, 'gu')],
  ['promise', new RegExp(`${B}(?:vamos|voy|va|van) a ${either(spanish)}\\p{L}*`, 'gu')],
  ['promise', new RegExp(`${B}${either(spanish)}\\p{L}*(?:remos|ré|rá|rán)(?!\\p{L})`, 'gu')],
  ['promise', new RegExp(`${B}será[sn]? (?:\\p{L}+ ){0,3}?${either(spanish)}\\p{L}*`, 'gu')],
];

/** The deeds that a German, French or Spanish text claims. The text must be normalized. */
export function foreignDeeds(text: string): readonly Deed[] {
  return patterns.flatMap(([kind, pattern]) =>
    [...text.matchAll(pattern)].map(([, verb = '']) => ({ kind, verb })),
  );
}
