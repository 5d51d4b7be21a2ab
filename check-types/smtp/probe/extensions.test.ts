import { expect, test } from 'vitest'
import { extensionsOf } from './reply.ts'

test.each<[string[], string[]]>([
  [['mx'], []],
  [
    ['mx', 'SIZE 10240000', 'starttls', 'AUTH PLAIN LOGIN'],
    ['SIZE', 'STARTTLS', 'AUTH'],
  ],
  [['STARTTLS', '8BITMIME'], ['8BITMIME']],
  [
    ['mx', 'AUTH=LOGIN', 'AUTH LOGIN', 'X-EXPS GSSAPI'],
    ['AUTH', 'X-EXPS'],
  ],
  [
    ['mx', 'AUTHENTICATE', 'NO-AUTH', ' AUTH', 'AUTH_X', ''],
    ['AUTHENTICATE', 'NO-AUTH'],
  ],
  [['mx', 'A'.repeat(40), 'A'.repeat(41)], ['A'.repeat(40)]],
])('of %j are offered: %j', (lines, expected) => {
  expect(extensionsOf({ code: 250, lines })).toEqual(expected)
})

test('at most forty are kept', () => {
  const lines = ['mx', ...Array.from({ length: 60 }, (_, index) => `X${index}`)]
  expect(extensionsOf({ code: 250, lines })).toHaveLength(40)
})
