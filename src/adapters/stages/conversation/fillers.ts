/** Words that stand around a number which was asked for and say nothing more, in the languages with built-in texts. */
const fillers: ReadonlySet<string> = new Set(
  [
    'it its is s the my a an this that was here there you go are order orders number no nr num id code ref reference',
    'confirmation please sorry oops ah oh ok okay yes sure i mean meant found correct right correction actually rather',
    'should be have got hi hello for and so thanks thank you very much many again apologies mistake typo wrong try one',
    'es ist das die der den meine mein bestellung bestellnummer auftragsnummer auftrag nummer lautet hier danke vielen dank',
    'bitte entschuldigung ja stimmt ich meinte natürlich gerne richtig falsch guten tag hallo war und',
    'c est la le les mon ma numéro numero de commande voici merci beaucoup pardon désolé désolée oui bonjour il vous plaît',
    'el mi número del pedido aquí está tiene gracias muchas perdón lo siento sí por favor hola es y',
    'è il mio di d ordine ecco grazie mille scusi scusa dispiace sì per favore buongiorno e',
    'het mijn bestelnummer bestelling dank u wel bedankt alstublieft goedendag en dit',
    'to jest mój moje numer zamówienia zamówienie oto dziękuję dzięki przepraszam tak proszę dzień dobry',
    'é o meu minha da do encomenda aqui obrigado obrigada desculpe sim olá um uma',
  ].flatMap((line) => line.split(' ')),
);

const MAX_WORDS = 30;

/** True for a text that consists of a value and words around it: `order number: A-1234, thanks`. */
export function isOnlyNaming(text: string, values: readonly string[]): boolean {
  const rest = values.reduce((left, value) => left.replaceAll(value, ' '), text.slice(0, 1_000));
  const words =
    rest
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return text.length <= 1_000 && words.length <= MAX_WORDS && words.every((word) => fillers.has(word));
}
