import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { BusUnavailable } from '@probe-mesh/bus/port'
import { regionHeader } from '@probe-mesh/contracts/agent/probe-identity'
import {
  ok,
  startReceiver,
  type Receiver,
} from '@probe-mesh/control-plane/src/notifications/outgoing/testing'
import { emptyCatalog } from '@probe-mesh/infra/testing/empty-catalog'
import { startTestAllInOne } from '@probe-mesh/infra/testing/all-in-one'
import { startMailServer, type MailServer } from '@probe-mesh/infra/testing/mail-server'
import { createCertificates, type KeyPair } from '@probe-mesh/probe-agent/src/request/testing/certificates'
import { connectClient1 } from '../../mcp/clients.ts'
import { openSession } from '../../testing/open-session.ts'
import { actAs, type Act } from '../../web/system/client.ts'
import type { Account } from './account.ts'
import { openTops } from './read-top.ts'
import type { Published } from './read-page.ts'

const regions = ['iad', 'sjc', 'fra', 'nrt'] as const
const intervalSeconds = 2
const slowMs = 150

/** One check for each kind of outage. */
export const kinds = [
  'total',
  'one region',
  'two regions',
  'growing',
  'slow',
  'blocked',
  'certificate',
  'expired',
  'maintained',
  'paused',
  'edited',
  'late',
  'heartbeat',
] as const
export type Kind = (typeof kinds)[number]

type Behaviour = 'ok' | 'fail' | 'slow' | 'challenge' | 'bad certificate' | 'expired certificate'

/** A whole system, its account with a check of each kind, and everything that it tells. */
export type Stage = {
  origin: string
  account: Account
  ids: Readonly<Record<Kind, string>>
  published: readonly Published[]
  receiver: Receiver
  /** When each request to the receiver arrived, Unix ms. */
  arrivedMs: readonly number[]
  mail: MailServer
  memberEmail: string
  behave(kind: Kind, behaviour: Behaviour, inRegions?: readonly string[]): void
  urlOf(kind: Kind, path?: string): string
  ping(on: boolean): void
  /** Agents of these regions measure on and deliver nothing; those that may again deliver what they kept. */
  cutOff(regions: readonly string[]): void
  close(): Promise<void>
}

export const startStage = async (): Promise<Stage> => {
  const closers: (() => unknown)[] = []
  const listen = async (server: Server): Promise<number> => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closers.push(() => (server.close(), server.closeAllConnections()))
    return (server.address() as AddressInfo).port
  }
  const { behaviours, urlOf } = await startTargets(listen, closers)

  const arrivedMs: number[] = []
  const receiver = await startReceiver((request, response) => {
    arrivedMs.push(Date.now())
    ok(request, response)
  })
  closers.push(receiver.close)
  const mail = await startMailServer()
  closers.push(mail.close)
  let silent: readonly string[] = []
  const system = await startTestAllInOne({
    catalog: emptyCatalog,
    busOfAgents: (bus) => ({
      ...bus,
      readings: {
        ...bus.readings,
        publish: async (message) => {
          if (silent.includes(message.region)) throw new BusUnavailable('the region is cut off')
          return await bus.readings.publish(message)
        },
      },
    }),
    environment: {
      REGIONS: regions.join(','),
      TARGET_ALLOW: '127.0.0.0/8',
      TIER_OVERRIDES: JSON.stringify({ scale: { intervalSecondsMin: 1 } }),
      BUDGET_SCALE: '10000',
      MCP_PORT: '0',
      SMTP_URL: mail.smtpUrl,
      MAIL_FROM: 'Status <status@example.org>',
    },
  })
  closers.push(system.close)
  const { origin } = new URL(system.apiUrl)
  const { credentials } = system
  const act = await actAs(origin, credentials)
  const cookie = await openSession(origin, credentials)
  const keyOf = async (name: string): Promise<string> =>
    (await act('createKey', { body: { name, scope: 'read_write' } })).apiKey
  const mcp = await connectClient1(`${system.mcpUrl}/mcp`, { authorization: `Bearer ${await keyOf('mcp')}` })
  closers.push(() => mcp.close())
  const commanded = {
    apiUrl: system.apiUrl,
    keys: { rest: credentials.apiKey, list: await keyOf('list'), cli: await keyOf('cli') },
  }
  const tops = openTops(commanded)
  closers.push(tops.leave)
  const account: Account = { ...commanded, act, cookie, mcp, tops }

  const { id: channel } = await act('createChannel', {
    body: { type: 'json', name: 'ops', config: { url: receiver.url } },
  })
  await act('testChannel', { params: { id: channel } })
  const { alertRules } = await act('listAlertRules', {})
  await act('updateAlertRule', {
    params: { id: alertRules[0]?.id ?? '' },
    body: { emailUsers: true, statuses: ['down', 'degraded'] },
  })

  const ids = {} as Record<Kind, string>
  for (const kind of kinds)
    ids[kind] = (await act('createTypedCheck', { body: checkOf(kind, urlOf(kind)) })).id
  const job = await act('getCheck', { params: { id: ids.heartbeat } })
  // the port of the service is chosen as it starts, which its own URL does not know
  const pingUrl = `${origin}${new URL(job.heartbeat?.pingUrl ?? '').pathname}`
  let pings = true
  const pinging = setInterval(() => {
    if (pings) void fetch(pingUrl, { method: 'POST' }).catch(() => undefined)
  }, 2_000)
  closers.push(() => clearInterval(pinging))
  return {
    origin,
    account,
    ids,
    published: await publish(act, ids),
    receiver,
    arrivedMs,
    mail,
    memberEmail: credentials.email,
    behave: (kind, behaviour, inRegions) => {
      for (const region of regions) behaviours.delete(`${kind} ${region}`)
      if (inRegions === undefined) behaviours.set(kind, behaviour)
      for (const region of inRegions ?? []) behaviours.set(`${kind} ${region}`, behaviour)
    },
    urlOf,
    ping: (on) => void (pings = on),
    cutOff: (cut) => void (silent = cut),
    close: async () => {
      for (const close of closers.toReversed()) await close()
    },
  }
}

/** A server for each kind of check, which behaves as it is told, in all regions or in some. */
const startTargets = async (listen: (server: Server) => Promise<number>, closers: (() => unknown)[]) => {
  const certificates = createCertificates()
  closers.push(() => certificates.remove())
  /** A redirect to a server with a certificate. */
  const redirectTo = async (pair: KeyPair): Promise<RequestListener> => {
    const port = await listen(createSecureServer(pair, (_request, response) => response.end('fine')))
    return (_request, response) => response.writeHead(302, { location: `https://127.0.0.1:${port}/` }).end()
  }
  const july = { from: '20200701000000Z', to: '20200702000000Z' }
  const behaviours = new Map<string, Behaviour>()
  const answers: Record<Behaviour, RequestListener> = {
    ok: (_request, response) => response.end('fine'),
    fail: (_request, response) => response.writeHead(503).end('out of order'),
    slow: (_request, response) => void setTimeout(() => response.end('fine'), 2 * slowMs),
    challenge: (_request, response) => {
      response.writeHead(403, { 'cf-mitigated': 'challenge', server: 'cloudflare' })
      response.end('<title>Just a moment...</title>')
    },
    'bad certificate': await redirectTo(certificates.selfSigned('127.0.0.1')),
    'expired certificate': await redirectTo(certificates.leaf('127.0.0.1', july)),
  }
  const targets = new Map<Kind, number>()
  for (const kind of kinds) {
    const server = createServer({ keepAliveTimeout: 1_000 }, (request, response) => {
      const region = String(request.headers[regionHeader] ?? 'unknown')
      const behaviour = behaviours.get(`${kind} ${region}`) ?? behaviours.get(kind) ?? 'ok'
      answers[behaviour](request, response)
    })
    targets.set(kind, await listen(server))
  }
  const urlOf = (kind: Kind, path = '/'): string => `http://127.0.0.1:${targets.get(kind)}${path}`
  return { behaviours, urlOf }
}

const checkOf = (kind: Kind, url: string): object =>
  kind === 'heartbeat'
    ? { type: 'heartbeat', name: kind, settings: { periodSeconds: 10, graceSeconds: 1 } }
    : {
        type: 'http',
        name: kind,
        url,
        intervalSeconds,
        sendRegion: true,
        regions: [...regions],
        ...(kind === 'slow' ? { statusRule: { slowMs } } : {}),
      }

/** Every check on an English and on a German page. */
const publish = async (act: Act, ids: Readonly<Record<Kind, string>>): Promise<Published[]> => {
  const [first] = (await act('listStatusPages', {})).statusPages
  const german = await act('createStatusPage', {
    body: { name: 'Auf Deutsch', slug: 'auf-deutsch', locale: 'de' },
  })
  const published: Published[] = []
  for (const [language, page] of [
    ['en', first],
    ['de', german],
  ] as const) {
    if (page === undefined) throw new Error('the account has no page')
    const componentIds: string[] = []
    for (const kind of kinds) {
      const body = { checkId: ids[kind], displayName: kind }
      componentIds.push((await act('createComponent', { params: { id: page.id }, body })).id)
    }
    published.push({ language, id: page.id, slug: page.slug, componentIds })
  }
  return published
}
