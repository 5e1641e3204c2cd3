import type { ConcernPhrases } from './phrases.ts';

/** Phrases of Polish that raise a concern; `|` separates them. */
export const polish: ConcernPhrases = {
  self_harm:
    'samobójstwo|zabić się|zabiję się|odebrać sobie życie|chcę umrzeć|nie chcę żyć|nie chce mi się żyć|skończyć ze sobą',
  injury: `
    ranny|ranna|zraniłem|zraniłam|skaleczyłem|skaleczyłam|obrażenia|porażenie prądem|poraził prąd|poparzenie|poparzony|
    poparzona|zapalił się|zapaliła się|pożar|wybuchł|wybuchła|szpital|szpitalu|szpitala|pogotowie|reakcja alergiczna|
    zatrucie|zatruł|zatruła|odłamki szkła|kawałki szkła|zapach gazu|tlenek węgla|połknął|połknęła`,
  threat:
    'zabiję was|pożałujecie|wiem gdzie mieszkacie|wiem gdzie mieszkasz|podłożę bombę|spalę was|spalę wam',
  fraud: `
    oszustwo|oszustwa|oszukano|oszuści|oszust|bez mojej zgody|nieautoryzowana|nieautoryzowany|nieznana płatność|
    włamanie na konto|zhakowane|skradziona karta|skradzioną kartę|kradzież tożsamości|phishing|wyłudzenie`,
  legal: `
    prawnik|prawnika|adwokat|adwokata|radca prawny|sąd|sądu|sądzie|pozew|pozwę|kroki prawne|droga sądowa|drogę sądową|
    odszkodowanie|zawiadomienie do prokuratury|rzecznik konsumentów|uokik|przedsądowe`,
  privacy: `
    rodo|dane osobowe|danych osobowych|usunięcie moich danych|usunąć moje dane|usuńcie moje dane|wszystkie moje dane|
    prawo do bycia zapomnianym|wyciek danych|ochrona danych|ochrony danych|uodo`,
  discrimination:
    'rasizm|rasistowski|rasistowskie|dyskryminacja|dyskryminacji|homofobiczny|seksistowski|antysemicki|molestowanie|molestował',
  vulnerable: `
    zmarł|zmarła|nie żyje|śmierć|śmierci|akt zgonu|pogrzeb|spadek|mój zmarły|moja zmarła|opiekun prawny|przemoc domowa|
    bije mnie|alzheimer|nieuleczalnie chory`,
  press:
    'dziennikarz|dziennikarka|redakcja|zapytanie prasowe|policja|policji|prokuratura|prokuratury|urząd skarbowy',
};
