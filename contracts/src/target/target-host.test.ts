import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { allowNothing, parseAllowList } from './address.ts'
import { parseHost, parseTarget } from './target.ts'

const rule = (host: string): string | null => {
  const parsed = parseHost(host, { allow: allowNothing })
  return parsed.ok ? null : parsed.problem.rule
}

describe('a host without a URL', () => {
  test.each([
    ['example.com', 'example.com', 0],
    ['EXAMPLE.com.', 'example.com', 0],
    ['münchen.de', 'xn--mnchen-3ya.de', 0],
    ['93.184.216.34', '93.184.216.34', 4],
    ['2606:4700::1111', '2606:4700::1111', 6],
    ['[2606:4700:0::1111]', '2606:4700::1111', 6],
  ])('%s is %s', (text, host, literal) => {
    const opened = false
    expect(parseHost(text, { allow: allowNothing })).toEqual({ ok: true, host, literal, opened })
  })

  test.each([
    ['', 'host_name'],
    ['example.com/', 'host_name'],
    ['example.com:25', 'host_name'],
    ['user@example.com', 'host_name'],
    ['exa mple.com', 'host_name'],
    ['%31%32%37.0.0.1', 'host_name'],
    ['[::1', 'host_name'],
    ['::1%eth0', 'host_name'],
    ['mail', 'host_single_label'],
    ['mail.internal', 'host_internal'],
    ['localhost', 'host_localhost'],
    ['127.1', 'address'],
    ['2130706433', 'address'],
    ['0x7f.1', 'address'],
    ['①②⑦.⓪.⓪.①', 'address'],
    ['::ffff:127.0.0.1', 'address'],
    ['64:ff9b::7f00:1', 'address'],
  ])('%s is refused: %s', (text, expected) => expect(rule(text)).toBe(expected))

  test('is marked as allowed by the operator', () => {
    const parsed = parseAllowList(['127.0.0.0/8'])
    if (!parsed.ok) throw new Error('no list')
    const { allow } = parsed
    expect(parseHost('127.0.0.2', { allow })).toMatchObject({ ok: true, opened: true })
    expect(parseHost('localhost', { allow })).toMatchObject({ ok: true, opened: true })
    expect(parseHost('10.0.0.1', { allow })).toMatchObject({ ok: false })
  })

  test('follows the same rules as in a URL', () => {
    forAll([fc.oneof(fc.webAuthority(), fc.ipV4Extended(), fc.domain(), fc.string())], (text) => {
      const alone = parseHost(text, { allow: allowNothing })
      if (!alone.ok) return
      const inUrl = parseTarget(`http://${text}/`, { allow: allowNothing })
      expect(inUrl).toMatchObject({ ok: true, target: { host: alone.host } })
    })
  })
})
