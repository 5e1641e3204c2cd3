import type { TicketTemplate } from './template.ts';

/** Tickets in languages for which the playbook has no replies: a person has to answer them. */
export const languageTemplates: readonly TicketTemplate[] = [
  {
    disposition: 'escalated',
    texts: [
      'Guten Tag, ich möchte mein Geld für den Wasserkocher zurück, er ist am {date} kaputt angekommen.',
      'Bonjour, je voudrais être remboursé pour la lampe que j’ai renvoyée le {date}.',
      'Buenos días, quiero que me devuelvan el dinero de la mochila, no me queda bien y la envié el {date}.',
      'Buongiorno, vorrei il rimborso della poltrona che ho restituito il {date}.',
      'Goedemiddag, ik wil graag mijn geld terug voor de regenjas, die past mij niet.',
      'Dzień dobry, proszę o zwrot pieniędzy za słuchawki, które odesłałem {date}.',
    ],
  },
  {
    disposition: 'escalated',
    texts: [
      'Hallo, wo bleibt meine Bestellung {order}? Sie sollte schon am {date} hier sein.',
      'Bonjour, où en est ma commande {order} ? Je l’attends depuis le {date}.',
      'Hola, ¿dónde está mi pedido {order}? Tenía que llegar el {date} y todavía no lo tengo.',
      'Salve, a che punto è il mio ordine {order}? Doveva arrivare il {date}.',
      'Boa tarde, onde está a minha encomenda {order}? Devia ter chegado no dia {date}.',
      'Hej, var är min beställning {order}? Den skulle ha kommit den {date}.',
      'Hvor bliver min ordre {order} af? Jeg har ventet på den siden {date}.',
      'Merhaba, {order} numaralı siparişim nerede kaldı, {date} tarihinde gelmesi gerekiyordu.',
      'Здравствуйте, где мой заказ {order}? Он должен был прийти {date}.',
    ],
  },
  {
    disposition: 'escalated',
    texts: [
      'Bitte stornieren Sie meine Bestellung vom {date}, ich brauche den Sessel nicht mehr.',
      'Je souhaite annuler ma commande du {date}, s’il vous plaît, j’ai changé d’avis.',
      'Quisiera cancelar el pedido que hice el {date}, ya no necesito la silla.',
      'Vorrei annullare l’ordine del {date}, ho già comprato la lampada in città.',
      'Ik wil mijn bestelling van {date} annuleren, ik heb de verkeerde maat gekozen.',
    ],
  },
  {
    disposition: 'escalated',
    texts: [
      'Ich habe mein Passwort vergessen und komme seit dem {date} nicht mehr in mein Konto.',
      'J’ai oublié mon mot de passe et je ne peux plus ouvrir mon compte depuis le {date}.',
      'No puedo entrar en mi cuenta desde el {date}, ¿cómo cambio la contraseña?',
      'Não consigo entrar na minha conta desde {date}, esqueci a palavra-passe.',
      'パスワードを忘れてしまい、{date}からログインできません。どうすればいいですか。',
    ],
  },
  {
    disposition: 'escalated',
    texts: [
      'Ich bin sehr enttäuscht von Ihrem Kundendienst, seit dem {date} antwortet mir niemand.',
      'Votre service est vraiment décevant, personne ne répond à mes messages depuis le {date}.',
      'Estoy muy descontento con su servicio, nadie me contesta desde el {date}.',
      'Sono molto delusa dal vostro servizio, dal {date} nessuno mi risponde.',
      '我对你们的服务非常失望,从{date}起就没有人回复我的邮件。',
    ],
  },
];
