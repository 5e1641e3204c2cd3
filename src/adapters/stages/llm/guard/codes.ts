import { type Fact, sameFact, takeFacts } from './facts.ts';
import { unitNamed } from './units.ts';

const tokens = /(?<![\p{L}\p{N}])[\p{L}\p{N}]+(?:[-_/.][\p{L}\p{N}]+)*/gu;

/** A number with what belongs to it: `3rd`, `30-day`, `40eur`, `2x`. */
const counted = /^\d+(?:[.,-]\d+)*(?:st|nd|rd|th|er|x|[-]?(\p{L}+?)(?:-\p{L}+)?)$/u;

/** Takes the ids of orders, parcels and the like out of a text: words of letters and digits. */
export function takeCodes(text: string, facts: Fact[]): string {
  return takeFacts(
    text,
    tokens,
    ([token]) => {
      if (!/\d/.test(token) || !/\p{L}/u.test(token)) return undefined;
      const unit = counted.exec(token);
      if (unit !== null && (unit[1] === undefined || unitNamed(unit[1]) !== undefined)) return undefined;
      return sameFact(`code:${token.replaceAll(/[-_/.]/g, '')}`);
    },
    facts,
  );
}
