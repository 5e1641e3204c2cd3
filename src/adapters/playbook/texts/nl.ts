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
    handover:
      'Bedankt voor uw bericht. We willen dat het goed wordt beantwoord. Daarom is het gemarkeerd voor iemand van ons team.',
    unresolved:
      'Bedankt dat u ons opnieuw schrijft. Het spijt ons dat ons vorige antwoord niet heeft geholpen. Uw bericht is gemarkeerd voor iemand van ons team.',
    upset:
      'Bedankt dat u het ons laat weten. Het spijt ons wat er is gebeurd. Uw bericht is gemarkeerd voor iemand van ons team.',
    language:
      'Bedankt voor uw bericht. We kunnen niet automatisch in uw taal antwoorden. Daarom is het gemarkeerd voor iemand van ons team.',
    human:
      'Bedankt voor uw bericht. U wilt met een persoon spreken: uw bericht is gemarkeerd voor een medewerker van ons team.',
    not_found:
      'Bedankt voor uw bericht. We kunnen niet vinden wat u noemt. Controleer het alstublieft en schrijf ons opnieuw.',
  },
  concerns: {
    self_harm:
      'Bedankt dat u ons dit vertelt. Het klinkt alsof u iets heel moeilijks doormaakt, en u hoeft dat niet alleen te dragen. Bel nu 112 als u misschien in gevaar bent. In Nederland kunt u op elk moment gratis praten met 113 Zelfmoordpreventie: bel 113. Voor andere landen kijkt u op findahelpline.com. Uw bericht is gemarkeerd zodat iemand van ons team het als eerste leest.',
    injury:
      'Het spijt ons zeer dit te lezen, en we hopen dat iedereen veilig is. Als iemand gewond is of zich niet goed voelt, zoek dan eerst medische hulp; bel in noodgevallen 112. Gebruik het product niet meer en bewaar het met de verpakking. Uw bericht is als dringend gemarkeerd voor iemand van ons team.',
    threat:
      'We hebben uw bericht ontvangen en het is gemarkeerd voor iemand van ons team. Bel 112 als iemand in gevaar is.',
    fraud:
      'Bedankt dat u dit meldt; we nemen het serieus. Als er misschien zonder uw toestemming geld is afgeschreven, vraag dan uw bank om de kaart of de betaling te blokkeren en wijzig het wachtwoord van uw account. Stuur ons geen wachtwoorden of volledige kaartnummers en volg geen links in berichten die u niet vertrouwt. Uw bericht is als dringend gemarkeerd voor iemand van ons team.',
    legal:
      'Bedankt voor uw bericht. We nemen het serieus. Het is gemarkeerd voor de mensen in ons team die voor zulke zaken verantwoordelijk zijn, en we beantwoorden het niet automatisch.',
    privacy:
      'Bedankt voor uw bericht over persoonsgegevens. Het is gemarkeerd voor de mensen in ons team die voor gegevensbescherming verantwoordelijk zijn, en we beantwoorden het niet automatisch. Mogelijk moeten zij eerst nagaan wie u bent.',
    discrimination:
      'Bedankt dat u ons hierover vertelt. Het spijt ons dat dit is gebeurd. Niemand hoort zo behandeld te worden. Uw bericht is gemarkeerd zodat iemand van ons team het helemaal leest.',
    vulnerable:
      'Bedankt dat u ons hierover schrijft. We willen hier niet met een automatische tekst op antwoorden. Uw bericht is gemarkeerd zodat iemand van ons team het met aandacht leest. Bel 112 als iemand in gevaar is.',
    press:
      'Bedankt voor uw bericht. Het is gemarkeerd voor de mensen in ons team die zulke vragen beantwoorden.',
  },
};
