import { describe, expect, test } from 'vitest';
import { builtInLanguages } from '../../../src/adapters/playbook/texts.ts';
import { concerns } from '../../../src/domain/message/message.ts';
import { standardTexts } from '../../../src/domain/playbook/playbook.ts';
import { load } from './playbooks.ts';

/** A hotel without texts of its own for concerns. */
const { playbook: hotel } = load(`
company: { name: Hotel Seeblick, languages: [${builtInLanguages.join(', ')}] }
intents: [{ name: lost_item, description: Lost something., handover: always }]
`);

/** Words of a shop, by the beginnings of words. */
const shop: Readonly<Record<string, RegExp>> = {
  en: /\b(?:product|item|goods|order|parcel|packag|deliver|shipment|purchase|shop|store|warehouse|refund)/i,
  de: /produkt|artikel|\bware|bestell|paket|verpack|liefer|versand|\bkauf|gekauft|laden\b|lager|erstattung/i,
  fr: /produit|article|marchandise|command|colis|emballage|livr|expédi|achat|achet|boutique|magasin|rembours/i,
  es: /producto|artículo|mercancía|pedido|paquete|embalaje|entrega|envío|compra|tienda|almacén|reembols/i,
  it: /prodott|articol|merce|ordin[eai]\b|pacco|imballagg|consegn|spedi|acquist|negozio|magazzin|rimbors/i,
  nl: /product|artikel|goederen|bestel|pakket|verpak|lever(?:ing|en)|bezorg|aankoop|gekocht|winkel|terugbetal/i,
  pl: /produkt|artykuł|towar|zamówie|paczk|opakowa|dostaw|przesył[ek]k|zakup|sklep|magazyn/i,
  pt: /produt|artigo|mercadoria|encomenda|pacote|embalag|entreg|envio|compr[aoe]|loja|armazém|reembols/i,
};

const inboxes = [
  ['with an inbox', hotel],
  ['without an inbox', hotel.withoutInbox],
] as const;

describe.each(inboxes)('a hotel %s', (_, { concerns: stated, texts, intents }) => {
  test.each(builtInLanguages)('says nothing of a shop in %s, whatever the concern', (language) => {
    const words = shop[language];
    if (words === undefined) throw new Error(`there are no words of a shop in ${language}`);
    const said = [
      ...concerns.map((name) => stated[name].reply.get(language)?.render({})),
      ...standardTexts.map((name) => texts.get(language)?.[name]),
      ...Array.from(intents.values(), ({ replies }) => replies.get(language)?.render({})),
    ].filter((text) => text !== undefined);
    expect(said.length).toBeGreaterThanOrEqual(concerns.length + standardTexts.length);
    expect(said.filter((text) => words.test(text))).toEqual([]);
  });
});
