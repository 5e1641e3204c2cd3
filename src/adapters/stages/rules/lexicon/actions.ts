/** What customers want to be done, or report as done, by concept; written as the table of objects is. */
export const actions = {
  cancel: `
    must not be shipped, must not ship, not ship it, not send it, cancel, cancellation, call off, annul,
    revoke, abort, =stop it, =stop my order, =stop the order, withdraw my order, withdraw from,
    no longer want, no longer need, not want anymore, not need anymore, changed my mind, change of mind,
    change my mind, undo, rather not, not go ahead, decided against, by accident, accidentally
  `,
  terminate: `
    terminate, termination, exit, early exit, early termination, withdrawal, get out of the contract,
    leave the contract, end my contract, ending my contract, contract, leave early
  `,
  erase: `
    remove, removal, delete, deletion, erase, close, closure, closing, deactivate, get rid of,
    shut down, disable, take out, take off, drop, out of it, leave out
  `,
  change: `
    chose the wrong, choose the wrong, picked the wrong, entered the wrong, ordered the wrong,
    double the, combine, merge, rather, change, change to, modify, modification, edit, update, correct,
    correction, amend, amendment, alter, alteration, adjust, fix, rename, revise, make it, instead,
    instead of, rather than, wrong
  `,
  swap: 'swap, exchange, replace, replacement, switch',
  move: `
    switch to, change to, move to, move from, change into, upgrade, downgrade, go back to,
    log into another, =switch, another account, different account, other account, different user,
    switch me
  `,
  add: 'add, include, insert, put in, forgot to include, forgot to add, one more, another one, two more',
  create: `
    new, create, creation, open, opening, make, making, start, set up, get a, get an, have two, another
  `,
  setUp: `
    set up, setting up, set, enter, submit, insert, save, put in, fill in, type, typed, use a different,
    give a different, add, second, secondary
  `,
  see: `
    see, check, view, find, look, look for, locate, show, display, look at, quick look, list, know,
    where do i find, consult, explain
  `,
  buy: `
    =shopping some, =help shopping, =assistance shopping, =earn, =earn a few, buy, =to purchase,
    =can i purchase, =i can purchase, =purchasing, acquire, =place an order, =placing an order,
    =make an order, =making an order, =to order, =can i order, =could i order, =do i order,
    =i can order, =i could order, =ordering, =help order, =help me order, =help to order, =want order,
    =want to order, order some, order several, =to shop, =shop some, =shop something, =earn some,
    =earn several
  `,
  orderFrom: `
    =order from, =place an order from, =an order from, =shop from, =to order from, =can i order from,
    =could i order from, =i order from
  `,
  recover: `
    recover, recovery, retrieve, retrieval, restore, reset, forgot, forget, lost my, lose, lost,
    remember, regain, =get back, unlock
  `,
  use: 'use, using, =use the',
  speak: `
    on the phone, by phone, over the phone, talk with, speak, talk, chat, contact, call, reach, phone,
    ring, get in touch, connect me, transfer me, put me through, hand me over, call me back, call me,
    ring me, phone number, number do i call, hear from, write to, reply from
  `,
  report: 'report, notify, inform, tell you about, flag, point out',
  leave: 'leave, submit, send, write, share, give, post, provide, make, making, pass on',
  arrive: `
    get my, got my, get the order, get the parcel, get the package, get anything, got anything,
    nothing came, never came, not came, came yet, arrive, arrival, come, coming, reach, reach me,
    get here, got here, turn up, show up, land, expect, here, at my door, receive, receipt of,
    showing up, be with me, get to
  `,
  late: `
    stuck in customs, held in customs, rescheduled, late, delayed, delay, overdue, waiting, wait,
    still waiting, missing, stuck, nowhere, took so long, went missing, processing, supposed to be,
    meant to be, should have been, should have arrived, not heard, heard nothing, heard anything,
    held up, chase, chasing, follow up, following up, checking in, check in
  `,
  onItsWay: `
    =been sent, =sent out, =sent yet, send out my, =already sent, =delivered, =shipped, =dispatched,
    left the warehouse, =posted, out for delivery, on its way, on the way, in transit,
    order confirmation, confirmation email
  `,
  howLong: `
    how long, how soon, how many days, how many weeks, how fast, how quickly, time frame, timeframe,
    period, duration, lead time, delivery time, shipping time, usually take, normally take,
    how much time
  `,
  when: 'when, what day, which day, what date, what time, at what time, what hour, what hours',
  where: `
    where on earth, where exactly, where abouts, whereabouts, no sign of, how far is, how far along,
    where is, where are, where it is, where they are, =wheres, where the hell, where the heck,
    where the fuck, where my, where in the world, where did, where has
  `,
  decline: `
    decline, declined, refused, reject, rejected, bounced, not go through, goes through, not accepted
  `,
  accept: 'accept, allow, allowed, accepted, available, take, support, possible',
  work: `
    work, load, turn on, switch on, start, open, connect, reconnect, respond, react, sync, play,
    display, install, pair, charge, boot, function, charging, download, print, recognise, recognize,
    update
  `,
  send: '=brought, =bring, =sent, send, sending, receive, receiving, get, getting',
  back: '=back',
  wish: `
    just a thought, food for thought, could you make the, it would help if, would help if,
    would be useful, would be handy, you might want to, have you considered, have you thought about,
    please consider, i wish your, i wish the, let you know, would be nice, would be great,
    would be good, would be cool, would be lovely, would be helpful, would be better, you should,
    you could add, you could offer, would love to see, why not add, could be better, i wish you,
    room for improvement, if you added, to improve, improve your, improving your, improvement,
    make the search, please bring back
  `,
  anymore: 'any more, anymore, any longer',
} as const satisfies Readonly<Record<string, string>>;
