/** What extensions are written with, and the tools that the service comes with. */

export type { Extension, ExtensionContext } from '../adapters/extensions.ts';
export { defineTool, type ToolSource } from '../adapters/tools/define-tool.ts';
export { exampleTools } from '../adapters/tools/example-tools.ts';
export { ToolError } from '../domain/tool-error.ts';
