/**
 * Words that stand around a number which was asked for and say nothing more, in the languages with built-in texts. What
 * it is the number of, the question names.
 */
const fillers: ReadonlySet<string> = new Set(
  [
    'it its is s the my a an this that was here there you go are number no nr num id code ref reference',
    'confirmation please sorry oops ah oh ok okay yes sure i mean meant found correct right correction actually rather',
    'should be have got hi hello for and so thanks thank you very much many again apologies mistake typo wrong try one',
    'es ist das die der den meine mein nummer lautet hier danke vielen dank',
    'bitte entschuldigung ja stimmt ich meinte natürlich gerne richtig falsch guten tag hallo war und',
    'c est la le les mon ma numéro numero de voici merci beaucoup pardon désolé désolée oui bonjour il vous plaît',
    'el mi número del aquí está tiene gracias muchas perdón lo siento sí por favor hola es y',
    'è il mio di d numero ecco grazie mille scusi scusa dispiace sì per favore buongiorno e',
    'het mijn nummer dank u wel bedankt alstublieft goedendag en dit',
    'to jest mój moje numer oto dziękuję dzięki przepraszam tak proszę dzień dobry',
    'é o meu minha da do número aqui obrigado obrigada desculpe sim olá um uma',
  ].flatMap((line) => line.split(' ')),
);

const MAX_WORDS = 30;

/** Longer texts say more. */
const MAX_LENGTH = 1_000;

/**
 * True for a text that consists of what was asked for and words around it: `order number: A-1234, thanks`. `named` is
 * what stands for it in the text. The words of the `question` say nothing more.
 */
export function isOnlyNaming(text: string, named: readonly string[], question: string): boolean {
  if (text.length > MAX_LENGTH) return false;
  const longestFirst = named.toSorted((one, other) => other.length - one.length);
  const rest = wordsOf(longestFirst.reduce((left, part) => left.replaceAll(part, ' '), text));
  const asked = new Set(wordsOf(question.slice(0, MAX_LENGTH)));
  return rest.length <= MAX_WORDS && rest.every((word) => fillers.has(word) || asked.has(word));
}

function wordsOf(text: string): readonly string[] {
  return (
    text
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}
