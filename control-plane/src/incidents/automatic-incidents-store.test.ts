import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { AccountEvent } from '@probe-mesh/contracts/mesh/events'
import { useEach } from '@probe-mesh/infra/testing/use'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { useTestApp } from '../app/testing/test-app.ts'
import { outboxOf, ownerOf } from '../app/testing/pages.ts'
import { openAutomaticIncident } from './automatic-incidents-store.ts'
import { leaveMembers, writeMembers } from './incident-members-store.ts'
import { leaveIncidents } from './leave-incidents.ts'
import { findPagesPublishing } from '../records/status-page/components-store.ts'
import type { Sql } from '../stores/postgres/connect.ts'
import { transact } from '../stores/postgres/transact.ts'

let sql: Sql
let statusPageId: string
let checkId: string
const at = useTestApp({ config: { budgetScale: 1_000 } })
beforeAll(async () => {
  sql = at.systemSql
})
const account = useEach(() => at.account('scale'))
const owner = useEach(() => ownerOf(at, account))
beforeEach(async () => {
  statusPageId = await owner.pageId()
  checkId = await owner.checkId()
  await owner.post(`/status-pages/${statusPageId}/components`, { checkId })
  await at.sql`delete from outbox`
})

const failure = (id: string, downAtMs: number) => ({
  statusPageId,
  checkId: id,
  displayName: 'web',
  cause: { host: null, text: 'refused', regions: ['fra'] },
  region: 'fra',
  downAtMs,
})
const open = (more: { statusPageId?: string; checkId?: string } = {}) =>
  transact(sql, async (tx) => {
    const found = {
      accountId: account.id,
      statusPageId,
      checkId,
      region: 'fra',
      title: 'web is down',
      measuredImpact: 'major' as const,
      startedAtMs: at.now() - 1_000,
      body: '3 of 4 regions fail: 503',
      ...more,
    }
    const incident = await openAutomaticIncident(tx, found, at.now())
    if (incident !== null) {
      await writeMembers(tx, incident, [failure(found.checkId, found.startedAtMs)])
    }
    return incident
  })
const recover = () => {
  const flip = { checkId, to: 'operational', reason: null, atMs: at.now() } as const
  return transact(sql, (tx) => leaveIncidents(tx, [flip], at.now()))
}
const list = async () => (await owner.get('/incidents')).json.incidents

test('opens one incident on a page when several processes find the check down at once', async () => {
  const opened = await Promise.all(Array.from({ length: 6 }, () => open()))
  expect(opened.filter((incident) => incident !== null)).toHaveLength(1)
  const incidents = await list()
  expect(incidents).toMatchObject([
    {
      source: 'automatic',
      status: 'investigating',
      updates: [{ status: 'investigating', body: '3 of 4 regions fail: 503' }],
    },
  ])
})

test('is returned with its checks, those that are down first', async () => {
  const opened = await open()
  const incident = { id: opened?.id ?? '', accountId: account.id }
  const second = await owner.checkId()
  const [downAt, later, recovered] = [3_000, 2_000, 1_000].map((ago) => at.now() - ago) as [
    number,
    number,
    number,
  ]
  await transact(sql, async (tx) => {
    await writeMembers(tx, incident, [failure(checkId, downAt), failure(second, later)])
    await leaveMembers(tx, [{ checkId, to: 'operational', atMs: recovered }])
  })
  const iso = (ms: number) => new Date(ms).toISOString()
  const expected = {
    memberCount: 2,
    members: [
      { checkId: second, downAt: iso(later), downUntil: null },
      { checkId, downAt: iso(downAt), downUntil: iso(recovered) },
    ],
  }
  expect((await list())[0]).toMatchObject(expected)
  expect((await owner.get(`/incidents/${incident.id}`)).json).toMatchObject(expected)
  const { slug } = (await owner.get('/status-pages')).json.statusPages[0]
  await owner.post(`/status-pages/${statusPageId}/components`, { checkId: second })
  const document = (await at.call('GET', `/status/${slug}/page.json`)).json
  const idOf = (name: number) => document.components[name].id
  expect(document.incidents[0].componentIds).toEqual([idOf(1), idOf(0)])
  expect(document.incidents[0]).not.toHaveProperty('members')
})

test('is published to streams and mailed to no subscriber', async () => {
  await open()
  await recover()
  const rows = await outboxOf(at)
  expect(rows.map(({ kind }) => kind)).toEqual(['incident', 'incident'])
  const events = rows.map(({ payload }) => AccountEvent.parse(payload))
  expect(events).toMatchObject([
    { kind: 'incident', accountId: account.id, incident: { resolvedAt: null } },
    { incident: { status: 'resolved' }, update: { status: 'resolved' } },
  ])
})

test('is resolved by a recovery on every page, also one that no longer publishes the check; then another may open', async () => {
  const second = (await owner.post('/status-pages', { name: 'b', slug: `b-${checkId}` })).json.id
  const component = await owner.post(`/status-pages/${second}/components`, { checkId })
  expect(await findPagesPublishing(sql, checkId)).toEqual([statusPageId, second])
  await open()
  await open({ statusPageId: second })
  await owner.send('DELETE', `/status-pages/${second}/components/${component.json.id}`)
  await recover()
  expect(await list()).toHaveLength(2)
  for (const incident of await list()) {
    expect(incident).toMatchObject({ status: 'resolved', resolvedAt: expect.any(String) })
    expect(incident.updates).toHaveLength(2)
  }
  await recover()
  expect((await list()).map(({ updates }: { updates: [] }) => updates.length)).toEqual([2, 2])
  expect(await open()).not.toBeNull()
})

test('a recovery does not resolve an incident that a person opened', async () => {
  const said = { statusPageId, checkId, region: 'fra', title: 'We know', body: 'a' }
  await owner.post('/incidents', said)
  await open()
  await recover()
  const states = (await list()).map((incident: { source: string; status: string }) => [
    incident.source,
    incident.status,
  ])
  expect(states.toSorted()).toEqual([
    ['automatic', 'resolved'],
    ['manual', 'investigating'],
  ])
})

test('a person may resolve and reopen it, unless a newer one is open: SV-3002', async () => {
  const first = await open()
  const say = (status: string, body: string) =>
    owner.post(`/incidents/${first?.id}/updates`, { status, body })
  expect((await say('resolved', 'A false alarm.')).status).toBe(201)
  expect((await say('investigating', 'Or not.')).json.resolvedAt).toBeNull()
  expect(await open()).toBeNull()
  expect((await say('resolved', 'It was.')).status).toBe(201)
  expect(await open()).not.toBeNull()
  await at.sql`delete from outbox`
  const refused = await say('investigating', 'Back again.')
  expect(refused).toMatchObject({ status: 409, json: { code: 'SV-3002' } })
  expect((await owner.get(`/incidents/${first?.id}`)).json.updates).toHaveLength(4)
  expect(await outboxOf(at)).toEqual([])
})

test('does not open for a deleted page or check, or for one of another account', async () => {
  const nothing = uuidv7(at.now())
  expect(await open({ statusPageId: nothing })).toBeNull()
  expect(await open({ checkId: nothing })).toBeNull()
  const other = ownerOf(at, await at.account('scale'))
  expect(await open({ statusPageId: await other.pageId() })).toBeNull()
  expect(await outboxOf(at)).toEqual([])
})
