import { setTimeout as elapse } from 'node:timers/promises'
import {
  ok,
  startReceiver,
  type Receiver,
} from '@probe-mesh/control-plane/src/notifications/outgoing/testing'
import { connectPostgres, type Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { recordFigure } from '../testing/figure.ts'
import { startMailServer, type MailServer } from '../testing/mail-server.ts'
import { startTarget, type Target } from '../testing/target.ts'
import { startTraffic, type Traffic } from './testing/traffic.ts'
import { startProxiedMesh, type ProxiedMesh } from './testing/proxied-mesh.ts'

/**
 * Debian's haproxy with the deployed configuration in front of two control planes. One part after another is
 * killed for a minute, while all requests pass the proxy.
 */
const outageMs = Number(process.env['AWAY_SECONDS'] ?? 60) * 1_000
const timeout = outageMs + 180_000
/** The job pings every 3 s. A ping that is 25 s late raises an alert. */
const heartbeat = { periodSeconds: 10, graceSeconds: 15 }
const lateMsMax = (heartbeat.periodSeconds + heartbeat.graceSeconds) * 1_000

let mesh: ProxiedMesh
let target: Target
let mail: MailServer
let receiver: Receiver
let sql: Sql
let traffic: Traffic

beforeAll(async () => {
  ;[target, mail, receiver] = await Promise.all([startTarget(), startMailServer(), startReceiver(ok)])
  mesh = await startProxiedMesh({ SMTP_URL: mail.smtpUrl, MAIL_FROM: 'status@example.org' })
  sql = connectPostgres(mesh.postgres.url, { connectionsMax: 2 })
  traffic = startTraffic(mesh.send, await openAccount())
  await vi.waitFor(() => expect(traffic.answered()).toBeGreaterThan(20), { timeout: 60_000 })
}, 240_000)
afterAll(async () => {
  await traffic?.stop()
  await sql?.end({ timeout: 1 })
  await mesh?.close()
  await Promise.all([target?.close(), receiver?.close(), mail?.close().catch(() => undefined)])
}, 60_000)

/** Creates a page, checks including a heartbeat, and a channel that gets all alerts. */
const openAccount = async () => {
  const { email, password, apiKey } = mesh.owner
  const own = { origin: 'https://localhost', 'sec-fetch-site': 'same-origin' }
  const session = await mesh.send('POST', '/dashboard-api/session', {
    body: { email, password },
    headers: own,
  })
  const make = async (path: string, body: object): Promise<{ id: string }> => {
    const headers = { ...own, cookie: session.cookie }
    const made = await mesh.send('POST', `/dashboard-api${path}`, { body, headers })
    if (made.status >= 300) throw new Error(`${path}: ${made.status} ${made.text}`)
    return JSON.parse(made.text)
  }
  const key = { authorization: `Bearer ${apiKey}` }
  const site = await make('/checks', { name: 'site', url: target.url('/'), intervalSeconds: 2 })
  const edited = await make('/checks', {
    name: 'edited',
    url: target.url('/'),
    intervalSeconds: 60,
  })
  const job = await make('/typed-checks', { type: 'heartbeat', name: 'job', settings: heartbeat })
  const channel = { type: 'json', name: 'hook', config: { url: receiver.url } }
  await make('/notification-channels', channel)
  await make('/alert-rules', { name: 'everything' })
  const pages = JSON.parse((await mesh.send('GET', '/v1/status-pages', { headers: key })).text)
  const slug: string = pages.statusPages[0].slug
  const { heartbeat: created } = JSON.parse(
    (await mesh.send('GET', `/v1/checks/${job.id}`, { headers: key })).text,
  )
  return {
    key,
    siteId: site.id,
    editedId: edited.id,
    slug,
    pingPath: new URL(created.pingUrl).pathname,
  }
}

/** The received alerts, and the number of pings answered 200 that are missing in the job's runs. */
const judged = async () => {
  const [row] = await sql<{ runs: number }[]>`select count(*)::integer as runs from heartbeat_runs`
  return {
    alerts: receiver.received.map(({ body }) => body),
    lost: Math.max(0, traffic.accepted('ping') - (row?.runs ?? 0)),
  }
}

const faults: {
  name: string
  kill: () => Promise<unknown>
  start: () => Promise<unknown>
  /** The kinds of requests that need the dead part. */
  needs: readonly string[]
  degraded: string | null
}[] = [
  {
    name: 'ClickHouse',
    kill: () => mesh.clickhouse.kill(),
    start: () => mesh.clickhouse.start(),
    needs: ['series'],
    degraded: 'clickhouse',
  },
  {
    name: 'NATS',
    kill: () => mesh.nats.kill(),
    start: () => mesh.nats.start(),
    needs: [],
    degraded: 'nats',
  },
  {
    name: 'one control plane',
    kill: () => onlyControlPlane().kill(),
    start: () => onlyControlPlane().start(),
    needs: [],
    degraded: null,
  },
  {
    name: 'the mail server',
    kill: () => mail.close(),
    start: async () => {},
    needs: [],
    degraded: 'mail',
  },
]
const onlyControlPlane = () => {
  const [first] = mesh.controlPlanes
  if (first === undefined) throw new Error('there is no control plane')
  return first
}

test.for(faults)(
  'serves requests that do not need $name, loses no ping and raises no alert while it is dead',
  { timeout },
  async ({ name, kill, start, needs, degraded }, context) => {
    const fromMs = Date.now()
    await kill()
    if (degraded !== null) {
      await vi.waitFor(
        async () => {
          const { status, text } = await mesh.direct(1, '/readyz')
          expect([status, text]).toEqual([200, expect.stringContaining(`"part":"${degraded}"`)])
        },
        { timeout: outageMs, interval: 500 },
      )
    }
    await elapse(Math.max(0, fromMs + outageMs - Date.now()))
    const outageTookMs = Date.now() - fromMs
    await start()
    // long enough for a heartbeat without a ping to be down
    await elapse(heartbeat.graceSeconds * 1_000)
    const { refused, answered } = traffic.since(fromMs)
    const { alerts, lost } = await judged()
    await recordFigure(
      context,
      `${name} dead for ${outageTookMs} ms behind haproxy: ${answered} requests, refused ${refused.filter(({ what }) => !needs.includes(what)).length} ` +
        `(${refused.filter(({ what }) => needs.includes(what)).length} more that need it), false alerts ${alerts.length}, pings lost ${lost} of ${traffic.accepted('ping')}`,
    )
    expect(refused.filter(({ what }) => !needs.includes(what))).toEqual([])
    expect(alerts).toEqual([])
    expect(lost).toBe(0)
  },
)

test('raises no alert for the missing pings while the proxy itself is dead', { timeout }, async (context) => {
  // longer than the deadline of the job's ping
  const deadMs = Math.max(outageMs, 2 * lateMsMax)
  const fromMs = Date.now()
  await mesh.proxy.kill()
  await vi.waitFor(
    async () => expect((await mesh.direct(1, '/readyz')).text).toContain('"part":"public_url"'),
    { timeout: deadMs, interval: 500 },
  )
  await elapse(Math.max(0, fromMs + deadMs - Date.now()))
  await mesh.proxy.start()
  await elapse(lateMsMax)
  const { alerts } = await judged()
  await recordFigure(
    context,
    `haproxy dead for ${deadMs} ms: ${traffic.since(fromMs).refused.length} requests refused, false alerts ${alerts.length}`,
  )
  expect(alerts).toEqual([])
  await vi.waitFor(async () => expect((await mesh.direct(1, '/readyz')).text).not.toContain('public_url'))
})
