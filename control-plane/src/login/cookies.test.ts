import { expect, test } from 'vitest'
import { noSessionCookie, sessionCookie, sessionTokenOf } from './cookies.ts'

const token = 'a'.repeat(43)

test('the cookie is hidden from scripts, other sites and unencrypted pages', () => {
  expect(sessionCookie(token, 61_500, 1_000)).toBe(
    `__Host-session=${token}; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=60`,
  )
  expect(noSessionCookie).toBe('__Host-session=; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=0')
})

test.each<[string | undefined, string | null]>([
  [`__Host-session=${token}`, token],
  [`theme=dark; __Host-session=${token};other=1`, token],
  [`__Host-session=${token}; __Host-session=${'b'.repeat(43)}`, null],
  [`__Host-session=${token}; __Host-session=${token}`, null],
  [`session=${token}`, null],
  [`x__Host-session=${token}`, null],
  [`__host-session=${token}`, null],
  [`__Host-session=${token.slice(1)}`, null],
  [`__Host-session=${token}a`, null],
  [`__Host-session="${token}"`, null],
  ['__Host-session=', null],
  ['', null],
  [undefined, null],
])('%j has the token %j', (header, expected) => {
  expect(sessionTokenOf(header)).toBe(expected)
})
