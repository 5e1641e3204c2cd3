import type { BuiltInTexts } from './built-in.ts';

/** The built-in texts in German. */
export const de: BuiltInTexts = {
  texts: {
    greeting: 'Guten Tag,',
    closing: 'Mit freundlichen Grüßen',
    offer:
      'Wenn das Ihre Frage nicht beantwortet, antworten Sie bitte auf diese Nachricht und schreiben Sie uns, was fehlt.',
    thanks: 'Gern geschehen. Vielen Dank für Ihre Rückmeldung.',
    welcome: 'Vielen Dank für Ihre Nachricht. Bitte schreiben Sie uns, was wir für Sie tun können.',
    masked:
      'Bitte schicken Sie uns keine Kartennummern, Prüfnummern oder Passwörter. Wir haben diese Angaben in Ihrer Nachricht unkenntlich gemacht.',
    not_found:
      'Vielen Dank für Ihre Nachricht. Wir finden nicht, was Sie darin nennen. Bitte prüfen Sie die Angabe und schreiben Sie uns noch einmal.',
  },
  handovers: {
    handover: 'Vielen Dank für Ihre Nachricht. Wir können sie nicht automatisch beantworten.',
    unresolved:
      'Vielen Dank, dass Sie uns noch einmal schreiben. Es tut uns leid, dass unsere letzte Antwort nicht geholfen hat.',
    upset: 'Vielen Dank, dass Sie uns das schreiben. Es tut uns leid, was passiert ist.',
    language: 'Vielen Dank für Ihre Nachricht. In Ihrer Sprache können wir nicht automatisch antworten.',
    human: 'Vielen Dank für Ihre Nachricht. Sie möchten mit einer Person sprechen.',
    failure: 'Vielen Dank für Ihre Nachricht. Wir konnten sie nicht automatisch bearbeiten.',
  },
  concerns: {
    self_harm:
      'Danke, dass Sie uns das anvertrauen. Es klingt, als ob Sie gerade etwas sehr Schweres durchmachen, und Sie müssen damit nicht allein bleiben. Wenn Sie in Gefahr sein könnten, rufen Sie bitte jetzt den Notruf 112. In Deutschland erreichen Sie die TelefonSeelsorge kostenlos und zu jeder Zeit unter 0800 111 0 111; Angebote in anderen Ländern finden Sie auf findahelpline.com.',
    injury:
      'Es tut uns sehr leid, das zu lesen, und wir hoffen, dass alle in Sicherheit sind. Wenn jemand verletzt ist oder sich unwohl fühlt, holen Sie bitte zuerst ärztliche Hilfe; im Notfall rufen Sie den Notruf 112. Bitte halten Sie sich von dem fern, was die Ursache sein könnte.',
    threat: 'Wir haben Ihre Nachricht erhalten. Wenn jemand in Gefahr ist, rufen Sie bitte den Notruf 112.',
    fraud:
      'Danke, dass Sie uns das melden; wir nehmen es ernst. Wenn Geld ohne Ihre Zustimmung abgebucht worden sein könnte, lassen Sie bitte die Karte oder die Zahlung von Ihrer Bank sperren und ändern Sie das Passwort Ihres Kontos. Bitte schicken Sie uns keine Passwörter oder vollständigen Kartennummern und folgen Sie keinen Links in Nachrichten, die Ihnen verdächtig vorkommen.',
    legal: 'Vielen Dank für Ihre Nachricht. Wir nehmen sie ernst. Wir beantworten sie nicht automatisch.',
    privacy:
      'Vielen Dank für Ihre Nachricht zu personenbezogenen Daten. Wir beantworten sie nicht automatisch. Möglicherweise muss zuerst sichergestellt werden, wer Sie sind.',
    discrimination:
      'Danke, dass Sie uns davon berichten. Es tut uns leid, dass das passiert ist. Niemand sollte so behandelt werden.',
    vulnerable:
      'Danke, dass Sie uns darüber schreiben. Wir möchten darauf nicht mit einem Text aus einer Maschine antworten. Wenn jemand in Gefahr ist, rufen Sie bitte den Notruf 112.',
    press: 'Vielen Dank für Ihre Nachricht. Solche Anfragen beantworten wir nicht automatisch.',
  },
  promises: {
    answer: 'Eine Kollegin oder ein Kollege wird Ihre Nachricht lesen und beantworten.',
    urgent:
      'Ihre Nachricht ist als dringend vorgemerkt: Eine Kollegin oder ein Kollege wird sie lesen und Ihnen antworten.',
    responsible:
      'Jemand aus unserem Team, der für solche Anliegen zuständig ist, wird Ihre Nachricht lesen und beantworten.',
    person: 'Ein Mensch wird Ihre Nachricht lesen und Ihnen antworten.',
  },
  instead: {
    contact: 'Bitte wenden Sie sich direkt an uns: {contact}',
    elsewhere: 'Bitte wenden Sie sich auf einem anderen Weg an uns.',
    crisis:
      'Diese Antwort kommt von einer Maschine, und vielleicht liest niemand Ihre Nachricht bald. Bitte warten Sie nicht auf uns: Sprechen Sie jetzt mit jemandem.',
  },
};
