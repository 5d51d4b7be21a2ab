import { routes } from '@probe-mesh/contracts/routes'
import type { Route, RouteName } from '@probe-mesh/contracts/routes'
import { createTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import type { TestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { missing } from './testing/pages.ts'
import { exampleCall, makeWorld, routeNames, sendCall } from './testing/route-examples.ts'
import type { Call, World } from './testing/route-examples.ts'
import { startTestApp } from './testing.ts'
import type { Answer, TestAccount, TestApp } from './testing.ts'

/** "Another account's resource is not found, never forbidden" (contracts.md), on every route. */

let clickhouse: TestClickHouse
let at: TestApp
let mine: TestAccount
let own: World
let foreign: World

beforeAll(async () => {
  clickhouse = await createTestClickHouse()
  at = await startTestApp({ clickhouseUrl: clickhouse.url, config: { budgetScale: 1_000 } })
  mine = await at.account('scale')
  own = await makeWorld(at, mine)
  foreign = await makeWorld(at, await at.account('scale'))
})
afterAll(async () => {
  await at.close()
  await clickhouse.close()
})

type Leaf = { path: readonly string[]; value: string }

/** Every id that a call names, wherever it stands. */
const idsOf = (value: unknown, path: readonly string[] = []): Leaf[] => {
  if (typeof value === 'string') return isId(value) ? [{ path, value }] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => idsOf(inner, [...path, key]))
}

const isId = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)

/** The call with another id in one place. */
const withId = (call: unknown, [key, ...path]: readonly string[], id: string): unknown => {
  if (key === undefined) return id
  if (Array.isArray(call))
    return call.map((item, n) => (String(n) === key ? withId(item, path, id) : item))
  const parts = call as Record<string, unknown>
  return { ...parts, [key]: withId(parts[key], path, id) }
}

/** Names stand for a world: which ids a route's example names does not depend on whose they are. */
const template = new Proxy({} as World, { get: () => missing })
const naming = routeNames.flatMap((name) =>
  idsOf(exampleCall(name, template)).map(({ path }) => [name, path.join('.'), path] as const),
)

const idAt = (call: Call, path: readonly string[]): string =>
  idsOf(call).find((leaf) => leaf.path.join('.') === path.join('.'))?.value ?? missing

const send = (name: RouteName, path: readonly string[], id: string): Promise<Answer> => {
  const call = withId(exampleCall(name, own), path, id) as Call
  return sendCall(at, name, call, { key: mine.writeKey })
}

test('every route that takes an id is walked', () => {
  const takesId = routeNames.filter((name) => (routes[name] as Route).params !== undefined)
  expect([...new Set(naming.map(([name]) => name))]).toEqual(expect.arrayContaining(takesId))
  expect(naming.length).toBeGreaterThan(25)
})

describe.for(naming)('%s, %s', ([name, , path]) => {
  test('the id of another account is answered as one that nobody has', async () => {
    const theirs = idAt(exampleCall(name, foreign), path)
    expect(theirs).not.toBe(missing)
    const [ofOther, ofNobody] = [await send(name, path, theirs), await send(name, path, missing)]
    expect(ofOther.text).toBe(ofNobody.text)
    expect(ofOther.status).toBe(ofNobody.status)
    // one of a list is named as a problem of the list
    const expected = path.includes('componentIds')
      ? { status: 422, json: { code: 'SV-2001' } }
      : { status: 404, json: { code: 'SV-3001' } }
    expect(ofOther).toMatchObject(expected)
  })
})

test('after all of that, nothing of the other account has changed', async () => {
  const [owner] = await at.sql<{ account_id: string }[]>`
    select account_id from checks where id = ${foreign.checkId}`
  const counts = await at.sql`
    select (select count(*)::integer from checks where account_id = ${owner?.account_id ?? ''}) as checks,
      (select count(*)::integer from components where account_id = ${owner?.account_id ?? ''}) as components,
      (select count(*)::integer from incident_updates where account_id = ${owner?.account_id ?? ''}) as updates,
      (select count(*)::integer from maintenance_windows where account_id = ${owner?.account_id ?? ''}) as windows,
      (select count(*)::integer from notification_channels where account_id = ${owner?.account_id ?? ''}) as channels,
      (select count(*)::integer from status_pages where account_id = ${owner?.account_id ?? ''}) as pages`
  expect(counts).toEqual([
    { checks: 2, components: 1, updates: 1, windows: 1, channels: 1, pages: 2 },
  ])
})

test('a list shows what is the account own, and nothing else', async () => {
  const lists = routeNames.filter((name) => name.startsWith('list'))
  const others = Object.values(foreign)
  for (const name of lists) {
    const answer = await sendCall(at, name, exampleCall(name, own), { key: mine.readKey })
    expect(answer.status).toBe(200)
    for (const id of others) expect(answer.text).not.toContain(id)
  }
})
