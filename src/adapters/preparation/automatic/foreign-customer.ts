import type { Cue } from './cue.ts';

/** What customers say in other languages, and no automatic reply. */
export const foreignCustomer: readonly Cue[] = [
  [
    2,
    /\b(?:liefer\w*|bestell\w*|storn\w*|kundig\w*|erstatt\w*|paket\w*|umtausch\w*|livr\w+|command(?:e|er|ee|es)\b|rembours\w*|annul\w*|colis|entreguen|entregar\w*|pedido|reembols\w*|cancel\w*|paquete|devol\w+|consegn\w+|ordin[eaio]\b|rimbors\w*|pacco|bezorg\w*|bestelling|terugbetal\w*|annuleer|pakket|encomenda|dostaw\w*|dostarcz\w*|zamow\w*|zwrot\w*|anulow\w*|paczk\w*|leverans\w*|leverer\w*|bestall\w*|bestill\w*|aterbetal\w*|pakken?|tilau\w*|palaut\w*|toimitu\w*|siparis\w*|iade\w*|iptal\w*|kargo\w*)\b/,
  ],
  [
    2,
    /\b(?:meine? (?:bestellung|paket|lieferung|rechnung|konto|geld|ware|karte)|meiner (?:bestellung|lieferung)|ma (?:commande|carte|facture)|mon (?:colis|compte|abonnement)|mi (?:pedido|paquete|cuenta|tarjeta|factura)|(?:il mio|mio) (?:ordine|pacco|conto)|la mia (?:carta|fattura)|mijn (?:bestelling|pakket|rekening|geld|account)|minha (?:encomenda|conta|fatura)|(?:o )?meu pedido|moj\w+ (?:zamowieni\w+|paczk\w+|kont\w+)|min (?:order|bestallning|bestilling|ordre|pakke|konto)|mitt (?:paket|konto)|tilaukseni|siparisim\w*|paketim\w*|kargom\w*)\b/,
  ],
  [
    2,
    /\b(?:konnen sie|konnten sie|konnt ihr|pouvez-vous|pourriez-vous|puede[ns]?|podeis|podrian?|potete|puo dirmi|potreste|kunt u|kunnen jullie|podem|poderia\w*|pode me|czy (?:moge|mozna|mozecie|moga)|kan (?:ni|du|i|dere)|voitteko|voisitteko|misiniz|musunuz|mi sunuz)\b[^.\n]{0,120}\?/,
  ],
  [1, /\?/],
  [
    2,
    /\b(?:ich (?:habe|hab|mochte|will|warte|brauche) (?:\S+ )?(?:ihre|eine|bestellt|auf|mein)|j'ai (?:recu|commande)|he recibido|ho ricevuto|ik heb (?:een|uw|jullie)|recebi|dostalem|dostalam|jag (?:fick|har fatt)|jeg (?:fik|har faet|fikk|har fatt)|sain\b|aldim)\b/,
  ],
];

/** Customers in other languages who write about their own parcel, which no report of a mail does. */
export const ownParcel: readonly Cue[] = [
  [
    2,
    /\b(?:mein(?:e[nrms]?)? (?:paket|sendung|bestellung|lieferung)|mon colis|ma commande|mi (?:pedido|paquete)|(?:il )?mio (?:ordine|pacco)|mijn (?:bestelling|pakket)|minha encomenda|meu pedido|moj\w+ (?:zamowieni\w+|paczk\w+))\b/,
  ],
];
