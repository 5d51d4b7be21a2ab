import { expect, test } from 'vitest'
import { createDeviceMarks } from './device-marks.ts'

const marks = createDeviceMarks('the secrets key of the tests, 32 characters')

test('a browser cookie is read by every process with the key, and by none with another', () => {
  const cookie = marks.newBrowser()
  const id = createDeviceMarks('the secrets key of the tests, 32 characters').readBrowser(cookie)
  expect(id).toMatch(/^[\w-]{24}$/)
  expect(cookie.startsWith(String(id))).toBe(true)
  expect(createDeviceMarks('another secrets key, 32 characters long').readBrowser(cookie)).toBeNull()
  expect(marks.newBrowser()).not.toBe(cookie)
})

test.each([
  ['an id of its own', (cookie: string) => `B${'A'.repeat(23)}${cookie.slice(24)}`],
  ['another signature', (cookie: string) => cookie.slice(0, 24) + 'A'.repeat(43)],
  ['a piece of it', (cookie: string) => cookie.slice(0, 40)],
  ['extra characters', (cookie: string) => `${cookie}A`],
  ['nothing', () => ''],
])('a cookie with %s is ignored', (_what, change) => {
  expect(marks.readBrowser(change(marks.newBrowser()))).toBeNull()
})

test('a mark differs by address, kind and name, but not by the case of the address', () => {
  const hex = (...of: Parameters<typeof marks.of>) => Buffer.from(marks.of(...of).mark).toString('hex')
  const all = [
    hex('ada@example.org', 'network', '192.0.2.1'),
    hex('ada@example.org', 'browser', '192.0.2.1'),
    hex('ada@example.org', 'network', '192.0.2.2'),
    hex('bob@example.org', 'network', '192.0.2.1'),
  ]
  expect(new Set(all).size).toBe(4)
  expect(hex('ADA@example.org', 'network', '192.0.2.1')).toBe(all[0])
})
