/** Words about injuries, dangers, self-harm and threats, by concept. */
export const harmLexicon = {
  body: `
    hand, finger, thumb, wrist, arm, elbow, shoulder, leg, knee, ankle, foot, feet, toe, face, skin, eye, eyes, ear, head, skull, neck, back, spine, mouth, lip, lips, tongue, tooth, teeth, throat, chest, lung, heart, stomach, tummy, belly, gut, hip, rib, thigh, scalp, hair, nail, nose, palm, cheek
  `,
  hurt: `
    hurt, injure, injury, wound, burn, burnt, scald, bruise, cut, sliced, gash, scratch, scraped, scrape, bleed, blood, bleeding, blister, bitten, bite, sting, stung, crushed, trapped, pinched, caught, broke, broken, fracture, fractured, sprain, twisted, dislocated, torn, chipped, cracked, knocked, hit, struck, fell, fall, fallen, slip, slipped, trip, tripped, landed,
    concussion, unconscious, passed out, fainted, collapse, collapsed, stitches, scar, swelling, swelled, swollen, limp, numb, paralysed, lost consciousness, blacked out, jumped, thrown
  `,
  symptom: `
    rash, hives, itch, itchy, itching, allergic, allergy, reaction, anaphylaxis, anaphylactic, epipen, wheeze, wheezing, breathe, breathing, breath, cough, choke, choking, gagged, vomit, vomiting, threw up, throwing up, sick, ill, illness, nausea, nauseous, diarrhoea, diarrhea, dizzy, headache, migraine, fever, cramps, poisoned, poisoning, food poisoning, salmonella, infection, infected, irritated, redness, red mark, red marks, sore, pain, painful, ache, on the toilet, in bed for, lost my hair,
    palpitations, seizure, fit, unwell, poorly, queasy, light headed, blurry, stinging, burning feeling, puffed up, went blue, turned blue, limping
  `,
  medic: `
    hospital, hospitalised, hospitalized, emergency room, =er, =a e, casualty, ambulance, paramedic, doctor, gp, nurse, surgeon, surgery, clinic, urgent care, vet, dentist, pharmacist, poison control, poison centre, first aid, x ray, operation, intensive care, burns unit, sick note, off work, medical attention, medical bills, minor injuries
  `,
  danger: `
    fire, flames, flame, smoke, smoking, smouldering, spark, sparks, sparking, burning smell, smell of burning, smells of burning, burning plastic, smells burnt, scorch, scorched, scorching, singed, charred, melt, melted, melting, overheat, overheating, red hot, too hot, very hot, glowing, hissing, swollen battery, bulging, bloated, explode, exploded, explosion, blew up, blow up, blown, burst, bursting, blasted, shatter, shattered, splinter, snapped, snap off, gave way, came off, came loose, fell off, folded, tipped over, toppled, brakes failed, brake, wobble,
    electric shock, electrocuted, shock, zap, zapped, tingle, tingling, live wire, bare wire, exposed wire, tripped the, gas leak, smell gas, smell of gas, carbon monoxide, fumes, toxic, chemical, bleach, acid, leaking, leak, sharp, jagged, razor, needle, hazard, hazardous, dangerous, danger, unsafe, safety, accident, recall, recalled, lethal, deadly, fatal, near miss, could have killed, could have died, could of been, nearly, almost, close call, lucky, luckily, thank god, thankfully
  `,
  contaminated: `
    glass in, piece of glass, shard, metal in, bit of metal, wire in, plastic in, hair in, insect, bug, bugs, beetle, cockroach, maggot, maggots, worm, worms, weevil, fly, moth, larvae, mouse, mouse droppings, rodent, legs, mould, mouldy, mold, moldy, fungus, rotten, rancid, gone off, off smell, expired, out of date, past its date, use by, best before, undercooked, raw inside, pink inside, frozen and thawed, foreign object, foreign body,
    nut, nuts, peanut, gluten, coeliac, celiac, lactose, dairy, sesame, shellfish, allergen, allergens, not labelled, not on the label, tampered, seal broken, seal was broken, wrong tablets, wrong medication, wrong dose, dosage, double dose, tablets, pills, medicine, medication, insulin, inhaler, swallow, swallowed, ingested, drank, ate, eaten, tasted
  `,
  child: `
    baby, babies, toddler, child, children, kid, kids, son, daughter, infant, newborn, grandson, granddaughter, grandchild, little one, little boy, little girl, boy, girl, teen, teenager, teenage, twins, nephew, niece, month old, year old, yr old, yo, schoolgirl, schoolboy, pupil
  `,
  family: `
    mum, mom, mother, dad, father, parent, parents, wife, husband, partner, spouse, brother, sister, uncle, aunt, auntie, grandma, grandmother, gran, nan, nana, grandad, grandfather, grandpa, in law, cousin, fiance, fiancee, boyfriend, girlfriend, friend, flatmate, ex
  `,
  pet: 'dog, cat, puppy, kitten, hamster, rabbit, horse, parrot, pet, pets, gecko, goldfish, tortoise',
  dieWord: `
    die, dies, died, dying, dead, death, kill, killed, killing, suicide, suicidal, =od, overdose, hang myself, hanging, drown, jump off, bridge, railway, train tracks, cliff, river, rope, loaded gun, slit
  `,
  notLive: `
    kill myself, killing myself, end my life, ending my life, end it all, end it, ending it, take my life, take my own life, want to die, wanna die, hurt myself, hurting myself, harm myself, self harm, no reason to live, better off dead, not want to live, dont want to live, dont want to wake, not wake up, never wake up,
    not worth living, no point in living, dont want to be alive, not want to be alive, dont want to be here, not be here, wont be here, not here anymore, not be around, wont be around, be gone soon, when im gone, after im gone, once im gone, deleting myself, unalive, off myself, go to sleep forever, sleep and not, disappear for good, leave this world, no longer here, last message, final message, goodbye note, goodbye everyone,
    cant go on, cannot go on, cant do this anymore, cant do this any more, cant take it anymore, cant take any more, cant cope, not coping, tired of living, tired of everything, tired of life, sick of living, sick of life, done with life, done with everything, done with it all, had enough of life, nothing matters, nothing left, no point anymore, no point any more, point of anything, whats the point, what is the point, no future, no way out, give up on life, given up
  `,
  despair: `
    hopeless, worthless, useless person, burden, nobody would notice, no one would notice, nobody would miss, no one would miss, nobody cares, no one cares, wouldnt miss, better off without me, better without me, hate myself, hate my life, hate being alive, empty, numb, darkness, dark place, dark thoughts, thoughts, the voices, crying, cry all, cant stop crying, depressed, depression, breakdown, panic attacks, anxiety, stop eating, stopped eating, havent eaten, not eating, starve, starving myself, cutting, cut myself, razor, sleeping pills, painkillers, crisis line, helpline, samaritans, therapist, psychiatrist, affairs in order, my will, who gets my, give away, take care of my, look after my cat, look after my dog, goodbye, farewell, forgive me, sorry for everything, thank you for everything, it will all be over, all be over, wont matter, doesnt matter anymore, no longer matter
  `,
  threatDeed: `
    kill you, hurt you, find you, coming for you, come for you, come down there, come over there, come to your, pay you a visit, paying you a visit, drop by, be waiting, wait outside, waiting outside, know where you, know where he, know where she, where you live, where you work, where you park, watch your back, sleep with one eye, burn down, burn it down, burn your, torch, set fire, smash, smashing, beat you, beat him, beat her, punch, slap, break your, break his, break her, knock your, kick your, throw a brick, brick through, petrol, gun, shotgun, rifle, knife, machete, baseball bat, hammer, bomb, acid attack, shoot up, shooting, blood, bury you, coffin, ditch, grave,
    you will pay, youll pay, make you pay, going to pay, pay for this, you will regret, youll regret, be sorry, youll be sorry, teach you, a lesson, not be pretty, wont be pretty, get ugly, get hurt, somebody will, someone will get, something happens, something might happen, would be a shame, accidents happen, consequences, youll see, you will see, mark my words, i promise you, hunt, destroy you, ruin you, end you, finish you
  `,
  blackmail: `
    one star, bad reviews, negative reviews, post reviews, 1 star, go viral, viral, expose you, tell everyone, everyone will know, leak, leaks, publish the, release the, dump the, ddos, take your site down, take down your, bring down your, crash your, hack your, unless you, or i will, or ill, if you dont, if you do not, pay me, send me, free of charge or, keep quiet, keep my mouth, quiet about, silence
  `,
  staff: `
    driver, delivery man, delivery guy, delivery person, courier, employee, staff, rep, agent, adviser, advisor, manager, supervisor, technician, engineer, guard, security, bouncer, waiter, waitress, barista, cashier, clerk, assistant, receptionist, teacher, trainer, coach, landlord, seller, host, steward, conductor, colleague, operator, salesman, saleswoman, handyman, installer, mechanic, your man, your guy, your team, your people, stylist, hairdresser
  `,
} as const satisfies Readonly<Record<string, string>>;
