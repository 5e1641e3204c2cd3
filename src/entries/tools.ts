/** Types and helpers for tools and extensions, and the example tools. */

export type { Extension, ExtensionContext } from '../adapters/extensions.ts';
export { defineTool, type ToolSource } from '../adapters/tools/define-tool.ts';
export { exampleTools } from '../adapters/tools/example-tools.ts';
export { ToolError } from '../domain/tool-error.ts';
