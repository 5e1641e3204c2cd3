import type { Concern } from '../../../domain/message/message.ts';

/**
 * Phrases that raise a concern in whatever text they stand, so that plain words never depend on what a model has
 * learned; written as the lexicon of intents is. A phrase belongs here only if ordinary messages do not have it.
 */
export const unmistakable = {
  self_harm: `
    kill myself, killing myself, suicidal, commit suicide, end my life, ending my life, take my own life,
    want to die, wanna die, hurt myself, hurting myself, harm myself, harming myself, self harm,
    no reason to live, not worth living, dont want to live, do not want to live, better off dead,
    dont want to be alive, do not want to be alive, go on living like this
  `,
  injury: `
    electric shock, electrocuted, caught fire, catch fire, burst into flames, allergic reaction, anaphylactic shock,
    food poisoning, carbon monoxide, burned my hand, burnt my hand, smell of gas, swallowed a battery,
    swallowed the battery, ended up in hospital, taken to hospital, rushed to hospital, had to go to hospital,
    made me ill, made me sick, made us ill
  `,
  threat: `
    kill you, burn your, burn it down, burn the place down, know where you live, know where you work, watch your back,
    make you pay for this, bomb in, hurt you, beat you up, smash your
  `,
  fraud: `
    identity theft, stolen identity, stole my identity, hacked my account, account was hacked, account has been hacked,
    account got hacked, been scammed, got scammed, being scammed, card was stolen, stolen card, used my card without,
    not authorise this, not authorize this, didnt authorise, didnt authorize, did not authorise, did not authorize,
    never authorised, never authorized, unauthorised transaction, unauthorized transaction, unauthorised payment,
    unauthorized payment, unauthorised charge, unauthorized charge, dont recognise this charge,
    dont recognize this charge, not recognise this charge, not recognize this charge, dont recognise this transaction,
    dont recognize this transaction, dont recognise this payment, dont recognize this payment, fraudulent
  `,
  legal: `
    my lawyer, my solicitor, my attorney, our lawyer, our solicitor, our attorney, legal action, legal proceedings,
    take you to court, taking you to court, see you in court, small claims, =sue you, =suing you, letter before action,
    letter before claim, ombudsman, trading standards, class action, breach of contract, cease and desist, consumer court
  `,
  privacy: `
    gdpr, subject access request, data protection, data breach, right to be forgotten, delete all my data,
    erase all my data, delete my personal data, erase my personal data, all my personal data, sold my data, leaked my data,
    shared my data, personal data you, data you hold, information you hold
  `,
  discrimination: `
    racist, homophobic, transphobic, sexist, antisemitic, discriminated against, sexually harassed, sexual harassment,
    racial slur, racial abuse
  `,
  vulnerable: `
    my late husband, my late wife, my late mother, my late father, my late mum, my late mom, my late dad, my late brother,
    my late sister, husband passed away, wife passed away, mother passed away, father passed away, mum passed away,
    mom passed away, dad passed away, power of attorney, death certificate, domestic violence, restraining order,
    non molestation order, executor of, terminal cancer, nothing to eat
  `,
  press: `
    i am a journalist, im a journalist, am a reporter, press enquiry, press inquiry, media enquiry, media inquiry,
    right of reply, on behalf of the police, detective constable, detective sergeant
  `,
} as const satisfies Readonly<Record<Concern, string>>;
