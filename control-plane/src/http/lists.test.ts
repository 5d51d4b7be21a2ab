import { useOnce } from '@probe-mesh/infra/testing/use'
import { beforeAll, describe, expect, test } from 'vitest'
import { insertHeartbeat } from '../heartbeats/heartbeats-store.ts'
import { useTestApp } from '../app/testing/test-app.ts'
import { ownerOf } from '../app/testing/pages.ts'

const at = useTestApp({ config: { budgetScale: 1_000 } })
const owner = useOnce(async () => ownerOf(at, await at.account('scale')))

type Entry = { id: string }

/** The ids of all pages of a list, at most two on each. */
const walk = async (path: string, name: string, of = owner): Promise<string[]> => {
  const ids: string[] = []
  let cursor = ''
  do {
    const sign = path.includes('?') ? '&' : '?'
    const { status, json } = await of.get(`${path}${sign}limit=2${cursor}`)
    expect(status).toBe(200)
    expect(json[name].length).toBeLessThanOrEqual(2)
    ids.push(...json[name].map(({ id }: Entry) => id))
    cursor = json.nextCursor === null ? '' : `&cursor=${json.nextCursor}`
  } while (cursor !== '')
  return ids
}
const whole = async (path: string, name: string): Promise<string[]> => {
  const { json } = await owner.get(path)
  expect(json.nextCursor).toBeNull()
  return json[name].map(({ id }: Entry) => id)
}

describe('incidents', () => {
  const ids: string[] = []
  let checkId: string
  let statusPageId: string
  beforeAll(async () => {
    statusPageId = await owner.pageId()
    checkId = await owner.checkId()
    const otherId = await owner.checkId({ url: 'https://other.example.org/' })
    for (const [index, of] of [checkId, checkId, otherId, checkId, otherId].entries()) {
      const body = { statusPageId, checkId: of, region: 'fra', title: `${index}`, body: 'We look.' }
      ids.unshift((await owner.post('/incidents', body)).json.id)
    }
    // two at one instant: their order is by id
    await at.sql`update incidents set started_at = (select max(started_at) from incidents)`
    await owner.post(`/incidents/${ids[1]}/updates`, { status: 'resolved', body: 'Fixed.' })
  })

  test('have each incident once over all pages, newest first', async () => {
    expect(await walk('/incidents', 'incidents')).toEqual(await whole('/incidents', 'incidents'))
    expect(await walk('/incidents', 'incidents')).toHaveLength(ids.length)
  })

  test.each([
    ['open=true', [0, 2, 3, 4]],
    ['open=false', [1]],
    ['status=resolved', [1]],
    ['source=manual', [0, 1, 2, 3, 4]],
    ['source=automatic', []],
    ['checkId=CHECK', [1, 3, 4]],
    ['statusPageId=PAGE&checkId=CHECK&open=true', [3, 4]],
    ['statusPageId=CHECK', []],
  ] as const)('with "%s" are only those', async (query, wanted) => {
    const filled = query.replace('CHECK', checkId).replace('PAGE', statusPageId)
    const found = await walk(`/incidents?${filled}`, 'incidents')
    expect(found.toSorted()).toEqual(wanted.map((index) => ids[index] ?? '').toSorted())
  })

  test('of another account are not in its list, even with a cursor of this one', async () => {
    const { json } = await owner.get('/incidents?limit=1')
    const other = ownerOf(at, await at.account('scale'))
    expect((await other.get(`/incidents?cursor=${json.nextCursor}`)).json).toEqual({
      incidents: [],
      nextCursor: null,
    })
  })
})

test('runs of a heartbeat have pages and a filter', async () => {
  const id = await owner.checkId()
  await insertHeartbeat(at.sql, id)
  const outcomes = ['success', 'failure', 'success', 'failure', 'success']
  for (const [index, outcome] of outcomes.entries()) {
    const when = new Date(1_800_000_000_000 + Math.floor(index / 2) * 1_000)
    await at.sql`
      insert into heartbeat_runs (id, check_id, at, started_at, outcome, stuck)
      values (gen_random_uuid(), ${id}, ${when}, ${when}, ${outcome}, false)`
  }
  const all = await whole(`/checks/${id}/runs`, 'runs')
  expect(all).toHaveLength(outcomes.length)
  expect(await walk(`/checks/${id}/runs`, 'runs')).toEqual(all)
  expect(await walk(`/checks/${id}/runs?outcome=failure`, 'runs')).toHaveLength(2)
})

test('short lists have pages and filters as well', async () => {
  const hook = (name: string) => ({ type: 'json', name, config: { url: 'http://127.0.0.1:9/hook' } })
  for (const name of ['Ops', 'Night', 'ops 2']) await owner.post('/notification-channels', hook(name))
  for (const name of ['Office', 'Cellar', 'Attic']) await owner.post('/agents', { name })
  for (const [path, name, filter, count] of [
    ['/notification-channels', 'notificationChannels', 'name=OPS&type=json&verified=false', 2],
    ['/agents', 'agents', 'name=ic&presence=never', 2],
    ['/status-pages', 'statusPages', 'name=nothing', 0],
  ] as const) {
    const all = await whole(path, name)
    expect(await walk(path, name)).toEqual(all)
    expect(await walk(`${path}?${filter}`, name)).toHaveLength(count)
  }
})

test.each(['/incidents', '/agents', '/status-pages', '/errors/projects', '/maintenance-windows', '/checks'])(
  '%s refuses a cursor that it did not give',
  async (path) => {
    expect(await owner.get(`${path}?cursor=x`)).toMatchObject({
      status: 422,
      json: { code: 'SV-2001', errors: [{ path: 'cursor' }] },
    })
  },
)
