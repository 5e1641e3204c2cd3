import { describe, expect, test } from 'vitest';
import { prepared } from './prepare-message.ts';

const languageOf = (message: string) => prepared(message).language;

describe('the language', () => {
  test.each([
    ['de', 'Könnt ihr mir sagen, wann die Lampe endlich ankommt?'],
    ['de', 'ich will mein geld zurueck'],
    ['fr', 'La lampe est arrivée cassée, que dois-je faire maintenant ?'],
    ['es', '¿Cuándo llega la lámpara que compré la semana pasada?'],
    ['it', 'Vorrei sapere quando arriva la lampada che ho comprato'],
    ['nl', 'Wanneer wordt de lamp bezorgd die ik vorige week heb gekocht?'],
    ['pt', 'Quando chega o candeeiro que comprei na semana passada?'],
    ['pl', 'Znajdę to i odeślę tę lampę do was'],
    ['pl', 'Kiedy dotrze lampa, którą kupiłem w zeszłym tygodniu?'],
    ['sv', 'När kommer lampan som jag köpte förra veckan?'],
    ['da', 'Hvornår kommer lampen, som jeg købte i sidste uge?'],
    ['fi', 'Milloin viime viikolla ostamani lamppu saapuu minulle?'],
    ['tr', 'Geçen hafta aldığım lamba ne zaman gelecek?'],
    ['ru', 'Когда придёт моя лампа?'],
    ['el', 'Πότε θα έρθει η λάμπα;'],
    ['ar', 'متى يصل المصباح'],
    ['he', 'מתי תגיע המנורה'],
    ['th', 'โคมไฟจะมาถึงเมื่อไหร่'],
    ['zh', '台灯什么时候到'],
    ['ja', 'ランプはいつ届きますか'],
    ['ko', '램프는 언제 도착하나요'],
    ['hi', 'दीपक कब आएगा'],
  ])('is %s: %s', (language, message) => {
    expect(languageOf(message)).toBe(language);
  });

  test.each([
    ['fr', 'Bonjour'],
    ['de', 'vielen dank'],
    ['tr', 'Merhaba kolay gelsin'],
    ['nl', 'top bedankt'],
    ['es', 'gracias'],
  ])('is %s for the short but unmistakable %s', (language, message) => {
    expect(languageOf(message)).toBe(language);
  });

  test.each(['ok thanks', 'where is it', 'refund', 'asdf', 'A-1234', '12345', 'in', 'super', 'hm'])(
    'of the short text %s is English or unknown',
    (message) => {
      expect(['en', 'und']).toContain(languageOf(message));
    },
  );

  test.each([
    'my name is Jean-Pierre Müller and I bought the Café Crème set',
    'Kindly do the needful and revert back at the earliest sir',
    'i no get my parcel since monday o, abeg check am',
    'the Señorita dress and the Über scarf havent come',
    'pls chk my acct asap',
    'die cast model of the old man was broken in the box',
    'drone w/ battery to philippines, allowed?',
    'so is it on or in or under the lamp, me no understand',
  ])('stays English: %s', (message) => {
    expect(languageOf(message)).toBe('en');
  });

  test('is that of the newest text, not of the quote', () => {
    const quote =
      'Am 04.02.2025 um 09:12 schrieb Birke <info@birke.test>:\n> Welche Größe möchten Sie denn haben?';
    expect(languageOf(`The small one would be fine.\n\n${quote}`)).toBe('en');
  });
});
