import { setTimeout as wait } from 'node:timers/promises'
import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import { startProcesses } from '@probe-mesh/infra/testing/processes/processes'
import { closeAll } from '@probe-mesh/infra/start/processes/close-all'
import { growthFigure } from './growth.ts'
import { until } from './mesh/until.ts'
import { startFailingSite } from './outage/failing-site.ts'
import type { FailingSite } from './outage/failing-site.ts'
import { startReceiver } from './outage/receiver.ts'
import type { Receiver } from './outage/receiver.ts'
import { createWatchedAccount } from './outage/watched-account.ts'
import type { BenchContext } from './run-bench.ts'
import { median, percentile } from './statistics.ts'

const regions = ['iad', 'fra']
/** Checks that fail each by itself, this far apart. */
const alone = (quick: boolean): number => (quick ? 3 : 20)
const apartMs = 5_000
/** Checks that fail in the same instant, of as many accounts. */
const together = (quick: boolean): number[] => (quick ? [10] : [10, 100])
/** Two slots, and what telling takes. */
const toldMsMax = 90_000
/** What an account with one check and one webhook may wait for: the slot of the second region, and the gathering. */
const aimMs = 20_000

/**
 * How long it takes from the first failing byte that a target sends to a notification that arrived
 * whole, through a mesh of processes at an interval of 30 s.
 */
export const measureOutage = async (context: BenchContext): Promise<void> => {
  const closers: (() => Promise<void>)[] = []
  const keep = <C extends { close(): Promise<void> }>(one: C): C => {
    closers.push(() => one.close())
    return one
  }
  try {
    const site = keep(await startFailingSite())
    const receiver = keep(await startReceiver())
    const tiers = { scale: { intervalSecondsMin: 1 } }
    context.say('starting the mesh')
    const mesh = keep(
      await startProcesses({ regions, tiers, budgetScale: 10_000, agentsPerRegion: 1 }),
    )
    const sizes = [alone(context.quick), ...together(context.quick)]
    const count = sizes.reduce((sum, size) => sum + size, 0)
    context.say(`${count} accounts, each with a check and a webhook`)
    const paths = Array.from({ length: count }, (_, n) => `/${n}`)
    for (const path of paths) {
      await createWatchedAccount(mesh, { target: site.url(path), webhook: receiver.url(path) })
    }
    await allOperational(mesh.databaseUrl, count)
    await failAll(context, { site, receiver, paths })
  } finally {
    await closeAll(closers)
  }
}

const allOperational = async (databaseUrl: string, count: number): Promise<void> => {
  const sql = connectPostgres(databaseUrl, { connectionsMax: 1 })
  try {
    await until('every check is operational', async () => {
      const [row] = await sql<{ count: number }[]>`
        select count(*)::integer as count from check_states where status = 'operational'`
      return row?.count === count
    })
  } finally {
    await sql.end()
  }
}

type Ends = { site: FailingSite; receiver: Receiver }

const failAll = async (
  context: BenchContext,
  { paths, ...ends }: Ends & { paths: readonly string[] },
): Promise<void> => {
  const { quick, say, report } = context
  const single = paths.slice(0, alone(quick))
  say(`${single.length} fail by themselves, ${apartMs / 1_000} s apart`)
  for (const path of single) {
    ends.site.fail(path)
    await wait(apartMs)
  }
  const series = [{ work: 1, delays: await delaysOf(ends, single) }]
  let from = single.length
  for (const size of together(quick)) {
    const some = paths.slice(from, from + size)
    from += size
    say(`${size} fail at once`)
    for (const path of some) ends.site.fail(path)
    series.push({ work: size, delays: await delaysOf(ends, some) })
  }
  for (const { work, delays } of series) {
    const name = work === 1 ? 'flip_to_webhook' : `flip_to_webhook_of_${work}`
    for (const [label, share] of [
      ['p50', 0.5],
      ['p99', 0.99],
    ] as const) {
      report({
        figure: `${name}_${label}`,
        value: percentile(delays, share),
        unit: 'ms',
        ...(work === 1 ? { aim: { atMost: aimMs } } : {}),
        context: { runs: delays },
      })
    }
  }
  report(
    growthFigure({
      figure: 'flip_to_webhook',
      of: 'first failing byte to notification, median',
      in: 'checks that fail at once',
      unit: 'ms',
      steps: series.map(({ work, delays }) => ({ work, cost: median(delays) })),
    }),
  )
}

/** Waits until all of them are told of. @returns from each first failing byte to its alert, ms */
const delaysOf = async ({ site, receiver }: Ends, paths: readonly string[]): Promise<number[]> => {
  const endMs = Date.now() + toldMsMax
  for (;;) {
    const delays = paths.flatMap((path) => {
      const [failedAt, toldAt] = [site.firstFailedAt(path), receiver.alertedAt(path)]
      return failedAt === null || toldAt === null ? [] : [toldAt - failedAt]
    })
    if (delays.length === paths.length) return delays
    if (Date.now() > endMs) throw new Error(`${delays.length} of ${paths.length} were told of`)
    await wait(50)
  }
}
