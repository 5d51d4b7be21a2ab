import { expect, test } from 'vitest'
import { headerProblems, parseHeaders } from './template-headers.ts'

test('headers are one a line, with lower-case names', () => {
  const text = 'Authorization: Bearer a:b\r\n\n X-Team :  ops '
  expect(headerProblems(text)).toEqual([])
  expect(parseHeaders(text)).toEqual([
    { name: 'authorization', value: 'Bearer a:b' },
    { name: 'x-team', value: 'ops' },
  ])
})

test.each([
  'Host',
  'cookie',
  'Content-Length',
  'Content-Type',
  'Transfer-Encoding',
  'Connection',
  'Keep-Alive',
  'TE',
  'Trailer',
  'Upgrade',
  'Expect',
  'Proxy-Authorization',
  'Proxy-Connection',
  'webhook-signature',
])('%s cannot be set', (name) => {
  expect(headerProblems(`X-A: 1\n${name}: x`)).toEqual([`line 2: ${name.toLowerCase()} cannot be set`])
})

test.each([
  ['no colon', 'just-a-secret-text'],
  ['no name', ': the-secret'],
  ['a name with a space', 'X A: the-secret'],
  ['no value', 'X-A:'],
  ['a control character', 'X-A: the\u0000secret'],
  ['other letters', 'X-A: sécret'],
  ['a name that is too long', `${'x'.repeat(101)}: the-secret`],
  ['a value that is too long', `x: ${'secret'.repeat(200)}`],
  ['a repeated name', 'X-A: secret\nx-a: secret'],
  ['too many lines', Array.from({ length: 11 }, (_, at) => `x-${at}: secret`).join('\n')],
])('%s is refused without repeating a value', (_, text) => {
  const problems = headerProblems(text)
  expect(problems).toHaveLength(1)
  expect(problems.join()).not.toContain('secret')
})
