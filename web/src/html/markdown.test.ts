import { Parser } from 'commonmark'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { markdownLine, markdownQuote } from './markdown.ts'

test.each([
  // characters without a meaning stay unescaped
  ['a, b. c', 'a, b. c'],
  ['12:30 - well-known: it (the API) is up!', '12:30 - well-known: it (the API) is up!'],
  ['a < b && c > d; x_y = {"z": 1} + $2', 'a < b && c > d; x_y = {"z": 1} + $2'],
  ['AT&T #1 @home', 'AT&T #1 @home'],
  ['-5 degrees', '-5 degrees'],
  ['2.5 seconds', '2.5 seconds'],
  // markup is escaped
  ['<script>', '\\<script>'],
  ['[a](javascript:1)', '\\[a\\](javascript:1)'],
  ['# a\n\n*b* `c` _d_ \\', '\\# a \\*b\\* \\`c\\` \\_d\\_ \\\\'],
  ['&lt; &#60;', '\\&lt; \\&#60;'],
  ['a | ~~b~~', 'a \\| \\~\\~b\\~\\~'],
  ['https://a.example www.a.example a@a.example', 'https\\://a.example www\\.a.example a\\@a.example'],
  ['- a', '\\- a'],
  ['+', '\\+'],
  ['---', '\\---'],
  ['===', '\\==='],
  [':-:', '\\:-:'],
  ['> a', '\\> a'],
  ['1. a', '1\\. a'],
  ['2)', '2\\)'],
  ['in C #', 'in C \\#'],
])('%j is written as %j', (text, written) => {
  expect(markdownLine(text)).toBe(written)
})

test('every line of a quotation is quoted, and none begins a list or a heading', () => {
  expect(markdownQuote('1. a\r\n- b\n\n# c')).toBe('> 1\\. a\n> \\- b\n>\n> \\# c')
})

/** The parsed document: the types of its nodes without their texts, and its text. */
const parsed = (markdown: string): { kinds: string; text: string } => {
  const walker = new Parser().parse(markdown).walker()
  const kinds: string[] = []
  let text = ''
  for (let event = walker.next(); event !== null; event = walker.next()) {
    const { node, entering } = event
    if (node.type === 'text') text += node.literal ?? ''
    else if (entering) kinds.push(node.type)
  }
  return { kinds: kinds.join(' '), text }
}

/** Ordinary texts, and texts that try to become markup. */
const texts = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(
      fc.constantFrom(
        ...'-+*_=#>.)(:[]<&`~|!\\/@19 '.split(''),
        'a',
        ' ',
        'amp;',
        'http://',
        '1. ',
        '- ',
        '# ',
        '#60;',
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join('')),
)

/** All places where pages put a line. */
const places: readonly [name: string, put: (line: string) => string][] = [
  ['a paragraph', (line) => line],
  ['a heading', (line) => `# ${line}`],
  ['a heading with more', (line) => `### ${line} (scheduled)`],
  ['a list', (line) => `- ${line}`],
  ['a list, strong', (line) => `- **${line}**: up`],
  ['a link of a list', (line) => `- [${line}](/services/a): up`],
  ['a line below', (line) => `- **a**: up\n  ${line}`],
  ['a quotation', (line) => `> ${line}`],
]

test.each(places)('a text in %s is read as written and changes nothing around it', (_, put) => {
  const plain = parsed(put('word'))
  forAll([texts], { numRuns: 400 }, (text) => {
    const words = text.replace(/\s+/g, ' ').trim()
    fc.pre(words !== '')
    const { kinds, text: read } = parsed(put(markdownLine(text)))
    expect(kinds).toBe(plain.kinds)
    expect(read).toBe(plain.text.replace('word', () => words.replaceAll('\u0000', '\ufffd')))
  })
})

test('GFM finds no cell, strikethrough or link', () => {
  forAll([texts], (text) => {
    const written = markdownLine(text)
    expect(written).not.toMatch(/[\r\n]/)
    expect(written.replace(/\\[!-/:-@[-`{-~]/g, '')).not.toMatch(/[|~]|:\/\/|\S@\S|www\./i)
  })
})
