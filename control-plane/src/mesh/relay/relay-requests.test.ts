import { privateRegion } from '@probe-mesh/contracts/reading/private-region'
import { relayRequestBounds } from '@probe-mesh/contracts/agent/relay'
import { requestPools } from '@probe-mesh/contracts/api/request-pools'
import { useTestDatabase } from '@probe-mesh/infra/testing/postgres'
import { beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { inTurn } from '@probe-mesh/runtime/account-turns'
import { openAgentRuns } from './relay-runs.ts'
import { createRunIds } from './run-ids.ts'
import { ownerOf, type Owner } from '../../app/testing/pages.ts'
import { useTestApp, testKey, type Answer } from '../../app/testing/test-app.ts'

/** The limits of one token on the routes of the relay. */

let owner: Owner
let accountId: string
let agentId: string
let region: string
let token: string
let published: unknown[] = []

const database = useTestDatabase()
const at = useTestApp({ database, config: { budgetScale: 1_000 } })
const other = useTestApp({ database, config: { budgetScale: 1_000 } })
beforeAll(async () => {
  await at.bus.events.subscribe('relay-run', (payload) => void published.push(payload))
})
beforeEach(async () => {
  const account = await at.account('scale')
  accountId = account.id
  owner = ownerOf(at, account)
  const made = (await owner.post('/agents', { name: 'office' })).json
  token = made.token
  agentId = made.agent.id
  region = privateRegion(agentId)
  published = []
})

const answer = (id: string, app = at, key = token): Promise<Answer> =>
  app.call('POST', `/relay/runs/${id}`, { key, body: { agent: region, error: 'busy' } })
const presence = (key = token): Promise<Answer> =>
  at.call('POST', '/relay/presence', { key, body: { session: crypto.randomUUID(), report: null } })
const refused = { status: 429, json: { code: 'SV-6002' } }

/** A run requested from the agent, and its outcome. */
const ask = async (): Promise<{ id: string; settled: Promise<unknown>; end(): Promise<void> }> => {
  const checkId = await owner.checkId({ url: 'http://10.0.0.1/', regions: [region] })
  const runs = await openAgentRuns({
    sql: at.systemSql,
    bus: at.bus,
    runIds: createRunIds(testKey),
    now: at.now,
  })
  const told = Promise.withResolvers<string>()
  const serving = await runs.serve({ id: agentId, accountId }, ({ id }) => told.resolve(id))
  const settled = owner.post(`/checks/${checkId}/run`)
  const end = async (): Promise<void> => {
    await serving.close()
    await runs.close()
  }
  return { id: await told.promise, settled, end }
}

test('an answer to an unknown run is refused, and not published', async () => {
  const made = await answer(crypto.randomUUID())
  expect(made).toMatchObject({ status: 404, json: { code: 'SV-3001' } })
  expect(published).toEqual([])
})

test('an answer for another control plane is published once', async () => {
  const { id, settled, end } = await ask()
  expect((await answer(id)).status).toBe(200)
  await settled
  expect((await answer(id)).status).toBe(404)
  expect(published).toHaveLength(1)
  await end()
})

test('only the requested agent can answer a run', async () => {
  const { id, settled, end } = await ask()
  const theirs = (await owner.post('/agents', { name: 'other' })).json
  expect((await answer(id, at, theirs.token)).status).toBe(404)
  expect(published).toEqual([])
  expect((await answer(id)).status).toBe(200)
  await settled
  await end()
})

test('a finished run accepts no answer, at any control plane', async () => {
  const ids = createRunIds(testKey)
  other.hold()
  const id = ids.issue(agentId, other.now() + 1_000)
  other.pass(60_000)
  expect((await answer(id, other)).status).toBe(404)
})

test.each(['presence', 'runs'] as const)(
  'one token has a rate limit with %s, and then is refused without a look-up',
  async (kind) => {
    at.hold()
    const once = () => (kind === 'presence' ? presence() : answer(crypto.randomUUID()))
    for (let n = 0; n < relayRequestBounds.rates[kind].burst; n++) {
      expect((await once()).status).not.toBe(429)
    }
    await owner.send('DELETE', `/agents/${agentId}`)
    // a look-up would report the revocation
    expect(await once()).toMatchObject(refused)
    expect((await presence((await owner.post('/agents', { name: 'b' })).json.token)).status).toBe(200)
  },
)

test('one token has a limited number of concurrent requests, without effect on others', async () => {
  const held = Promise.withResolvers<void>()
  const holding = Array.from({ length: requestPools.lookUps.bounds.placesOfOwner }, () =>
    inTurn(at.systemSql, accountId, () => held.promise),
  )
  const waiting = Array.from({ length: relayRequestBounds.inFlight }, () => presence())
  await vi.waitFor(async () => {
    expect(await answer(crypto.randomUUID())).toMatchObject(refused)
  })
  const theirs = ownerOf(at, await at.account('scale'))
  const made = (await theirs.post('/agents', { name: 'theirs' })).json
  expect((await presence(made.token)).status).toBe(200)
  held.resolve()
  await Promise.all([...holding, ...waiting])
  expect((await presence()).status).toBe(200)
})
