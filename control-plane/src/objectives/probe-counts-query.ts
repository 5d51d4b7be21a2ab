import type { BurnWindow, ObjectiveInput } from '@probe-mesh/contracts/objective/objective'
import type { ClickHouse } from '../stores/clickhouse/connect.ts'
import type { Counts } from './error-budget.ts'

export type CountedWindow = BurnWindow | `${ObjectiveInput['windowDays']}d`

/**
 * Judged scheduled probes of a window, those of the region that has the most, and the begin of the first step that has
 * any.
 */
export type Counted = Counts & { most: number; firstMs: number | null }

/** Those of a check in each window. */
export type ProbeCounts = Record<CountedWindow, Counted>

/** When a window begins at an instant. The current step is not whole, so that it is a little longer, never shorter. */
export const windowFromMs = (window: CountedWindow, nowMs: number): number => {
  const steps = { ...minuteWindows, ...hourWindows }[window]
  return stepFrom(nowMs, window in minuteWindows ? minuteMs : hourMs, steps)
}

const stepFrom = (nowMs: number, stepMs: number, steps: number): number =>
  (Math.floor(nowMs / stepMs) - steps) * stepMs

const minuteMs = 60_000
const hourMs = 3_600_000

/** Short windows, in whole minutes: agents' readings of the last one may still be on their way. */
const minuteWindows = { '5m': 5, '30m': 30, '1h': 60, '6h': 360 } as const
/** Long windows, in whole hours with the current one: the minutes of 90 days would be 60 times as many rows. */
const hourWindows = { '3d': 72, '7d': 168, '28d': 672, '30d': 720, '90d': 2_160 } as const

/** Checks in one query: their ids are in its address. */
const checksPerQuery = 1_000

/** Where probes are counted: `failed` and `good` are sums of rows in a window, a condition in SQL. */
type Source = {
  table: (stepMs: number) => string
  /** The time of a row. */
  at: string
  good: (window: string) => string
  failed: (window: string) => string
  isJudged: string
  /** Of `latency`, ms. */
  latencyMsMax?: number
}

const rollups: Source = {
  table: (stepMs) => (stepMs === hourMs ? 'readings_hour' : 'readings_minute'),
  at: 'at',
  good: (window) => `sumIf(up, ${window})`,
  failed: (window) => `sumIf(down, ${window})`,
  isJudged: 'up + down > 0',
}

/** Single readings, since rollups do not know how many were slower than a limit. */
const readingsWithin = (latencyMsMax: number): Source => {
  const isSlow = 'latency_ms > {latencyMsMax:UInt32}'
  return {
    table: () => 'readings_raw',
    at: 'slot',
    good: (window) => `countIf(verdict = 'up' and not ${isSlow} and ${window})`,
    failed: (window) => `countIf((verdict = 'down' or (verdict = 'up' and ${isSlow})) and ${window})`,
    // an agent that was busy leaves the latency out: the probe counts neither way
    isJudged: `kind = 'scheduled' and (verdict = 'down' or (verdict = 'up' and latency_ms is not null))`,
    latencyMsMax,
  }
}

/**
 * The counts of these checks; one without judged probes is left out. Two queries of the rollups for each 1,000 checks.
 * @param longestDays longer windows are not read, and are empty
 * @param latencyMsMax up probes that took longer count as down; counted as far back as single readings are kept
 */
export const probeCountsOf = async (
  clickhouse: ClickHouse,
  {
    checkIds,
    longestDays,
    latencyMsMax = null,
  }: { checkIds: readonly string[]; longestDays: number; latencyMsMax?: number | null },
  nowMs: number,
  signal: AbortSignal,
): Promise<Map<string, ProbeCounts>> => {
  const counts = new Map<string, ProbeCounts>()
  const source = latencyMsMax === null ? rollups : readingsWithin(latencyMsMax)
  const entries = Object.entries(hourWindows) as [keyof typeof hourWindows, number][]
  const read = entries.filter(([, hours]) => hours <= longestDays * 24)
  const hourSteps = Object.fromEntries(read) as typeof hourWindows
  for (let at = 0; at < checkIds.length; at += checksPerQuery) {
    const ids = checkIds.slice(at, at + checksPerQuery)
    const countsIn = <W extends CountedWindow>(stepMs: number, steps: Record<W, number>) =>
      readWindows(clickhouse, { source, stepMs, steps, ids, nowMs, signal })
    const [hours, minutes] = await Promise.all([
      countsIn(hourMs, hourSteps),
      countsIn(minuteMs, minuteWindows),
    ])
    for (const { id, windows } of hours) {
      const recent = minutes.find((each) => each.id === id)?.windows ?? emptyWindows(minuteWindows)
      counts.set(id, { ...noProbes, ...recent, ...windows })
    }
  }
  return counts
}

const emptyWindows = <W extends CountedWindow>(steps: Record<W, number>): Record<W, Counted> =>
  Object.fromEntries(
    Object.keys(steps).map((window) => [window, { up: 0, down: 0, most: 0, firstMs: null }]),
  ) as Record<W, Counted>

/** No probe was judged. */
export const noProbes: ProbeCounts = { ...emptyWindows(minuteWindows), ...emptyWindows(hourWindows) }

type Asked<W extends CountedWindow> = {
  source: Source
  stepMs: number
  steps: Record<W, number>
  ids: readonly string[]
  nowMs: number
  signal: AbortSignal
}

const readWindows = async <W extends CountedWindow>(
  clickhouse: ClickHouse,
  { source, stepMs, steps, ids, nowMs, signal }: Asked<W>,
): Promise<{ id: string; windows: Record<W, Counted> }[]> => {
  const entries = Object.entries<number>(steps) as [W, number][]
  const { at, latencyMsMax = 0 } = source
  const toMs = (Math.floor(nowMs / stepMs) + 1) * stepMs
  const from = (count: number): number => stepFrom(nowMs, stepMs, count) / 1000
  const columns = entries.map((_, index) => {
    const inWindow = `${at} >= toDateTime({from${index}:UInt32}, 'UTC')`
    return `${source.good(inWindow)} as up${index}, ${source.failed(inWindow)} as down${index},
        minIf(toUnixTimestamp(${at}), ${inWindow}) as first${index}`
  })
  const ofRegions = entries.map(
    (_, index) => `sum(up${index}) as up${index}_, sum(down${index}) as down${index}_,
        max(up${index} + down${index}) as most${index}_, minIf(first${index}, first${index} > 0) as first${index}_`,
  )
  const result = await clickhouse.query({
    query: `
      select toString(check_id) as id, ${ofRegions.join(', ')}
      from (
        select check_id, region, ${columns.join(', ')}
        from ${source.table(stepMs)}
        where check_id in {ids:Array(UUID)} and ${source.isJudged}
          and ${at} >= toDateTime({since:UInt32}, 'UTC') and ${at} < toDateTime({to:UInt32}, 'UTC')
        group by check_id, region)
      group by check_id`,
    query_params: {
      ids,
      latencyMsMax,
      to: toMs / 1000,
      since: from(Math.max(...entries.map(([, count]) => count))),
      ...Object.fromEntries(entries.map(([, count], index) => [`from${index}`, from(count)])),
    },
    format: 'JSONEachRow',
    abort_signal: signal,
  })
  const rows = await result.json<{ id: string } & Record<string, number | string>>()
  return rows.map((row) => ({
    id: row.id,
    windows: Object.fromEntries(
      entries.map(([window], index) => {
        // 0: no row is in the window
        const first = Number(row[`first${index}_`])
        return [
          window,
          {
            up: Number(row[`up${index}_`]),
            down: Number(row[`down${index}_`]),
            most: Number(row[`most${index}_`]),
            firstMs: first === 0 ? null : Math.floor((first * 1000) / stepMs) * stepMs,
          },
        ]
      }),
    ) as Record<W, Counted>,
  }))
}
