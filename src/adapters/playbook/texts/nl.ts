import type { BuiltInTexts } from './built-in.ts';

/** The built-in texts in Dutch. */
export const nl: BuiltInTexts = {
  texts: {
    greeting: 'Goedendag,',
    closing: 'Met vriendelijke groet,',
    offer:
      'Als dit uw vraag niet beantwoordt, antwoord dan op dit bericht en laat ons weten wat er ontbreekt.',
    thanks: 'Graag gedaan. Bedankt dat u het ons laat weten.',
    welcome: 'Bedankt voor uw bericht. Laat ons weten wat we voor u kunnen doen.',
    masked:
      'Stuur ons alstublieft geen kaartnummers, beveiligingscodes of wachtwoorden. We hebben die in uw bericht onleesbaar gemaakt.',
    not_found:
      'Bedankt voor uw bericht. We kunnen niet vinden wat u noemt. Controleer het alstublieft en schrijf ons opnieuw.',
  },
  handovers: {
    handover: 'Bedankt voor uw bericht. We kunnen het niet automatisch beantwoorden.',
    unresolved:
      'Bedankt dat u ons opnieuw schrijft. Het spijt ons dat ons vorige antwoord niet heeft geholpen.',
    upset: 'Bedankt dat u het ons laat weten. Het spijt ons wat er is gebeurd.',
    language: 'Bedankt voor uw bericht. We kunnen niet automatisch in uw taal antwoorden.',
    human: 'Bedankt voor uw bericht. U wilt met een persoon spreken.',
    failure: 'Bedankt voor uw bericht. We konden het niet automatisch verwerken.',
  },
  concerns: {
    self_harm:
      'Bedankt dat u ons dit vertelt. Het klinkt alsof u iets heel moeilijks doormaakt, en u hoeft dat niet alleen te dragen. Bel nu 112 als u misschien in gevaar bent. In Nederland kunt u op elk moment gratis praten met 113 Zelfmoordpreventie: bel 113. Voor andere landen kijkt u op findahelpline.com.',
    injury:
      'Het spijt ons zeer dit te lezen, en we hopen dat iedereen veilig is. Als iemand gewond is of zich niet goed voelt, zoek dan eerst medische hulp; bel in noodgevallen 112. Blijf uit de buurt van wat het kan hebben veroorzaakt.',
    threat: 'We hebben uw bericht ontvangen. Bel 112 als iemand in gevaar is.',
    fraud:
      'Bedankt dat u dit meldt; we nemen het serieus. Als er misschien zonder uw toestemming geld is afgeschreven, vraag dan uw bank om de kaart of de betaling te blokkeren en wijzig het wachtwoord van uw account. Stuur ons geen wachtwoorden of volledige kaartnummers en volg geen links in berichten die u niet vertrouwt.',
    legal: 'Bedankt voor uw bericht. We nemen het serieus. We beantwoorden het niet automatisch.',
    privacy:
      'Bedankt voor uw bericht over persoonsgegevens. We beantwoorden het niet automatisch. Mogelijk moet eerst worden nagegaan wie u bent.',
    discrimination:
      'Bedankt dat u ons hierover vertelt. Het spijt ons dat dit is gebeurd. Niemand hoort zo behandeld te worden.',
    vulnerable:
      'Bedankt dat u ons hierover schrijft. We willen hier niet met een automatische tekst op antwoorden. Bel 112 als iemand in gevaar is.',
    press: 'Bedankt voor uw bericht. We beantwoorden zulke vragen niet automatisch.',
  },
  promises: {
    answer: 'Een collega zal uw bericht lezen en beantwoorden.',
    urgent: 'Uw bericht is als dringend gemarkeerd: een collega zal het lezen en u antwoorden.',
    responsible:
      'Een collega die voor zulke zaken verantwoordelijk is, zal uw bericht lezen en beantwoorden.',
    person: 'Iemand zal uw bericht lezen en u antwoorden.',
  },
  instead: {
    contact: 'Neem alstublieft rechtstreeks contact met ons op: {contact}',
    elsewhere: 'Neem alstublieft op een andere manier contact met ons op.',
    crisis:
      'Dit antwoord komt van een machine, en misschien leest niemand uw bericht snel. Wacht niet op ons: praat nu met iemand.',
  },
};
