import type { ConcernPhrases } from './phrases.ts';

/** Phrases of German and Dutch that raise a concern; `|` separates them. */
export const german: ConcernPhrases = {
  self_harm: `
    umbringen will ich mich|ich bringe mich um|bringe ich mich um|mich umbringen|mir das leben nehmen|nehme mir das leben|
    nicht mehr leben|will sterben|möchte sterben|suizid|selbstmord|mich selbst verletzen|ritze mich|
    keinen sinn mehr im leben|so nicht weiterleben|ohne mich besser dran`,
  injury: `
    verletzt|verletzung|verletzungen|stromschlag|mich verbrannt|hand verbrannt|verbrennung|verbrennungen|feuer gefangen|in brand|brannte plötzlich|
    explodiert|krankenhaus|notaufnahme|notarzt|allergischer schock|allergische reaktion|lebensmittelvergiftung|vergiftet|
    glasscherben|glassplitter|mich geschnitten|mich daran geschnitten|verschluckt|erstickt|riecht nach gas|gasgeruch|kohlenmonoxid`,
  threat: `
    bringe euch um|bringe sie um|ihr werdet sehen was passiert|weiß wo ihr wohnt|weiß wo sie wohnen|das werdet ihr bereuen|
    das werden sie bereuen|zünde euch|bombe bei euch|bombe bei ihnen|schlage euch|schlage sie`,
  fraud: `
    betrug|betrogen|betrüger|betrügerisch|nicht von mir autorisiert|nicht autorisiert|ohne meine zustimmung abgebucht|
    unberechtigte abbuchung|unberechtigt abgebucht|unbekannte abbuchung|konto wurde gehackt|konto gehackt|karte gestohlen|
    gestohlene karte|identitätsdiebstahl|phishing|auf meinen namen bestellt|in meinem namen bestellt`,
  legal: `
    anwalt|anwältin|rechtsanwalt|rechtsanwältin|verklagen|verklage|klage einreichen|klage erheben|vor gericht|gericht|
    rechtliche schritte|rechtsweg|mahnbescheid|abmahnung|strafanzeige|anzeige erstatten|verbraucherzentrale|schlichtungsstelle|
    schadensersatz|schadenersatz|fristsetzung|staatsanwaltschaft`,
  privacy: `
    dsgvo|datenschutz|datenschutzbeauftragte|datenschutzbeauftragten|auskunft nach art|auskunft über meine daten|
    meine daten löschen|meine daten zu löschen|löschung meiner daten|alle meine daten|personenbezogene daten|
    personenbezogenen daten|datenpanne|datenleck|daten weitergegeben|recht auf vergessenwerden`,
  discrimination: `
    rassistisch|rassismus|diskriminiert|diskriminierung|antisemitisch|sexistisch|homophob|sexuell belästigt|belästigt|belästigung`,
  vulnerable: `
    verstorben|gestorben|ist tot|todesfall|sterbeurkunde|beerdigung|nachlass|erbschein|mein verstorbener|meine verstorbene|
    gesetzlicher betreuer|gesetzliche betreuerin|vorsorgevollmacht|demenz|häusliche gewalt|schlägt mich|im sterben|krebs im endstadium`,
  press: `
    journalist|journalistin|redaktion|presseanfrage|zeitungsartikel|polizeiinspektion|kriminalpolizei|ermittlungsverfahren|
    finanzamt|bundesnetzagentur|gewerbeaufsicht`,
};

/** Phrases of Dutch. */
export const dutch: ConcernPhrases = {
  self_harm: `
    zelfmoord|mezelf iets aandoen|mezelf van het leven|niet meer leven|wil dood|wil niet meer leven|mezelf pijn doen|suïcide|
    maak er een einde aan|einde aan mijn leven`,
  injury: `
    gewond|gewond geraakt|verwond|letsel|elektrische schok|mij verbrand|me verbrand|hand verbrand|brandwonden|vlam gevat|in brand|ontploft|ziekenhuis|
    spoedeisende hulp|allergische reactie|voedselvergiftiging|vergiftigd|glasscherven|glassplinters|gaslucht|koolmonoxide|ingeslikt`,
  threat:
    'ik maak jullie af|ik vermoord|weet waar jullie wonen|weet waar je woont|hier gaan jullie spijt van krijgen|bom bij jullie|steek jullie',
  fraud: `
    fraude|opgelicht|oplichting|oplichters|niet geautoriseerd|zonder mijn toestemming|onterecht afgeschreven|onbekende afschrijving|
    account gehackt|gehackt|gestolen pas|kaart gestolen|identiteitsfraude|phishing|op mijn naam besteld`,
  legal: `
    advocaat|rechtbank|rechter|juridische stappen|aanklagen|klaag jullie aan|dagvaarding|ingebrekestelling|schadevergoeding|
    geschillencommissie|aangifte|consumentenbond|juridisch`,
  privacy: `
    avg|privacy|persoonsgegevens|mijn gegevens verwijderen|mijn gegevens wissen|al mijn gegevens|inzageverzoek|datalek|
    gegevens gedeeld|recht op vergetelheid|autoriteit persoonsgegevens`,
  discrimination:
    'racistisch|racisme|gediscrimineerd|discriminatie|seksistisch|homofoob|antisemitisch|seksueel geïntimideerd|aangerand',
  vulnerable: `
    overleden|is dood|overlijden|overlijdensakte|begrafenis|nalatenschap|wijlen|dementie|huiselijk geweld|slaat mij|bewindvoerder|
    mentor van|terminaal`,
  press:
    'journalist|journaliste|redactie|persvraag|persvoorlichter|politie|recherche|officier van justitie|belastingdienst',
};
