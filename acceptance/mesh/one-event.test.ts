import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createApiClient } from '@probe-mesh/contracts/api/client'
import type { RouteCall, RouteName, RouteOutput } from '@probe-mesh/contracts/api/routes'
import { connectPostgres, type Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { startMesh } from '@probe-mesh/infra/testing/mesh'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { granted } from '../testing/granted.ts'

/** One event is one message, over the whole path: real answers, real databases, and a receiver that reads the messages. */

const regions = ['fra', 'iad']
const intervalSeconds = 3
const long = { timeout: 180_000 }
const patient = { timeout: 90_000, interval: 200 }

type Message = { event: string; title: string; text: string }

let sql: Sql
const closers: (() => Promise<void>)[] = []
const messages: Message[] = []

/** A server whose answers follow `answer`, closed at the end. */
const serve = async (answer: Parameters<typeof createServer>[1]): Promise<string> => {
  const server = createServer({ keepAliveTimeout: 1_000 }, answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A site that fails on request. @param headers what its CDN adds */
const site = async (headers: Readonly<Record<string, string>> = {}) => {
  let isFailing = false
  const url = await serve((_request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    response.statusCode = isFailing ? 503 : 200
    response.end('ok')
  })
  return { url, fail: (failing: boolean) => void (isFailing = failing) }
}

const call = <N extends RouteName>(name: N, input: RouteCall<N>): Promise<RouteOutput<N>> =>
  granted(client.call(name, input))
const createCheck = async (name: string, url: string): Promise<string> =>
  (await call('createCheck', { body: { name, url, intervalSeconds } })).id
const become = (ids: readonly string[], status: string): Promise<void> =>
  vi.waitFor(async () => {
    const { checks } = await call('listChecks', { query: {} })
    const found = checks.filter(({ id }) => ids.includes(id)).map((check) => check.status)
    expect(found).toEqual(ids.map(() => status))
  }, patient)

const mesh = useOnce(() =>
  startMesh({ regions, tiers: { scale: { intervalSecondsMin: 1 } }, budgetScale: 10_000 }),
)
const client = useOnce(() => createApiClient({ apiUrl: mesh.apiUrl, apiKey: mesh.apiKey }))
beforeAll(async () => {
  sql = connectPostgres(mesh.databaseUrl, { role: 'probe_mesh_system' })
  const url = await serve((request, response) => {
    let body = ''
    request.on('data', (part) => (body += String(part)))
    request.on('end', () => {
      messages.push((JSON.parse(body) as { data: Message }).data)
      response.end()
    })
  })
  const channel = await call('createChannel', { body: { type: 'json', name: 'ops', config: { url } } })
  await call('testChannel', { params: { id: channel.id } })
  messages.length = 0
}, 120_000)
afterAll(async () => {
  await sql?.end()
  await Promise.all(closers.map((close) => close()))
})

test('checks behind one CDN that fails are told together, with the CDN', long, async () => {
  const [marked, plain] = [await site({ 'x-fastly-request-id': '4f2a' }), await site()]
  const names = Array.from({ length: 12 }, (_, index) => `shop-${String(index).padStart(2, '0')}`)
  const shops = await Promise.all(
    names.map((name) => createCheck(name, `${marked.url}/${encodeURIComponent(name)}`)),
  )
  const others = [await createCheck('docs', plain.url), await createCheck('blog', plain.url)]
  await become([...shops, ...others], 'operational')
  await vi.waitFor(async () => {
    expect(await sql`select distinct check_id from check_providers where cdn = 'fastly'`).toHaveLength(12)
  }, patient)
  marked.fail(true)
  await become(shops, 'down')
  await vi.waitFor(() => {
    const told = messages.map(({ title }) => title)
    expect(told.some((title) => /^\d+ checks are down now, behind the CDN Fastly$/.test(title))).toBe(true)
    const text = messages.map(({ title, text: body }) => `${title}\n${body}`).join('\n')
    for (const name of names) expect(text).toContain(name)
  }, patient)
  await vi.waitFor(async () => expect(await sql`select from alert_messages`).toHaveLength(0), patient)
  marked.fail(false)
  await become(shops, 'operational')
  await vi.waitFor(() => expect(messages.at(-1)?.title).toContain('no alert is open'), patient)
  messages.length = 0
})

test(
  'a check that fails behind its parent is named by it, and told when it fails still afterwards',
  long,
  async () => {
    const [base, front] = [await site(), await site()]
    const database = await createCheck('Database', base.url)
    const web = await createCheck('Web', front.url)
    await become([database, web], 'operational')
    await sql`
    insert into check_parents (check_id, parent_id, account_id)
    select ${web}, id, account_id from checks where id = ${database}`
    base.fail(true)
    await become([database], 'down')
    front.fail(true)
    await become([web], 'down')
    await vi.waitFor(async () => {
      const [held] = await sql`select state -> 'heldBy' ->> 'name' as by from alerts where check_id = ${web}`
      expect(held).toEqual({ by: 'Database' })
    }, patient)
    const titles = () => messages.map(({ title }) => title)
    await vi.waitFor(() => expect(titles()).toEqual(['Database is down']), patient)
    base.fail(false)
    await vi.waitFor(() => expect(messages).toHaveLength(3), patient)
    expect(messages[1]?.title).toContain('Database has recovered')
    expect(messages[1]?.text).toContain('1 check that depends on it has not recovered yet: Web.')
    expect(messages[2]?.title).toMatch(/^Web is down/)
    expect(messages[2]?.text).toContain('This check depends on Database')
  },
)
