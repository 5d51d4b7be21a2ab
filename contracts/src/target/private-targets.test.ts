import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { classifyAddress, type AllowList } from './address.ts'
import { choosePin } from './pin.ts'
import { agentDecides, parsePrivateTargets } from './private-targets.ts'
import { parseTarget, targetProblem } from './target.ts'
import { ipv4Embeddings, ipv4Text } from '../testing/address-spellings.ts'

const opening = (...entries: string[]): AllowList => {
  const parsed = parsePrivateTargets(entries)
  if (!parsed.ok) throw new Error(parsed.problems.join('; '))
  return parsed.allow
}
const noOwnAddresses: ReadonlySet<string> = new Set()
const reaches = (allow: AllowList, ...addresses: string[]): boolean =>
  choosePin(addresses, { allow, own: noOwnAddresses }) !== null

describe('PRIVATE_TARGETS', () => {
  test.each([
    ['10.0.0.0/8', '10.1.2.3', true],
    ['10.0.0.0/8', '11.0.0.1', true],
    ['10.0.0.0/8', '192.168.0.1', false],
    ['10.0.0.0/25', '10.0.0.127', true],
    ['10.0.0.0/25', '10.0.0.128', false],
    ['192.168.7.7', '192.168.7.7', true],
    ['192.168.7.7', '192.168.7.8', false],
    ['100.64.0.0/10', '100.64.0.1', true],
    ['100.64.0.0/10', '100.100.100.200', false],
    ['100.100.100.200', '100.100.100.200', true],
    ['fd00::/8', 'fd12::1', true],
    ['fd00::/8', 'fd00:ec2::254', false],
    ['fd00:ec2::254', 'fd00:ec2::254', true],
    ['10.0.0.0/8', '::ffff:10.0.0.1', false],
    ['10.0.0.0/1', '127.0.0.1', false],
    ['127.0.0.1', '127.0.0.1', true],
    ['127.0.0.1', '127.0.0.2', false],
    ['127.0.0.1', '::1', false],
    ['169.254.169.254', '169.254.169.254', true],
    ['8.0.0.0/5', '10.0.0.1', true],
  ])('%s allows %s: %s', (entry, address, reached) => {
    expect(reaches(opening(entry), address)).toBe(reached)
  })

  test.each([
    '127.0.0.0/8',
    '169.254.0.0/16',
    '0.0.0.0/0',
    '::/0',
    '::1/127',
    'fe80::/10',
    'ff00::/8',
    '::ffff:0:0/96',
    '224.0.0.0/4',
    'localhost',
    'a.localhost',
    '10.0.0.0/33',
    '10.0.0',
    '*.internal',
    'http://a.internal/',
    'a b',
    '-a.internal',
    `${'a'.repeat(64)}.internal`,
  ])('%j is refused, and the problem contains it', (entry) => {
    const parsed = parsePrivateTargets([entry, '10.0.0.0/8'])
    expect(parsed).toMatchObject({ ok: false, problems: [expect.stringContaining(entry)] })
  })

  test('lists all problems at once', () => {
    expect(parsePrivateTargets(['127.0.0.0/8', 'x y', '10.0.0.0/8'])).toMatchObject({
      ok: false,
      problems: { length: 2 },
    })
  })

  test('no range allows loopback, link-local, metadata or another notation of an address', () => {
    const refused = fc.oneof(
      fc.integer({ min: 0x7f00_0000, max: 0x7fff_ffff }).map(ipv4Text),
      fc.integer({ min: 0xa9fe_0000, max: 0xa9fe_ffff }).map((bits) => ipv4Text(bits >>> 0)),
      fc.constantFrom('100.100.100.200', 'fd00:ec2::254', 'fd20:ce::254', '::1', 'fe80::1', '::'),
      fc
        .tuple(fc.constantFrom(...ipv4Embeddings), fc.integer({ min: 0x0a00_0000, max: 0x0aff_ffff }))
        .map(([embed, bits]) => embed(bits)),
    )
    const entries = fc.subarray(
      ['10.0.0.0/1', '8.0.0.0/5', '100.0.0.0/8', '172.16.0.0/12', 'fc00::/7', '2000::/3'],
      { minLength: 1 },
    )
    forAll([entries, refused], (ranges, address) => !reaches(opening(...ranges), address))
  })

  test('one address that is not allowed makes a name unsafe, at any position', () => {
    const allow = opening('10.0.0.0/8')
    expect(reaches(allow, '10.0.0.1', '93.184.216.34')).toBe(true)
    for (const internal of ['192.168.0.1', '127.0.0.1', '169.254.169.254']) {
      expect(reaches(allow, '10.0.0.1', internal)).toBe(false)
    }
  })

  test("the machine's own addresses need their own entries", () => {
    const own = new Set(['10.0.0.5'])
    const reached = (...entries: string[]) =>
      choosePin(['10.0.0.5'], { allow: opening(...entries), own }) !== null
    expect(reached('10.0.0.0/8')).toBe(false)
    expect(reached('10.0.0.0/8', '10.0.0.5')).toBe(true)
  })
})

describe('a name in PRIVATE_TARGETS', () => {
  const allow = opening('db.internal', 'Printer', '10.0.0.0/8')

  test.each([
    ['http://db.internal:5432/', true],
    ['http://DB.internal./', true],
    ['http://printer:9100/', true],
    ['http://a.db.internal/', false],
    ['http://internal/', false],
    ['http://other.internal/', false],
    ['http://localhost/', false],
  ])('%s is allowed: %s', (url, may) => {
    expect(parseTarget(url, { allow }).ok).toBe(may)
  })

  test('allows only the name; its addresses are checked separately', () => {
    expect(reaches(opening('db.internal'), '10.0.0.1')).toBe(false)
  })
})

describe('at save, the agent decides', () => {
  test.each([
    ['http://10.0.0.1:5432/', null],
    ['http://db/', null],
    ['http://127.0.0.1/', null],
    ['ftp://10.0.0.1/', 'url_scheme'],
    ['http://u:p@10.0.0.1/', 'url_credentials'],
    ['http://a..b/', 'host_name'],
  ])('%s is refused by %s', (url, rule) => {
    expect(targetProblem(url, { allow: agentDecides })?.rule ?? null).toBe(rule)
  })

  test('the agent then uses its own list: no address is allowed by default', () => {
    expect(classifyAddress('10.0.0.1', opening('192.168.0.0/16'))).toEqual({
      allowed: false,
      rule: 'private',
    })
  })
})
