import type { Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import type { Stores } from '@probe-mesh/infra/start/stores/stores'
import { withFolder } from '../folder.ts'
import { repeatsOf } from '../repeats.ts'
import type { BenchContext } from '../run-bench.ts'
import { median } from '../statistics.ts'
import { createErrorAccount } from './bench-projects.ts'
import type { BenchAccount } from './bench-projects.ts'
import { expectStatuses, startApp, startFloor, startLoad } from './servers.ts'
import type { Load, Run, Server } from './servers.ts'

/** What a project may send in a second, and ten times as much, which is sent. */
const allowedPerSecond = 50
const floodPerSecond = 10 * allowedPerSecond
const asksPerSecond = 100
const eventsPerMonth = 1_000_000

/** What others ask for meanwhile. */
const routesOf = ({ projects }: BenchAccount) =>
  ({
    healthz: '/healthz',
    rest: `/v1/errors/projects/${projects[0]?.id}/issues`,
    answer: '/v1/public/services/github/status',
    page: '/weather',
  }) as const
type Route = keyof ReturnType<typeof routesOf>
type Kind = 'rate' | 'quota'
/** `elsewhere`: the same flood goes to another process, which shows what this machine's two cores do to anybody. */
type Pair = { calm: Run; elsewhere: Run; flooded: Run; flood: Run }

/**
 * Ten times the events that a project's rate allows, and as many of an account whose month is spent:
 * what that does to everybody else, in turn with the same without it.
 */
export const measureFlood = (context: BenchContext & { stores: Stores; sql: Sql }): Promise<void> =>
  withFolder(async (folder) => {
    const { stores, sql, quick, say } = context
    const rate = await createErrorAccount(sql, 'flood')
    const quota = await createErrorAccount(sql, 'spent')
    await spend(sql, quota)
    const [asker, sender] = [startLoad(), startLoad()]
    const app = await startApp({
      stores,
      folder,
      name: 'flood',
      persists: true,
      eventsPerSecond: allowedPerSecond,
      eventsPerMonth,
    })
    const floor = await startFloor()
    try {
      const routes = routesOf(rate)
      const pairs: Record<Kind, Map<Route, Pair[]>> = { rate: new Map(), quota: new Map() }
      say('flood: warming up')
      for (const path of Object.values(routes)) await ask(asker, app, path, rate, 1)
      // the door has heard of the account, and learns within seconds that it is spent
      await flood(sender, app, quota, 4)
      for (let n = 1; n <= repeatsOf(quick); n++) {
        say(`flood, round ${n}: ${floodPerSecond} events a second`)
        for (const [kind, account] of [
          ['rate', rate],
          ['quota', quota],
        ] as const) {
          for (const [route, path] of Object.entries(routes) as [Route, string][]) {
            const seconds = quick ? 1 : 4
            const asking = () => ask(asker, app, path, rate, seconds)
            const calm = await asking()
            const [elsewhere] = await Promise.all([
              asking(),
              flood(sender, floor, account, seconds),
            ])
            const [flooded, sent] = await Promise.all([
              asking(),
              flood(sender, app, account, seconds),
            ])
            const known = pairs[kind].get(route) ?? []
            pairs[kind].set(route, [...known, { calm, elsewhere, flooded, flood: sent }])
          }
        }
      }
      report(context, pairs)
    } finally {
      await Promise.all([asker.close(), sender.close(), app.child.close(), floor.child.close()])
    }
  })

const ask = async (
  load: Load,
  app: Server,
  path: string,
  { apiKey }: BenchAccount,
  seconds: number,
): Promise<Run> => {
  const headers: Record<string, string> = path.startsWith('/v1/errors')
    ? { authorization: `Bearer ${apiKey}` }
    : {}
  const question = { kind: 'asks', paths: [path], headers, connections: 8, seconds } as const
  const run = await load.run(app, { ...question, perSecond: asksPerSecond })
  expectStatuses(run, [200])
  return run
}

/** Of one project, over as many connections as a busy client has. */
const flood = async (
  load: Load,
  app: Server,
  { projects }: BenchAccount,
  seconds: number,
): Promise<Run> => {
  const paths = projects.slice(0, 1).map(({ path }) => path)
  const perSecond = floodPerSecond
  const run = await load.run(app, { kind: 'events', paths, connections: 16, seconds, perSecond })
  expectStatuses(run, [200, 429])
  return run
}

/** As if a month's events had come. */
const spend = async (sql: Sql, { id, projects }: BenchAccount): Promise<void> => {
  await sql`
    insert into error_counts (project_id, month, outcome, account_id, events)
    values (${projects[0]?.id ?? ''}, date_trunc('month', now() at time zone 'utc')::date, 'stored',
      ${id}, ${eventsPerMonth})`
}

const report = ({ report }: BenchContext, all: Record<Kind, Map<Route, Pair[]>>): void => {
  for (const [kind, byRoute] of Object.entries(all)) {
    for (const [route, pairs] of byRoute) {
      const calm = median(pairs.map((pair) => pair.calm.p99Ms))
      const flooded = pairs.map((pair) => pair.flooded.p99Ms)
      const refused = median(
        pairs.map(({ flood }) => (flood.statuses['429'] ?? 0) / flood.requests),
      )
      const perSecond = median(pairs.map(({ flood }) => flood.perSecond))
      const elsewhere = median(pairs.map((pair) => pair.elsewhere.p99Ms))
      const context = {
        runs: flooded,
        calm,
        elsewhere,
        floodPerSecond: perSecond,
        refusedShare: refused,
      }
      report({ figure: `flood_${kind}_${route}_p99`, value: median(flooded), unit: 'ms', context })
      const ratios = pairs.map((pair) => pair.flooded.p99Ms / pair.calm.p99Ms)
      const aim = { atMost: 2 }
      report({
        figure: `flood_${kind}_${route}_p99_to_calm`,
        value: median(ratios),
        unit: 'ratio',
        aim,
        context: { runs: ratios },
      })
      const toElsewhere = pairs.map((pair) => pair.flooded.p99Ms / pair.elsewhere.p99Ms)
      report({
        figure: `flood_${kind}_${route}_p99_to_elsewhere`,
        value: median(toElsewhere),
        unit: 'ratio',
        context: { runs: toElsewhere },
      })
    }
    const pairs = [...byRoute.values()].flat()
    const cpu = pairs.map(({ calm, flood }) =>
      Math.max(0, flood.cpuMs - (calm.cpuMs * calm.requests) / flood.requests),
    )
    report({
      figure: `flood_${kind}_cpu_per_event`,
      value: median(cpu),
      unit: 'CPU ms',
      context: { runs: cpu },
    })
  }
}
