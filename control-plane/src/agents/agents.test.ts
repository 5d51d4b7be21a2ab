import { allowNothing } from '@probe-mesh/contracts/target/address'
import { privateRegion } from '@probe-mesh/contracts/reading/private-region'
import { useEach } from '@probe-mesh/infra/testing/use'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { targetCountsOf } from '../targets/target-counts.ts'
import { defaultTargetRules } from '../app/testing/operation-context.ts'
import { missing, ownerOf } from '../app/testing/pages.ts'
import { startTestApp, type TestApp } from '../app/testing/test-app.ts'

let at: TestApp
let agentId: string
let region: string

beforeAll(async () => {
  // the service's allow list is empty
  at = await startTestApp({ config: { targetAllow: allowNothing, budgetScale: 1_000 } })
})
const account = useEach(() => at.account('growth'))
const owner = useEach(() => ownerOf(at, account))
beforeEach(async () => {
  const made = await owner.post('/agents', { name: 'office' })
  agentId = made.json.agent.id
  region = privateRegion(agentId)
})

const inside = { name: 'inside', url: 'http://10.0.0.1:5432/' }
const create = (over: object = {}) => owner.post('/checks', { ...inside, regions: [region], ...over })
const refusedAs = (status: number, code: string, path?: string) => ({
  status,
  json: { code, ...(path === undefined ? {} : { errors: [{ path }] }) },
})

describe('an agent', () => {
  test('is enrolled with a token that is shown once and never stored', async () => {
    const made = await owner.post('/agents', { name: 'cellar' })
    expect(made).toMatchObject({
      status: 201,
      json: {
        agent: { name: 'cellar', presence: 'never', checks: 0 },
        meshUrl: 'http://127.0.0.1:8080',
      },
    })
    const { token } = made.json
    const listed = await owner.get('/agents')
    expect(listed.json.agents.map(({ name }: { name: string }) => name)).toEqual(['office', 'cellar'])
    expect(listed.text).not.toContain(token)
    const rows = await at.sql`select row_to_json(private_agents)::text as text from private_agents`
    expect(rows.map((row) => row['text']).join()).not.toContain(token)
    expect(at.logged.join()).not.toContain(token)
  })

  test('is not created where no agent would connect to the URL of the service', async () => {
    const plain = await startTestApp({ config: { publicUrl: 'http://mesh.example.org' } })
    const its = await plain.account('growth')
    const made = await plain.call('POST', '/v1/agents', { key: its.writeKey, body: { name: 'office' } })
    expect(made).toMatchObject({ status: 409, json: { code: 'SV-3002' } })
    expect(made.json.detail).toContain('PUBLIC_URL of this service is http://mesh.example.org')
    expect(await plain.sql`select from private_agents`).toHaveLength(0)
    await plain.close()
  })

  test('is created once for a repeated Idempotency-Key, and its token is not stored', async () => {
    const call = () =>
      at.call('POST', '/v1/agents', {
        key: account.writeKey,
        body: { name: 'twice' },
        headers: { 'idempotency-key': `key-${account.id}` },
      })
    const [first, again] = [await call(), await call()]
    expect(first.status).toBe(201)
    expect(again.text).not.toContain(first.json.token)
    expect((await owner.get('/agents')).json.agents).toHaveLength(2)
    const rows = await at.sql`select row_to_json(idempotency_keys)::text as text from idempotency_keys`
    expect(rows.map((row) => row['text']).join()).not.toContain(first.json.token)
  })

  test('more than the tier allows is SV-4001, until one is revoked', async () => {
    for (let n = 1; n < 5; n++)
      expect(await owner.post('/agents', { name: 'a' })).toMatchObject({ status: 201 })
    expect(await owner.post('/agents', { name: 'a' })).toMatchObject(refusedAs(403, 'SV-4001'))
    expect(await owner.send('DELETE', `/agents/${agentId}`)).toMatchObject({
      status: 200,
      json: { presence: 'revoked' },
    })
    expect(await owner.post('/agents', { name: 'a' })).toMatchObject({ status: 201 })
  })

  test('gets no token after it is revoked, and a second revocation changes nothing', async () => {
    const [first, again] = [
      await owner.send('DELETE', `/agents/${agentId}`),
      await owner.send('DELETE', `/agents/${agentId}`),
    ]
    expect(again.json.revokedAt).toBe(first.json.revokedAt)
    expect(await owner.post(`/agents/${agentId}/rotate`)).toMatchObject(refusedAs(409, 'SV-3002'))
  })

  test('has an audit entry for every action', async () => {
    await owner.post(`/agents/${agentId}/rotate`)
    await owner.send('DELETE', `/agents/${agentId}`)
    expect(await owner.auditEntries()).toEqual([
      ['revokeAgent', agentId],
      ['rotateAgent', agentId],
      ['createAgent', agentId],
    ])
  })
})

describe('a check on a private agent', () => {
  test('is private, has the agent as its region, and may probe a private address', async () => {
    expect(await create()).toMatchObject({
      status: 201,
      json: { private: true, regions: [region], allRegions: false, url: inside.url },
    })
    expect(await owner.post('/checks', inside)).toMatchObject(refusedAs(422, 'SV-5001'))
    const [{ id }] = (await owner.get('/checks')).json.checks
    expect((await owner.get(`/checks/${id}`)).json).toMatchObject({
      vantage: 'regional',
      regionStatuses: [{ region, status: 'unknown' }],
    })
    expect((await owner.get('/agents')).json.agents).toMatchObject([{ id: agentId, checks: 1 }])
  })

  test.each([
    ['an agent that is not there', () => privateRegion(missing)],
    ['one of another account', async () => privateRegion(await othersAgent())],
    [
      'one that was revoked',
      async () => {
        await owner.send('DELETE', `/agents/${agentId}`)
        return region
      },
    ],
  ])('on %s is not found', async (_, name) => {
    const named = await name()
    const refused = refusedAs(404, 'SV-3001', 'regions[0]')
    expect(await create({ regions: [named] })).toMatchObject(refused)
    const checkId = await owner.checkId()
    expect(await owner.send('PATCH', `/checks/${checkId}`, { regions: [named] })).toMatchObject(refused)
  })

  test.each([
    ['an agent and a region', () => [region, 'fra']],
    ['two agents', async () => [region, privateRegion(await ownAgent())]],
  ])('on %s is refused: an agent measures alone', async (_, named) => {
    const refused = await create({ regions: await named() })
    expect(refused).toMatchObject(refusedAs(422, 'SV-2001'))
    expect(refused.json.errors[0]).toMatchObject({ path: 'regions[0]' })
  })

  test('cannot be published or have an incident, and a published check cannot move to an agent', async () => {
    const pageId = await owner.pageId()
    const { id: checkId } = (await create()).json
    const publish = (id: string) => owner.post(`/status-pages/${pageId}/components`, { checkId: id })
    expect(await publish(checkId)).toMatchObject(refusedAs(409, 'SV-3002', 'checkId'))
    expect(
      await owner.post('/incidents', {
        statusPageId: pageId,
        checkId,
        region: 'fra',
        title: 'a',
        body: 'b',
      }),
    ).toMatchObject(refusedAs(409, 'SV-3002'))
    const shown = await owner.checkId()
    const { id: componentId } = (await publish(shown)).json
    const bind = () => owner.send('PATCH', `/checks/${shown}`, { regions: [region] })
    expect(await bind()).toMatchObject(refusedAs(409, 'SV-3002', 'regions'))
    await owner.send('DELETE', `/status-pages/${pageId}/components/${componentId}`)
    expect(await bind()).toMatchObject({ status: 200, json: { private: true, regions: [region] } })
    expect(await publish(shown)).toMatchObject(refusedAs(409, 'SV-3002', 'checkId'))
  })

  test('stays private: it can move to another agent, but not to a region of the mesh', async () => {
    const { id } = (await create()).json
    const move = (regions: string[]) => owner.send('PATCH', `/checks/${id}`, { regions })
    expect(await move(['fra'])).toMatchObject(refusedAs(409, 'SV-3002', 'regions'))
    const other = privateRegion(await ownAgent())
    expect(await move([other])).toMatchObject({
      status: 200,
      json: { regions: [other], private: true },
    })
    // unchanged regions need no allowed agent
    await owner.send('DELETE', `/agents/${other.slice('private-'.length)}`)
    expect(await move([other])).toMatchObject({ status: 200 })
    expect(await move([region])).toMatchObject({ status: 200, json: { regions: [region] } })
  })

  test('a trial cannot use an agent of another account', async () => {
    const asked: string[] = []
    const serving = await at.bus.runs.serve(privateRegion(await othersAgent()), async () => {
      asked.push('asked')
      return { agent: 'a', error: 'busy' }
    })
    const { tryCheck } = await import('../checks/run-check.ts')
    const runs = {
      request: async () => ({ readings: [], unanswered: [] }),
      reserveTrial: () => ({ release: () => undefined }),
    }
    const rules = { ...(await rulesOf()), vantage: 'local' as const }
    const targets = targetCountsOf(at.systemSql)
    const context = { sql: at.accountSql, now: at.now, rules, runs, targets }
    const writer = { accountId: account.id, actor: { kind: 'operator' as const } }
    const others = privateRegion(await othersAgent())
    expect(await tryCheck(context, writer, { ...inside, regions: [others] })).toMatchObject({
      refused: 'SV-3001',
    })
    expect(asked).toEqual([])
    await serving.close()
  })
})

const ownAgent = async (): Promise<string> => (await owner.post('/agents', { name: 'x' })).json.agent.id
const othersAgent = async (): Promise<string> => {
  const other = ownerOf(at, await at.account('growth'))
  return (await other.post('/agents', { name: 'theirs' })).json.agent.id
}
const rulesOf = async () => {
  const { regionsDefault } = await import('@probe-mesh/contracts/reading/regions')
  const { tiersDefault } = await import('@probe-mesh/contracts/account/tiers')
  return {
    regions: regionsDefault,
    tiers: tiersDefault,
    targetAllow: allowNothing,
    ...defaultTargetRules,
  }
}
