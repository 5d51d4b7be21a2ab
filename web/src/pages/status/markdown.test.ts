import fc from 'fast-check'
import { expect, test } from 'vitest'
import { markdownLine, markdownQuote } from './markdown.ts'

test.each([
  ['a, b. c', 'a, b. c'],
  ['<script>', '\\<script\\>'],
  ['[a](javascript:1)', '\\[a\\]\\(javascript\\:1\\)'],
  ['# a\n\n*b* `c` _d_ \\', '\\# a \\*b\\* \\`c\\` \\_d\\_ \\\\'],
  ['&lt;', '\\&lt;'],
])('%j is written as %j', (text, written) => {
  expect(markdownLine(text)).toBe(written)
})

test('every line of a quotation is one, and none begins a list or a heading', () => {
  expect(markdownQuote('1. a\r\n- b\n\n# c')).toBe('> 1\\. a\n> \\- b\n>\n> \\# c')
})

test('no text becomes markup or HTML, or leaves its line', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const written = markdownLine(text)
      expect(written).not.toMatch(/[\r\n]/)
      expect(written.replace(/\\[!-/:-@[-`{-~]/g, '')).not.toMatch(/[<>[\]()*_`#&!|~\\{}]/)
    }),
  )
})
