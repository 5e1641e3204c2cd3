/** General questions to a shop, by concept; written as the table of objects is. */
export const questions = {
  hours: `
    =until when, =open tonight, =shop open, =store open, =stores open, =shops open, opening hours,
    opening times, business hours, open on, open at, open until, open till, =open today, =open tomorrow,
    =open now, closing time, hours of operation, =are you open, what time do you open,
    what time do you close, when do you open, when do you close, =you open, =you close, bank holiday,
    public holiday
  `,
  store: 'store, shop, branch, outlet',
  visit: `
    bring my dog, dogs allowed, nearest, showroom, located, location, parking, in person, flagship,
    car park, come by, come in, drop by
  `,
  giftCard: `
    gift message, gift note, greeting card, gift card, gift voucher, voucher, gift wrap, gift wrapping
  `,
  discount: `
    =sale, =sales, summer sale, winter sale, student discount, student rate, special offer, clearance,
    discount, coupon, promo code, promotion, promo, price match, =deals, loyalty point,
    loyalty programme, loyalty program, loyalty card, reward programme, reward program, bonus point,
    voucher code, discount code, black friday
  `,
  warranty: 'warranty, guarantee period, spare part, under guarantee',
  stock: `
    in stock, back in stock, out of stock, sold out, restock, available again, availability,
    =available in, =have any, =left in
  `,
  trait: `
    how many, toxic, how many pieces, sensitive skin, okay for, ok for, good for, pegs, what is in,
    contain, sugar free, age, how old, how long is, how wide, spec, specification, quality like, red,
    blue, green, black, white, grey, gray, yellow, pink, brown, age limit, allowed in, safe for,
    suited to, how big, how tall, how heavy, how thick, size, colour, color, material, made of, made in,
    made from, ingredient, vegan, vegetarian, gluten, allergen, nut free, dishwasher safe,
    machine washable, waterproof, compatible, dimension, weigh, weight, tall, difference between,
    which model, recyclable, recycled, cotton, wool, organic, fit, suit, suitable, battery last,
    run small, run large, induction, used on, used with, used for, used in, work with, made by,
    come with, how does it work, handmade
  `,
  inquiry: `
    =your products, =products made, what brand, which brand, accessible, wheelchair, birthday party,
    course, organise, organize, who designs, who makes, where do you make, are you a, recycling,
    new collection, do you know, whats your, what does it mean, how does that work, is there a way,
    can you recommend, which one do you, what can you tell me, do you plan, do you sell, do you stock,
    do you carry, do you have, do you make, do you offer, do you run, have you got, tell me more about,
    tell me about, quick question, general question, just wondering, i was wondering, curious,
    what kind of, what sort of, catalogue, brochure, price list, who owns, what does your company
  `,
  job: `
    job, career, vacancy, hiring, hire, internship, apply for, work for you, work at your,
    sustainability, sustainable, founder, founded, ceo, press enquiry, fair trade
  `,
  care: 'wash, clean, iron, care for, look after, maintain, descale',
} as const satisfies Readonly<Record<string, string>>;

/** Words that mark a request, a negation or a refusal, by concept; written as the table of objects is. */
export const markers = {
  asks: `
    how late, not know, dont know, no idea, any idea, not sure, want, wanna, need, wish, like to,
    love to, please, pls, plz, help, assistance, assist, can, could, will you, would you, may i,
    might i, how, where, when, what, which, who, is it possible, too late, is there, are there, do you,
    do u, do ya, does, are you, any way, looking for, trying to, try to, let me, tell me, show me,
    give me, get me, send me, have to, got to, gotta, require, request, question, would appreciate,
    has my, have you, did you, should i, am i, do i
  `,
  negation: `
    not, no, never, nothing came, never came, not came, dont, doesnt, didnt, cant, cannot, couldnt,
    wont, wouldnt, isnt, arent, wasnt, werent, hasnt, havent, hadnt, shouldnt, aint, nothing, without,
    unable, none, nobody, neither, fail to, failed to, refuses to, stopped
  `,
  refusal: `
    not want, dont want, do not need, dont need, not asking for, not ask for, not looking for,
    not interested in, instead of, rather than, no need for, no need to, not here for, not about,
    isnt about, not after, dont wanna
  `,
  keepIt: 'not cancel, dont cancel, not cancelling, not canceling, keep my order, keep the order',
} as const satisfies Readonly<Record<string, string>>;
