import { CheckConfig } from '@probe-mesh/contracts/check/check-config'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { expect, test } from 'vitest'
import { useTestApp } from '../app/testing/test-app.ts'
import { asUser, loggedIn, type TestUser } from '../app/testing/log-in.ts'
import { typedChecks, typedCheckTypes } from '../app/testing/operation-context.ts'

const at = useTestApp()
const acme = useOnce(() => loggedIn(at))

const config = (user: TestUser, id: string) => asUser(at, user, 'GET', `/checks/${id}/config`)

test.each(typedCheckTypes)('returns the config of a %s check with its defaults', async (type) => {
  const { body } = typedChecks[type]
  const { json } = await asUser(at, acme, 'POST', '/typed-checks', body)
  const { name: _name, ...held } = body
  const shown = await config(acme, json.id)
  expect(shown).toMatchObject({ status: 200, json: held })
  // all of it: nothing is left for the schema to add
  expect(CheckConfig.parse(shown.json)).toEqual(shown.json)
})

test('returns the config of an http check; a check of another account is not found', async () => {
  const body = { name: 'site', url: 'https://example.org/' }
  const { json } = await asUser(at, acme, 'POST', '/checks', body)
  expect((await config(acme, json.id)).json).toEqual({ type: 'http' })
  expect(await config(await loggedIn(at), json.id)).toMatchObject({ status: 404 })
})

test('refuses a config from a newer version', async () => {
  const { json } = await asUser(at, acme, 'POST', '/typed-checks', typedChecks.tcp.body)
  await at.sql`update checks set config = '{"type":"tcp","port":5}' where id = ${json.id}`
  expect(await config(acme, json.id)).toMatchObject({ status: 409, json: { code: 'SV-3002' } })
})

test('is in the answer about a check, where read-only keys learn only the length of what is sent', async () => {
  const { id: accountId, readKey, writeKey } = await at.account('scale')
  const steps = [{ name: 'log in', method: 'POST', url: 'https://example.org/', body: 'password=hunter2' }]
  const { json } = await asUser(at, acme, 'POST', '/typed-checks', { type: 'multistep', name: 'shop', steps })
  await at.sql`update checks set account_id = ${accountId} where id = ${json.id}`
  const bodyFor = async (key: string) => {
    const answer = await at.call('GET', `/v1/checks/${json.id}`, { key })
    return answer.json.config.steps[0].body
  }
  expect(await bodyFor(writeKey)).toBe('password=hunter2')
  expect(await bodyFor(readKey)).toBe('(16 characters, hidden from read-only keys)')
})
