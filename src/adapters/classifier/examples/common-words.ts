import { stem } from '../../../lib/text/stemmer.ts';
import { fold } from './fold.ts';

/** How much a word says about what a text wants, from 0 to 1: 1 for all words but those below. */
const importances: readonly (readonly [number, readonly string[]])[] = [
  [
    0.05,
    [
      // English. An apostrophe ends a word: `I've` is `i ve`.
      'a an the and or of to in on for from with by at as is are am was were be been i me my mine you your yours it its',
      'we us our they them their he she him her his this that these those there here m ve s re ll d im ive id',
      // German.
      'der die das den dem des ein eine einen einem einer eines und oder zu zum zur im in am an auf von vom bei mit aus',
      'für nach ist sind bin war waren wird werden wurde ich mir mich mein meine meinen meinem meiner du dein deine sie',
      'ihr ihre ihnen ihren ihrem wir uns unser unsere er es ihn sein seine dass als wenn man habe haben',
      // French.
      'le la les un une des du de et ou à au aux en dans sur pour par avec je me moi mon ma mes tu vous votre vos il elle',
      'on nous notre ce cette ces est sont suis qui que se l d j m qu ai avez été',
      // Spanish, Portuguese, Italian.
      'el los las una unos unas del y o al por con sin yo mi mis tu su sus nos es son soy está he ha lo se um uma os as do',
      'da dos das no na nos em para com eu meu minha você seu sua é são gli uno il di e a da nel nella per sono mio mia ho',
      'che ci vi si',
      // Dutch, Swedish, Danish, Polish.
      'het een van op te met ik mijn jij je u uw wij zijn is ben heb heeft dat die och att det är jag min mitt mina du en',
      'ett på av för med som og at er jeg mit den i w na z do się jest mój moja moje to czy że o',
    ],
  ],
  [
    0.2,
    [
      'not no never dont doesnt didnt cant cannot couldnt wont wouldnt isnt arent wasnt havent hasnt nothing',
      'what which who whose whom how where when why can could will would shall should may might must do does did have has',
      'had if so but than then because since into about any some all up out off',
      'please kindly thank thanks hello hi hey dear sorry regards cheers pls ok',
      'want need like help know tell ask say said get got go let question',
      'nicht kein keine keinen keiner nie niemals was welche welcher welches wer wie wo wann warum wieso kann können',
      'könnte könnten soll sollte will wollen möchte möchten muss müssen darf hat hatte aber noch schon auch nur mal bitte',
      'danke hallo guten tag gruß grüße liebe lieber frage gerne',
      'ne pas plus jamais quoi quel quelle quand où comment pourquoi combien peux peut pouvez voudrais veux bonjour merci',
      'svp plaît mais si avoir être faire',
      'qué cuál cómo cuándo dónde quién puedo puede pueden quiero quisiera hola gracias favor pero nunca qual como quando',
      'onde quem posso pode quero gostaria olá obrigado obrigada por não mas cosa quale come dove chi può vorrei ciao grazie',
      'favore non ma',
      'niet geen nooit wat welke hoe waar wanneer waarom kan kunt kunnen wil willen graag alstublieft dank hoi maar',
      'inte ingen vad hur var när varför kan vill tack hej men ikke hvad hvordan hvor hvornår tak nie jak gdzie kiedy',
      'dlaczego mogę chcę proszę dziękuję dzień dobry ale',
    ],
  ],
  [
    0.5,
    [
      'still just now again already yet also too only even very really more most much many one two three new other another',
      'same first last next own today tomorrow yesterday day week month year time ago after before until till while during',
      'over under through without see look find make made give take put come came keep use try show work send sent call',
      'thing something anything someone somebody anyone anybody people way lot bit back right wrong sure good well able',
      'possible problem issue happen',
      'immer wieder jetzt heute gestern morgen tag woche monat jahr zeit seit nach vor bis etwas alles mehr sehr geht gibt',
      'machen problem jour van bin hat semaine mois encore toujours déjà día semana mes todavía ya dag week maand nog',
    ],
  ],
];

/**
 * The importance of words, by stem, as `readText` spells them. Function words, greetings and words that stand in
 * messages of any kind count less, in several languages; names of goods and services are left out on purpose, for in
 * some playbook they are what tells the intents apart.
 */
export function commonWords(): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  // A word that stands twice has the higher importance: in another language it may say more.
  for (const [importance, lines] of importances) {
    for (const line of lines) for (const word of fold(line).split(' ')) found.set(stem(word), importance);
  }
  return found;
}
