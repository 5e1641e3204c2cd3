/** Problems, complaints, praise and spam, by concept; written as the table of objects is. */
export const sentiment = {
  problem: 'on hold, problem, issue, trouble, error, difficulty, fault, fail, failure, cannot',
  mistake: 'mistake, by mistake, wrongly',
  crash: `
    =a 500, =a 502, =a 503, =a 404, eats my battery, eat my battery, drains my battery, drain,
    restart all the time, keep restarting, keeps restarting, show e4, shuts down, greyed out,
    grayed out, wont load, page not found, infinite loop, keep disconnecting, no picture, wont turn on,
    keeps logging me out, installation failed, stops halfway, cannot add, not add anything,
    dont do anything, not do anything, does not react, =blank, blinking, crash, freeze, frozen, glitch,
    bug, buggy, error code, error message, =error 404, =error 500, white screen, black screen, go white,
    go black, goes white, loading forever, keeps loading, spinning, unresponsive, lag, laggy,
    super slow, very slow, so slow, timing out, timed out, time out, malfunction, upside down, =is down,
    =down again, keeps closing, closes by itself, does nothing, nothing happens, nothing loads,
    stopped working, stop working, out of order, overheat, error, restarting, broken link, dead, hang,
    disconnect, lost its wifi, flicker, no sound, not responding, reboot
  `,
  damaged: `
    hole, leak water, leak, bent, in half, fell apart, falls apart, came apart, damaged, broken,
    defective, faulty, cracked, smashed, torn, ripped, scratched, dented, leaking, shattered, in pieces,
    damage, defect, chipped, ruined, stained, died
  `,
  wrongGoods: `
    used item, used one, second hand, mouldy, moldy, stale, rotten, out of date, past its date,
    wrong size, wrong colour, wrong color, not match the description, nothing like the picture,
    not like in the picture, different colour than, half of the, someone else parcel,
    someone else order, someone else package, wrong item, wrong product, wrong one, wrong goods,
    wrong parcel, wrong package, wrong order, different item, wrong thing, something else,
    not what i ordered, what you send, piece missing, part missing, missing part, missing piece,
    incomplete, fake, counterfeit, not as described, nothing like
  `,
  unhappy: `
    gone downhill, going downhill, unbelievable, not what i paid for, noise, never call, suck, arrogant,
    unfriendly, dishonest, gets worse, getting worse, never came, promised to, promised me,
    you promised, patronising, condescending, aggressive, discriminated, racist, sexist, cold food,
    burnt, undercooked, overpriced, scruffy, noisy, late again, no one came, nobody came, no apology,
    apologise, apologize, neglect, mistreated, disrespectful, disrespect, behaviour, behavior, attitude,
    filthy, unhappy, disappointed, disappointing, disappointment, dissatisfied, terrible, awful,
    horrible, worst, disgusting, disgusted, disgraceful, disgrace, unacceptable, ridiculous, rude,
    appalling, appalled, angry, furious, outrageous, outraged, pathetic, useless, frustrated,
    frustrating, annoyed, annoying, fed up, sick of, sick and tired, upset, shame, shambles,
    incompetent, unprofessional, hate, lousy, dreadful, let me down, let down, lied, liar, ignored,
    ignoring, never again, not helpful, unhelpful, impolite, poor quality, poor service, poor packaging,
    very poor, so poor, bad service, bad experience, had enough, ripped off, rip off, a joke, insulting,
    insult, yelled, shouted, swore, hung up, treated like, treated so, how you treat, badly, misleading,
    false advertising, empty promises, nightmare, careless, crap, rubbish, garbage, shit, shitty,
    horrendous, shocking, scandal, nobody answers, no one answers, nobody replied, nobody replies,
    nobody did, you people, not okay, not ok, not good enough, threw, mess, messed up, screwed up,
    waste of time, waste of money, how dare, lost a customer, arrived cold, dirty, unreliable, cheated,
    conned, sloppy
  `,
  happy: `
    quick, thanks a million, keep going, enjoyed, enjoy, would recommend, recommend you, all good,
    so kind, kind, spot on, pleasant, pleasure, well packed, thank you to, big thank, much better,
    so much better, easy to use, good work, cheers to, love it, lifesaver, five out of five,
    thank you all, made my day, congratulations on your, satisfied with, well made, tasted great,
    so much nicer, nicer, delicious, tasty, best service, best customer service, best experience, nice,
    cheers for, love, loved, great, excellent, amazing, fantastic, wonderful, perfect, perfectly,
    awesome, brilliant, happy, pleased, satisfied, delighted, impressed, superb, appreciate, helpful,
    friendly, well done, good job, great job, kudos, keep it up, keep up, five stars, five star,
    thank you so much, thanks so much, thanks a lot for, thank you for, thanks to, compliment,
    best shop, lovely, outstanding, thrilled, buy again, beautiful, top notch, exceeded
  `,
  lure: `
    widow, lonely, looking for love, unclaimed, for the first 100, prize, lottery, jackpot, winner,
    lucky, you won, you have won, youve won, been selected, been chosen, inheritance, beneficiary,
    prince, late client, million dollars, million usd, next of kin, free iphone, free gift card,
    claim your, claim now, congratulations, congrats, dear friend, dear beloved, dear winner
  `,
  bait: `
    your computer is infected, call this number now, my channel, my new channel, my profile for,
    check out my, pay here, =pay 1, could not be delivered pay, log in here, login here,
    mailbox is full, sign in here, click here, click this, click below, click on this, click the link,
    tap here, bit ly, visit our website, visit our site, verify your details, verify your account,
    verify here, confirm your details, your account will be, message me on, reply with your, telegram,
    whatsapp me
  `,
  url: 'http, https, www',
  hustle: `
    =50 off, =70 off, =80 off, =90 off, guaranteed returns, six figure, hours a day from home,
    from home, income, get rich quick, bitcoin, crypto, cryptocurrency, forex, invest, investment,
    investment opportunity, passive income, earn money, make money, work from home, working from home,
    earn up to, extra income, double your, get rich, act now, limited time, limited offer, risk free,
    no experience needed, =100 free, binary options, trading, trading signals, financial freedom,
    be your own boss, guaranteed income, first week
  `,
  vice: `
    cheap watches, cheap pills, unsecured, interest rate, business loan, replica watch, women near you,
    girls near you, beautiful women, beautiful girls, viagra, cialis, pill, casino, free spins, betting,
    porn, xxx, hot singles, singles, dating site, escort, weight loss, lose weight, lose 10 kilos,
    weird trick, replica, rolex, payday loan, loan, bad credit, credit repair, debt relief, enlargement,
    without prescription
  `,
  pitch: `
    we can build you, build you a, new website for, visitor, visitors a day, your followers,
    overnight guaranteed, verified email addresses, for your marketing, factory in, we are a factory,
    we sell, we produce, dear manager, seo, backlink, guest post, rank first, first page of google,
    page of google, rank on google, page rank, rank higher, your ranking, ranking, web design, redesign,
    our agency, followers, instagram, likes and followers, lead generation, more leads,
    grow your business, boost your, digital marketing, marketing agency, increase your sales,
    increase your traffic, affordable packages, affordable price, business proposal,
    partnership proposal, increase sales, website traffic, on traffic, your domain, your website needs,
    we offer, we can boost, our services include, outsourcing, bulk email, email list for sale, =google,
    webmaster, dear sir, your traffic, wholesale price, manufacturer of
  `,
} as const satisfies Readonly<Record<string, string>>;
