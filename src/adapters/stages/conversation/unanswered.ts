/** Optional words of which at most some stand between others. */
const few = '(?: \\p{L}+){0,3}?';

/** German words for an answer. */
const reply = '(?:antwort|rückmeldung|reaktion)';

/** German verbs for answering, and words that stand after them. */
const answers = '(?:antwort(?:en|et)|meld(?:en|et)|reagier(?:en|t))';
const between = 'sich|mir|uns|denn|da|hier|eigentlich|bei euch|bei ihnen';

/** Patterns of texts that say that no answer came, on words that single blanks separate. */
const patterns: readonly string[] = [
  // English
  `(?:still|yet|so far)${few} (?:no|not|nothing|never|without|waiting|haven t|hasn t|didn t)${few} (?:answer(?:s|ed)?|repl(?:y|ies|ied)|respon(?:se|d|ded)|word|news|heard|hear)(?: back)?(?: from (?:you|anyone|anybody))?`,
  `(?:no|not an?|not one) (?:answer|reply|response)(?: (?:from (?:you|anyone|anybody)|at all))? (?:yet|so far)`,
  `(?:nobody|no one|noone|you never|you didn t|you did not|you haven t|you have not|never)(?: (?:has|have|ever|even))? (?:answered|answer|replied|reply|responded|respond|got back|get back)(?: to)?(?: (?:me|us|my (?:mail|e ?mail|message|letter)))?`,
  `(?:haven t|have not|never|not yet|didn t|did not)(?: \\p{L}+)? (?:heard|hear)(?: (?:anything|back|from (?:you|anyone|anybody)))*`,
  `(?:haven t|have not|never|not yet|didn t|did not)(?: \\p{L}+)? (?:had|got|get|gotten|received|receive)(?: (?:an|a|any|your|single))* (?:answer|reply|response|word)`,
  `(?:still )?waiting (?:for|on) (?:an?|your|any|some) (?:answer|reply|response)`,
  `(?:when|where)(?: \\p{L}+){0,3}? (?:an?|the|your|my) (?:answer|reply|response)|(?:nobody|no one|noone) (?:answers|replies|responds)`,
  'still nothing|still waiting|^no (?:answer|reply|response)$',
  // German
  `(?:immer noch|noch immer|noch|bisher|bislang|bis heute|bis jetzt|weiterhin|nach wie vor|seit \\p{L}+ \\p{L}+|seit \\p{L}+)${few} (?:keinerlei|keine|kein|nicht|nichts|nix|ohne)${few} (?:antwort\\p{L}*|rückmeldung|reaktion|gehört|geantwortet|beantwortet|gemeldet|reagiert)`,
  `(?:keinerlei|keine|nie eine|nie) ${reply}(?: (?:bekommen|erhalten|gekriegt|gekommen|bisher|bislang|bis jetzt|bis heute|von (?:ihnen|euch|dir)))+`,
  `(?:bekomme|bekommen|kriege|kriegen|erhalte|erhalten|kam|kommt)${few} (?:keinerlei|keine|nie eine) ${reply}`,
  `(?:niemand|keiner)${few} (?:antwortet|geantwortet|gemeldet|meldet sich|beantwortet|reagiert)`,
  `(?:sie haben|haben sie|ihr habt|habt ihr|du hast|hast du)${few} (?:nicht|nie|nichts)${few} (?:geantwortet|gemeldet|reagiert)`,
  `${answers}(?: (?:sie|ihr|du|${between}))* (?:niemand|keiner)$|${answers} (?:sie|ihr|du)(?: (?:${between}))* nicht$`,
  `(?:wo bleib|wann (?:bekomm|krieg|erhalt|komm))\\p{L}*${few} (?:eine|die|ihre|eure|deine) ${reply}`,
  `wart(?:e|en)(?: \\p{L}+){0,4}? auf (?:(?:eine|die|ihre|eure|deine) )?${reply}`,
  `wart(?:e|en) (?:immer noch|noch immer)|(?:immer noch|noch immer) (?:nichts|nix)|^keine ${reply}$`,
  // French
  `(?:toujours|encore)${few} (?:pas|aucune|sans)${few} (?:réponse|répondu|nouvelles|retour)`,
  `pas encore${few} (?:réponse|répondu)|personne${few} (?:répond|répondu)|attends (?:toujours )?(?:une|votre) réponse|toujours rien`,
  // Spanish
  `(?:sigo|seguimos|sigue|todavía|aún)${few} (?:sin|no|ninguna)${few} (?:respuesta|noticias|respondid\\p{L}+|contestad\\p{L}+|responden|contestan)`,
  `nadie${few} (?:respondido|contestado|responde|contesta)|(?:espero|esperando) (?:una |su |vuestra )?respuesta|todavía nada|aún nada`,
  // Italian
  `(?:ancora|tuttora)${few} (?:nessuna|senza|non)${few} (?:risposta|risposto|notizie)`,
  `nessuno${few} (?:risposto|risponde)|aspett\\p{L}+ (?:ancora )?una (?:vostra )?risposta|ancora niente|ancora nulla`,
  // Dutch
  `(?:nog steeds|nog altijd|nog)${few} (?:geen|niet|niets)${few} (?:antwoord|reactie|gehoord|geantwoord|gereageerd)`,
  `niemand${few} (?:geantwoord|antwoordt|reageert|gereageerd)|wacht(?: \\p{L}+){0,2}? op (?:een |uw |jullie )?(?:antwoord|reactie)|nog steeds niets`,
  // Polish
  `(?:nadal|wciąż|dalej|jeszcze)${few} (?:nie|brak|bez|żadnej)${few} (?:odpowiedzi|odpowiedział\\p{L}*|odpowiedź)`,
  `nikt${few} nie (?:odpowiedział|odpowiada|odpisał)|czekam(?: \\p{L}+)? na odpowiedź|nadal nic|wciąż nic`,
  // Portuguese
  `(?:ainda|continuo)${few} (?:não|sem|nenhuma)${few} (?:resposta|responderam|respondeu|respondido|notícias)`,
  `ninguém${few} (?:respondeu|responde|respondem)|(?:à espera de|aguardo|aguardando) (?:uma |a vossa )?resposta|ainda nada`,
];

const said = new RegExp(`(?<![\\p{L}\\p{N}])(?:${patterns.join('|')})(?![\\p{L}\\p{N}])`, 'gu');

/** Cheap to look for: each of the patterns has one of these. */
const hint =
  /answer|repl[iy]|respon|hear|waiting|nothing|got back|get back|antwort|rückm|reaktion|gehört|melde|nichts|nix|warte|reagier|répon|nouvelles|retour|rien|respuest|noticias|contest|nada|rispost|rispond|notizie|niente|nulla|reacti|gehoord|reage|niets|odpowi|odpis|nic|respost|notícias/i;

/** Words beside such a text that add nothing to it. */
const fillers: ReadonlySet<string> = new Set(
  'hi hello hey and but so why please thanks there is i we have got to my our the your a an on from you email e mail message at all yet now hallo und aber bitte ich wir hab habe haben auf meine ihre eure von ihnen euch dir es gibt hat sich bekommen erhalten gekriegt leider warum wieso denn endlich noch da bis jetzt anfrage nachricht erste bonjour et mais j ai je n hola y pero ciao buongiorno e ma ho en maar ik heb i ale mam olá mas tenho'.split(
    ' ',
  ),
);

/** Longer texts are searched at their beginning only. */
const MAX_CHARACTERS = 2_000;

/** The words of a text without those that say that no answer came; undefined where it says nothing of the kind. */
export function withoutUnanswered(text: string): string | undefined {
  const start = text.slice(0, MAX_CHARACTERS).normalize('NFC');
  if (!hint.test(start)) return undefined;
  const words = start.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const plain = words.join(' ');
  const rest = plain.replace(said, ' ');
  if (rest === plain) return undefined;
  const left = rest.split(' ').filter((word) => word !== '');
  return left.every((word) => fillers.has(word)) ? '' : left.join(' ');
}
