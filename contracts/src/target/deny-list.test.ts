import { describe, expect, test } from 'vitest'
import { denyEntriesMax, parseDenyList, type DenyList } from './deny-list.ts'

const denying = (...entries: string[]): DenyList => {
  const parsed = parseDenyList(entries)
  if (!parsed.ok) throw new Error(parsed.problems.join())
  return parsed.deny
}

describe('a deny list', () => {
  const deny = denying('example.org', '*.shop.example.com', 'Bücher.de.', '192.0.9.0/24', '2001:200::/32')

  test.each([
    ['example.org', true],
    ['www.example.org', true],
    ['a.b.example.org', true],
    ['notexample.org', false],
    ['example.org.evil.net', false],
    ['org', false],
    ['shop.example.com', true],
    ['example.com', false],
    ['xn--bcher-kva.de', true],
    ['192.0.9.255', true],
    ['192.0.10.0', false],
    ['2001:200::1', true],
    ['2001:201::1', false],
    ['', false],
  ])('%s: %s', (host, denied) => expect(deny.coversHost(host)).toBe(denied))

  test.each([
    ['192.0.9.1', true],
    ['192.0.8.255', false],
    ['example.org', false],
  ])('the address %s: %s', (ip, denied) => expect(deny.coversAddress(ip)).toBe(denied))

  test('is empty without entries', () => {
    expect(denying().coversHost('example.org')).toBe(false)
  })

  test('lists all invalid entries at once', () => {
    expect(parseDenyList(['example.org', 'localhost', '10.0.0.0/33', 'a b.org', ''])).toEqual({
      ok: false,
      problems: [
        expect.stringContaining('10.0.0.0/33'),
        expect.stringContaining('localhost'),
        expect.stringContaining('a b.org'),
        expect.stringContaining('""'),
      ],
    })
  })

  test('is bounded', () => {
    const entries = Array.from({ length: denyEntriesMax }, (_, n) => `h${n}.example.org`)
    expect(parseDenyList(entries).ok).toBe(true)
    expect(parseDenyList([...entries, 'one-more.example.org']).ok).toBe(false)
  })
})
