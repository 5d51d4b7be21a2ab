import { createSecretSealer, regionKeyOfToken } from '@probe-mesh/contracts/agent/agent-seal'
import type { Assignment } from '@probe-mesh/contracts/mesh/assignment'
import { privateRegion } from '@probe-mesh/contracts/reading/private-region'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { beforeAll, expect, test } from 'vitest'
import { aCheckRecord } from '../checks/testing.ts'
import { useTestApp, testSecretsKey } from '../app/testing/test-app.ts'
import { asUser, loggedIn } from '../app/testing/log-in.ts'
import { createAssignmentSealer } from './seal-assignments.ts'
import { regionKeyOf } from './region-key.ts'
import { createVault } from './vault.ts'

const warned: unknown[] = []
const log = { warn: (...about: unknown[]) => warned.push(about) }
const sealerOf = (secretsKey: string) =>
  createAssignmentSealer({ sql: at.systemSql, vault: createVault(secretsKey), secretsKey, log })
const at = useTestApp({ config: { budgetScale: 1_000 } })
const user = useOnce(() => loggedIn(at))
const sealer = useOnce(() => sealerOf(testSecretsKey))
beforeAll(async () => {
  const secret = { name: 'api_key', value: 'correct horse battery', hosts: ['api.example.org'] }
  expect(await asUser(at, user, 'POST', '/secrets', secret)).toMatchObject({ status: 201 })
})

const assignment = (region = 'fra', name = 'api_key'): Assignment => ({
  checkId: uuidv7(0),
  accountId: user.accountId,
  region,
  revision: 1,
  validFrom: 0,
  intervalSeconds: 60,
  owner: 'account',
  type: 'http_request',
  url: 'https://api.example.org/',
  assertions: aCheckRecord.assertions,
  request: { headers: [{ name: 'x-api-key', value: `{{ secret.${name} }}` }] },
})

const openWith = (key: string, sealed: Assignment | undefined) => {
  if (sealed?.type !== 'http_request' || sealed.sealed === undefined) throw new Error('nothing is sealed')
  return createSecretSealer(key).open(sealed.sealed, sealed)
}
const bound = { hosts: ['api.example.org:443'], origins: ['https://api.example.org'] }
const secrets = { api_key: { value: 'correct horse battery', ...bound } }

test('the agents of a region open the secrets of their checks, and those of other regions do not', async () => {
  const [sealed] = await sealer.seal([assignment()])
  expect(JSON.stringify(sealed)).not.toContain('correct horse')
  expect(openWith(regionKeyOf(testSecretsKey, 'fra'), sealed)).toEqual(secrets)
  expect(() => openWith(regionKeyOf(testSecretsKey, 'iad'), sealed)).toThrow()
})

test('the same secrets are sealed alike, so that reconciling rewrites nothing', async () => {
  const one = assignment()
  expect(await sealer.seal([one])).toEqual(await sealer.seal([one]))
})

test('a private agent opens the secrets of its checks with its token, also after a new token', async () => {
  const made = await asUser(at, user, 'POST', '/agents', { name: 'Office' })
  const region = privateRegion(made.json.agent.id)
  const [{ id }] = (await asUser(at, user, 'GET', '/secrets')).json.secrets
  await asUser(at, user, 'PATCH', `/secrets/${id}`, { agents: [made.json.agent.id] })
  const [sealed] = await sealer.seal([assignment(region)])
  expect(openWith(regionKeyOfToken(made.json.token), sealed)).toEqual(secrets)
  const rotated = await asUser(at, user, 'POST', `/agents/${made.json.agent.id}/rotate`)
  const [again] = await sealer.seal([assignment(region)])
  expect(openWith(regionKeyOfToken(rotated.json.token), again)).toEqual(secrets)
  expect(() => openWith(regionKeyOfToken(made.json.token), again)).toThrow()
})

test('what cannot be read is left out: an agent without a key, an unknown secret, another SECRETS_KEY', async () => {
  const agent = privateRegion(uuidv7(0))
  expect(await sealer.seal([assignment(agent)])).toMatchObject([{ region: agent }])
  expect((await sealer.seal([assignment(agent)]))[0]).not.toHaveProperty('sealed')
  const [unknown] = await sealer.seal([assignment('fra', 'other')])
  expect(openWith(regionKeyOf(testSecretsKey, 'fra'), unknown)).toEqual({})
  const otherKey = 'another key, which has 32 characters or more'
  const [unreadable] = await sealerOf(otherKey).seal([assignment()])
  expect(openWith(regionKeyOf(otherKey, 'fra'), unreadable)).toEqual({})
  expect(JSON.stringify(warned)).toContain('cannot be read')
})

test("secrets of another account are never sealed, and a draft's own come first", async () => {
  const other = await loggedIn(at)
  const [sealed] = await sealer.seal([{ ...assignment(), accountId: other.accountId }])
  expect(openWith(regionKeyOf(testSecretsKey, 'fra'), sealed)).toEqual({})
  const unsaved = { api_key: { value: 'of a draft', hosts: ['api.example.org'] } }
  const [draft] = await sealer.seal([assignment()], unsaved)
  expect(openWith(regionKeyOf(testSecretsKey, 'fra'), draft)).toEqual({
    api_key: { value: 'of a draft', ...bound },
  })
})
