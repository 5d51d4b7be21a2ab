import { execFile } from 'node:child_process'
import { once } from 'node:events'
import http from 'node:http'
import { text } from 'node:stream/consumers'
import { recordFigure } from '@probe-mesh/infra/testing/figure'
import { allowing } from '@probe-mesh/probe-agent/src/request/testing/ask'
import { portOf } from '@probe-mesh/probe-agent/src/request/testing/raw-server'
import { setUp } from '@probe-mesh/probe-agent/src/run/testing/run'
import { requestOf } from '@probe-mesh/probe-agent/src/secrets/testing/targets'
import { describe, expect, test } from 'vitest'
import { startChromiumContext } from './testing/oracles.ts'

/**
 * Chains of redirects by method, status, origin and credentials, through curl, Chromium's `fetch` and the agent
 * (S-3802). The agent is Chromium, where it does not keep own parts from another origin.
 */

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const statuses = [301, 302, 303, 307, 308] as const
/** The origins of a chain in order; each but the last redirects to the next. */
const routes = ['AA', 'AAA', 'AB', 'ABA'] as const
const credentials = ['none', 'key and token'] as const

type Chain = {
  method: (typeof methods)[number]
  status: number
  route: (typeof routes)[number]
  own: boolean
  body: string | null
}
const chains: readonly Chain[] = methods.flatMap((method) =>
  statuses.flatMap((status) =>
    routes.flatMap((route) =>
      credentials.map((each) => ({
        method,
        status,
        route,
        own: each !== 'none',
        body: method === 'POST' || method === 'PUT' || method === 'PATCH' ? 'a=1' : null,
      })),
    ),
  ),
)

/** One request as its server got it: `B POST body type token key`. */
type Seen = { origin: string; method: string; parts: string[] }
const shown = (all: readonly Seen[]): string =>
  all.map(({ origin, method, parts }) => [origin, method, ...parts].join(' ')).join(' > ')

const open = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': methods.join(','),
  'access-control-allow-headers': 'authorization, x-api-key, content-type',
}

/** Two origins: one address, two ports. The path of a request is `/<client><chain>/<hop>`. */
const startOrigins = async () => {
  const seen = new Map<string, Seen[]>()
  const urlOf = { A: '', B: '' }
  const listener =
    (origin: 'A' | 'B') => async (request: http.IncomingMessage, response: http.ServerResponse) => {
      const { method = '', url = '', headers } = request
      const body = await text(request)
      if (method === 'OPTIONS' || url === '/page') return response.writeHead(200, open).end()
      const [, name = '', hop = ''] = /^\/(\w+)\/(\d+)$/.exec(url) ?? []
      const chain = chains[Number(/\d+/.exec(name)?.[0])]
      if (chain === undefined) return response.writeHead(404).end()
      const parts = [
        ...(body === '' ? [] : ['body']),
        ...(headers['content-type'] === undefined ? [] : ['type']),
        ...(headers.authorization === undefined ? [] : ['token']),
        ...(headers['x-api-key'] === undefined ? [] : ['key']),
      ]
      seen.set(name, [...(seen.get(name) ?? []), { origin, method, parts }])
      const next = chain.route[Number(hop) + 1] as 'A' | 'B' | undefined
      if (next === undefined) return response.writeHead(200, open).end()
      return response
        .writeHead(chain.status, { ...open, location: `${urlOf[next]}/${name}/${Number(hop) + 1}` })
        .end()
    }
  const servers = [http.createServer(listener('A')), http.createServer(listener('B'))] as const
  for (const server of servers) {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  }
  urlOf.A = `http://127.0.0.1:${portOf(servers[0])}`
  urlOf.B = `http://127.0.0.1:${portOf(servers[1])}`
  return {
    home: urlOf.A,
    of: (name: string): Seen[] => seen.get(name) ?? [],
    close: () => {
      for (const server of servers) {
        server.closeAllConnections()
        server.close()
      }
    },
  }
}

const token = 'Bearer of-the-shop'
const headersOf = ({ own, body }: Chain): Record<string, string> => ({
  ...(own && { authorization: token, 'x-api-key': 'k' }),
  ...(body !== null && { 'content-type': 'application/x-www-form-urlencoded' }),
})

const askCurl = ({ method, own, body }: Chain, url: string): Promise<void> =>
  new Promise((resolve) => {
    const how = method === 'HEAD' ? ['-I'] : method === 'GET' || method === 'POST' ? [] : ['-X', method]
    const data = body === null ? [] : ['--data-binary', body]
    const headers = own ? ['-H', `Authorization: ${token}`, '-H', 'X-Api-Key: k'] : []
    const all = [
      '-q',
      '-sS',
      '-L',
      '--noproxy',
      '*',
      '--max-time',
      '10',
      '-o',
      '/dev/null',
      ...how,
      ...data,
      ...headers,
    ]
    execFile('curl', [...all, url], () => resolve())
  })

const { runAny } = setUp({ allow: allowing('127.0.0.0/8') })
const askAgent = async ({ method, own, body }: Chain, url: string): Promise<string> => {
  const request = {
    method,
    ...(own && {
      auth: { type: 'bearer' as const, token: token.slice('Bearer '.length) },
      headers: [{ name: 'X-Api-Key', value: 'k' }],
    }),
    ...(body !== null && { body, contentType: 'application/x-www-form-urlencoded' }),
  } as const
  const { verdict, cause } = await runAny(requestOf(url, request))
  return verdict === 'up' ? 'up' : `${verdict} ${cause}`
}

/** What Chromium sent, without what S-3802 keeps from another origin; it ends where the request would need it. */
const kept = (all: readonly Seen[]): { sent: Seen[]; verdict: string } => {
  const sent: Seen[] = []
  let isHome = true
  for (const each of all) {
    const before = sent.at(-1)
    isHome &&= each.origin === 'A'
    const hasOwn = before?.parts.some((part) => part === 'token' || part === 'key') ?? false
    const isRead = each.method === 'GET' || each.method === 'HEAD'
    const needsMore = each.parts.includes('body') || (hasOwn && !isRead)
    if (!isHome && before !== undefined && needsMore)
      return { sent, verdict: 'unmeasured redirect_not_repeated' }
    const parts = isHome ? each.parts : each.parts.filter((part) => part !== 'token' && part !== 'key')
    sent.push({ ...each, parts })
  }
  return { sent, verdict: 'up' }
}

/** Where curl is not Chromium, and why the agent is not curl (D-probe-agent-29). */
const differenceOf = ({ method, status, route, own }: Chain): string | null => {
  if (['PUT', 'PATCH', 'DELETE'].includes(method) && status === 303) return 'a method of -X outlives 303'
  if (['PUT', 'PATCH'].includes(method) && status < 303) return 'the body of -d is dropped by 301 and 302'
  return own && route === 'ABA' ? 'a token returns with a redirect back' : null
}

describe('chains of redirects', { timeout: 300_000 }, () => {
  test('are followed as Chromium and curl do, and own parts stay on their origin', async (context) => {
    const origins = await startOrigins()
    const { context: browser, close } = await startChromiumContext()
    try {
      const page = await browser.newPage()
      await page.goto(`${origins.home}/page`)
      const off: string[] = []
      const differing = new Map<string, number>()
      let agreed = 0
      for (const [at, chain] of chains.entries()) {
        const name = (client: string): string => `${client}${at}`
        const url = (client: string): string => `${origins.home}/${name(client)}/0`
        const init = {
          method: chain.method,
          headers: headersOf(chain),
          body: chain.body,
          credentials: 'omit',
        }
        const [verdict] = await Promise.all([
          askAgent(chain, url('agent')),
          askCurl(chain, url('curl')),
          page.evaluate(
            `fetch(${JSON.stringify(url('chromium'))}, ${JSON.stringify(init)}).then(() => 0, String)`,
          ),
        ])
        const [ours, curl, chromium] = ['agent', 'curl', 'chromium'].map((client) => origins.of(name(client)))
        const said = `${JSON.stringify(chain)}: Chromium ${shown(chromium ?? [])}; curl ${shown(curl ?? [])}; agent ${shown(ours ?? [])}, ${verdict}`
        const right = kept(chromium ?? [])
        if (chromium?.length !== chain.route.length) off.push(`Chromium did not follow: ${said}`)
        if (shown(ours ?? []) !== shown(right.sent) || verdict !== right.verdict) off.push(`agent: ${said}`)
        const difference = differenceOf(chain)
        const isEqual = shown(curl ?? []) === shown(chromium ?? [])
        if (isEqual !== (difference === null)) off.push(`curl and Chromium: ${said}`)
        if (isEqual) agreed += 1
        else differing.set(difference ?? '', (differing.get(difference ?? '') ?? 0) + 1)
      }
      const differences = [...differing].map(([why, count]) => `${count}: ${why}`).join('; ')
      await recordFigure(
        context,
        `${chains.length} chains: curl and Chromium agree on ${agreed} and differ on ${differences}; the agent is off in ${off.length}`,
      )
      expect(off).toEqual([])
    } finally {
      await close()
      origins.close()
    }
  })
})
