import { dashboardRoutes, type DashboardRouteName } from '@probe-mesh/contracts/api/dashboard-routes'
import { routes, type Route, type RouteName } from '@probe-mesh/contracts/api/routes'
import { useTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  dashboardExamples,
  makeDashboardWorld,
  sendAsUser,
  type DashboardWorld,
} from '../app/testing/dashboard-examples.ts'
import type { TestUser } from '../app/testing/log-in.ts'
import { missing } from '../app/testing/pages.ts'
import { exampleCall, makeWorld, routeNames, sendCall, type Call } from '../app/testing/route-examples.ts'
import { useTestApp, type Answer } from '../app/testing/test-app.ts'

const clickhouse = useTestClickHouse()
const at = useTestApp(() => ({ clickhouseUrl: clickhouse.url, config: { budgetScale: 1_000 } }))
/** Another account's resource is not found, never forbidden: on all routes, by key and by session. */
const mine = useOnce(() => at.account('scale'))
const own = useOnce(() => makeWorld(at, mine))
const foreign = useOnce(async () => makeWorld(at, await at.account('scale')))

type Leaf = { path: readonly string[]; value: string }

/** All ids in a call. */
const idsOf = (value: unknown, path: readonly string[] = []): Leaf[] => {
  if (typeof value === 'string') {
    const id = anId.exec(value)?.groups?.['id']
    return id === undefined ? [] : [{ path, value: id }]
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => idsOf(inner, [...path, key]))
}

/** An id alone, or within the name of a private region. */
const anId = /^(?<prefix>private-)?(?<id>[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/** The call with one id replaced. */
const withId = (call: unknown, [key, ...path]: readonly string[], id: string): unknown => {
  if (key === undefined) return String(call).replace(anId, `$<prefix>${id}`)
  if (Array.isArray(call)) return call.map((item, n) => (String(n) === key ? withId(item, path, id) : item))
  const parts = call as Record<string, unknown>
  return { ...parts, [key]: withId(parts[key], path, id) }
}

/** A world with names as ids: the ids in a route's example do not depend on the account. */
const template = new Proxy({} as DashboardWorld, { get: () => missing })
const naming = routeNames.flatMap((name) =>
  idsOf(exampleCall(name, template)).map(({ path }) => [name, path.join('.'), path] as const),
)

const idAt = (call: Call, path: readonly string[]): string =>
  idsOf(call).find((leaf) => leaf.path.join('.') === path.join('.'))?.value ?? missing

const send = (name: RouteName, path: readonly string[], id: string): Promise<Answer> => {
  const call = withId(exampleCall(name, own), path, id) as Call
  return sendCall(at, name, call, { key: mine.writeKey })
}

test('every route with an id is tested', () => {
  const takesId = routeNames.filter((name) => (routes[name] as Route).params !== undefined)
  expect([...new Set(naming.map(([name]) => name))]).toEqual(expect.arrayContaining(takesId))
  expect(naming.length).toBeGreaterThan(25)
})

describe.for(naming)('%s, %s', ([name, , path]) => {
  test('an id of another account is answered like an unknown one', async () => {
    const theirs = idAt(exampleCall(name, foreign), path)
    expect(theirs).not.toBe(missing)
    const [ofOther, ofNobody] = [await send(name, path, theirs), await send(name, path, missing)]
    expect(withoutReset(ofOther.text)).toBe(withoutReset(ofNobody.text))
    expect(ofOther.status).toBe(ofNobody.status)
    // an id in a list is a problem of the list
    const expected = path.includes('componentIds')
      ? { status: 422, json: { code: 'SV-2001' } }
      : path.includes('drafts')
        ? { status: 200, json: { refusals: [{ code: 'SV-3001', name: null }] } }
        : { status: 404, json: { code: 'SV-3001' } }
    expect(ofOther).toMatchObject(expected)
  })
})

test('afterwards the other account is unchanged', async () => {
  const [owner] = await at.sql<{ account_id: string }[]>`
    select account_id from checks where id = ${foreign.checkId}`
  const counts = await at.sql`
    select (select count(*)::integer from checks where account_id = ${owner?.account_id ?? ''}) as checks,
      (select count(*)::integer from components where account_id = ${owner?.account_id ?? ''}) as components,
      (select count(*)::integer from incident_updates where account_id = ${owner?.account_id ?? ''}) as updates,
      (select count(*)::integer from maintenance_windows where account_id = ${owner?.account_id ?? ''}) as windows,
      (select count(*)::integer from notification_channels where account_id = ${owner?.account_id ?? ''}) as channels,
      (select count(*)::integer from status_pages where account_id = ${owner?.account_id ?? ''}) as pages`
  expect(counts).toEqual([{ checks: 2, components: 1, updates: 1, windows: 2, channels: 1, pages: 2 }])
})

test("a list has only the account's own things", async () => {
  const lists = routeNames.filter((name) => name.startsWith('list'))
  const others = Object.values(foreign)
  for (const name of lists) {
    const answer = await sendCall(at, name, exampleCall(name, own), { key: mine.readKey })
    expect(answer.status).toBe(200)
    for (const id of others) expect(answer.text).not.toContain(id)
  }
})

const ofDashboard = { ...routes, ...dashboardRoutes } as Record<string, Route>
const dashboardCall = (name: string, world: DashboardWorld): Call =>
  name in dashboardRoutes
    ? dashboardExamples[name as DashboardRouteName](world)
    : exampleCall(name as RouteName, world)
/** The order of calls: deletes come last. */
const removing = [
  'remove',
  'revoke',
  'end',
  'deleteS',
  'deleteComponent',
  'deleteChannel',
  'deleteAlertRule',
  'deleteErrorRule',
  'deleteCheck',
  'deleteErrorProject',
  'replaceCheck',
]
/** Routes that may refuse a call because of the state of a resource. */
const stateful: Record<string, readonly number[]> = {
  releaseHeartbeat: [409],
  arrangeComponents: [409],
  askAlertAddress: [409],
  // acknowledged by the call before
  snoozeAlert: [409],
}

/** How long until a budget is free again, which does not depend on the id. */
const withoutReset = (text: string): string => text.replace(/"resetSeconds":\d+/, '')

/** The time of an answer, which does not depend on the id. */
const withoutTime = (text: string, nowMs: number): string =>
  text.replaceAll(new Date(nowMs).toISOString(), '<now>')

/** All rows of an account in all tables as text, except its budgets, which are written late. */
const everythingOf = async (accountId: string): Promise<string> => {
  const tables = await at.sql<{ name: string }[]>`
    select c.table_name as name from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public' and c.column_name = 'account_id' and t.table_type = 'BASE TABLE'
      and c.table_name not like '%budget%'
    order by 1`
  const texts: string[] = []
  for (const { name } of tables) {
    const rows = await at.sql`
      select to_jsonb(r)::text as row from ${at.sql(name)} r where account_id = ${accountId} order by 1`
    texts.push(`${name}: ${rows.map(({ row }) => row).join('\n')}`)
  }
  return texts.join('\n')
}

const namingOnDashboard = Object.keys(ofDashboard).flatMap((name) =>
  idsOf(dashboardCall(name, template)).map(({ path }) => [name, path.join('.'), path] as const),
)

/** Removes the id from an answer, because some answers repeat it. */
const withoutId = (text: string, id: string): string => text.replaceAll(id, '<id>')

/** An unknown id of the same time, because cursors compare times. */
const neighbourOf = (id: string): string => id.slice(0, -1) + (id.endsWith('0') ? '1' : '0')

describe('by session', () => {
  let user: TestUser
  let mineThere: DashboardWorld
  let theirs: { user: TestUser; world: DashboardWorld }
  let before: string
  beforeAll(async () => {
    ;({ user, world: mineThere } = await makeDashboardWorld(at))
    theirs = await makeDashboardWorld(at)
    before = await everythingOf(theirs.user.accountId)
  }, 60_000)

  const sendAs = async (name: string, path: readonly string[], id: string): Promise<Answer> => {
    const call = withId(dashboardCall(name, mineThere), path, id) as Call
    // stays within the write budget of the session
    at.pass(2_000)
    return sendAsUser(at, user, ofDashboard[name] as Route, call)
  }

  test('every route with an id is tested', () => {
    const takesId = Object.entries(ofDashboard).flatMap(([name, { params }]) =>
      params === undefined ? [] : [name],
    )
    expect([...new Set(namingOnDashboard.map(([name]) => name))]).toEqual(expect.arrayContaining(takesId))
    expect(namingOnDashboard.length).toBeGreaterThan(75)
  })

  describe.for(namingOnDashboard)('%s, %s', ([name, , path]) => {
    test('an id of another account is answered like an unknown one', async () => {
      at.hold()
      const id = idAt(dashboardCall(name, theirs.world), path)
      expect(id).not.toBe(missing)
      const ofOther = await sendAs(name, path, id)
      const now = at.now()
      const nobodys = neighbourOf(id)
      const ofNobody = await sendAs(name, path, nobodys)
      const [text, expected] = [withoutId(ofOther.text, id), withoutId(ofNobody.text, nobodys)]
      expect(withoutTime(text, now)).toBe(withoutTime(expected, at.now()))
      expect(ofOther.status).toBe(ofNobody.status)
      if (path[0] === 'params') {
        expect(ofOther).toMatchObject({ status: 404, json: { code: 'SV-3001' } })
      }
      for (const value of Object.values(theirs.world)) {
        if (value !== id) expect(ofOther.text).not.toContain(value)
      }
    })
  })

  test('afterwards the other account is unchanged', async () => {
    expect(await everythingOf(theirs.user.accountId)).toBe(before)
  })

  test('the own account may make each of these calls', async () => {
    const names = [...new Set(namingOnDashboard.map(([name]) => name))]
    const order = (name: string): number => removing.findIndex((word) => name.startsWith(word))
    for (const name of names.toSorted((a, b) => order(a) - order(b))) {
      at.pass(2_000)
      const route = ofDashboard[name] as Route
      const answer = await sendAsUser(at, theirs.user, route, dashboardCall(name, theirs.world))
      const may = [route.success, ...(stateful[name] ?? [])]
      expect([name, may.includes(answer.status) ? 'fine' : answer.text]).toEqual([name, 'fine'])
    }
  }, 120_000)
})
