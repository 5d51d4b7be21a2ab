import { expect, test } from 'vitest'
import { codeFrame, formatProblems } from './problems.ts'

const at = (line: number, column: number) => ({ line, column, path: '', message: 'is wrong' })

test('shows the line before, the line and a caret under the column', () => {
  expect(codeFrame('version: 1\nchecks: x\n', at(2, 9))).toBe(
    ['  1 | version: 1', '> 2 | checks: x', '    |         ^'].join('\n'),
  )
  expect(codeFrame('version: 1', at(1, 1))).toBe(['> 1 | version: 1', '    | ^'].join('\n'))
  const nine = 'a\n'.repeat(9)
  expect(codeFrame(`${nine}bc`, at(10, 2))).toBe(['   9 | a', '> 10 | bc', '     |  ^'].join('\n'))
})

test('puts the caret where a terminal draws the column', () => {
  expect(codeFrame('a:\t\tb', at(1, 5))).toBe(['> 1 | a:    b', '    |       ^'].join('\n'))
  expect(codeFrame('日本: b', at(1, 5))).toBe(['> 1 | 日本: b', '    |       ^'].join('\n'))
  expect(codeFrame('👍: b', at(1, 5))).toBe(['> 1 | 👍: b', '    |     ^'].join('\n'))
  expect(codeFrame('e\u0301: b', at(1, 5))).toBe(['> 1 | e\u0301: b', '    |    ^'].join('\n'))
})

test('cuts a long line to a hundred characters around the column', () => {
  const long = `${'a'.repeat(300)}b${'c'.repeat(300)}`
  expect(codeFrame(`short\n${long}`, at(2, 301))).toBe(
    ['  1 |', `> 2 | …${'a'.repeat(50)}b${'c'.repeat(49)}…`, `    | ${' '.repeat(51)}^`].join('\n'),
  )
  expect(codeFrame(long, at(1, 1))).toBe([`> 1 | ${'a'.repeat(100)}…`, '    | ^'].join('\n'))
})

test('replaces terminal control characters with a mark', () => {
  expect(codeFrame('a\u001b[31mb\u202ec\r\n', at(1, 3))).toBe(
    ['> 1 | a\ufffd[31mb\ufffdc', '    |   ^'].join('\n'),
  )
  const [problem] = [{ ...at(1, 1), path: 'checks[0].\u001b]0;x' }]
  expect(formatProblems('a\u0007.yaml', 'x', [problem])).not.toMatch(/[\u0007\u001b]/) // eslint-disable-line no-control-regex
})

test('lists every problem with the file name and position', () => {
  expect(
    formatProblems('checks.yaml', '\ufeffversion: 2\r\nchecks: 3\r\n', [
      { line: 1, column: 10, path: 'version', message: 'must be 1' },
      { line: 2, column: 9, path: '', message: 'is no list' },
    ]),
  ).toBe(`checks.yaml:1:10: version: must be 1
> 1 | version: 2
    |          ^

checks.yaml:2:9: is no list
  1 | version: 2
> 2 | checks: 3
    |         ^
`)
})
