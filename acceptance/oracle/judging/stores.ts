import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import postgres from 'postgres'
import type { Facts, Flip, Revision, SlotCounts, StoredReading } from './facts.ts'

/** The addresses of the product's databases and interfaces. */
export type Places = {
  databaseUrl: string
  clickhouseUrl: string
  /** Ends in `/v1`. */
  apiUrl: string
  apiKey: string
  /** The address of the gateway. */
  gatewayUrl: string
  /** A folder with a file for each agent. */
  journalDir: string
}

const answerMsMax = 30_000
/** Checks per query of ClickHouse. */
const checksAtOnce = 25
const seriesStepSeconds = 60
const listedChecks = 10
const statusChecks = 20

/** Lines of JSON. */
export const readLines = async <T>(path: string): Promise<T[]> =>
  (await readFile(path, 'utf8'))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T)

export const readJournals = async (folder: string): Promise<Facts['journals']> => {
  const journals = new Map<string, ReadonlySet<string>>()
  for (const name of await readdir(folder)) {
    const text = await readFile(join(folder, name), 'utf8')
    journals.set(name, new Set(text.split('\n').filter((id) => id !== '')))
  }
  return journals
}

/** Reads checks and their flips from Postgres. */
export const readPostgres = async (
  databaseUrl: string,
): Promise<Pick<Facts, 'checkIds' | 'revisions' | 'flips'>> => {
  const sql = postgres(databaseUrl, { max: 1 })
  try {
    const checks = await sql<{ id: string; name: string }[]>`select id::text, name from checks`
    const nameOf = new Map(checks.map(({ id, name }) => [id, name]))
    const revisions = await sql<RevisionRow[]>`
      select check_id::text, regions, interval_seconds, paused, valid_from, valid_to
      from check_revisions order by check_id, revision`
    const flips = await sql<FlipRow[]>`
      select id::text, check_id::text, version, to_status, at from flips order by check_id, version`
    return {
      checkIds: new Map(checks.map(({ id, name }) => [name, id])),
      revisions: revisions.map((row): Revision => ({
        check: nameOf.get(row.check_id) ?? row.check_id,
        regions: row.regions,
        intervalMs: row.interval_seconds * 1_000,
        paused: row.paused,
        fromMs: row.valid_from.getTime(),
        toMs: row.valid_to?.getTime() ?? null,
      })),
      flips: flips.map((row): Flip => ({
        id: row.id,
        check: nameOf.get(row.check_id) ?? row.check_id,
        version: row.version,
        to: row.to_status,
        at: row.at.getTime(),
      })),
    }
  } finally {
    await sql.end()
  }
}

type RevisionRow = {
  check_id: string
  regions: string[]
  interval_seconds: number
  paused: boolean
  valid_from: Date
  valid_to: Date | null
}
type FlipRow = { id: string; check_id: string; version: number; to_status: string; at: Date }

/** Reads every row of the checks from ClickHouse. */
export const readReadings = async (
  clickhouseUrl: string,
  checkIds: ReadonlyMap<string, string>,
): Promise<StoredReading[]> => {
  const { origin, pathname, username, password } = new URL(clickhouseUrl)
  const authorization = `Basic ${btoa(`${username}:${decodeURIComponent(password)}`)}`
  const readings: StoredReading[] = []
  const checks = [...checkIds]
  for (let at = 0; at < checks.length; at += checksAtOnce) {
    const some = checks.slice(at, at + checksAtOnce)
    const names = new Map(some.map(([name, id]) => [id, name]))
    const answer = await fetch(`${origin}/?database=${pathname.slice(1)}`, {
      method: 'POST',
      headers: { authorization },
      signal: AbortSignal.timeout(answerMsMax),
      body: `
        select toString(check_id) as checkId, region, toString(kind) as kind, number,
          toString(verdict) as verdict, attempts, toFloat64(latency_ms) as latencyMs,
          toFloat64(toUnixTimestamp64Milli(slot)) as slot,
          toFloat64(toUnixTimestamp64Milli(measured_at)) as measuredAt,
          toFloat64(toUnixTimestamp64Milli(received_at)) as receivedAt
        from readings_raw
        where check_id in (${some.map(([, id]) => `toUUID('${id}')`).join(', ')})
        format JSONEachRow`,
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`ClickHouse: ${text}`)
    for (const line of text.split('\n')) {
      if (line === '') continue
      const row = JSON.parse(line) as Omit<StoredReading, 'check'>
      readings.push({ ...row, check: names.get(row.checkId) ?? row.checkId })
    }
  }
  return readings
}

/** Queries the API. */
const getJson = async <T>({ apiUrl, apiKey }: Places, path: string): Promise<T> => {
  const answer = await fetch(`${apiUrl}${path}`, {
    headers: { authorization: `Bearer ${apiKey}` },
    signal: AbortSignal.timeout(answerMsMax),
  })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as T
}

/** Sums the slots of each check in a period from `series`. */
export const readSeries = async (
  places: Places,
  { checkIds, span }: Pick<Facts, 'checkIds' | 'span'>,
): Promise<Map<string, SlotCounts>> => {
  const query = new URLSearchParams({
    from: new Date(span.fromMs).toISOString(),
    to: new Date(span.toMs).toISOString(),
    step: String(seriesStepSeconds),
  })
  const series = new Map<string, SlotCounts>()
  for (const [name, id] of checkIds) {
    const { points } = await getJson<{ points: SlotCounts[] }>(places, `/checks/${id}/series?${query}`)
    const sum = (member: keyof SlotCounts): number =>
      points.reduce((total, point) => total + point[member], 0)
    series.set(name, {
      due: sum('due'),
      measured: sum('measured'),
      lost: sum('lost'),
      up: sum('up'),
      down: sum('down'),
      blocked: sum('blocked'),
      unmeasured: sum('unmeasured'),
    })
  }
  return series
}

/** Counts the readings that the API lists for some checks, over all pages. */
export const readListed = async (
  places: Places,
  checkIds: Facts['checkIds'],
): Promise<Map<string, number>> => {
  const listed = new Map<string, number>()
  const every = Math.ceil(checkIds.size / listedChecks)
  for (const [name, id] of [...checkIds].filter((_, at) => at % every === 0)) {
    let count = 0
    let cursor: string | null = null
    do {
      const query: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
      const page: { readings: unknown[]; nextCursor: string | null } = await getJson(
        places,
        `/checks/${id}/readings?limit=500${query}`,
      )
      count += page.readings.length
      cursor = page.nextCursor
    } while (cursor !== null)
    listed.set(name, count)
  }
  return listed
}

type CheckStatus = { status: string; statusSince: string | null }
const statusText = ({ status, statusSince }: CheckStatus): string => `${status} since ${statusSince}`

/** Reads the status of the same checks from the API and the gateway. */
export const readStatuses = async (
  places: Places,
  checkIds: Facts['checkIds'],
): Promise<Facts['statuses']> => {
  const statuses: { check: string; api: string; gateway: string }[] = []
  const every = Math.ceil(checkIds.size / statusChecks)
  for (const [check, id] of [...checkIds].filter((_, at) => at % every === 0)) {
    const api = statusText(await getJson<CheckStatus>(places, `/checks/${id}`))
    statuses.push({ check, api, gateway: await callGateway(places, id) })
  }
  return statuses
}

const callGateway = async ({ gatewayUrl, apiKey }: Places, id: string): Promise<string> => {
  const answer = await fetch(`${gatewayUrl}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    signal: AbortSignal.timeout(answerMsMax),
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'get_check_status', arguments: { checkId: id } },
    }),
  })
  const text = await answer.text()
  const { result } = JSON.parse(text) as { result?: { structuredContent?: CheckStatus } }
  return result?.structuredContent === undefined ? text : statusText(result.structuredContent)
}
