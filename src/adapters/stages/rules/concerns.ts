import type { CueTable } from './cue-matcher.ts';

/** Topics that only a person should answer (decisions, section 2), the most serious first. */
export const concerns = ['self_harm', 'injury', 'fraud', 'legal_action', 'data_protection'] as const;

/** One of {@link concerns}. */
export type Concern = (typeof concerns)[number];

/** The words and phrases of concerns, by concept; written as the table of objects is. */
export const concernLexicon = {
  selfHarm: `
    kill myself, killing myself, suicide, suicidal, end my life, ending my life, take my life,
    take my own life, want to die, wanna die, hurt myself, hurting myself, harm myself, harming myself,
    self harm, end it all, no reason to live, better off dead, not want to live, dont want to live,
    not worth living, no point in living, dont want to be alive, not want to be alive
  `,
  injury: `
    injured, injury, injure, electric shock, electrocuted, caught fire, catch fire, on fire,
    fire hazard, exploded, explode, explosion, bleed, hospital, hospitalised, hospitalized,
    emergency room, ambulance, allergic reaction, choke, choking, poison, food poisoning, stitches,
    unconscious, concussion, safety hazard, made me ill, made me sick, skin rash, broke my arm,
    broke my leg, burned down
  `,
  harm: 'hurt, burn, burnt, cut, scald, scalded, shock, wound',
  body: `
    hand, finger, arm, leg, foot, face, skin, eye, head, back, mouth, myself, himself, herself, me,
    child, baby, son, daughter, kid, wife, husband, mother, father
  `,
  fraud: `
    fraud, fraudulent, fraudster, scam, scammed, scammer, swindle, identity theft, stole my identity,
    stolen identity, hacked, hacker, phishing, unauthorised, unauthorized, not authorise, not authorize,
    didnt authorise, didnt authorize, never authorised, never authorized, stolen card,
    stolen credit card, card was stolen, without my permission, without my consent,
    without my knowledge, used my card, using my card, someone ordered, somebody ordered,
    someone got into my account, somebody got into my account, someone broke into my account,
    someone accessed my account, someone else is using my account
  `,
  notMine: `
    not recognise, not recognize, dont recognise, dont recognize, didnt make, did not make, never made,
    not made by me, not mine
  `,
  money: 'charge, payment, transaction, purchase, withdrawal, debit, order',
  legal: `
    lawyer, attorney, solicitor, barrister, lawsuit, legal action, legal step, legal proceedings,
    legal consequences, legal team, take you to court, go to court, going to court, see you in court,
    in court, to court, court order, small claims, ombudsman, trading standards, consumer protection,
    consumer rights, litigation, press charges, class action, breach of contract, =sue you, =sue your,
    =suing, =to sue, =will sue, =gonna sue, =sue them, report you to, the police
  `,
  dataLaw: `
    gdpr, dsgvo, ccpa, data protection, data privacy, right to be forgotten, right of access,
    subject access, data subject, dsar, privacy request, data breach, data leak, leaked my data,
    information commissioner, privacy regulator, sell my data, sold my data, shared my data
  `,
  myData: `
    personal data, my data, personal information, data about me, information about me, data on me,
    information on me, data you hold, data do you hold, data you have, data do you have,
    data do you store, data you store, information do you have, information you have,
    information do you hold, information you hold
  `,
  dataDeed: `
    delete, deletion, erase, erasure, remove, removal, destroy, wipe, copy of, hold, store, stored,
    keep, collect, disclose, export, access to, what, which, all
  `,
} as const satisfies Readonly<Record<string, string>>;

/** The cues for each concern. */
export const concernCues: CueTable<Concern> = {
  self_harm: { decisive: 'selfHarm' },
  injury: { decisive: 'injury', strong: 'harm body' },
  fraud: { decisive: 'fraud', strong: 'notMine money' },
  legal_action: { decisive: 'legal' },
  data_protection: { decisive: 'dataLaw', strong: 'myData dataDeed' },
};
