import { test } from 'vitest';
import { cancelRaces, raceAnswers, raceCancel } from '../../../support/workflow/wait-races.ts';

test('of two answers to an approval, and one at its expiry, one counts', () => raceAnswers(64));

test.each(cancelRaces)('a cancel at the end %s ends the run once', (name) => raceCancel(name, 30));
