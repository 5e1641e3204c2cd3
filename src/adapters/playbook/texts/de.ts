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
    handover:
      'Vielen Dank für Ihre Nachricht. Wir möchten, dass sie richtig beantwortet wird. Deshalb haben wir sie für eine Person aus unserem Team vorgemerkt.',
    unresolved:
      'Vielen Dank, dass Sie uns noch einmal schreiben. Es tut uns leid, dass unsere letzte Antwort nicht geholfen hat. Ihre Nachricht ist für eine Person aus unserem Team vorgemerkt.',
    upset:
      'Vielen Dank, dass Sie uns das schreiben. Es tut uns leid, was passiert ist. Ihre Nachricht ist für eine Person aus unserem Team vorgemerkt.',
    language:
      'Vielen Dank für Ihre Nachricht. In Ihrer Sprache können wir nicht automatisch antworten. Deshalb ist sie für eine Person aus unserem Team vorgemerkt.',
    human:
      'Vielen Dank für Ihre Nachricht. Sie möchten mit einer Person sprechen: Ihre Nachricht ist für jemanden aus unserem Team vorgemerkt.',
    not_found:
      'Vielen Dank für Ihre Nachricht. Wir finden nicht, was Sie darin nennen. Bitte prüfen Sie die Angabe und schreiben Sie uns noch einmal.',
  },
  concerns: {
    self_harm:
      'Danke, dass Sie uns das anvertrauen. Es klingt, als ob Sie gerade etwas sehr Schweres durchmachen, und Sie müssen damit nicht allein bleiben. Wenn Sie in Gefahr sein könnten, rufen Sie bitte jetzt den Notruf 112. In Deutschland erreichen Sie die TelefonSeelsorge kostenlos und zu jeder Zeit unter 0800 111 0 111; Angebote in anderen Ländern finden Sie auf findahelpline.com. Ihre Nachricht ist vorgemerkt, damit eine Person aus unserem Team sie zuerst liest.',
    injury:
      'Es tut uns sehr leid, das zu lesen, und wir hoffen, dass alle in Sicherheit sind. Wenn jemand verletzt ist oder sich unwohl fühlt, holen Sie bitte zuerst ärztliche Hilfe; im Notfall rufen Sie den Notruf 112. Bitte benutzen Sie das Produkt nicht weiter und bewahren Sie es mit der Verpackung auf. Ihre Nachricht ist als dringend für eine Person aus unserem Team vorgemerkt.',
    threat:
      'Wir haben Ihre Nachricht erhalten, und sie ist für eine Person aus unserem Team vorgemerkt. Wenn jemand in Gefahr ist, rufen Sie bitte den Notruf 112.',
    fraud:
      'Danke, dass Sie uns das melden; wir nehmen es ernst. Wenn Geld ohne Ihre Zustimmung abgebucht worden sein könnte, lassen Sie bitte die Karte oder die Zahlung von Ihrer Bank sperren und ändern Sie das Passwort Ihres Kontos. Bitte schicken Sie uns keine Passwörter oder vollständigen Kartennummern und folgen Sie keinen Links in Nachrichten, die Ihnen verdächtig vorkommen. Ihre Nachricht ist als dringend für eine Person aus unserem Team vorgemerkt.',
    legal:
      'Vielen Dank für Ihre Nachricht. Wir nehmen sie ernst. Sie ist für die Personen in unserem Team vorgemerkt, die für solche Anliegen zuständig sind, und wir beantworten sie nicht automatisch.',
    privacy:
      'Vielen Dank für Ihre Nachricht zu personenbezogenen Daten. Sie ist für die Personen in unserem Team vorgemerkt, die für den Datenschutz zuständig sind, und wir beantworten sie nicht automatisch. Möglicherweise müssen sie zuerst sicherstellen, wer Sie sind.',
    discrimination:
      'Danke, dass Sie uns davon berichten. Es tut uns leid, dass das passiert ist. Niemand sollte so behandelt werden. Ihre Nachricht ist vorgemerkt, damit eine Person aus unserem Team sie ganz liest.',
    vulnerable:
      'Danke, dass Sie uns darüber schreiben. Wir möchten darauf nicht mit einem Text aus einer Maschine antworten. Ihre Nachricht ist vorgemerkt, damit eine Person aus unserem Team sie sorgfältig liest. Wenn jemand in Gefahr ist, rufen Sie bitte den Notruf 112.',
    press:
      'Vielen Dank für Ihre Nachricht. Sie ist für die Personen in unserem Team vorgemerkt, die solche Anfragen beantworten.',
  },
};
