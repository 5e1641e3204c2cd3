/**
 * The policy of the console's pages: they load files and data of their own server, and no text becomes code or markup.
 * Every reply at `/console` and below it has it, whatever its type: some browsers apply it to the styles within an SVG,
 * so that an icon has to do without.
 */
export const consolePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/** A page that only says something: a title, and paragraphs of plain text. Code in them stands in backticks. */
export function messagePage(title: string, paragraphs: readonly string[]): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${escapeHtml(title)}</title>
  </head>
  <body>
    <h1>${escapeHtml(title)}</h1>
${paragraphs.map((text) => `    <p>${formatCode(escapeHtml(text))}</p>\n`).join('')}  </body>
</html>
`;
}

/** The page in place of the console while it is not built. */
export const notBuiltPage: string = messagePage('The console is not built', [
  'To build it, run `npm run build:console` in the checkout of the service, and load this page again. The published package always has it.',
]);

function formatCode(html: string): string {
  return html.replaceAll(/`([^`]*)`/g, '<code>$1</code>');
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
