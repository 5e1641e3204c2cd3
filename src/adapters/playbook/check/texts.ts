import type { TextsByLanguage } from '../definition.ts';
import type { Path } from '../faults.ts';
import { show, suggest } from '../nearest.ts';
import { checkReference, type Scope, sourcesOf } from '../references.ts';
import { analyzeTemplate } from '../templates/analyze.ts';
import type { Report } from './report.ts';

/** The place of the languages that texts are compared with. */
const LANGUAGES: Path = ['company', 'languages'];

/** Checks that texts are in languages of the company: the default one has to be there, the others should. */
export function checkLanguages(
  path: Path,
  texts: TextsByLanguage,
  languages: readonly string[],
  report: Report,
): void {
  checkKnownLanguages(path, texts, languages, report);
  const [main, ...others] = languages;
  if (main !== undefined && !Object.hasOwn(texts, main)) {
    report.fault(path, `has no text in "${main}", the default language; expected one`, {
      restsOn: [LANGUAGES],
    });
  }
  for (const language of others.filter((other) => !Object.hasOwn(texts, other))) {
    report.warn(path, `has no text in "${language}": messages in that language go to a person`, {
      restsOn: [LANGUAGES],
    });
  }
}

/** Checks that texts are in languages of the company. */
export function checkKnownLanguages(
  path: Path,
  texts: TextsByLanguage,
  languages: readonly string[],
  report: Report,
): void {
  for (const language of Object.keys(texts).filter((one) => !languages.includes(one))) {
    const near = suggest(language, languages) || `; expected ${languages.join(', ')}`;
    report.fault([...path, language], `${show(language)} is not in company.languages${near}`, {
      atKey: true,
      restsOn: [LANGUAGES],
    });
  }
}

/** Checks that texts are valid templates which read only what a scope has. */
export function checkTemplates(path: Path, texts: TextsByLanguage, scope: Scope, report: Report): void {
  for (const [language, text] of Object.entries(texts)) {
    const place = [...path, language];
    if (/\$\{\{/.test(text))
      report.warn(place, 'has "$" before "{{", which is sent; templates have none there');
    const analysis = analyzeTemplate(text);
    if (analysis.error !== undefined) {
      report.fault(place, `is not a valid template: ${analysis.error}`);
      continue;
    }
    for (const { path: variable, line, column } of analysis.variables) {
      const problem = checkReference(variable, scope);
      if (problem === undefined) continue;
      const restsOn = sourcesOf(variable[0], path);
      report.fault(place, `${problem} (line ${line}, column ${column} of the text)`, { restsOn });
    }
  }
}

/** Checks that texts are no templates. */
export function checkPlain(path: Path, texts: TextsByLanguage, report: Report): void {
  for (const [language, text] of Object.entries(texts)) {
    if (/\{[{%]/.test(text)) {
      report.fault([...path, language], 'has template marks, but is sent as it is; expected plain text');
    }
  }
}
