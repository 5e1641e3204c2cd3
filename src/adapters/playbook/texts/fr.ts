import type { BuiltInTexts } from './built-in.ts';

/** The built-in texts in French. */
export const fr: BuiltInTexts = {
  texts: {
    greeting: 'Bonjour,',
    closing: 'Cordialement,',
    offer: 'Si cela ne répond pas à votre question, répondez à ce message en nous disant ce qui manque.',
    thanks: 'Avec plaisir. Merci pour votre retour.',
    welcome: 'Merci pour votre message. Dites-nous ce que nous pouvons faire pour vous.',
    masked:
      'Merci de ne pas nous envoyer de numéros de carte, de codes de sécurité ni de mots de passe. Nous avons masqué ceux de votre message.',
    not_found:
      'Merci pour votre message. Nous ne trouvons pas ce que vous indiquez. Merci de le vérifier et de nous écrire à nouveau.',
  },
  handovers: {
    handover: 'Merci pour votre message. Nous ne pouvons pas y répondre automatiquement.',
    unresolved:
      'Merci de nous écrire à nouveau. Nous sommes désolés que notre dernière réponse ne vous ait pas aidé.',
    upset: "Merci de nous l'avoir dit. Nous sommes désolés de ce qui s'est passé.",
    language: 'Merci pour votre message. Nous ne pouvons pas répondre automatiquement dans votre langue.',
    human: 'Merci pour votre message. Vous souhaitez parler à une personne.',
    failure: "Merci pour votre message. Nous n'avons pas pu le traiter automatiquement.",
  },
  concerns: {
    self_harm:
      "Merci de nous en parler. Vous semblez traverser quelque chose de très difficile, et vous n'avez pas à l'affronter seul. Si vous êtes peut-être en danger, appelez tout de suite le 112. En France, vous pouvez appeler le 3114, gratuitement et à toute heure ; pour les autres pays, voyez findahelpline.com.",
    injury:
      "Nous sommes vraiment désolés de lire cela et nous espérons que tout le monde est en sécurité. Si quelqu'un est blessé ou se sent mal, faites d'abord appel à un médecin ; en cas d'urgence, appelez le 112. Tenez-vous à l'écart de ce qui a pu en être la cause.",
    threat: "Nous avons reçu votre message. Si quelqu'un est en danger, appelez le 112.",
    fraud:
      "Merci de nous le signaler ; nous prenons cela au sérieux. Si de l'argent a pu être prélevé sans votre accord, demandez à votre banque de bloquer la carte ou le paiement, et changez le mot de passe de votre compte. Ne nous envoyez ni mot de passe ni numéro de carte complet, et ne suivez pas les liens de messages douteux.",
    legal: "Merci pour votre message. Nous le prenons au sérieux. Nous n'y répondons pas automatiquement.",
    privacy:
      "Merci pour votre message au sujet de données personnelles. Nous n'y répondons pas automatiquement. Il faudra peut-être d'abord vérifier votre identité.",
    discrimination:
      'Merci de nous en parler. Nous sommes désolés que cela soit arrivé. Personne ne devrait être traité ainsi.',
    vulnerable:
      "Merci de nous écrire à ce sujet. Nous ne voulons pas y répondre par un texte automatique. Si quelqu'un est en danger, appelez le 112.",
    press: 'Merci pour votre message. Nous ne répondons pas automatiquement à ce type de demande.',
  },
  promises: {
    answer: 'Un membre de notre équipe lira votre message et y répondra.',
    urgent: 'Votre message est signalé comme urgent : un membre de notre équipe le lira et vous répondra.',
    responsible: 'Une personne de notre équipe chargée de ces questions lira votre message et y répondra.',
    person: 'Une personne lira votre message et vous répondra.',
  },
  instead: {
    contact: 'Merci de nous contacter directement : {contact}',
    elsewhere: 'Merci de nous contacter par un autre moyen.',
    crisis:
      "Cette réponse vient d'une machine, et il se peut que personne ne lise votre message rapidement. Ne nous attendez pas : parlez à quelqu'un maintenant.",
  },
};
