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
      'Prosimy nie przesyłać nam numerów kart, kodów zabezpieczających ani haseł. Te z Państwa wiadomości zostały ukryte.',
    handover:
      'Dziękujemy za wiadomość. Chcemy, aby otrzymali Państwo dobrą odpowiedź, dlatego wiadomość została oznaczona do przeczytania przez osobę z naszego zespołu.',
    unresolved:
      'Dziękujemy za ponowną wiadomość. Przykro nam, że nasza ostatnia odpowiedź nie pomogła. Państwa wiadomość została oznaczona do przeczytania przez osobę z naszego zespołu.',
    upset:
      'Dziękujemy, że nam Państwo o tym napisali. Przykro nam z powodu tego, co się stało. Państwa wiadomość została oznaczona do przeczytania przez osobę z naszego zespołu.',
    language:
      'Dziękujemy za wiadomość. Nie możemy automatycznie odpowiedzieć w Państwa języku, dlatego wiadomość została oznaczona do przeczytania przez osobę z naszego zespołu.',
    human:
      'Dziękujemy za wiadomość. Chcą Państwo porozmawiać z człowiekiem: wiadomość została oznaczona do przeczytania przez osobę z naszego zespołu.',
    not_found:
      'Dziękujemy za wiadomość. Nie możemy znaleźć tego, co zostało w niej podane. Prosimy to sprawdzić i napisać do nas ponownie.',
  },
  concerns: {
    self_harm:
      'Dziękujemy, że nam Państwo o tym napisali. Wygląda na to, że to bardzo trudny czas, i nie trzeba mierzyć się z tym w pojedynkę. Jeśli może grozić Państwu niebezpieczeństwo, prosimy natychmiast zadzwonić pod numer 112. Na stronie findahelpline.com można znaleźć telefon zaufania w swoim kraju. Państwa wiadomość została oznaczona, aby osoba z naszego zespołu przeczytała ją w pierwszej kolejności.',
    injury:
      'Bardzo nam przykro i mamy nadzieję, że wszyscy są bezpieczni. Jeśli ktoś jest ranny lub źle się czuje, prosimy najpierw skorzystać z pomocy lekarskiej; w nagłym wypadku prosimy zadzwonić pod numer 112. Prosimy nie używać więcej produktu i zachować go razem z opakowaniem. Państwa wiadomość została oznaczona jako pilna do przeczytania przez osobę z naszego zespołu.',
    threat:
      'Otrzymaliśmy Państwa wiadomość i została ona oznaczona do przeczytania przez osobę z naszego zespołu. Jeśli komuś grozi niebezpieczeństwo, prosimy zadzwonić pod numer 112.',
    fraud:
      'Dziękujemy za zgłoszenie; traktujemy je poważnie. Jeśli pieniądze mogły zostać pobrane bez Państwa zgody, prosimy poprosić bank o zablokowanie karty lub płatności i zmienić hasło do konta. Prosimy nie przesyłać nam haseł ani pełnych numerów kart i nie otwierać linków w podejrzanych wiadomościach. Państwa wiadomość została oznaczona jako pilna do przeczytania przez osobę z naszego zespołu.',
    legal:
      'Dziękujemy za wiadomość. Traktujemy ją poważnie. Została oznaczona dla osób z naszego zespołu, które zajmują się takimi sprawami, i nie odpowiadamy na nią automatycznie.',
    privacy:
      'Dziękujemy za wiadomość dotyczącą danych osobowych. Została oznaczona dla osób z naszego zespołu, które zajmują się ochroną danych, i nie odpowiadamy na nią automatycznie. Być może najpierw będą musiały potwierdzić Państwa tożsamość.',
    discrimination:
      'Dziękujemy, że nam Państwo o tym napisali. Przykro nam, że do tego doszło. Nikt nie powinien być tak traktowany. Państwa wiadomość została oznaczona, aby osoba z naszego zespołu przeczytała ją w całości.',
    vulnerable:
      'Dziękujemy, że nam Państwo o tym napisali. Nie chcemy odpowiadać na to automatycznym tekstem. Państwa wiadomość została oznaczona, aby osoba z naszego zespołu przeczytała ją z uwagą. Jeśli komuś grozi niebezpieczeństwo, prosimy zadzwonić pod numer 112.',
    press:
      'Dziękujemy za wiadomość. Została oznaczona dla osób z naszego zespołu, które odpowiadają na takie zapytania.',
  },
};
