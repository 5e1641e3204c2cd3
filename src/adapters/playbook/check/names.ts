import { concerns } from '../../../domain/message/message.ts';
import { type PlaybookDefinition, SEARCH_ARTICLES } from '../definition.ts';
import type { Path } from '../faults.ts';
import { show } from '../nearest.ts';
import { playbookLimits } from '../schema/fields.ts';
import type { Report } from './report.ts';

/** Checks that no name is there twice, and that there are not too many examples. */
export function checkNames(playbook: PlaybookDefinition, report: Report): void {
  const {
    intents,
    entities = [],
    tools = [],
    auto_reply = [],
    message_tools = [],
    company,
    models = [],
  } = playbook;
  for (const name of concerns) {
    checkUniqueTexts(['concerns', name, 'harmless'], playbook.concerns?.[name]?.harmless ?? [], report);
  }
  for (const [index, { normalize = [] }] of entities.entries()) {
    checkUniqueTexts(['entities', index, 'normalize'], normalize, report);
  }
  checkUnique(['intents'], intents, report);
  checkUnique(['entities'], entities, report);
  checkUnique(['tools'], tools, report);
  checkUnique(['models'], models, report);
  checkUniqueTexts(['auto_reply'], auto_reply, report);
  checkUniqueTexts(['message_tools'], message_tools, report);
  checkUniqueTexts(['company', 'languages'], company?.languages ?? [], report);
  for (const [index, { required = [], tools: ofIntent = [] }] of intents.entries()) {
    checkUnique(['intents', index, 'tools'], ofIntent, report);
    const place = ['intents', index, 'required'];
    checkUnique(
      place,
      required.map(({ entity }) => ({ name: entity })),
      report,
      'entity',
    );
  }
  const search = tools.findIndex(({ name }) => name === SEARCH_ARTICLES);
  if (playbook.articles !== undefined && search !== -1) {
    const message = `${show(SEARCH_ARTICLES)} searches the articles of the playbook; expected another name`;
    report.fault(['tools', search, 'name'], message);
  }
  const examples = intents.reduce((sum, intent) => sum + (intent.examples?.length ?? 0), 0);
  if (examples > playbookLimits.examples) {
    const most = playbookLimits.examples;
    report.fault(['intents'], `have ${examples} examples; expected at most ${most} in all`);
  }
}

function checkUnique(
  path: Path,
  items: readonly { readonly name: string }[],
  report: Report,
  member = 'name',
): void {
  const seen = new Set<string>();
  for (const [index, { name }] of items.entries()) {
    if (seen.has(name)) report.fault([...path, index, member], `the name ${show(name)} is there twice`);
    seen.add(name);
  }
}

function checkUniqueTexts(path: Path, texts: readonly string[], report: Report): void {
  const seen = new Set<string>();
  for (const [index, text] of texts.entries()) {
    if (seen.has(text)) report.fault([...path, index], `${show(text)} is there twice`);
    seen.add(text);
  }
}
