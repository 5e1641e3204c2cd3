import type { BuiltInTexts } from './built-in.ts';

/** The built-in texts in Italian. */
export const it: BuiltInTexts = {
  texts: {
    greeting: 'Buongiorno,',
    closing: 'Cordiali saluti,',
    offer: 'Se questo non risponde alla Sua domanda, risponda a questo messaggio e ci dica che cosa manca.',
    thanks: 'Prego. Grazie per avercelo fatto sapere.',
    welcome: 'Grazie per il Suo messaggio. Ci dica che cosa possiamo fare per Lei.',
    masked:
      'La preghiamo di non inviarci numeri di carta, codici di sicurezza o password. Abbiamo nascosto quelli presenti nel Suo messaggio.',
    handover:
      'Grazie per il Suo messaggio. Vogliamo che riceva una buona risposta: per questo è segnalato a una persona del nostro team.',
    unresolved:
      'Grazie per averci scritto di nuovo. Ci dispiace che la nostra ultima risposta non sia stata utile. Il Suo messaggio è segnalato a una persona del nostro team.',
    upset:
      "Grazie per avercelo detto. Ci dispiace per l'accaduto. Il Suo messaggio è segnalato a una persona del nostro team.",
    language:
      'Grazie per il Suo messaggio. Non possiamo rispondere automaticamente nella Sua lingua: per questo è segnalato a una persona del nostro team.',
    human:
      'Grazie per il Suo messaggio. Desidera parlare con una persona: il Suo messaggio è segnalato a un membro del nostro team.',
    not_found:
      'Grazie per il Suo messaggio. Non troviamo ciò che indica. La preghiamo di controllare e di scriverci di nuovo.',
  },
  concerns: {
    self_harm:
      'Grazie per avercelo detto. Sembra che stia attraversando un momento molto difficile, e non deve affrontarlo in solitudine. Se potrebbe essere in pericolo, chiami subito il 112. Su findahelpline.com trova una linea di ascolto nel Suo Paese. Il Suo messaggio è segnalato perché una persona del nostro team lo legga per primo.',
    injury:
      "Ci dispiace molto leggere questo e speriamo che tutti stiano bene. Se qualcuno è ferito o si sente male, si rivolga prima a un medico; in caso di emergenza chiami il 112. Non usi più il prodotto e lo conservi con l'imballaggio. Il Suo messaggio è segnalato come urgente a una persona del nostro team.",
    threat:
      'Abbiamo ricevuto il Suo messaggio, ed è segnalato a una persona del nostro team. Se qualcuno è in pericolo, chiami il 112.',
    fraud:
      'Grazie per la segnalazione; la prendiamo sul serio. Se è possibile che sia stato prelevato denaro senza il Suo consenso, chieda alla Sua banca di bloccare la carta o il pagamento e cambi la password del Suo account. Non ci invii password o numeri di carta completi, e non segua i link di messaggi sospetti. Il Suo messaggio è segnalato come urgente a una persona del nostro team.',
    legal:
      'Grazie per il Suo messaggio. Lo prendiamo sul serio. È segnalato alle persone del nostro team che si occupano di queste questioni, e non rispondiamo automaticamente.',
    privacy:
      'Grazie per il Suo messaggio sui dati personali. È segnalato alle persone del nostro team che si occupano della protezione dei dati, e non rispondiamo automaticamente. Potrebbero dover prima verificare la Sua identità.',
    discrimination:
      'Grazie per avercelo detto. Ci dispiace che sia successo. Nessuno dovrebbe essere trattato così. Il Suo messaggio è segnalato perché una persona del nostro team lo legga per intero.',
    vulnerable:
      'Grazie per averci scritto di questo. Non vogliamo rispondere con un testo automatico. Il Suo messaggio è segnalato perché una persona del nostro team lo legga con attenzione. Se qualcuno è in pericolo, chiami il 112.',
    press:
      'Grazie per il Suo messaggio. È segnalato alle persone del nostro team che rispondono a questo tipo di richieste.',
  },
};
