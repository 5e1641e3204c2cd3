/** Imported before any peer: turns off the telemetry that peers send by default. */
process.env['MASTRA_TELEMETRY_DISABLED'] = '1';
process.env['MASTRA_OFFLINE'] = '1';
process.env['LANGSMITH_TRACING'] = 'false';
process.env['LANGCHAIN_TRACING_V2'] = 'false';
