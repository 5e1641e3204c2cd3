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
    handover:
      "Merci pour votre message. Nous voulons qu'il reçoive une bonne réponse : il est donc signalé à une personne de notre équipe.",
    unresolved:
      'Merci de nous écrire à nouveau. Nous sommes désolés que notre dernière réponse ne vous ait pas aidé. Votre message est signalé à une personne de notre équipe.',
    upset:
      "Merci de nous l'avoir dit. Nous sommes désolés de ce qui s'est passé. Votre message est signalé à une personne de notre équipe.",
    language:
      'Merci pour votre message. Nous ne pouvons pas répondre automatiquement dans votre langue : il est donc signalé à une personne de notre équipe.',
    human:
      'Merci pour votre message. Vous souhaitez parler à une personne : votre message est signalé à un membre de notre équipe.',
    not_found:
      'Merci pour votre message. Nous ne trouvons pas ce que vous indiquez. Merci de le vérifier et de nous écrire à nouveau.',
  },
  concerns: {
    self_harm:
      "Merci de nous en parler. Vous semblez traverser quelque chose de très difficile, et vous n'avez pas à l'affronter seul. Si vous êtes peut-être en danger, appelez tout de suite le 112. En France, vous pouvez appeler le 3114, gratuitement et à toute heure ; pour les autres pays, voyez findahelpline.com. Votre message est signalé pour qu'une personne de notre équipe le lise en premier.",
    injury:
      "Nous sommes vraiment désolés de lire cela et nous espérons que tout le monde est en sécurité. Si quelqu'un est blessé ou se sent mal, faites d'abord appel à un médecin ; en cas d'urgence, appelez le 112. N'utilisez plus le produit et gardez-le avec son emballage. Votre message est signalé comme urgent à une personne de notre équipe.",
    threat:
      "Nous avons reçu votre message, et il est signalé à une personne de notre équipe. Si quelqu'un est en danger, appelez le 112.",
    fraud:
      "Merci de nous le signaler ; nous prenons cela au sérieux. Si de l'argent a pu être prélevé sans votre accord, demandez à votre banque de bloquer la carte ou le paiement, et changez le mot de passe de votre compte. Ne nous envoyez ni mot de passe ni numéro de carte complet, et ne suivez pas les liens de messages douteux. Votre message est signalé comme urgent à une personne de notre équipe.",
    legal:
      'Merci pour votre message. Nous le prenons au sérieux. Il est signalé aux personnes de notre équipe qui sont chargées de ces questions, et nous n’y répondons pas automatiquement.',
    privacy:
      "Merci pour votre message au sujet de données personnelles. Il est signalé aux personnes de notre équipe qui sont chargées de la protection des données, et nous n'y répondons pas automatiquement. Elles devront peut-être d'abord vérifier votre identité.",
    discrimination:
      "Merci de nous en parler. Nous sommes désolés que cela soit arrivé. Personne ne devrait être traité ainsi. Votre message est signalé pour qu'une personne de notre équipe le lise en entier.",
    vulnerable:
      "Merci de nous écrire à ce sujet. Nous ne voulons pas y répondre par un texte automatique. Votre message est signalé pour qu'une personne de notre équipe le lise avec attention. Si quelqu'un est en danger, appelez le 112.",
    press:
      'Merci pour votre message. Il est signalé aux personnes de notre équipe qui répondent à ce type de demande.',
  },
};
