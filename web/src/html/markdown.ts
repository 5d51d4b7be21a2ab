/**
 * A text of one line as it stands in Markdown: it is read as it was written, and nothing in it is
 * markup, HTML or a link (CommonMark 2.4, and the tables, strokes and bare links of GFM). A sign is
 * escaped where it could mean something there, and only there; whatever is put around a line, its
 * first and its last sign are taken for what begins and ends a block.
 */
export const markdownLine = (text: string): string =>
  escapes.reduce(
    (line, sign) => line.replace(sign, (found) => `\\${found}`),
    text.replace(/\s+/g, ' ').trim().replaceAll('\\', '\\\\'),
  )

/** In this order: none of them meets what another one has put before it. */
const escapes: readonly RegExp[] = [
  // emphasis, code, links, cells and strokes, wherever they are; an underscore within a word is none
  /[*`[\]|~]|(?<![a-z\d])_|_(?![a-z\d])/gi,
  // a tag or an autolink; what follows the end of the line is not known
  /<(?=[a-z/!?]|$)/gi,
  // an entity
  /&(?=#?[a-z\d]+;)/gi,
  // what GFM makes a link of without any brackets
  /:(?=\/\/)|(?<=\S)@(?=\S)|(?<=\bwww)\./gi,
  // a heading, and the end of one
  /^#(?=#{0,5}(?: |$))|(?<=^| )#(?=#*$)/g,
  // a quotation, a list, a rule, a line under a heading, a row under the head of a table
  /^>|^[+-](?= |$)|^-(?=[- ]*$)|^=(?==*$)|^:(?=-)/g,
  // a list that counts
  /(?<=^\d{1,9})[.)](?= |$)/g,
]

/** Paragraphs, quoted: whatever they begin with stays within the quotation. */
export const markdownQuote = (text: string): string =>
  text
    .split(/\r\n|\r|\n/)
    .map((line) => `> ${markdownLine(line)}`.trimEnd())
    .join('\n')
