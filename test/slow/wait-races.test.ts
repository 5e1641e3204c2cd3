import { test } from 'vitest';
import { cancelRaces, raceAnswers, raceCancel } from '../support/workflow/wait-races.ts';

const ROUNDS = 500;

test(`of two answers to an approval, and one at its expiry, one counts, in ${ROUNDS} rounds`, () =>
  raceAnswers(ROUNDS));

test.each(cancelRaces)(`a cancel at the end %s ends the run once, in ${ROUNDS} rounds`, (name) =>
  raceCancel(name, ROUNDS),
);
