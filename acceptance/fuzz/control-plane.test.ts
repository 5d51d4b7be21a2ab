import { randomUUID } from 'node:crypto'
import { dashboardRoutes, type DashboardRouteName } from '@probe-mesh/contracts/api/dashboard-routes'
import { routes, type Route, type RouteName } from '@probe-mesh/contracts/api/routes'
import { useTestApp } from '@probe-mesh/control-plane/src/app/testing/test-app'
import {
  dashboardExamples,
  makeDashboardWorld,
  type DashboardWorld,
} from '@probe-mesh/control-plane/src/app/testing/dashboard-examples'
import { provider } from '@probe-mesh/control-plane/src/app/testing/pages'
import { exampleCall, makeWorld } from '@probe-mesh/control-plane/src/app/testing/route-examples'
import { serveWeb } from '@probe-mesh/infra/start/processes/serve-web'
import { useTestClickHouse } from '@probe-mesh/infra/testing/clickhouse'
import { beforeAll, expect, test } from 'vitest'
import { hostileRequests, fuzzTimeoutMs, seed } from './testing/fuzz.ts'
import { hostileBytes, type Random } from './testing/hostile-bytes.ts'
import { contentTypeOf, fuzzServer, inAnyEncoding } from './testing/hostile-requests.ts'

/** Entrances for writes of programs and people: the REST API, the dashboard's API, and the forms of pages. */

const timeout = { timeout: fuzzTimeoutMs }
const pick = <T>(random: Random, all: readonly T[]): T => all[Math.floor(random() * all.length)] as T
const json = 'application/json'
const form = 'application/x-www-form-urlencoded'
const bytesMax = 32 * 1024

let origin: string
/** Paths of pages with forms. */
const formPaths = new Set<string>()
const clickhouse = useTestClickHouse()
const at = useTestApp(() => ({
  clickhouseUrl: clickhouse.url,
  config: { budgetScale: 100_000, trustProxy: ['127.0.0.1'] },
  requestsUnderWayMax: 100,
  serve: (app) => {
    app.addHook('onRoute', ({ method, url, constraints }) => {
      const isForm = Object.hasOwn(constraints ?? {}, 'sent')
      const isPage = /^\/(dashboard|login|sign-up)(\/|$)/.test(url)
      if (method === 'POST' && (isForm || isPage)) formPaths.add(url)
    })
    serveWeb(app, { publicUrl: 'http://127.0.0.1:8080', mcpUrl: null })
  },
}))
beforeAll(async () => {
  origin = await at.app.listen({ host: '127.0.0.1', port: 0 })
})

const lastError = (): string =>
  at.logged.findLast((line) => line.includes('"level":50'))?.slice(0, 3_000) ?? ''
/** Drops the log, which would otherwise count as memory of the server. */
const forgetLog = (): void => {
  if (at.logged.length > 1_000) at.logged.splice(0, 900)
}
/** A new address for each request, so that none reaches its limit. */
const fromAnywhere = (random: Random): string =>
  `2001:db8:${Math.floor(random() * 65_536).toString(16)}:${Math.floor(random() * 65_536).toString(16)}::1`

type Entrance = { path: string; method: string; sample: string }
type Example = { params?: Record<string, unknown>; body?: unknown }

const entranceOf = (prefix: string, { method, path }: Route, call: Example): Entrance => ({
  method,
  path: prefix + path.replace(/:(\w+)/g, (_, name: string) => String(call.params?.[name])),
  sample: JSON.stringify(call.body ?? {}),
})
const withBody = <N extends string>(table: Readonly<Record<N, Route>>): N[] =>
  (Object.keys(table) as N[]).filter((name) => table[name].body !== undefined)

test(`survives hostile bodies of the REST API, ${hostileRequests} of seed ${seed}`, timeout, async () => {
  const account = await at.account('scale')
  const world = await makeWorld(at, account)
  const entrances = withBody<RouteName>(routes).map((name) =>
    entranceOf('/v1', routes[name], exampleCall(name, world)),
  )
  const answers = await fuzzServer(
    origin,
    (random) => {
      forgetLog()
      const { method, path, sample } = pick(random, entrances)
      const headers: Record<string, string> = {
        ...provider,
        'content-type': contentTypeOf(random, json),
      }
      if (random() < 0.95) headers['authorization'] = `Bearer ${account.writeKey}`
      if (random() < 0.2) {
        headers['idempotency-key'] = pick(random, [randomUUID(), '"', 'x'.repeat(300)])
      }
      const body = inAnyEncoding(random, hostileBytes(random, [sample], bytesMax))
      return { method, path, headers, body }
    },
    lastError,
  )
  expect(answers.get(422) ?? 0).toBeGreaterThan(hostileRequests / 10)
})

const slugOf = async ({ pageId }: DashboardWorld): Promise<string> => {
  const [page] = await at.sql<{ slug: string }[]>`
    select slug from status_pages where id = ${pageId}`
  return page?.slug ?? ''
}

const logins: readonly [path: string, sample: string][] = [
  ['/session', '{"email":"somebody@example.org","password":"not the right one"}'],
  ['/login-links', '{"email":"somebody@example.org"}'],
  ['/login-links/confirm', `{"token":"${'x'.repeat(43)}"}`],
  ['/sign-ups', '{"email":"somebody@example.org"}'],
  ['/sign-ups/confirm', `{"token":"${'x'.repeat(43)}","accountName":"a","password":"a"}`],
  ['/sign-ups/by-password', '{"email":"x@example.org","accountName":"a","password":"a"}'],
  ['/password', '{"currentPassword":"not the right one","newPassword":"a"}'],
]

test('survives hostile bodies of the dashboard, logins and subscriptions', timeout, async () => {
  const { user, world } = await makeDashboardWorld(at)
  const own = withBody<DashboardRouteName>(dashboardRoutes).map((name) =>
    entranceOf('/dashboard-api', dashboardRoutes[name], dashboardExamples[name](world)),
  )
  const login = logins.map(([path, sample]) => ({
    method: 'POST',
    path: `/dashboard-api${path}`,
    sample,
  }))
  const slug = await slugOf(world)
  const subscribed = [
    {
      method: 'POST',
      path: `/status/${slug}/subscribers`,
      sample: '{"email":"reader@example.org"}',
    },
  ]
  const answers = await fuzzServer(
    origin,
    (random) => {
      forgetLog()
      const kind = random()
      const entrances = kind < 0.85 ? own : kind < 0.95 ? login : subscribed
      const { method, path, sample } = pick(random, entrances)
      const headers = {
        'content-type': contentTypeOf(random, json),
        'sec-fetch-site': 'same-origin',
        'x-forwarded-for': fromAnywhere(random),
        cookie: random() < 0.95 ? user.cookie : hostileBytes(random, ['a=b'], 200).join(''),
      }
      const body = inAnyEncoding(random, hostileBytes(random, [sample], bytesMax))
      return { method, path, headers, body }
    },
    lastError,
  )
  expect(answers.get(422) ?? 0).toBeGreaterThan(hostileRequests / 10)
})

/** The id of each kind, by the path segment before it. */
const idBelow = (world: DashboardWorld, slug: string): Readonly<Record<string, string>> => ({
  new: 'tcp',
  pages: world.pageId,
  outbox: world.deliveryId,
  subscribers: world.subscriberId,
  status: slug,
  checks: world.tcpCheckId,
  incidents: world.incidentId,
  maintenance: world.windowId,
  channels: world.channelId,
  rules: world.ruleId,
  agents: world.agentId,
  errors: world.errorProjectId,
  issues: world.errorIssueId,
  components: world.componentId,
})
/** Forms that end the session or delete the objects of other requests. They have a button and no fields. */
const ends = /\/(?:logout|sessions|delete|remove|revoke|rotate|unpublish)(?:\/|$)/

test('survives hostile forms of the pages', timeout, async () => {
  const { user, world } = await makeDashboardWorld(at)
  const known = idBelow(world, await slugOf(world))
  const headers = { cookie: user.cookie, 'sec-fetch-site': 'same-origin', accept: 'text/html' }
  const pages = await Promise.all(
    [...formPaths]
      .filter((path) => !ends.test(path))
      .map(async (pattern) => {
        const path = pattern.replace(
          /([\w-]+)\/:\w+/g,
          (_, above: string) => `${above}/${known[above] ?? world.checkId}`,
        )
        const { text } = await at.call('GET', path, { headers })
        const names = [...text.matchAll(/<(?:input|select|textarea)[^>]*\bname="([^"]+)"/g)]
        return { path, names: [...new Set(names.flatMap(([, name = '']) => [name])), 'name'] }
      }),
  )
  expect(pages.length).toBeGreaterThan(30)
  /** The fields of the page with random text, one of them hostile. */
  const formOf = (random: Random, names: readonly string[]): Uint8Array => {
    const fields = new URLSearchParams(
      names.map((name): [string, string] => [name, pick(random, ['1', 'a', ''])]),
    )
    const hostile = Buffer.from(hostileBytes(random, ['a'], bytesMax))
    const name = pick(random, names)
    if (random() < 0.5) fields.set(name, hostile.toString())
    for (let times = random() < 0.1 ? random() * 5_000 : 0; times > 0; times--) {
      fields.append(name, 'a')
    }
    const text = Buffer.from(fields.toString())
    return random() < 0.2 ? Buffer.concat([text, Buffer.from(`&${name}=`), hostile]) : text
  }
  const answers = await fuzzServer(
    origin,
    (random) => {
      forgetLog()
      const { path, names } = pick(random, pages)
      const body = random() < 0.9 ? formOf(random, names) : hostileBytes(random, ['a=b'], bytesMax)
      const type = contentTypeOf(random, form)
      return {
        path,
        headers: { ...headers, 'content-type': type, 'x-forwarded-for': fromAnywhere(random) },
        body,
      }
    },
    lastError,
  )
  expect((answers.get(422) ?? 0) + (answers.get(303) ?? 0)).toBeGreaterThan(hostileRequests / 10)
})
