/** Words about law, authorities, press, privacy and fraud, by concept; written as the lexicon of intents is. */
export const lawAndDataLexicon = {
  lawyer: `
    lawyer, attorney, solicitor, barrister, counsel, paralegal, law firm, legal team, legal department, legal advice,
    legal aid, advocate, legal representative, legal counsel, advised legally, =law
  `,
  court: `
    court, tribunal, judge, magistrate, arbitration, arbitrator, mediation, mediator, small claims, lawsuit, litigation,
    court hearing, judgment, judgement, summons, subpoena, writ, injunction, bailiff, enforcement officer, claim form,
    legal proceedings, proceedings, court order, claimant, defendant, plaintiff, docket, affidavit, testify, witness statement
  `,
  sue: `
    =sue, =sued, =sues, =suing, prosecute, take you to court, take this to court, press charges, take this further,
    take it further, legal action, legal step, legal route, legal claim, take action against, class action,
    pursue this, pursue the matter, pursue legally, file a case, file a claim, file suit, hold you liable,
    hold you responsible, hold you accountable, see you in
  `,
  notice: `
    formal notice, legal notice, letter before action, letter before claim, pre action, final demand, cease and desist,
    without prejudice, hereby, pursuant, put you on notice, formal complaint, formally, notice of, further notice,
    served, give you until, deadline, calendar days, enclosed, reserve the right, at your own risk, constrained to
  `,
  statute: `
    consumer rights act, consumer rights, consumer law, consumer protection, statutory, statute, under section,
    under article, regulation, breach, breach of contract, unlawful, illegal, illegally, liable, liability, negligence,
    negligent, compensation, damages, infringement, infringe, copyright, trademark, dmca, intellectual property, patent, licence fee,
    royalties, defamation, libel, misrepresentation, false advertising, misleading, unfair terms, my rights,
    contractual, contravene, violation, violate, breach the contract, right to reject, cooling off, implied warranty
  `,
  regulator: `
    ombudsman, regulator, ofcom, ofgem, fca, ftc, fcc, bbb, better business bureau, attorney general, trading standards,
    citizens advice, consumer forum, consumer court, consumer bureau, consumer agency, watchdog, dispute resolution, =adr, cfpb, financial conduct,
    aviation authority, rbi, accc, fair trading, fda, osha, health department, environmental health, food standards, hmrc,
    council, ministry, authority, authorities, commission, commissioner, complaint board, governing body, licensing board, report you to,
    reported you, report this to, be reporting
  `,
  dispute:
    'chargeback, charge back, section 75, dispute with my bank, disputing the charge, dispute the charge, disputed, raise a dispute',
  ultimatum: `
    last chance, last warning, final warning, one last chance, final opportunity, have been warned, no choice but, no option but,
    no other option, forced to, or else, if i dont hear, if i do not hear, if this is not resolved, unless, otherwise i,
    evidence, proof of everything, documented everything, kept everything, kept a record, screenshots of everything, every email, in writing
  `,
  journalist: `
    journalist, reporter, newspaper, newsroom, magazine, editor, correspondent, columnist, documentary, podcast, broadcaster, =bbc,
    producer, press office, press team, press enquiry, press inquiry, media enquiry, media inquiry, media team, go to print, on the record, off the record,
    for comment, to comment, a comment, right of reply, your response to, story on, story about, piece on, piece about, article on, article about, article, publish,
    publication, feature, interview, quote you, supplement, radio, tv programme, news programme, local paper, the papers, the press, freelance writer, newsletter editor
  `,
  business: `
    influencer, followers, collab, collaboration, collaborate, sponsor, sponsorship, partnership, partner with, partnering, wholesale, reseller, resell,
    distributor, distribution, stockist, investor, invest in, donation, donate, raffle, charity, fundraiser, fundraising, prize,
    franchise, supplier, pitch, proposal, media pack, brand ambassador, affiliate, white label, b2b, stock your, sell your products,
    on behalf of our, charity auction, our committee, our organisation, our organization, our firm, our agency, business opportunity
  `,
  authority: `
    police, detective, constable, officer, sergeant, inspector, investigator, investigation, investigating, warrant, crime number, crime reference,
    crime unit, prosecutor, customs officer, tax office, tax authority, revenue, =irs, government, municipality, public health,
    senator, =mp, congress, councillor, parliament, statistics office, research project, dissertation, thesis, survey of, phd, data request, preserve,
    disclosure order, production order, case reference
  `,
  dataLaw: `
    gdpr, dsgvo, ccpa, hipaa, data protection, data privacy, privacy policy, privacy notice, right to be forgotten, right of access, subject access,
    data subject, =dsar, =sar, privacy, data breach, data leak, information commissioner, =ico, data controller, data officer, erasure, article 15, article 17
  `,
  personalData: `
    personal data, my data, personal information, personal details, my details, my information, private information, my records, my file,
    data about me, information about me, hold on me, hold about me, have on me, have about me, know about me, know my,
    my number, my phone number, my address, my name, my email, my photo, my picture, my face, my history, home address, date of birth, birthday, medical record, bank details,
    passport, card number, social security, location, browsing, recording, voice recording, search history, messages, private messages
  `,
  wipe: `
    delete, deletion, erase, remove, removal, destroy, wipe, scrub, purge, take me off, take my, forget me, off your system, off your books, off your list, off your database,
    copy of, export, hand over, disclose, everything you, all you have, opt out, stop using, stop sharing, stop contacting
  `,
  gotFrom: `
    where did you get, how did you get, how do you have, how do you know, how come you, where have you got, got my number, got my email, got my details, who gave you, never gave you, never gave my,
    never consented, consent, without asking, never agreed, did not agree, didnt agree, permission, never signed up, without my permission, without my consent, without my knowledge
  `,
  exposed: `
    someone elses, somebody elses, another customer, other customer, other people, other persons, another person, another patient, strangers, stranger, wrong person, wrong recipient, not mine, isnt mine,
    not for me, isnt for me, not me, everybody can see, everyone can see, anyone can see, visible to, could see, can see my, showing up, shows me, leaked, leak, exposed, public, publicly, published, posted online, shared, sharing, sold my, passed on, passed my, gave my, given my, gave out, gave him, gave her,
    told him, told her, read out, cc, copied in, forwarded, attached, in plain view, unredacted, on google, search engine
  `,
  watched: `
    spy, spying, listening, tracked, tracking me, following me, camera, cctv, filmed, filming, recorded, recording me, photograph, photographed, watching, targeted ads, cookies, microphone, scan my face,
    facial recognition, fingerprint, snooping, looked me up, look me up, looked up my, whatsapp, texted me, messaged me, added me, facebook, instagram
  `,
  fraud: `
    fraud, fraudulent, fraudster, scam, scammed, scammer, swindle, swindled, identity theft, con artist, conned, ripped off, rip off, hacked, hacker, hack, phishing, phished, spoofed, spoof, skimmed, skimmer, cloned, clone, counterfeit, fake, knock off,
    knockoff, replica, imposter, impostor, impersonate, impersonating, pretending, posing, claiming to be, claimed to be, said he was from, said she was from, dodgy, fishy, suspicious, sketchy, bogus, shady, legit, legitimate, genuine, theft, thief, thieves, steal, stole, stolen, pocketed, compromised, malware, virus
  `,
  unauthorised: `
    unauthorised, unauthorized, not authorise, not authorize, didnt authorise, didnt authorize, never authorised, never authorized, not recognise, not recognize,
    dont recognise, dont recognize, didnt make, did not make, never made, wasnt me, was not me, werent me, not by me, none of us, never ordered, didnt order, did not order, not ordered, never bought, didnt buy, did not buy, never opened, didnt open,
    didnt request, did not request, not requested, didnt ask for, never asked for, didnt sign up, never heard of, no idea what, dont know this, dont know who, never been to, never shopped, never lived, nobody here, no one here, unknown, strange, mystery, foreign transaction
  `,
  someone: `
    someone, somebody, anyone else, other people, a man, some man, some guy, this guy, guy called, man called, woman called, lady called, a woman, a lady, a caller, caller, ex employee, former employee, nephew, niece, grandson, ex partner, flatmate, roommate, neighbour, unknown person, third party, stranger
  `,
  lure: `
    link, clicked, click a link, text message, got a text, got a call, phone call, rang me, called me, code, one time code, otp, passcode, remote, anydesk, teamviewer, remote access, gift cards, voucher codes, bitcoin, crypto, wire, transfer money, new bank details, changed bank details, new account number, different account, qr code,
    verify your account, customs fee, release fee, admin fee, prize, advance fee, safe account, took over, logged in, login from, logged into, signed in from, password was changed, password changed, email was changed, email changed, sim swap, new device, unfamiliar device
  `,
  money:
    'money, charge, charged, payment, transaction, purchase, withdrawal, debit, order, savings, account, card, bank, cash, loan, credit',
} as const satisfies Readonly<Record<string, string>>;
