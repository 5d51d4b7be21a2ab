/**
 * Escapes one line of text for Markdown: it reads as written and contains no markup, HTML or link (CommonMark
 * 2.4, and the tables, strikethrough and bare links of GFM). A character is escaped only where it could have
 * a meaning. The first and last character count as the ends of a block.
 */
export const markdownLine = (text: string): string =>
  escapes.reduce(
    (line, sign) => line.replace(sign, (found) => `\\${found}`),
    text.replace(/\s+/g, ' ').trim().replaceAll('\\', '\\\\'),
  )

/** The order matters: no pattern matches the output of an earlier one. */
const escapes: readonly RegExp[] = [
  // emphasis, code, links, cells and strikethrough, anywhere; an underscore within a word is plain text
  /[*`[\]|~]|(?<![a-z\d])_|_(?![a-z\d])/gi,
  // a tag or an autolink; the text after the end of the line is unknown
  /<(?=[a-z/!?]|$)/gi,
  // an entity
  /&(?=#?[a-z\d]+;)/gi,
  // bare links of GFM
  /:(?=\/\/)|(?<=\S)@(?=\S)|(?<=\bwww)\./gi,
  // a heading, and the end of one
  /^#(?=#{0,5}(?: |$))|(?<=^| )#(?=#*$)/g,
  // a quotation, a list, a rule, a line under a heading, a row under the head of a table
  /^>|^[+-](?= |$)|^-(?=[- ]*$)|^=(?==*$)|^:(?=-)/g,
  // a list that counts
  /(?<=^\d{1,9})[.)](?= |$)/g,
]

/** Quoted paragraphs; every line stays within the quotation. */
export const markdownQuote = (text: string): string =>
  text
    .split(/\r\n|\r|\n/)
    .map((line) => `> ${markdownLine(line)}`.trimEnd())
    .join('\n')
