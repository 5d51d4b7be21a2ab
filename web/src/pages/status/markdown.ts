/** A text of one line as it stands in Markdown: nothing in it is markup, HTML or a link (CommonMark 2.4). */
export const markdownLine = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[!-/:-@[-`{-~]/g, (sign) => (plainSigns.has(sign) ? sign : `\\${sign}`))

/** They mean nothing within a line; a full stop does where a line is `1.` and more. */
const plainSigns = new Set([',', '.', '/', '?', "'", '%', ';'])

/** Paragraphs, quoted: whatever they begin with stays within the quotation. */
export const markdownQuote = (text: string): string =>
  text
    .split(/\r\n|\r|\n/)
    .map((line) => `> ${markdownLine(line).replace(/^(\d+)\./, '$1\\.')}`.trimEnd())
    .join('\n')
