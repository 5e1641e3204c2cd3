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
    not_found:
      'Grazie per il Suo messaggio. Non troviamo ciò che indica. La preghiamo di controllare e di scriverci di nuovo.',
  },
  handovers: {
    handover: 'Grazie per il Suo messaggio. Non possiamo rispondere automaticamente.',
    unresolved:
      'Grazie per averci scritto di nuovo. Ci dispiace che la nostra ultima risposta non sia stata utile.',
    upset: "Grazie per avercelo detto. Ci dispiace per l'accaduto.",
    language: 'Grazie per il Suo messaggio. Non possiamo rispondere automaticamente nella Sua lingua.',
    human: 'Grazie per il Suo messaggio. Desidera parlare con una persona.',
    failure: 'Grazie per il Suo messaggio. Non abbiamo potuto elaborarlo automaticamente.',
  },
  concerns: {
    self_harm:
      'Grazie per avercelo detto. Sembra che stia attraversando un momento molto difficile, e non deve affrontarlo in solitudine. Se potrebbe essere in pericolo, chiami subito il 112. Su findahelpline.com trova una linea di ascolto nel Suo Paese.',
    injury:
      'Ci dispiace molto leggere questo e speriamo che tutti stiano bene. Se qualcuno è ferito o si sente male, si rivolga prima a un medico; in caso di emergenza chiami il 112. Stia lontano da ciò che può averlo causato.',
    threat: 'Abbiamo ricevuto il Suo messaggio. Se qualcuno è in pericolo, chiami il 112.',
    fraud:
      'Grazie per la segnalazione; la prendiamo sul serio. Se è possibile che sia stato prelevato denaro senza il Suo consenso, chieda alla Sua banca di bloccare la carta o il pagamento e cambi la password del Suo account. Non ci invii password o numeri di carta completi, e non segua i link di messaggi sospetti.',
    legal: 'Grazie per il Suo messaggio. Lo prendiamo sul serio. Non rispondiamo automaticamente.',
    privacy:
      'Grazie per il Suo messaggio sui dati personali. Non rispondiamo automaticamente. Potrebbe essere necessario verificare prima la Sua identità.',
    discrimination:
      'Grazie per avercelo detto. Ci dispiace che sia successo. Nessuno dovrebbe essere trattato così.',
    vulnerable:
      'Grazie per averci scritto di questo. Non vogliamo rispondere con un testo automatico. Se qualcuno è in pericolo, chiami il 112.',
    press: 'Grazie per il Suo messaggio. Non rispondiamo automaticamente a questo tipo di richieste.',
  },
  promises: {
    answer: 'Una persona del nostro team leggerà il Suo messaggio e Le risponderà.',
    urgent:
      'Il Suo messaggio è segnalato come urgente: una persona del nostro team lo leggerà e Le risponderà.',
    responsible:
      'Una persona del nostro team che si occupa di queste questioni leggerà il Suo messaggio e Le risponderà.',
    person: 'Una persona leggerà il Suo messaggio e Le risponderà.',
  },
  instead: {
    contact: 'La preghiamo di contattarci direttamente: {contact}',
    elsewhere: 'La preghiamo di contattarci in un altro modo.',
    crisis:
      'Questa risposta viene da una macchina, ed è possibile che nessuno legga presto il Suo messaggio. Non aspetti noi: parli subito con qualcuno.',
  },
};
