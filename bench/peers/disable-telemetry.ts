/** Loaded before any peer: none of them is to report to anybody what is measured here. */
process.env['MASTRA_TELEMETRY_DISABLED'] = '1';
process.env['MASTRA_OFFLINE'] = '1';
process.env['LANGSMITH_TRACING'] = 'false';
process.env['LANGCHAIN_TRACING_V2'] = 'false';
