/** A company's own playbook: loading, checking, and stating it in code. */

export { ModelFileError } from '../adapters/classifier/intent-model.ts';
export {
  type CompanyDefinition,
  type ConcernDefinition,
  type EntityDefinition,
  type HoursDefinition,
  type IntentDefinition,
  type ModelDefinition,
  type NormalizeStep,
  normalizeSteps,
  type PlaybookDefinition,
  type RequiredDefinition,
  type SlaDefinition,
  type TextsByLanguage,
  type ToolCallDefinition,
  type ToolDefinition,
  weekdays,
} from '../adapters/playbook/definition.ts';
export { PlaybookError, type PlaybookFault } from '../adapters/playbook/faults.ts';
export { playbookPorts } from '../adapters/playbook-ports.ts';
export { createPlaybookReload, type PlaybookReloadOptions } from '../adapters/playbook-reload.ts';
export {
  type NamedAdditions,
  type PlaybookAdditions,
  type PlaybookSetup,
  type PlaybookSources,
  setUpPlaybook,
} from '../adapters/playbook-setup.ts';
export type { TextVector, TextVectors, VectorSpace } from '../domain/playbook/intent-classifier.ts';
