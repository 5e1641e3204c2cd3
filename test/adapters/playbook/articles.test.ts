import { symlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readArticles } from '../../../src/adapters/playbook/articles.ts';
import { readPlaybook } from '../../../src/adapters/playbook/load.ts';
import { company, context, type Files, read, withFiles } from './playbooks.ts';

const yaml = `${company}
articles: ./articles
intents:
  - { name: key, description: A key., articles: true }
`;

const article = (front: string, text = 'Text.') => `---\n${front}\n---\n${text}\n`;
const good = article('title: Keys\nintents: [key]');

describe('the articles of a playbook', () => {
  test('are read by name, with their languages and keywords', () => {
    const files: Files = {
      'articles/b.md': '\ufeff---\r\ntitle: B\r\nintents: [key]\r\n---\r\nOne.\r\n\r\n---\r\nTwo.\r\n',
      'articles/a.md': article('title: A\nintents: [key]\nlanguages: [de]\nkeywords: schlüssel'),
      'articles/notes.txt': 'no article',
    };
    const { loaded } = read(yaml.replace('Cycles', 'Cycles, languages: [en, de]'), files);
    expect(loaded?.articles).toEqual([
      { id: 'a', title: 'A', body: 'Text.', intents: ['key'], languages: ['de'], keywords: 'schlüssel' },
      { id: 'b', title: 'B', body: 'One.\n\n---\nTwo.', intents: ['key'], languages: ['en'], keywords: '' },
    ]);
    expect(loaded?.playbook.articlesTool).toBe('search_articles');
  });

  const wrong: readonly (readonly [content: string | Buffer, fault: string])[] = [
    ['Text only.', 'articles/a.md:1:1: has no front matter'],
    ['---\ntitle: A\n', 'articles/a.md:1:1: has no front matter'],
    [article('intents: [key]'), 'articles/a.md:2:1: title: is missing; expected a text'],
    [article('title: A\nintents: key'), 'articles/a.md:3:10: intents: is a text; expected a list'],
    [
      article('title: A\nintents: [key]\nkeyword: x'),
      'articles/a.md:4:1: keyword: unknown member "keyword"; did you mean "keywords"?',
    ],
    [
      article('title: A\nintents: [key]\nlanguages: [english]'),
      'articles/a.md:4:13: languages[0]: "english" must be a language code',
    ],
    [
      article('title: A\nintents: [keys]'),
      'articles/a.md:1:1: intents: there is no intent "keys"; did you mean "key"?',
    ],
    [article('title: A\nintents: [key', ''), 'articles/a.md:'],
    [article('title: A\nintents: [key]', ' '), 'articles/a.md:4:1: has no text after its front matter'],
    [Buffer.from([0x2d, 0xff, 0xfe]), 'articles/a.md:1:1: is not UTF-8'],
    [
      article('title: A\nintents: [key]', 'x'.repeat(262_144)),
      'articles/a.md:1:1: is larger than 262144 bytes',
    ],
  ];

  test.each(wrong)('are refused with the place: %j', (content, fault) => {
    const { faults } = read(yaml, { 'articles/a.md': content, 'articles/b.md': good });
    expect(faults[0]?.slice(0, fault.length)).toBe(fault);
  });

  test('have to be there for each intent that is answered from them, in each language', () => {
    expect(read(yaml).faults[0]).toBe(
      'p.yaml:2:11: articles: there is no such folder in the folder of the playbook; expected one such as ./articles',
    );
    const other = article('title: A\nintents: [feedback]');
    expect(read(yaml, { 'articles/a.md': other }).faults).toEqual([
      'p.yaml:4:49: intents[0].articles: no article names the intent "key"; expected at least one',
    ]);
    expect(
      read(yaml.replace('Cycles', 'Cycles, languages: [en, de]'), { 'articles/a.md': good }).warnings,
    ).toEqual([
      'p.yaml:4:49: intents[0].articles: has no article in "de": messages in that language go to a person',
    ]);
  });

  test('are at most 2,000', () => {
    const files = Object.fromEntries(Array.from({ length: 2_001 }, (_, at) => [`articles/${at}.md`, good]));
    expect(read(yaml, files).faults[0]).toBe(
      'p.yaml:2:11: articles: has 2001 articles; expected at most 2000',
    );
  });

  test('are not read through links out of their folder', () => {
    withFiles({ 'secret.md': good, 'p/articles/a.md': good, 'p/p.yaml': yaml }, (folder) => {
      symlinkSync(`${folder}/secret.md`, `${folder}/p/articles/b.md`);
      expect(readArticles(`${folder}/p/articles`, 'en').faults).toEqual([
        expect.objectContaining({
          file: `${folder}/p/articles/b.md`,
          message: 'is a link out of the folder',
        }),
      ]);
      symlinkSync(folder, `${folder}/p/outside`);
      symlinkSync(`${folder}/p/articles/a.md`, `${folder}/p/articles/c.md`);
    });
    withFiles({ 'out/a.md': good, 'p/p.yaml': yaml }, (folder) => {
      symlinkSync(`${folder}/out`, `${folder}/p/articles`);
      expect(readPlaybook(`${folder}/p/p.yaml`, context).faults).toEqual([
        expect.objectContaining({
          path: 'articles',
          message: expect.stringContaining('there is no such folder'),
        }),
      ]);
    });
  });

  test('may be links within their folder, as mounted volumes have them', () => {
    withFiles({ 'articles/..data/a.md': good }, (folder) => {
      symlinkSync('..data/a.md', `${folder}/articles/a.md`);
      expect(readArticles(`${folder}/articles`, 'en')).toMatchObject({ articles: [{ id: 'a' }], faults: [] });
    });
  });
});
