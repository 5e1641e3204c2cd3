import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Playbook } from '../../domain/playbook/playbook.ts';
import { PACKAGE_FOLDER } from '../shared/package-folder.ts';
import { compilePlaybook } from './compile.ts';
import type { PlaybookDefinition } from './definition.ts';
import { anyTool, createPlaybookSchema } from './schema.ts';

/** The built-in playbook, shipped with the package. */
export const BUILT_IN_FILE = new URL('playbook/playbook.yaml', PACKAGE_FOLDER);

/** The tool that searches its articles. */
const SEARCH_HELP_CENTER = 'search_help_center';

let definition: PlaybookDefinition | undefined;
let playbook: Playbook | undefined;

/**
 * The built-in playbook as data, read once for the process. Throws where the file is not valid, which the tests rule
 * out.
 */
export function getBuiltInDefinition(): PlaybookDefinition {
  definition ??= createPlaybookSchema({ tool: anyTool }).parse(parse(readFileSync(BUILT_IN_FILE, 'utf8')));
  return definition;
}

/** The built-in playbook, made once for the process. It is not checked beyond its schema: the tests do that. */
export function loadBuiltInPlaybook(): Playbook {
  playbook ??= compilePlaybook(getBuiltInDefinition(), 'built-in', SEARCH_HELP_CENTER);
  return playbook;
}
