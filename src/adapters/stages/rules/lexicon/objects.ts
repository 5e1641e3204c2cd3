/**
 * What customers write about, by concept: words and phrases separated by commas. A word also stands for its
 * inflections (`parcel`: parcels), in phrases too; after `=` only for itself. `0000` is any long number.
 */
export const objects = {
  order: 'order, purchase, =bought, placed an order, made an order, made a purchase',
  number: '0000',
  product: `
    coat, trousers, puzzle, bulb, drill, fridge, oven, mattress, curtain, sheet, necklace, bracelet,
    trainers, sneaker, tyre, fabric, flavour, flavor, pack, bottle, =the phone, =my phone, =new phone,
    sock, scarf, glass, plate, blanket, pillow, tent, version, pair, product, item, article, goods,
    merchandise, piece, unit, shoe, boot, shirt, jacket, jumper, dress, jeans, lamp, chair, table, desk,
    sofa, bed, rug, mug, towel, pan, kettle, toaster, blender, vacuum, toy, bike, book, bag, backpack,
    phone case, tv, ticket, gift, =thing, =things
  `,
  parcel: 'parcel, package, shipment, consignment, =stuff',
  delivery: `
    customs, dhl, ups, fedex, usps, royal mail, hermes, delivery company, delivery companies, back door,
    front door, front porch, left with, left at the, signed for, click and collect, collect in store,
    collect it, cod, home delivery, my neighbour, with a neighbour, leave the parcel, leave my parcel,
    leave it with, leave it at, delivery, deliver, shipping, ship, postage, dispatch, courier, carrier,
    next day, same day, express, =post abroad, =post to, pick up point, parcel locker, parcel shop,
    safe place, customs duty, import tax, import duty, delivery slot
  `,
  address: `
    address, postcode, postal code, zip code, street, house number, street number, moved house,
    =moved to, moving to, new house, new home, new flat, new apartment, another house, po box
  `,
  eta: `
    =eta, estimated time of arrival, estimated arrival, arrival time, arrival date, estimated delivery,
    delivery estimate, expected delivery, delivery date
  `,
  status: `
    update regarding, update about, went through, go through, ready for pick up, ready to collect,
    ready for collection, status, progress, whereabouts, update on, news on, news about, news of,
    any news, any update, anything new, state of, any sign of, going on with, happening with,
    happened to, happened with, become of, how far along
  `,
  tracking: 'track, trace, tracking number, tracking link, tracking code, tracking',
  place: `
    abroad, overseas, international, internationally, worldwide, country, europe, usa, =us, =uk,
    america, canada, mexico, brazil, argentina, chile, england, scotland, wales, ireland, britain,
    france, germany, spain, italy, portugal, netherlands, belgium, switzerland, austria, sweden, norway,
    denmark, finland, iceland, poland, hungary, greece, turkey, russia, ukraine, romania, japan, china,
    india, korea, australia, new zealand, south africa, egypt, israel, dubai, singapore, hong kong,
    london, dublin, paris, berlin, munich, hamburg, madrid, barcelona, valencia, rome, milan, amsterdam,
    brussels, vienna, zurich, geneva, lisbon, prague, budapest, warsaw, stockholm, oslo, copenhagen,
    helsinki, athens, new york, boston, chicago, seattle, detroit, houston, dallas, denver, atlanta,
    miami, los angeles, san francisco, san diego, las vegas, philadelphia, toronto, montreal, vancouver,
    sydney, melbourne, tokyo, manchester, liverpool, birmingham, glasgow, edinburgh, leeds, bristol,
    island
  `,
  option: 'option, method, modality, alternative, possibility',
  refund: `
    refund, refundable, reimburse, reimbursement, rebate, restitution, compensation, compensate, repay,
    money back, cash back, moneyback, money returned, return my money, return the money, pay me back,
    get the money, money refunded, my money again, owe me, store credit, chargeback, =want my money,
    reclaim
  `,
  giveBack: `
    return, send back, send it back, send them back, send this back, sent back, give back, give it back,
    take it back, take back, bring back, bring it back, hand it back, ship it back, ship back,
    returnable, return label, return form, return slip
  `,
  policy: `
    policy, guarantee, terms and conditions, rule, =in what cases, =in which cases, circumstance,
    situation
  `,
  money: '$, £, €, dollar, euro, pound, quid, buck, usd, eur, gbp, money, cash, amount',
  invoice: `
    billing address, invoice, =bill, =bills, receipt, proof of purchase, billing statement, tax return,
    tax, vat, for my accountant
  `,
  payment: `
    unpaid, paid, payment, pay, transaction, instalment, installment, =paying, direct debit,
    bank transfer, bank detail, bank account, pay later
  `,
  card: `
    cash on delivery, =invoice purchase, apple wallet, bank card, gift card payment, sepa, card,
    credit card, debit card, visa, mastercard, amex, american express, paypal, apple pay, google pay,
    klarna, cheque, iban, =on file
  `,
  charge: `
    =charged, =charge, =charging, =charges, =billed, debited, deducted, overcharge, overcharged,
    money was taken, money left my account, took money, take money, money from my account,
    taken from my account, withdrew, bank statement, =on my statement, double billed, double charge
  `,
  twice: `
    twice, double, two times, duplicate, too much, higher than, more than, two payments, wrong amount,
    wrong price, extra
  `,
  fee: 'fee, penalty, surcharge',
  price: 'price, cost, how much, expensive, cheap, cheaper, minimum',
  account: 'my access, my login, account, profile, user account, user profile, acct',
  user: 'user, username, user name, membership account',
  tier: 'gold, platinum, premium, freemium, =pro, =business account',
  password: `
    password, passcode, passphrase, =pwd, pin, pin code, access key, access code, credential,
    reset link, security question
  `,
  key: '=key, =pass, =keys',
  login: `
    cannot get in, cant get in, get into my profile, two factor authentication, suspended, log in,
    login, sign in, signin, log on, logon, log into, sign into, log me in, sign me in,
    get into my account, logged out, log me out, two factor, verification code, security code,
    confirmation code, authenticator, locked out, =locked, unlock, already registered,
    verification email, activation link, verify my email
  `,
  signup: 'sign up, signup, sign me up, register, registration, enrol, enroll, enrolment',
  details: `
    detail, data, info, information, surname, last name, first name, my name, married name, maiden name,
    phone number, mobile number, email address, mail address, my email, my mail, e mail, username,
    birthday, birth date, date of birth, avatar, profile picture
  `,
  newsletter: `
    my inbox, inbox with, these emails, those emails, all emails, email from you, mails from you,
    all mailings, your emails, promotional text, advertising, emailing, promo mail, promotional mail,
    marketing message, advertising mail, advertising email, newsletter, news letter, mailing list,
    marketing email, promotional email, marketing mail, promo email, email list, mailing, weekly email,
    email offer, too many emails, so many emails, emails from you, your mails, emailing me, spamming me,
    text messages from you
  `,
  subscription: `
    become a member, being a member, first month free, month of premium, subscription, subscribe,
    unsubscribe, subscriber, resubscribe, membership, auto renew, auto renewal, automatic renewal,
    renewal, renew, renew automatically, free trial, trial, opt out, opted out, opt in, =plan, =plans,
    basic plan, family plan, monthly box, skip a month, next billing cycle
  `,
  feedback: `
    a tip from me, a tip for you, product idea, ideas for, feature idea, my opinion on,
    tell you what i think, what i think of, feedback, review, opinion, comment, suggestion, testimonial,
    suggest, recommendation, my thoughts, some thoughts, rating, an idea, compliment, survey, =rate,
    =stars, feature request, my experience, two cents, my thanks, my impressions
  `,
  complaint: `
    complaint, complain, reclamation, grievance, consumer claim, customer claim, formal complaint
  `,
  claim: 'claim',
  company: `
    experience, quality, staff member, the guy, van, hotline, salesman, saleswoman, salesperson,
    engineer, installer, plumber, mechanic, your people, you guys, repairman, call centre agent, clerk,
    cleaner, cleaning crew, crew, courier driver, company, business, organisation, organization, firm,
    your work, your service, your services, brand, team, staff, employee, driver, delivery guy,
    delivery man, cashier, colleague, technician, fitter, waiter, receptionist, your man, your shop,
    your store
  `,
  person: `
    employee, staff member, member of your team, telephone hotline, callback, call back, actual human,
    proper person, member of staff, pass me on, a human, an actual person, agent, human, person,
    representative, =rep, operator, advisor, adviser, assistant, manager, supervisor, real person,
    human being, live agent, live chat, live person, human agent, real human, anyone there,
    one of your people, =your boss
  `,
  helpdesk: `
    customer service, customer support, customer assistance, customer care, customer help, support team,
    support line, call centre, call center, help desk, helpdesk, hotline, helpline, service desk,
    phone support, your support, technical support, contact number, service number, support agent,
    support staff
  `,
  bot: `
    talk to a machine, to a machine, with a machine, want a machine, to a computer, talk to a computer,
    with a computer, talk to a robot, with a robot, to a robot, you are a robot, bot, chatbot,
    automated reply, automated answer, automated response, automatic reply, =ai
  `,
  app: `
    app, application, software, firmware, android, iphone, ipad, pixel, browser, chrome, safari,
    firefox, device, bluetooth, wifi, wi fi, web app, laptop, printer, camera, headphones, headset,
    earbud, remote, tv, speaker, router, thermostat, tablet, screen, driver update, video, smartwatch,
    pdf
  `,
  site: `
    website, web site, site, webpage, web page, page, web shop, online shop, button, search bar,
    search on, =cart, basket, checkout, menu, link, image, picture, captcha
  `,
  fromOrder: `
    =from order, =from my order, =from the order, =from purchase, =from my purchase, =in my order,
    =into my order, =to my order, =to order 0000
  `,
  anyone: 'somebody, someone, anybody, anyone',
  offOrder: `
    =out of my order, =out of the order, =out of order 0000, =off order, =off my order, =off the order,
    =off my purchase
  `,
  quantity: 'quantity, one too many, two too many, too many of',
} as const satisfies Readonly<Record<string, string>>;
