import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  MODELS,
  patternOf,
  readLexicons,
  readSections,
} from '../../../src/adapters/shared/reading/model-files.ts';

const automatic = readdirSync(new URL('automatic/', MODELS)).map((name) => `automatic/${name}`);

/** The sections of `automatic` whose lines are cues, patterns, and words. */
const kinds = {
  cues: ['reply', 'customer', 'bounce', 'mention', 'parcel', 'own_parcel'],
  patterns: ['subject', 'subject_start'],
  words: ['reply_topics', 'failure_topics'],
};

describe('the lists of automatic messages', () => {
  test.each(automatic)('%s has known sections, none of them empty', (file) => {
    const known = [...Object.values(kinds).flat(), 'parts'];
    for (const [name, lines] of readSections(file)) {
      expect(known).toContain(name);
      expect(lines).not.toEqual([]);
    }
  });

  test.each(automatic)('%s has patterns that compile and match no empty text', (file) => {
    const sections = readSections(file);
    const linesOf = (names: readonly string[]) => names.flatMap((name) => sections.get(name) ?? []);
    const cues = linesOf(kinds.cues);
    for (const cue of cues) expect(cue).toMatch(/^[123] \S/);
    for (const line of [...cues.map((cue) => cue.slice(2)), ...linesOf(kinds.patterns)]) {
      const pattern = patternOf(line, sections);
      expect(pattern).not.toMatch(/\{[a-z]/);
      expect(new RegExp(pattern).test('')).toBe(false);
    }
    for (const line of linesOf(kinds.words)) expect(line).toMatch(/^(?:[a-z]+\*?)(?: [a-z]+\*?)*$/);
  });
});

describe('the words of languages', () => {
  test.each([...readLexicons('languages/')])('%s are in small letters and have no blanks', (_, lists) => {
    expect([...lists.keys()].filter((name) => !['frequent', 'greetings', 'ordinary'].includes(name))).toEqual(
      [],
    );
    expect(lists.get('frequent')).not.toEqual([]);
    for (const words of lists.values()) {
      expect(words.filter((word) => /\s/.test(word) || word !== word.toLowerCase())).toEqual([]);
    }
  });
});

describe('the words of conversations', () => {
  const sections = readSections('conversation.txt');

  test('have patterns that compile', () => {
    for (const line of sections.get('unanswered') ?? []) {
      const pattern = patternOf(line, sections);
      expect(pattern).not.toMatch(/\{[a-z]/);
      expect(() => new RegExp(pattern, 'gu')).not.toThrow();
    }
  });

  test.each(['unhelpful', 'unhelpful_part'])('have texts without marks in %s', (name) => {
    for (const line of sections.get(name) ?? []) expect(line).toMatch(/^[\p{Ll}0-9]+(?:,? [\p{Ll}0-9]+)*$/u);
  });
});
