import { allowNothing, parseAllowList, type AllowList } from '@probe-mesh/contracts/target/address'
import { denyNothing } from '@probe-mesh/contracts/target/deny-list'
import { noAssertions } from '@probe-mesh/contracts/check/assertions'
import { targetProblem } from '@probe-mesh/contracts/target/target'
import { UnsafeTarget, post } from '@probe-mesh/control-plane/src/notifications/outgoing/guarded-request'
import { createTrust } from '@probe-mesh/probe-agent/request/connect'
import { startRawServer } from '@probe-mesh/probe-agent/src/request/testing/raw-server'
import { unlimited } from '@probe-mesh/probe-agent/src/request/unlimited'
import { createHandshakes } from '@probe-mesh/probe-agent/run/handshakes'
import { createRunner } from '@probe-mesh/probe-agent/run/runner'
import { startNameServer } from '@probe-mesh/probe-agent/src/run/testing/name-server'
import { internalNames, matrixRows, unsafeUrls } from './matrix-rows.ts'
import { dataProblems } from './special-addresses.ts'

/** The refused cases of one row on one path, and the accepted ones. */
export type Cell = { refused: number; cases: number; accepted: string[] }

/** The paths to an address, in the order of the columns. */
export const ways = ['at save', 'on a run', 'behind a redirect', 'by name', 'by alias', 'a webhook'] as const
type Way = (typeof ways)[number]

export type MeasuredRow = { what: string; ranges: number; cells: Partial<Record<Way, Cell>> }

/** All cases when the data was last extended: fewer means that a range, a spelling or a path was lost. */
const casesMin = 6_484

/** The number of tried cases. */
export const casesOf = (rows: readonly MeasuredRow[]): number =>
  rows.flatMap(({ cells }) => Object.values(cells)).reduce((sum, cell) => sum + cell.cases, 0)

/** What is open, missing or unknown, one line each; empty when all addresses are refused. */
export const matrixProblems = (rows: readonly MeasuredRow[]): string[] => {
  const cells = rows.flatMap(({ what, cells: own }) =>
    Object.entries(own).map(([way, cell]) => ({ of: `${what}, ${way}`, ...cell })),
  )
  return [
    ...dataProblems(),
    ...cells.flatMap(({ of, accepted }) => accepted.map((url) => `not refused: ${of}: ${url}`)),
    ...cells.flatMap(({ of, cases }) => (cases === 0 ? [`nothing was tried: ${of}`] : [])),
    ...(casesOf(rows) < casesMin ? [`${casesOf(rows)} cases, fewer than ${casesMin}`] : []),
  ]
}

type IsRefused = (url: string) => Promise<boolean>

const onlyOwn = ((): AllowList => {
  const parsed = parseAllowList(['127.0.0.1/32'])
  return parsed.ok ? parsed.allow : allowNothing
})()

/**
 * Tries every case of the matrix on every path, with the code of checks and messages. A refused case was
 * refused before any connection. Only 127.0.0.1 is allowed, for the measurement's own redirecting server and
 * name server.
 */
export const measureMatrix = async (): Promise<MeasuredRow[]> => {
  const names = await startNameServer()
  const redirecting = await startRawServer((socket, head) => {
    const to = decodeURIComponent(/\?to=(\S+)/.exec(head)?.[1] ?? '')
    socket.end(`HTTP/1.1 302 Found\r\nLocation: ${to}\r\nContent-Length: 0\r\n\r\n`)
  })
  const guard = { allow: onlyOwn, deny: denyNothing, resolver: names.resolver }
  const onRun = refusedOnRun(guard)
  const bySave =
    (allow: AllowList): IsRefused =>
    async (url) =>
      targetProblem(url, { allow }) !== null
  const byWebhook =
    (of: typeof guard): IsRefused =>
    async (url) => {
      const sending = post({ url, headers: {}, body: '{}' }, AbortSignal.timeout(5_000), of)
      return sending.then(
        () => false,
        (error: unknown) => error instanceof UnsafeTarget,
      )
    }
  let number = 0
  const named = (answer: string): string => {
    const name = `n${number++}.example.com`
    names.set(name, [answer])
    return `http://${name}/`
  }
  // together with a public address, like DNS rebinding
  const aliased = (answer: string): string => {
    const name = `a${number++}.example.com`
    names.set(`to.${name}`, [answer, '93.184.216.34'])
    names.set(name, { alias: `to.${name}` })
    return `http://${name}/`
  }
  const base = `http://127.0.0.1:${redirecting.port}/`
  const behind = (url: string): string => `${base}?to=${encodeURIComponent(url)}`
  const urlsOf = (hosts: readonly string[]): string[] => hosts.map((host) => `http://${host}/`)
  try {
    const rows: MeasuredRow[] = []
    for (const { what, ranges, hosts, answers } of matrixRows) {
      const urls = urlsOf(hosts)
      rows.push({
        what,
        ranges: ranges.length,
        cells: {
          'at save': await count(urls, bySave(onlyOwn)),
          'on a run': await count(urls, onRun),
          'behind a redirect': await count(urls.filter(isAscii).map(behind), onRun),
          'by name': await count(answers.map(named), onRun),
          'by alias': await count(answers.map(aliased), onRun),
          'a webhook': await count([...urls, ...answers.map(named)], byWebhook(guard)),
        },
      })
    }
    // without allowed networks, localhost is refused too
    const closed = { allow: allowNothing, deny: denyNothing, resolver: names.resolver }
    const unnamed = async (what: string, urls: readonly string[]): Promise<MeasuredRow> => ({
      what,
      ranges: 0,
      cells: {
        'at save': await count(urls, bySave(allowNothing)),
        'on a run': await count(urls, refusedOnRun(closed)),
        'a webhook': await count(urls, byWebhook(closed)),
      },
    })
    rows.push(await unnamed('internal names', urlsOf(internalNames)))
    rows.push(await unnamed('credentials, schemes, ports, spellings', unsafeUrls))
    return rows
  } finally {
    await Promise.all([names.close(), redirecting.close()])
  }
}

const isAscii = (text: string): boolean => !/[^ -~]/.test(text)

/** A row whose guard is missing is proven open by this many cases; each may take the time of a connection. */
const acceptedMax = 2

/** Cases of the measurement's own servers are skipped. */
const isOwn = (url: string): boolean => URL.parse(url)?.hostname === '127.0.0.1'

const count = async (urls: readonly string[], isRefused: IsRefused): Promise<Cell> => {
  const cases = urls.filter((url) => !isOwn(url) || url.includes('?to='))
  const accepted: string[] = []
  let tried = 0
  for (const url of cases) {
    tried += 1
    if (!(await isRefused(url))) accepted.push(url)
    if (accepted.length === acceptedMax) break
  }
  return { refused: tried - accepted.length, cases: tried, accepted }
}

const refusedOnRun = (guard: {
  allow: AllowList
  resolver: Awaited<ReturnType<typeof startNameServer>>['resolver']
}): IsRefused => {
  const ignore = (): void => undefined
  const { run } = createRunner({
    ...guard,
    ...unlimited,
    ownAddresses: () => new Set(),
    trust: createTrust(),
    browser: null,
    connectivity: { online: async () => true },
    handshakes: createHandshakes(),
    lag: { worstSince: () => 0, blockedSince: () => 0, close: ignore },
    now: Date.now,
    log: { info: ignore, warn: ignore, error: ignore },
    version: 'matrix',
    probesUrl: null,
  })
  const signal = new AbortController().signal
  return async (url) => {
    const { verdict, cause, address } = await run(
      {
        checkId: '0190a000-0000-7000-8000-000000000001',
        accountId: 'a',
        region: 'fra',
        revision: 1,
        validFrom: 0,
        intervalSeconds: 10,
        type: 'http',
        url,
        assertions: noAssertions,
        owner: 'account',
      },
      { slot: Date.now(), kind: 'scheduled', number: 0, lateMs: 0, signal },
    )
    // a redirect to a forbidden address is the target's fault, without a connection either
    const refused = url.includes('?to=') ? 'down redirect_not_public' : 'unmeasured unsafe_target'
    return `${verdict} ${cause}` === refused && address === null
  }
}
