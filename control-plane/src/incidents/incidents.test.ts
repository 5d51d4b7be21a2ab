import { Incident } from '@probe-mesh/contracts/incident/incident'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { beforeEach, describe, expect, test } from 'vitest'
import { useTestApp } from '../app/testing/test-app.ts'
import { atOnce, missing, outboxOf, ownerOf, type Owner } from '../app/testing/pages.ts'

let owner: Owner
let statusPageId: string
let checkId: string
const at = useTestApp({ config: { budgetScale: 1_000 } })
beforeEach(async () => {
  owner = ownerOf(at, await at.account('scale'))
  statusPageId = await owner.pageId()
  checkId = await owner.checkId()
  await at.sql`delete from outbox`
})

const open = (body?: object) =>
  owner.post('/incidents', {
    statusPageId,
    checkId,
    region: 'fra',
    title: 'Payments fail',
    body: 'We are looking.',
    ...body,
  })
const say = (id: string, status: string, body: string) =>
  owner.post(`/incidents/${id}/updates`, { status, body })
const get = async (id: string) => (await owner.get(`/incidents/${id}`)).json
const kinds = async () => (await outboxOf(at)).map(({ kind }) => kind)

describe('opening an incident', () => {
  test('incident, first update, mail, event and audit entry are written together', async () => {
    const { status, json } = await open()
    expect(status).toBe(201)
    expect(json).toEqual(Incident.parse(json))
    expect(json).toMatchObject({
      statusPageId,
      checkId,
      region: 'fra',
      title: 'Payments fail',
      status: 'investigating',
      source: 'manual',
      resolvedAt: null,
      updates: [{ status: 'investigating', body: 'We are looking.' }],
    })
    expect(await get(json.id)).toEqual(json)
    const [update] = json.updates
    const {
      updates: _updates,
      members: _members,
      memberCount: _count,
      componentIds: _ids,
      ...incident
    } = json
    expect(await outboxOf(at)).toEqual([
      { kind: 'mail', payload: { about: 'incident_update', id: update.id } },
      {
        kind: 'incident',
        payload: { kind: 'incident', accountId: expect.any(String), incident, update },
      },
    ])
    expect((await owner.auditEntries())[0]).toEqual(['createIncident', json.id])
  })

  test('an unpublished check and a region of a check may have an incident', async () => {
    await at.sql`update checks set regions = '{lhr}' where id = ${checkId}`
    expect(await open({ region: 'lhr' })).toMatchObject({ status: 201, json: { region: 'lhr' } })
    expect((await open({ region: 'nrt' })).status).toBe(201)
    const refused = await open({ region: 'syd' })
    expect(refused).toMatchObject({
      status: 422,
      json: {
        code: 'SV-2001',
        errors: [{ path: 'region', message: expect.stringContaining('lhr') }],
      },
    })
  })

  test.each([
    ['a region that is none', { region: 'Frankfurt' }, ['region']],
    ['a blank title and no body', { title: ' ', body: undefined }, ['title', 'body']],
    ['a title of 201 characters', { title: 'a'.repeat(201) }, ['title']],
    ['a body of 10,001 characters', { body: 'a'.repeat(10_001) }, ['body']],
    ['a status of its own', { status: 'resolved' }, ['status']],
    ['ids that are none', { statusPageId: '1', checkId: '2' }, ['statusPageId', 'checkId']],
  ])('%s is SV-2001 and notifies no one', async (_, body, paths) => {
    const { status, json } = await open(body)
    expect([status, json.code]).toEqual([422, 'SV-2001'])
    expect(json.errors.map(({ path }: { path: string }) => path)).toEqual(paths)
    expect(await kinds()).toEqual([])
  })

  test('a title of 200 and a body of 10,000 characters are accepted', async () => {
    expect((await open({ title: 'a'.repeat(200), body: 'b'.repeat(10_000) })).status).toBe(201)
  })

  test("another account's page or check is missing, and both are named at once", async () => {
    const other = ownerOf(at, await at.account('scale'))
    const [page, check] = [await other.pageId(), await other.checkId()]
    const foreign = await open({ statusPageId: page, checkId: check, region: 'zzz' })
    const none = await open({ statusPageId: missing, checkId: missing })
    expect(foreign).toMatchObject({ status: 404, json: { code: 'SV-3001' } })
    expect(foreign.json.errors.map(({ path }: { path: string }) => path)).toEqual(['statusPageId', 'checkId'])
    expect(foreign.text).toBe(none.text)
    expect(await kinds()).toEqual([])
  })

  test('a repetition within a minute is the same incident, also concurrently', async () => {
    at.hold()
    const page = { table: 'status_pages', id: statusPageId } as const
    const answers = await atOnce(at, page, [open, open, open, open])
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
    expect(new Set(answers.map(({ json }) => json.id)).size).toBe(1)
    expect(await kinds()).toEqual(['mail', 'incident'])
    expect((await owner.auditEntries()).filter(([act]) => act === 'createIncident')).toHaveLength(1)
    at.pass(59_000)
    expect((await open()).json.id).toBe(answers[0]?.json.id)
    at.pass(2_000)
    expect((await open()).json.id).not.toBe(answers[0]?.json.id)
  })

  test('the same text after the resolution is another incident', async () => {
    const { json } = await open()
    await say(json.id, 'resolved', 'Repaired.')
    const again = await open()
    expect(again).toMatchObject({ status: 201, json: { status: 'investigating' } })
    expect(again.json.id).not.toBe(json.id)
    expect(await kinds()).toEqual(['mail', 'incident', 'mail', 'incident', 'mail', 'incident'])
  })

  test.each([
    ['title', { title: 'Logins fail' }],
    ['region', { region: 'nrt' }],
    ['body', { body: 'We are looking' }],
  ])('another %s is another incident', async (_, body) => {
    expect((await open(body)).json.id).not.toBe((await open()).json.id)
  })
})

describe('updating an incident', () => {
  test('any status may follow any other; the newest update is first', async () => {
    const { json } = await open()
    const said = ['monitoring', 'investigating', 'resolved', 'identified', 'resolved', 'monitoring']
    for (const [index, status] of said.entries()) {
      const answer = await say(json.id, status, `step ${index}`)
      expect(answer).toMatchObject({ status: 201, json: { id: json.id, status } })
      expect(answer.json.updates[0]).toMatchObject({ status, body: `step ${index}` })
      expect(answer.json.resolvedAt === null).toBe(status !== 'resolved')
    }
    const incident = await get(json.id)
    expect(incident.updates.map(({ body }: { body: string }) => body)).toEqual([
      'step 5',
      'step 4',
      'step 3',
      'step 2',
      'step 1',
      'step 0',
      'We are looking.',
    ])
    expect((await kinds()).filter((kind) => kind === 'mail')).toHaveLength(7)
    const told = (await outboxOf(at)).findLast(({ kind }) => kind === 'incident')
    expect(told?.payload).toMatchObject({
      incident: { id: json.id, status: 'monitoring', resolvedAt: null },
      update: { status: 'monitoring', body: 'step 5' },
    })
  })

  test('the resolution time is the first one, or the next one after reopening', async () => {
    const { json } = await open()
    const first = (await say(json.id, 'resolved', 'Repaired.')).json.resolvedAt
    expect(first).not.toBeNull()
    at.pass(5_000)
    expect((await say(json.id, 'resolved', 'What it was.')).json.resolvedAt).toBe(first)
    expect((await say(json.id, 'investigating', 'It is back.')).json.resolvedAt).toBeNull()
    const again = (await say(json.id, 'resolved', 'Repaired for good.')).json.resolvedAt
    expect(Date.parse(again)).toBeGreaterThanOrEqual(Date.parse(first) + 5_000)
  })

  test('a concurrent repetition within a minute is written and notified once', async () => {
    const { json } = await open()
    const identify = () => say(json.id, 'identified', 'A bad disk.')
    const incident = { table: 'incidents', id: json.id } as const
    const answers = await atOnce(at, incident, [identify, identify, identify, identify])
    for (const { status, json: answered } of answers) {
      expect(status).toBe(201)
      expect(answered.updates).toHaveLength(2)
    }
    expect(await kinds()).toEqual(['mail', 'incident', 'mail', 'incident'])
    expect((await owner.auditEntries()).filter(([act]) => act === 'addIncidentUpdate')).toHaveLength(1)
    at.pass(61_000)
    expect((await say(json.id, 'identified', 'A bad disk.')).json.updates).toHaveLength(3)
  })

  test('the same text after another update is a new update', async () => {
    const { json } = await open()
    const steps = [
      ['resolved', 'Done.'],
      ['investigating', 'Back.'],
      ['resolved', 'Done.'],
      ['investigating', 'Back.'],
    ] as const
    for (const [index, [status, body]] of steps.entries()) {
      const answer = await say(json.id, status, body)
      expect(answer).toMatchObject({ status: 201, json: { status } })
      expect(answer.json.updates).toHaveLength(index + 2)
    }
    expect((await kinds()).filter((kind) => kind === 'mail')).toHaveLength(5)
  })

  test('a repetition of the opening update is the same submission', async () => {
    const { json } = await open()
    expect((await say(json.id, 'investigating', 'We are looking.')).json).toEqual(json)
    expect(await kinds()).toEqual(['mail', 'incident'])
  })

  test('another status, body or incident is a new update', async () => {
    const { json } = await open()
    expect((await say(json.id, 'identified', 'We are looking.')).json.updates).toHaveLength(2)
    expect((await say(json.id, 'identified', 'We are looking')).json.updates).toHaveLength(3)
    const other = await open({ title: 'Logins fail' })
    expect((await say(other.json.id, 'identified', 'We are looking')).json.updates).toHaveLength(2)
  })

  test.each([
    ['a status that is none', { status: 'closed', body: 'a' }, 'status'],
    ['a blank body', { status: 'resolved', body: '\n' }, 'body'],
    ['a field that there is not', { status: 'resolved', body: 'a', mail: false }, 'mail'],
  ])('%s is SV-2001', async (_, body, path) => {
    const { json } = await open()
    expect(await owner.post(`/incidents/${json.id}/updates`, body)).toMatchObject({
      status: 422,
      json: { code: 'SV-2001', errors: [{ path }] },
    })
    expect((await get(json.id)).updates).toHaveLength(1)
  })

  test('a timeline has a maximum length: SV-3002', async () => {
    const { json } = await open()
    await at.sql`
      insert into incident_updates (id, account_id, incident_id, status, body, created_at)
      select gen_random_uuid(), account_id, incident_id, status, 'more', created_at
      from incident_updates, generate_series(2, ${limits.incidentUpdatesMax - 1})
      where incident_id = ${json.id}`
    const last = await say(json.id, 'resolved', 'The last that fits.')
    expect(last.json.updates).toHaveLength(limits.incidentUpdatesMax)
    const refused = await say(json.id, 'resolved', 'One more.')
    expect(refused).toMatchObject({ status: 409, json: { code: 'SV-3002' } })
    // the earlier submission is still recognised
    expect((await say(json.id, 'resolved', 'The last that fits.')).status).toBe(201)
  })
})

describe('list', () => {
  test('newest first, up to the limit, each with its own timeline', async () => {
    const ids: string[] = []
    for (const title of ['one', 'two', 'three']) {
      ids.unshift((await open({ title })).json.id)
      at.pass(10)
    }
    await say(ids[1] ?? '', 'resolved', 'Over.')
    const { incidents } = (await owner.get('/incidents')).json
    expect(incidents.map(({ id }: Incident) => id)).toEqual(ids)
    expect(incidents.map(({ updates }: Incident) => updates.length)).toEqual([1, 2, 1])
    expect(incidents[1]).toEqual(await get(ids[1] ?? ''))
    const two = (await owner.get('/incidents?limit=2')).json.incidents
    expect(two).toEqual(incidents.slice(0, 2))
  })

  test('the default limit is 50', async () => {
    const { json } = await open()
    await at.sql`
      insert into incidents (id, account_id, status_page_id, check_id, region, title, status, source,
        started_at, created_at)
      select gen_random_uuid(), account_id, status_page_id, check_id, region, title, status, source,
        started_at, created_at
      from incidents, generate_series(1, 60) where id = ${json.id}`
    expect((await owner.get('/incidents')).json.incidents).toHaveLength(50)
    expect((await owner.get('/incidents?limit=500')).json.incidents).toHaveLength(61)
  })

  test.each([['0'], ['501'], ['1.5'], ['x']])('limit=%s is SV-2001', async (limit) => {
    expect(await owner.get(`/incidents?limit=${limit}`)).toMatchObject({
      status: 422,
      json: { code: 'SV-2001', errors: [{ path: 'limit' }] },
    })
  })
})

test("another account's incident is not found, like a missing one", async () => {
  const { json } = await open()
  const other = ownerOf(at, await at.account('scale'))
  const update = { status: 'resolved', body: 'Over.' }
  const foreign = await other.post(`/incidents/${json.id}/updates`, update)
  expect(foreign).toMatchObject({ status: 404, json: { code: 'SV-3001' } })
  expect(foreign.text).toBe((await other.post(`/incidents/${missing}/updates`, update)).text)
  expect((await other.get(`/incidents/${json.id}`)).status).toBe(404)
  expect((await other.get('/incidents')).json).toEqual({ incidents: [], nextCursor: null })
  expect(await get(json.id)).toEqual(json)
})
