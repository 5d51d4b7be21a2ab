import { promises as dns } from 'node:dns'
import { answering, startDnsServer } from '@probe-mesh/check-types/dns/probe/testing/dns-server'
import { allowNothing } from '@probe-mesh/contracts/target/address'
import {
  answerRoutes,
  type AnswerOutput,
  type AnswerRouteName,
} from '@probe-mesh/contracts/outage/answer-routes'
import type { CatalogIndex } from '@probe-mesh/control-plane/catalog/catalog-index'
import { connectClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { loadCatalog } from '@probe-mesh/infra/start/processes/control-plane-catalog'
import { startTestAllInOne } from '@probe-mesh/infra/testing/all-in-one'

/**
 * The whole system from a clean clone, with the built-in catalog, on a machine without internet. The test
 * simulates that on any machine: all external requests use names, and no name server answers, or one denies
 * every name.
 */

const bounded = { timeout: 60_000 }
const everythingRead = { timeout: 45_000, interval: 250 }
const queriesAtOnce = 8

let catalog: CatalogIndex
let nameServer: Awaited<ReturnType<typeof startDnsServer>>

const isDenied = (name: string): boolean => name.length % 2 === 1

const lookUpNothing = async (name: string): Promise<never> => {
  const code = isDenied(name) ? 'ENOTFOUND' : 'ECONNREFUSED'
  throw Object.assign(new Error(`query ${code} ${name}`), { code, hostname: name })
}

beforeAll(async () => {
  for (const question of ['resolve4', 'resolve6', 'resolveNs'] as const) {
    vi.spyOn(dns.Resolver.prototype, question).mockImplementation(lookUpNothing)
  }
  // agents ask the servers themselves
  nameServer = await startDnsServer((query) => {
    if (isDenied(query.question.name)) query.send(answering(query, [], 3))
  })
  vi.spyOn(dns.Resolver.prototype, 'getServers').mockReturnValue([nameServer.resolver])
  const loaded = await loadCatalog({ catalogFile: null, targetAllow: allowNothing })
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
  catalog = loaded.catalog
})
const started = useOnce(() =>
  startTestAllInOne({
    catalog,
    // the test sends more queries than one address may
    environment: { CATALOG_INTERVAL_SECONDS: '10', TRUST_PROXY: '127.0.0.1' },
  }),
)
const clickhouse = useOnce(() => connectClickHouse(started.clickhouseUrl))
afterAll(async () => {
  vi.restoreAllMocks()
  await nameServer.close()
})

let queries = 0

/** Queries the route of a tool, each time from another address, and checks the answer by its schema. */
const query = async <N extends AnswerRouteName>(
  name: N,
  params: Readonly<Record<string, string>> = {},
): Promise<AnswerOutput<N>> => {
  const path = answerRoutes[name].path.replace(/:(\w+)/, (_, param: string) => params[param] ?? '')
  const address = `10.0.${queries >> 8}.${queries++ & 255}`
  const response = await fetch(`${started.apiUrl}/public${path}`, {
    headers: { 'x-forwarded-for': address },
  })
  expect([path, response.status]).toEqual([path, 200])
  return outputOf(name, await response.json())
}

/** The schema is that of the named route. */
const outputOf = <N extends AnswerRouteName>(name: N, json: unknown): AnswerOutput<N> =>
  answerRoutes[name].output.parse(json) as AnswerOutput<N>

const forEachSlug = async (act: (slug: string) => Promise<void>): Promise<void> => {
  const slugs = [...catalog.bySlug.keys()]
  const workers = Array.from({ length: queriesAtOnce }, async () => {
    for (let slug = slugs.pop(); slug !== undefined; slug = slugs.pop()) await act(slug)
  })
  await Promise.all(workers)
}

const nothingRead = {
  regionsRead: [],
  measuredAt: null,
  freshness: { verdict: 'no_data', ageSeconds: null },
}

type StoredReadings = { verdict: string; readings: number; places: number }

const storedReadings = async (): Promise<StoredReadings[]> => {
  const result = await clickhouse.query({
    query: `
      select verdict, toUInt32(count()) as readings, toUInt32(uniqExact(check_id, region)) as places
      from readings_raw group by verdict`,
    format: 'JSONEachRow',
  })
  return result.json<StoredReadings>()
}

/** The sentence includes the fault if a run was reported recently. */
const sentence = (name: string, subjects = 'we have no recent|our'): RegExp =>
  new RegExp(
    `^From this machine, (${subjects}) (measurement of|probes could not measure) ${RegExp.escape(name)}( \\([^_]+\\))?, so we cannot say whether it is up or down\\.$`,
  )

test('runs every check in every region without internet and reports none as down', bounded, async () => {
  const places = catalog.checks.length * 4
  await vi.waitFor(async () => {
    const stored = await storedReadings()
    expect(stored.reduce((sum, row) => sum + row.places, 0)).toBeGreaterThanOrEqual(places)
  }, everythingRead)
  expect(await storedReadings()).toEqual([{ verdict: 'unmeasured', readings: expect.any(Number), places }])

  await forEachSlug(async (slug) => {
    const status = await query('isServiceDown', { slug })
    const summary = expect.stringMatching(sentence(catalog.bySlug.get(slug)?.name ?? ''))
    expect(status).toMatchObject({ status: 'no_data', summary, ...nothingRead })
    expect(status.regions.map((region) => region.status)).toEqual(Array(4).fill('unknown'))
    const { readings, ...read } = await query('getRegionalReadings', { slug })
    expect(read).toMatchObject({ status: 'no_data', summary, ...nothingRead })
    expect(readings.filter((one) => one.fresh || one.status !== 'unknown')).toEqual([])
    const reported = await query('getReportVolume', { slug })
    expect(reported).toMatchObject({ status: 'no_data', reports: { verdict: 'no_data' } })
    expect(reported.summary).toContain('so we cannot say whether it is up or down.')
  })
  const summary = async () => (await query('isServiceDown', { slug: 'github' })).summary
  await expect.poll(summary, everythingRead).toMatch(sentence('GitHub', 'our'))
})

test('records no outage in the history of any service', bounded, async () => {
  await forEachSlug(async (slug) => {
    const past = await query('listRecentIncidents', { slug })
    expect(past).toMatchObject({ status: 'no_data', incidents: [], ...nothingRead })
    expect(past.summary).toContain('we cannot say whether it is up or down')
  })
})

test('has no data for stacks, internet and weather', bounded, async () => {
  const all = await query('listServices')
  expect(new Set(all.services.map(({ level }) => level))).toEqual(new Set(['no_data']))
  expect(all).toMatchObject({
    summary: expect.stringContaining(`${catalog.bySlug.size} with no data`),
    ...nothingRead,
  })
  for (const { slug, members } of catalog.catalog.stacks) {
    expect(await query('getStack', { idOrSlug: slug })).toMatchObject({
      status: 'no_data',
      summary: `0 of ${members.length} services down or degraded, ${members.length} with no data`,
      ...nothingRead,
    })
  }
  expect(await query('isTheInternetDown')).toMatchObject({
    status: 'no_data',
    sharedIncident: null,
    summary: expect.stringContaining('too few services'),
    ...nothingRead,
  })
  const weather = await query('internetWeather')
  expect(weather).toMatchObject({
    verdict: 'no_data',
    summary: expect.stringContaining('too few measurements'),
    ...nothingRead,
  })
  expect(weather.regions.map(({ verdict }) => verdict)).toEqual(Array(4).fill('no_data'))
})

test('shows the same on the pages for people', bounded, async () => {
  const root = started.apiUrl.replace(/\/v1$/, '')
  for (const path of ['/', '/services', '/services/github', '/stacks/web-shop', '/internet', '/weather']) {
    const response = await fetch(root + path)
    const page = await response.text()
    expect([path, response.status]).toEqual([path, 200])
    expect(page).toContain('>no data</strong>')
    expect(page).not.toMatch(/class="tag (good|bad)"/)
  }
})
