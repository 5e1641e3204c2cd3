import type { BuiltInIntent } from '../../../domain/message/message.ts';
import type { CueTable } from './cue-matcher.ts';

/** The cues for each intent, in the concepts of the lexicon. */
export const intentCues: CueTable<BuiltInIntent> = {
  refund: {
    decisive: `
      money back, money giveBack, where money, money arrive negation, money see negation,
      refund !complaint !feedback !newsletter, giveBack policy, giveBack product, giveBack order,
      giveBack howLong, giveBack invoice, back howLong send, back onItsWay
    `,
    strong: 'giveBack !site, back send !account',
    fair: 'refund',
    hint: 'policy, damaged product',
  },
  order_status: {
    decisive: `
      status order !refund !newsletter, status parcel, status delivery, eta order, eta parcel,
      tracking order !refund, tracking parcel, tracking delivery, where order, where parcel,
      where delivery, where product !inquiry, late order, late parcel, late delivery !address,
      late product, negation arrive order, negation arrive parcel, negation arrive product,
      when arrive order number, onItsWay order !change !address, onItsWay parcel
    `,
    strong: `
      eta, tracking !refund, arrive order !howLong !refund !unhappy, negation arrive delivery,
      negation arrive !refund !login !account !password !speak !place !howLong,
      arrive delivery !howLong !place !price, see order number, see order !invoice !policy !option
    `,
    fair: `
      where !store !account !inquiry, status !refund, late !app !person !unhappy !company,
      onItsWay !happy !unhappy, order number
    `,
    hint: 'order, parcel',
  },
  order_change: {
    decisive: `
      change order !address !account, swap order, add order !address, erase fromOrder, swap fromOrder,
      offOrder, erase order product, add fromOrder, change fromOrder, move fromOrder,
      giftCard fromOrder, trait mistake, quantity !payment !charge !stock, add product order,
      buy product, create order, buy order
    `,
    strong: `
      add product !address !site, erase product, change product, swap product !giveBack, buy !policy,
      trait change, trait order !unhappy
    `,
    fair: 'order product, swap, mistake order',
    hint: 'order, change, buy',
  },
  cancellation: {
    decisive: `
      cancel order, cancel fee, terminate fee, cancel charge, terminate charge, cancel price,
      terminate price, cancel product, cancel policy, refusal order !turnedDown,
      refusal anymore !newsletter !subscription !turnedDown, refusal send !change, cancel delivery
    `,
    strong: `
      erase order !product, cancel !subscription !newsletter !account !tier,
      terminate !account !subscription !newsletter
    `,
    fair: 'cancel, terminate, fee',
  },
  shipping: {
    decisive: `
      delivery place, delivery option, parcel option, delivery address, address change !details,
      address setUp !details, orderFrom place, place buy, delivery price, delivery fee,
      howLong delivery, howLong parcel, howLong arrive, delivery accept, howLong place, address send,
      send place !invoice, parcel place
    `,
    strong: `
      address !details, howLong order, when arrive product !refund, when arrive parcel,
      parcel arrive !negation, product arrive !negation !damaged !happy, orderFrom asks, place order,
      delivery !late !order !swap !arrive !payment !happy !unhappy, howLong product
    `,
    fair: 'delivery !late, howLong !refund, parcel when',
    hint: 'parcel, place',
  },
  billing: {
    decisive: `
      invoice !refund !giveBack, payment option, payment problem, payment accept, card accept,
      card decline, payment decline, charge twice, card change, payment negation !unhappy,
      payment report, charge card
    `,
    strong: 'payment !refund, charge !fee, charge !cancel !terminate !delivery, card, decline, twice price',
    fair: 'twice fee, payment',
    hint: 'price, charge, twice',
  },
  account: {
    decisive: `
      account !invoice !charge !payment !refund, user, create account, password, key recover,
      login !crash, signup problem !newsletter, signup !newsletter !subscription, details change,
      tier move, tier use
    `,
    strong: 'login, key account, tier, move !order !product !delivery !subscription !fromOrder',
    fair: 'key, account, details setUp',
  },
  technical_issue: {
    decisive: `
      crash app, negation work login, crash login, crash discount, crash site,
      crash !payment !signup !account !refund !subscription, negation work app, negation work site,
      problem app, problem site, damaged site
    `,
    strong: 'negation work !payment !refund, crash, app negation !refund, site negation !payment',
    fair: 'app !wish !happy',
    hint: 'site, problem, negation work',
  },
  complaint: {
    decisive: `
      complaint, late company, negation arrive company, claim company, unhappy company, unhappy store,
      unhappy helpdesk, company report, wrongGoods, claim !lure
    `,
    strong: `
      damaged arrive, damaged onItsWay, damaged parcel, negation speak !asks, negation happy,
      unhappy !asks
    `,
    fair: 'unhappy, damaged !app !site !refund',
  },
  feedback: {
    decisive: `
      feedback leave, feedback company, feedback product, wish !order, happy company !negation,
      happy delivery !negation !asks, happy product !negation !asks, happy order !negation !asks,
      happy store, happy helpdesk, wish app, wish site, happy app
    `,
    strong: 'feedback, wish, happy !negation !asks',
    fair: 'happy !negation',
  },
  subscription: {
    decisive: 'newsletter, subscription',
  },
  human_agent: {
    decisive: 'person speak, helpdesk speak, bot, person asks, helpdesk hours, helpdesk when, anyone speak',
    strong: 'helpdesk !happy !unhappy, person !complaint !unhappy',
    fair: 'speak !order !product !giveBack !refund',
    hint: 'person, anyone',
  },
  spam: {
    decisive: 'hustle, vice, lure, bait, pitch site, pitch url',
    strong: 'pitch, url payment, url parcel, url login, url password',
    fair: 'url',
  },
  general_question: {
    decisive: `
      hours, store where, visit, store inquiry, store place, care !fee !charge, giftCard !refund,
      warranty, stock, job, discount !unhappy
    `,
    strong: 'trait !order !change !swap !happy !damaged, trait asks !change !swap, inquiry product',
    fair: 'price !delivery !refund, giftCard, inquiry',
    hint: 'asks, store',
  },
};
