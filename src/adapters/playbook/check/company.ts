import { type Concern, concerns } from '../../../domain/message/message.ts';
import { standardTexts } from '../../../domain/playbook/playbook.ts';
import { isTimeZone } from '../../shared/time-zone.ts';
import type { PlaybookDefinition } from '../definition.ts';
import { templateScope } from '../references.ts';
import { builtInTexts } from '../texts/built-in.ts';
import type { Report } from './report.ts';
import { checkKnownLanguages, checkPlain, checkTemplates } from './texts.ts';

/**
 * Checks the texts of the service itself and the replies to concerns, of which each language needs all, and the labels.
 */
export function checkCompany(
  { company, concerns: stated = {}, labels = {}, hours }: PlaybookDefinition,
  languages: readonly [string, ...string[]],
  entities: Iterable<string>,
  report: Report,
): void {
  if (company?.name === undefined) {
    report.warn(
      company === undefined ? [] : ['company'],
      'has no company.name: replies name "Customer service"',
    );
  }
  const tone = company?.tone ?? {};
  for (const name of standardTexts) {
    const path = ['company', 'tone', name];
    checkKnownLanguages(path, tone[name] ?? {}, languages, report);
    checkPlain(path, tone[name] ?? {}, report);
  }
  const scope = templateScope(entities, company, { tool: false, articles: false });
  for (const name of concerns) {
    const path = ['concerns', name, 'reply'];
    checkKnownLanguages(path, stated[name]?.reply ?? {}, languages, report);
    checkTemplates(path, stated[name]?.reply ?? {}, scope, report);
  }
  for (const [value, texts] of Object.entries(labels)) {
    checkKnownLanguages(['labels', value], texts, languages, report);
    checkPlain(['labels', value], texts, report);
    if (!Object.hasOwn(texts, languages[0])) {
      const other = `the value itself stands in languages without a text`;
      report.warn(['labels', value], `has no text in "${languages[0]}", the default language: ${other}`, {
        restsOn: [['company', 'languages']],
      });
    }
  }
  for (const [index, language] of languages.entries()) {
    if (builtInTexts.has(language)) continue;
    const path = ['company', 'languages', index];
    const hasReply = (name: Concern) => Object.hasOwn(stated[name]?.reply ?? {}, language);
    const missing = [
      ...standardTexts
        // Without a text of its own, a failure gets that of any handover.
        .filter((name) => name !== 'failure' && !Object.hasOwn(tone[name] ?? {}, language))
        .map((name) => `company.tone.${name}`),
      ...concerns.filter((name) => !hasReply(name)).map((name) => `concerns.${name}.reply`),
    ];
    if (missing.length === 0) continue;
    report.fault(
      path,
      `"${language}" has no built-in texts; expected a text in ${language} for ${missing.join(', ')}`,
    );
  }
  if (hours !== undefined && !isTimeZone(hours.timezone)) {
    report.fault(
      ['hours', 'timezone'],
      'is not a known time zone; expected an IANA name such as Europe/Berlin',
    );
  }
}
