/** Turns of speech, by what they do to the words around them; written as the tables of things are. */
export const turns = {
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
    isnt about, not after, dont wanna, not cancel, dont cancel
  `,
} as const satisfies Readonly<Record<string, string>>;
