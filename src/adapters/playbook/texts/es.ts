import type { BuiltInTexts } from './built-in.ts';

/** The built-in texts in Spanish. */
export const es: BuiltInTexts = {
  texts: {
    greeting: 'Buenos días:',
    closing: 'Un cordial saludo,',
    offer: 'Si esto no responde a su pregunta, conteste a este mensaje y díganos qué falta.',
    thanks: 'De nada. Gracias por hacérnoslo saber.',
    welcome: 'Gracias por su mensaje. Díganos, por favor, qué podemos hacer por usted.',
    masked:
      'Por favor, no nos envíe números de tarjeta, códigos de seguridad ni contraseñas. Hemos ocultado los que había en su mensaje.',
    not_found:
      'Gracias por su mensaje. No encontramos lo que indica. Por favor, compruébelo y escríbanos de nuevo.',
  },
  handovers: {
    handover: 'Gracias por su mensaje. No podemos responderlo automáticamente.',
    unresolved: 'Gracias por escribirnos de nuevo. Sentimos que nuestra última respuesta no le haya ayudado.',
    upset: 'Gracias por contárnoslo. Sentimos lo ocurrido.',
    language: 'Gracias por su mensaje. No podemos responder automáticamente en su idioma.',
    human: 'Gracias por su mensaje. Usted desea hablar con una persona.',
    failure: 'Gracias por su mensaje. No hemos podido procesarlo automáticamente.',
  },
  concerns: {
    self_harm:
      'Gracias por contárnoslo. Parece que está pasando por algo muy difícil, y no tiene que afrontarlo a solas. Si puede estar en peligro, llame ahora al 112. En España puede llamar al 024, gratis y a cualquier hora; para otros países, consulte findahelpline.com.',
    injury:
      'Sentimos mucho leer esto y esperamos que todos estén a salvo. Si alguien está herido o se encuentra mal, busque primero ayuda médica; en caso de emergencia, llame al 112. No se acerque a lo que pueda haberlo causado.',
    threat: 'Hemos recibido su mensaje. Si alguien está en peligro, llame al 112.',
    fraud:
      'Gracias por avisarnos; nos lo tomamos en serio. Si es posible que se haya cobrado dinero sin su consentimiento, pida a su banco que bloquee la tarjeta o el pago y cambie la contraseña de su cuenta. No nos envíe contraseñas ni números de tarjeta completos, y no siga enlaces de mensajes dudosos.',
    legal: 'Gracias por su mensaje. Nos lo tomamos en serio. No lo respondemos automáticamente.',
    privacy:
      'Gracias por su mensaje sobre datos personales. No lo respondemos automáticamente. Es posible que primero haya que comprobar su identidad.',
    discrimination: 'Gracias por contárnoslo. Sentimos que haya ocurrido. Nadie debería ser tratado así.',
    vulnerable:
      'Gracias por escribirnos sobre esto. No queremos responder con un texto automático. Si alguien está en peligro, llame al 112.',
    press: 'Gracias por su mensaje. No respondemos automáticamente a este tipo de consultas.',
  },
  promises: {
    answer: 'Una persona de nuestro equipo leerá su mensaje y lo responderá.',
    urgent: 'Su mensaje está marcado como urgente: una persona de nuestro equipo lo leerá y le responderá.',
    responsible:
      'Una persona de nuestro equipo que se ocupa de estos asuntos leerá su mensaje y lo responderá.',
    person: 'Una persona leerá su mensaje y le responderá.',
  },
  instead: {
    contact: 'Por favor, póngase en contacto con nosotros directamente: {contact}',
    elsewhere: 'Por favor, póngase en contacto con nosotros por otra vía.',
    crisis:
      'Esta respuesta viene de una máquina, y puede que nadie lea pronto su mensaje. No nos espere: hable con alguien ahora.',
  },
};
