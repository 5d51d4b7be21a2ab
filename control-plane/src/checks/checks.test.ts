import { CheckDetail } from '@probe-mesh/contracts/check/check'
import type { RunRequest } from '@probe-mesh/contracts/mesh/assignment'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { useEach, useOnce } from '@probe-mesh/infra/testing/use'
import { describe, expect, test, vi } from 'vitest'
import { staleAfterMs } from '../status/freshness.ts'
import { newRegionState } from '../status/state.ts'
import { readingAt } from '../status/testing.ts'
import { useTestApp } from '../app/testing/test-app.ts'

const at = useTestApp({ config: { budgetScale: 1_000 } })
const other = useOnce(() => at.account('scale'))
const account = useEach(() => at.account('scale'))

const create = (body: object, key = account.writeKey) =>
  at.call('POST', '/v1/checks', {
    key,
    body: { name: 'web', url: 'https://example.org/', ...body },
  })
const patch = (id: string, body: unknown, key = account.writeKey) =>
  at.call('PATCH', `/v1/checks/${id}`, { key, body })
const patchAssertions = (id: string, body: unknown, key = account.writeKey) =>
  at.call('PATCH', `/v1/checks/${id}/assertions`, { key, body })
const get = (id: string, key = account.readKey) => at.call('GET', `/v1/checks/${id}`, { key })

const revisionsOf = async (id: string) =>
  at.sql`select revision, valid_from, valid_to, regions from check_revisions
    where check_id = ${id} order by revision`

describe('regions', () => {
  test('a change opens a revision at the instant that closes the previous one', async () => {
    const { json } = await create({})
    const changed = await patch(json.id, { regions: ['fra'] })
    expect(changed).toMatchObject({ status: 200, json: { regions: ['fra'], allRegions: false } })
    const [first, second] = await revisionsOf(json.id)
    expect(first?.['valid_to']).toEqual(second?.['valid_from'])
    expect(second).toMatchObject({ revision: 2, valid_to: null, regions: ['fra'] })
    expect(Date.parse(changed.json.updatedAt)).toBeGreaterThanOrEqual(Date.parse(json.updatedAt))
  })

  test('the full live set makes allRegions true', async () => {
    const { json } = await create({ regions: ['fra'] })
    const changed = await patch(json.id, { regions: ['nrt', 'sjc', 'iad', 'fra'] })
    expect(changed.json).toMatchObject({ allRegions: true, regions: ['iad', 'sjc', 'fra', 'nrt'] })
  })

  test('a change to the same regions creates no revision', async () => {
    const { json } = await create({ regions: ['fra'] })
    expect((await patch(json.id, { regions: ['fra'] })).json).toEqual(json)
    expect(await revisionsOf(json.id)).toHaveLength(1)
  })

  test('concurrent changes create revisions without gap or overlap', async () => {
    const { json } = await create({})
    await Promise.all(
      ['fra', 'nrt', 'iad', 'sjc', 'fra', 'nrt'].map((region) => patch(json.id, { regions: [region] })),
    )
    const revisions = await revisionsOf(json.id)
    expect(revisions.length).toBeGreaterThan(4)
    for (const [index, revision] of revisions.entries()) {
      expect(revision['revision']).toBe(index + 1)
      expect(revision['valid_to']).toEqual(revisions[index + 1]?.['valid_from'] ?? null)
    }
  })

  test.each([[{}], [{ regions: [] }], [{ regions: ['fra'], name: 'new' }], [{ regions: ['zzz'] }]])(
    '%j is refused and changes nothing',
    async (body) => {
      const { json } = await create({})
      expect(await patch(json.id, body)).toMatchObject({ status: 422, json: { code: 'SV-2001' } })
      expect(await revisionsOf(json.id)).toHaveLength(1)
    },
  )
})

describe('assertions', () => {
  test('are replaced as a whole, and an empty body clears all', async () => {
    const { json } = await create({ assertionStatusMin: 200, assertionStatusMax: 204 })
    const replaced = await patchAssertions(json.id, {
      assertionJsonPath: 'a.b[0]',
      assertionJsonOp: 'equals',
      assertionJsonValue: 7,
    })
    expect(replaced.json).toMatchObject({
      assertionStatusMin: null,
      assertionJsonPath: 'a.b[0]',
      assertionJsonValue: '7',
    })
    expect((await get(json.id)).json).toMatchObject({ assertionJsonValue: '7' })
    const cleared = await patchAssertions(json.id, undefined)
    expect(cleared).toMatchObject({ status: 200, json: { assertionJsonPath: null } })
  })

  test('a check of another type cannot be edited over REST', async () => {
    const { json } = await create({})
    await at.sql`update checks set type = 'tcp', url = null where id = ${json.id}`
    const refused = await patchAssertions(json.id, {})
    expect(refused).toMatchObject({ status: 405, json: { code: 'SV-3005' } })
  })
})

describe('delete', () => {
  test('deletes the check with all its data and leaves a tombstone', async () => {
    const { json } = await create({})
    await get(json.id)
    const gone = await at.call('DELETE', `/v1/checks/${json.id}`, {
      key: account.writeKey,
      headers: { 'content-type': 'application/json' },
    })
    expect(gone).toMatchObject({ status: 200, json: { id: json.id, deleted: true } })
    expect(await get(json.id)).toMatchObject({ status: 404, json: { code: 'SV-3001' } })
    expect(await revisionsOf(json.id)).toEqual([])
    const [tombstone] = await at.sql`select account_id from deleted_checks where check_id = ${json.id}`
    expect(tombstone).toEqual({ account_id: account.id })
    const again = await at.call('DELETE', `/v1/checks/${json.id}`, { key: account.writeKey })
    expect(again.status).toBe(404)
  })
})

describe('other accounts', () => {
  test.each([
    ['GET', '', undefined],
    ['PATCH', '', { regions: ['fra'] }],
    ['PATCH', '/assertions', {}],
    ['DELETE', '', undefined],
    ['POST', '/run', undefined],
    ['GET', '/readings', undefined],
    ['GET', '/series', undefined],
  ] as const)("%s ...%s of another account's check is not found", async (method, path, body) => {
    const { json } = await create({})
    await get(json.id)
    const options = { key: other.writeKey, ...(body === undefined ? {} : { body }) }
    const foreign = await at.call(method, `/v1/checks/${json.id}${path}`, options)
    const missing = await at.call(method, `/v1/checks/${uuidv7(Date.now())}${path}`, options)
    expect(foreign.status).toBe(404)
    expect(foreign.text).toBe(missing.text)
    expect((await get(json.id)).status).toBe(200)
  })

  test('concurrent requests of two accounts for one check do not share an answer', async () => {
    const { json } = await create({})
    const [theirs, ours] = await Promise.all([get(json.id, other.readKey), get(json.id)])
    expect([theirs?.status, ours?.status]).toEqual([404, 200])
  })

  test('a list has only the checks of its account, oldest first', async () => {
    const first = await create({ name: 'first' })
    const second = await create({ name: 'second' })
    const { json } = await at.call('GET', '/v1/checks', { key: account.readKey })
    expect(json).toEqual({ checks: [first.json, second.json] })
  })
})

describe('status', () => {
  test('the status is unknown before the first reading, and ids may be upper case', async () => {
    const { json } = await create({ regions: ['fra', 'nrt'] })
    const detail = await get(json.id.toUpperCase())
    expect(detail.json).toEqual(CheckDetail.parse(detail.json))
    expect(detail.json).toMatchObject({
      status: 'unknown',
      vantage: 'local',
      measuredAt: null,
      uptime: { day: null, week: null, month: null, quarter: null },
      measuredShare: { day: 0, week: 0, month: 0, quarter: 0 },
      regionStatuses: [
        { region: 'fra', status: 'unknown', fresh: false },
        { region: 'nrt', status: 'unknown', fresh: false },
      ],
    })
  })

  /** Waits until all earlier notifications were processed: they arrive in order, and a later one had its effect. */
  const noticesTaken = async () => {
    const { json } = await create({})
    await get(json.id)
    await at.sql`update checks set name = 'noticed' where id = ${json.id}`
    await at.sql`select pg_notify('checks_changed', ${json.id})`
    await vi.waitFor(async () => expect((await get(json.id)).json.name).toBe('noticed'))
  }

  test('an answer is cached for a second, and dropped at once by a write or a notification', async () => {
    at.hold()
    const { json } = await create({})
    await noticesTaken()
    expect((await get(json.id)).json.name).toBe('web')
    await at.sql`update checks set name = 'renamed' where id = ${json.id}`
    expect((await get(json.id)).json.name).toBe('web')
    await at.sql`select pg_notify('checks_changed', ${json.id})`
    await vi.waitFor(async () => expect((await get(json.id)).json.name).toBe('renamed'))
    await at.sql`update checks set name = 'again' where id = ${json.id}`
    at.pass(1_001)
    expect((await get(json.id)).json.name).toBe('again')
    await patch(json.id, { regions: ['nrt'] })
    expect((await get(json.id)).json.regions).toEqual(['nrt'])
  })

  test('a flip of the check drops the cached answer', async () => {
    const { json } = await create({})
    await get(json.id)
    await at.sql`update checks set name = 'measured' where id = ${json.id}`
    at.bus.events.publish('flip', {
      kind: 'flip',
      accountId: account.id,
      flip: {
        id: uuidv7(Date.now()),
        accountId: account.id,
        checkId: json.id,
        checkName: 'web',
        from: 'unknown',
        to: 'operational',
        reason: null,
        at: new Date().toISOString(),
      },
    })
    await vi.waitFor(async () => expect((await get(json.id)).json.name).toBe('measured'))
  })

  test('uptime is the share of judged time that was not down', async () => {
    at.hold()
    const { json } = await create({ regions: ['fra'] })
    const now = at.now()
    for (const [version, [hoursAgo, from, to]] of (
      [
        [10, 'unknown', 'operational'],
        [2, 'operational', 'down'],
        [1, 'down', 'operational'],
      ] as const
    ).entries()) {
      await at.sql`insert into flips (id, check_id, version, from_status, to_status, at) values
        (${uuidv7(now)}, ${json.id}, ${version + 1}, ${from}, ${to}, ${new Date(now - hoursAgo * 3_600_000)})`
    }
    const measured = { ...newRegionState, verdict: 'up', measuredAt: now } as const
    await at.sql`update check_states set status = 'operational', version = 3,
      regions = ${at.sql.json({ fra: measured })} where check_id = ${json.id}`
    const { uptime, measuredShare, uptimeAt } = (await get(json.id)).json
    expect(uptimeAt).toBe(new Date(now).toISOString())
    expect(uptime.day).toBeCloseTo(0.9, 6)
    expect(uptime.quarter).toBeCloseTo(0.9, 6)
    expect(measuredShare.day).toBeCloseTo(10 / 24, 5)
    // the assessor stopped without a flip
    at.pass(12 * 3_600_000)
    const later = (await get(json.id)).json
    expect(later.status).toBe('stale')
    const knownMs = 10 * 3_600_000 + staleAfterMs(json.intervalSeconds)
    expect(later.measuredShare.day).toBeCloseTo(knownMs / 86_400_000, 5)
    expect(later.uptime.day).toBeCloseTo(1 - 3_600_000 / knownMs, 5)
  })

  test('uptime says up to when it is counted, and is at most 5 s old', async () => {
    at.hold()
    const { json } = await create({ regions: ['fra'] })
    const beganMs = at.now()
    const atOf = async (): Promise<number> => Date.parse((await get(json.id)).json.uptimeAt)
    expect(await atOf()).toBe(beganMs)
    at.pass(4_000)
    expect(await atOf()).toBe(beganMs)
    at.pass(1_001)
    expect(await atOf()).toBe(at.now())
  })

  test('an id that is not a UUID is SV-2001', async () => {
    expect(await get('12')).toMatchObject({
      status: 422,
      json: { code: 'SV-2001', errors: [{ path: 'id' }] },
    })
  })
})

describe('runs', () => {
  const serve = async (regions: readonly string[]) => {
    const requests: RunRequest[] = []
    const serving = await Promise.all(
      regions.map((region) =>
        at.bus.runs.serve(region, async (request) => {
          requests.push(request)
          const { at: slot, number, assignment } = request
          const { checkId } = assignment
          const more = { checkId, slot, number, kind: request.kind }
          return { agent: `${region}-1`, reading: readingAt(region, 'up', slot, more) }
        }),
      ),
    )
    return { requests, close: () => Promise.all(serving.map((one) => one.close())) }
  }

  test('a new check is measured at once from each of its regions', async () => {
    const agents = await serve(['fra', 'nrt', 'iad'])
    const { json } = await create({ regions: ['fra', 'nrt'], assertionStatusMin: 201 })
    await vi.waitFor(() => expect(agents.requests).toHaveLength(2))
    await agents.close()
    expect(agents.requests.map(({ assignment }) => assignment.region).toSorted()).toEqual(['fra', 'nrt'])
    expect(agents.requests[0]).toMatchObject({
      kind: 'manual',
      assignment: {
        checkId: json.id,
        accountId: account.id,
        revision: 1,
        url: 'https://example.org/',
        intervalSeconds: 10,
        owner: 'account',
        assertions: { assertionStatusMin: 201, assertionStatusMax: null },
      },
    })
  })

  test('a run returns a reading for each region and lists regions without an answer', async () => {
    const { json } = await create({})
    const agents = await serve(['fra', 'nrt'])
    const run = () => at.call('POST', `/v1/checks/${json.id}/run`, { key: account.writeKey })
    const answer = await run()
    await run()
    await agents.close()
    expect(answer.status).toBe(200)
    expect(answer.json.unanswered.toSorted()).toEqual(['iad', 'sjc'])
    expect(answer.json.readings).toMatchObject([
      { region: 'fra', kind: 'manual', verdict: 'up', receivedAt: null, agent: 'fra-1' },
      { region: 'nrt', kind: 'manual', verdict: 'up' },
    ])
    // two runs may have the same time, but never the same number
    const numbers = agents.requests
      .filter(({ assignment }) => assignment.region === 'fra')
      .map(({ number }) => number)
    expect(new Set(numbers).size).toBe(2)
  })

  test('a run accepts no fields', async () => {
    const { json } = await create({})
    const options = { key: account.writeKey, body: { region: 'fra' } }
    expect(await at.call('POST', `/v1/checks/${json.id}/run`, options)).toMatchObject({
      status: 422,
      json: { errors: [{ path: 'region', message: 'unknown field' }] },
    })
  })
})
