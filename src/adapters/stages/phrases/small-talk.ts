/** The words of thanks and of greetings in languages other than English, which the built-in model does not read. */
export interface SmallTalk {
  readonly thanks: string;
  readonly greeting: string;
}

/** Words by language. A message of at most six words that are all among them is one of thanks or a greeting. */
const smallTalkByLanguage: Readonly<Record<string, SmallTalk>> = {
  de: {
    thanks:
      'danke dank vielen besten herzlichen schön sehr lieben ihnen euch dir für die schnelle hilfe antwort perfekt super ok',
    greeting: 'guten tag morgen abend hallo hi moin servus grüß gott zusammen liebes team',
  },
  es: {
    thanks: 'gracias muchas mil muy amable por su tu la ayuda respuesta perfecto ok',
    greeting: 'hola buenos buenas días tardes noches',
  },
  fr: {
    thanks: 'merci beaucoup bien mille pour votre vos ton aide réponse parfait super ok',
    greeting: 'bonjour bonsoir salut coucou madame monsieur',
  },
  it: {
    thanks: 'grazie mille molte tante per il la vostro vostra tuo aiuto risposta perfetto ok',
    greeting: 'buongiorno buonasera salve ciao',
  },
  nl: {
    thanks: 'bedankt dank je u wel hartelijk voor de snelle hulp reactie heel erg top ok',
    greeting: 'hallo hoi goedemorgen goedemiddag goedenavond beste dag',
  },
  pl: {
    thanks: 'dziękuję dziękuje dzięki bardzo serdecznie za pomoc odpowiedź super ok',
    greeting: 'dzień dobry witam cześć dobry wieczór',
  },
  pt: {
    thanks: 'obrigado obrigada muito pela ajuda resposta perfeito ok',
    greeting: 'olá oi bom boa dia tarde noite',
  },
};

const MAX_WORDS = 6;

/** Whether a text in a language is only thanks or a greeting; undefined where it is more, or none. */
export function smallTalkOf(text: string, language: string): 'thanks' | 'greeting' | undefined {
  const known = smallTalkByLanguage[language];
  const words =
    text
      .slice(0, 200)
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  if (known === undefined || words.length === 0 || words.length > MAX_WORDS) return undefined;
  const consistsOf = (list: string): boolean => {
    const all = new Set(list.split(' '));
    return words.every((word) => all.has(word));
  };
  if (consistsOf(known.greeting)) return 'greeting';
  return consistsOf(known.thanks) ? 'thanks' : undefined;
}
