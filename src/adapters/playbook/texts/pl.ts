import type { BuiltInTexts } from './built-in.ts';

/** The built-in texts in Polish. */
export const pl: BuiltInTexts = {
  texts: {
    greeting: 'Dzień dobry,',
    closing: 'Z poważaniem',
    offer: 'Jeśli to nie odpowiada na Państwa pytanie, prosimy odpisać i napisać, czego brakuje.',
    thanks: 'Nie ma za co. Dziękujemy za informację.',
    welcome: 'Dziękujemy za wiadomość. Prosimy napisać, w czym możemy pomóc.',
    masked:
      'Prosimy nie wysyłać nam numerów kart, kodów zabezpieczających ani haseł. Te z Państwa wiadomości zostały ukryte.',
    not_found:
      'Dziękujemy za wiadomość. Nie możemy znaleźć tego, co zostało w niej podane. Prosimy to sprawdzić i napisać do nas ponownie.',
  },
  handovers: {
    handover: 'Dziękujemy za wiadomość. Nie możemy odpowiedzieć na nią automatycznie.',
    unresolved: 'Dziękujemy za ponowną wiadomość. Przykro nam, że nasza ostatnia odpowiedź nie pomogła.',
    upset: 'Dziękujemy, że nam Państwo o tym napisali. Przykro nam z powodu tego, co się stało.',
    language: 'Dziękujemy za wiadomość. Nie możemy automatycznie odpowiedzieć w Państwa języku.',
    human: 'Dziękujemy za wiadomość. Chcą Państwo porozmawiać z człowiekiem.',
    failure: 'Dziękujemy za wiadomość. Nie udało się nam przetworzyć jej automatycznie.',
  },
  concerns: {
    self_harm:
      'Dziękujemy, że nam Państwo o tym napisali. Wygląda na to, że to bardzo trudny czas, i nie trzeba mierzyć się z tym w pojedynkę. Jeśli może grozić Państwu niebezpieczeństwo, prosimy natychmiast zadzwonić pod numer 112. Na stronie findahelpline.com można znaleźć telefon zaufania w swoim kraju.',
    injury:
      'Bardzo nam przykro i mamy nadzieję, że wszyscy są bezpieczni. Jeśli ktoś jest ranny lub źle się czuje, prosimy najpierw skorzystać z pomocy lekarskiej; w nagłym wypadku prosimy zadzwonić pod numer 112. Prosimy nie zbliżać się do tego, co mogło być przyczyną.',
    threat:
      'Otrzymaliśmy Państwa wiadomość. Jeśli komuś grozi niebezpieczeństwo, prosimy zadzwonić pod numer 112.',
    fraud:
      'Dziękujemy za zgłoszenie; traktujemy je poważnie. Jeśli pieniądze mogły zostać pobrane bez Państwa zgody, prosimy poprosić bank o zablokowanie karty lub płatności i zmienić hasło do konta. Prosimy nie wysyłać nam haseł ani pełnych numerów kart i nie otwierać linków w podejrzanych wiadomościach.',
    legal: 'Dziękujemy za wiadomość. Traktujemy ją poważnie. Nie odpowiadamy na nią automatycznie.',
    privacy:
      'Dziękujemy za wiadomość dotyczącą danych osobowych. Nie odpowiadamy na nią automatycznie. Być może najpierw trzeba będzie potwierdzić Państwa tożsamość.',
    discrimination:
      'Dziękujemy, że nam Państwo o tym napisali. Przykro nam, że do tego doszło. Nikt nie powinien być tak traktowany.',
    vulnerable:
      'Dziękujemy, że nam Państwo o tym napisali. Nie chcemy odpowiadać na to automatycznym tekstem. Jeśli komuś grozi niebezpieczeństwo, prosimy zadzwonić pod numer 112.',
    press: 'Dziękujemy za wiadomość. Nie odpowiadamy automatycznie na takie zapytania.',
  },
  promises: {
    answer: 'Osoba z naszego zespołu przeczyta Państwa wiadomość i na nią odpowie.',
    urgent: 'Państwa wiadomość została oznaczona jako pilna: osoba z naszego zespołu przeczyta ją i odpowie.',
    responsible:
      'Osoba z naszego zespołu, która zajmuje się takimi sprawami, przeczyta Państwa wiadomość i na nią odpowie.',
    person: 'Człowiek przeczyta Państwa wiadomość i odpowie.',
  },
  instead: {
    contact: 'Prosimy o bezpośredni kontakt: {contact}',
    elsewhere: 'Prosimy o kontakt w inny sposób.',
    crisis:
      'Ta odpowiedź pochodzi od maszyny i być może nikt nie przeczyta szybko Państwa wiadomości. Prosimy na nas nie czekać i porozmawiać z kimś teraz.',
  },
};
