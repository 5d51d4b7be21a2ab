import { CheckDetail } from '@probe-mesh/contracts/check/check'
import { expect, test } from 'vitest'
import { saveCertificates } from './certificates-store.ts'
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
      endsWith: null,
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
  await saveRegistration(at.sql, 'example.org', {
    expiresAtMs: nowMs + 30.5 * dayMs,
    registrar: 'A Registrar',
    askedAtMs: nowMs,
  })
  await at.call('PATCH', `/v1/checks/${check.id}`, {
    key: account.writeKey,
    body: { regions: ['iad'] },
  })
  const { domain } = await detail()
  expect(domain).toEqual({
    name: 'example.org',
    expiresAt: new Date(nowMs + 30.5 * dayMs).toISOString(),
    daysLeft: 30,
    registrar: 'A Registrar',
    askedAt: new Date(nowMs).toISOString(),
  })
})
