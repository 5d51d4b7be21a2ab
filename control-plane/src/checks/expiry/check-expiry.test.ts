import { CheckDetail } from '@probe-mesh/contracts/check/check'
import { expect, test } from 'vitest'
import { saveCertificates } from './certificates-store.ts'
import { describeCertificates } from './certificates.ts'
import { saveRegistration } from './domains-store.ts'
import { useTestApp } from '../../app/testing/test-app.ts'

const at = useTestApp({ config: { budgetScale: 1_000 } })

const dayMs = 86_400_000

test('a check shows expiry, issuer and names of its certificate', async () => {
  const account = await at.account('scale')
  const { json: check } = await at.call('POST', '/v1/checks', {
    key: account.writeKey,
    body: { name: 'web', url: 'https://example.org/', regions: ['fra', 'iad'] },
  })
  const detail = async () => {
    const path = `/v1/checks/${check.id}`
    const { json } = await at.call('GET', path, { key: account.readKey })
    expect(json).toEqual(CheckDetail.parse(json))
    return json
  }
  expect(await detail()).not.toHaveProperty('certificates')
  const nowMs = Date.now()
  const expiresAtMs = nowMs + 6.5 * dayMs
  const shown = {
    checkId: check.id as string,
    validFromMs: nowMs - dayMs,
    issuer: 'R3',
    names: ['example.org'],
    nameCount: 2,
    endsWith: null,
    seenAtMs: nowMs,
  }
  await saveCertificates(at.sql, [
    { ...shown, region: 'fra', expiresAtMs },
    { ...shown, region: 'iad', expiresAtMs: nowMs + 80.5 * dayMs },
    { ...shown, region: 'sjc', expiresAtMs: nowMs },
  ])
  await at.call('PATCH', `/v1/checks/${check.id}`, {
    key: account.writeKey,
    body: { timeoutSeconds: 2 },
  })
  expect((await detail()).certificates).toMatchObject([
    {
      expiresAt: new Date(expiresAtMs).toISOString(),
      daysLeft: 6,
      issuer: 'R3',
      names: ['example.org'],
      nameCount: 2,

      regions: ['fra'],
    },
    { daysLeft: 80, regions: ['iad'] },
  ])
})

test('a check shows the expiry of its domain if the registry reports it', async () => {
  const account = await at.account('scale')
  const { json: check } = await at.call('POST', '/v1/checks', {
    key: account.writeKey,
    body: { name: 'web', url: 'https://www.example.org/', regions: ['fra'] },
  })
  const detail = async () => (await at.call('GET', `/v1/checks/${check.id}`, { key: account.readKey })).json
  const nowMs = Date.now()
  await at.sql`insert into check_domains (check_id, name) values (${check.id}, 'example.org')`
  expect(await detail()).not.toHaveProperty('domain')
  expect((await detail()).domainUnknown).toMatchObject({
    name: 'example.org',
    cause: 'not_asked',
    askedAt: null,
  })
  const registrar = null
  const told = { expiresAtMs: null, registrar, askedAtMs: nowMs, isUnreadable: true }
  await saveRegistration(at.sql, 'example.org', told)
  await at.call('PATCH', `/v1/checks/${check.id}`, {
    key: account.writeKey,
    body: { regions: ['fra', 'iad'] },
  })
  expect((await detail()).domainUnknown).toMatchObject({
    cause: 'unreadable_date',
    reason: 'the registry tells a date of expiry that cannot be read',
    askedAt: new Date(nowMs).toISOString(),
  })
  await saveRegistration(at.sql, 'example.org', {
    expiresAtMs: nowMs + 30.5 * dayMs,
    registrar: 'A Registrar',
    askedAtMs: nowMs,
  })
  await at.call('PATCH', `/v1/checks/${check.id}`, {
    key: account.writeKey,
    body: { regions: ['iad'] },
  })
  const { domain, domainUnknown } = await detail()
  expect(domainUnknown).toBeUndefined()
  expect(domain).toEqual({
    name: 'example.org',
    expiresAt: new Date(nowMs + 30.5 * dayMs).toISOString(),
    daysLeft: 30,
    registrar: 'A Registrar',
    askedAt: new Date(nowMs).toISOString(),
  })
})

const seen = { validFromMs: 0, seenAtMs: 1_000, expiresAtMs: 9_000, nameCount: 1, endsWith: null }
const named = { ...seen, issuer: 'R3', names: ['a.example'] }
const unnamed = { ...seen, issuer: null, names: [], nameCount: 0 }

test.each<[title: string, shown: Parameters<typeof describeCertificates>[0], rows: string[]]>([
  [
    'named in one region',
    [
      { ...named, region: 'a' },
      { ...unnamed, region: 'b' },
      { ...unnamed, region: 'c' },
    ],
    ['R3 abc'],
  ],
  ['named in all', ['a', 'b', 'c'].map((region) => ({ ...named, region })), ['R3 abc']],
  ['named in none', ['a', 'b'].map((region) => ({ ...unnamed, region })), ['null ab']],
  [
    'named last',
    [
      { ...unnamed, region: 'a' },
      { ...named, region: 'b' },
    ],
    ['R3 ab'],
  ],
  [
    'with another end',
    [
      { ...named, region: 'a' },
      { ...unnamed, expiresAtMs: 9_001, region: 'b' },
    ],
    ['R3 a', 'null b'],
  ],
  [
    'two that end in the same second, and one not named',
    [
      { ...named, region: 'a' },
      { ...named, issuer: 'E5', region: 'b' },
      { ...unnamed, region: 'c' },
    ],
    ['R3 a', 'E5 b', 'null c'],
  ],
  [
    'names in another order',
    [
      { ...named, names: ['b', 'a'], region: 'a' },
      { ...named, names: ['a', 'b'], region: 'b' },
    ],
    ['R3 ab'],
  ],
  [
    'a region that the check left',
    [
      { ...named, region: 'a' },
      { ...unnamed, region: 'x' },
    ],
    ['R3 a'],
  ],
  [
    'another chain in one region',
    [
      { ...named, region: 'a' },
      { ...named, endsWith: 'R3', region: 'b' },
    ],
    ['R3 a', 'R3 b'],
  ],
  [
    'not named, and seen long before',
    [
      { ...named, seenAtMs: 9_000_000, region: 'a' },
      { ...unnamed, region: 'b' },
    ],
    ['R3 a'],
  ],
])('one certificate is one row: %s', (_, shown, rows) => {
  const schedule = { regions: ['a', 'b', 'c'], intervalSeconds: 60 }
  const described = describeCertificates(shown, schedule, 0)
  expect(described.map(({ issuer, regions }) => `${issuer} ${regions.join('')}`)).toEqual(rows)
})
