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
    handover:
      'Gracias por su mensaje. Queremos que reciba una buena respuesta, por lo que está marcado para que lo lea una persona de nuestro equipo.',
    unresolved:
      'Gracias por escribirnos de nuevo. Sentimos que nuestra última respuesta no le haya ayudado. Su mensaje está marcado para que lo lea una persona de nuestro equipo.',
    upset:
      'Gracias por contárnoslo. Sentimos lo ocurrido. Su mensaje está marcado para que lo lea una persona de nuestro equipo.',
    language:
      'Gracias por su mensaje. No podemos responder automáticamente en su idioma, por lo que está marcado para que lo lea una persona de nuestro equipo.',
    human:
      'Gracias por su mensaje. Usted desea hablar con una persona: su mensaje está marcado para que lo lea alguien de nuestro equipo.',
    not_found:
      'Gracias por su mensaje. No encontramos lo que indica. Por favor, compruébelo y escríbanos de nuevo.',
  },
  concerns: {
    self_harm:
      'Gracias por contárnoslo. Parece que está pasando por algo muy difícil, y no tiene que afrontarlo a solas. Si puede estar en peligro, llame ahora al 112. En España puede llamar al 024, gratis y a cualquier hora; para otros países, consulte findahelpline.com. Su mensaje está marcado para que una persona de nuestro equipo lo lea en primer lugar.',
    injury:
      'Sentimos mucho leer esto y esperamos que todos estén a salvo. Si alguien está herido o se encuentra mal, busque primero ayuda médica; en caso de emergencia, llame al 112. Deje de usar el producto y guárdelo con su embalaje. Su mensaje está marcado como urgente para que lo lea una persona de nuestro equipo.',
    threat:
      'Hemos recibido su mensaje, y está marcado para que lo lea una persona de nuestro equipo. Si alguien está en peligro, llame al 112.',
    fraud:
      'Gracias por avisarnos; nos lo tomamos en serio. Si es posible que se haya cobrado dinero sin su consentimiento, pida a su banco que bloquee la tarjeta o el pago y cambie la contraseña de su cuenta. No nos envíe contraseñas ni números de tarjeta completos, y no siga enlaces de mensajes dudosos. Su mensaje está marcado como urgente para que lo lea una persona de nuestro equipo.',
    legal:
      'Gracias por su mensaje. Nos lo tomamos en serio. Está marcado para las personas de nuestro equipo que se ocupan de estos asuntos, y no lo respondemos automáticamente.',
    privacy:
      'Gracias por su mensaje sobre datos personales. Está marcado para las personas de nuestro equipo que se ocupan de la protección de datos, y no lo respondemos automáticamente. Es posible que primero tengan que comprobar su identidad.',
    discrimination:
      'Gracias por contárnoslo. Sentimos que haya ocurrido. Nadie debería ser tratado así. Su mensaje está marcado para que una persona de nuestro equipo lo lea entero.',
    vulnerable:
      'Gracias por escribirnos sobre esto. No queremos responder con un texto automático. Su mensaje está marcado para que una persona de nuestro equipo lo lea con atención. Si alguien está en peligro, llame al 112.',
    press:
      'Gracias por su mensaje. Está marcado para las personas de nuestro equipo que responden a este tipo de consultas.',
  },
};
