/** Types and helpers for tools and extensions, the example tools, HTTP tools, and the guarded client for requests. */

export type { Extension, ExtensionContext } from '../adapters/extensions.ts';
export {
  createOutbound,
  type Outbound,
  OutboundError,
  type OutboundFailure,
  type OutboundMethod,
  type OutboundOptions,
  type OutboundRequest,
  type OutboundResponse,
  outboundFailures,
  outboundMethods,
  type ResolveHost,
} from '../adapters/shared/outbound/outbound.ts';
export { defineTool, type ToolSource } from '../adapters/tools/define-tool.ts';
export { exampleTools } from '../adapters/tools/example-tools.ts';
export {
  checkHttpTool,
  checkHttpToolEnvironment,
  createHttpTool,
  type HttpToolDefinition,
  type HttpToolEnvironment,
  HttpToolError,
  type HttpToolIssue,
  type HttpToolOptions,
  httpToolSchema,
  secretsOf,
} from '../adapters/tools/http/http-tool.ts';
export { ToolError } from '../domain/tool-error.ts';
