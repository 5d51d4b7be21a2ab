import { createApiClient } from '@probe-mesh/contracts/api/client'
import { createChecks } from '@probe-mesh/acceptance/testing/create-checks'
import { createTestAccount } from '@probe-mesh/infra/testing/processes/account'
import { startProcesses, type Processes } from '@probe-mesh/infra/testing/processes/processes'
import { setTimeout as wait } from 'node:timers/promises'
import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import { withClosers } from './harness/scope.ts'
import { growthFigure } from './harness/growth.ts'
import { until } from './harness/until.ts'
import { startFailingSite, startReceiver, type FailingSite, type Receiver } from './outage/ends.ts'
import type { BenchContext } from './harness/run-bench.ts'
import { median, percentile } from './harness/statistics.ts'

const regions = ['iad', 'fra']
/** Checks that fail one after another, this far apart. */
const alone = (quick: boolean): number => (quick ? 3 : 20)
const apartMs = 5_000
/** Checks that fail in the same instant, of as many accounts. */
const together = (quick: boolean): number[] => (quick ? [10] : [10, 100, 1_000])
/** Two slots, and the time to notify. */
const notifiedMsMax = 90_000
/** The confirmation by the second region, and the two seconds in which the alerter collects messages. */
const aims = { p50: 2_500, p99: 3_000 } as const
/** The sizes that the aims hold for: one check, and the largest outage. */
const isAimed = (work: number): boolean => work === 1 || work === 1_000

/**
 * How long it takes from the first byte of a target's first failing response to a notification that arrived
 * whole, through a mesh of processes at an interval of 30 s.
 */
export const measureOutage = (context: BenchContext): Promise<void> =>
  withClosers(async (keep) => {
    const site = keep(await startFailingSite())
    const receiver = keep(await startReceiver())
    const tiers = { scale: { intervalSecondsMin: 1 } }
    // the receiver of the webhooks is on this machine
    const environment = { CHANNEL_ALLOW: '127.0.0.0/8' }
    context.log('starting the mesh')
    const mesh = keep(
      await startProcesses({
        regions,
        tiers,
        budgetScale: 10_000,
        agentsPerRegion: 1,
        environment,
      }),
    )
    const sizes = [alone(context.quick), ...together(context.quick)]
    const count = sizes.reduce((sum, size) => sum + size, 0)
    context.log(`${count} accounts, each with a check and a webhook`)
    const paths = Array.from({ length: count }, (_, n) => `/${n}`)
    for (const some of Array.from({ length: Math.ceil(count / 8) }, (_, n) =>
      paths.slice(8 * n, 8 * n + 8),
    )) {
      await Promise.all(
        some.map((path) =>
          createWatchedAccount(mesh, { target: site.url(path), webhook: receiver.url(path) }),
        ),
      )
    }
    await allOperational(mesh.databaseUrl, count)
    await failAll(context, { site, receiver, paths })
  })

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
  const { quick, log, report } = context
  const single = paths.slice(0, alone(quick))
  log(`${single.length} fail by themselves, ${apartMs / 1_000} s apart`)
  for (const path of single) {
    ends.site.fail(path)
    await wait(apartMs)
  }
  const series = [{ work: 1, delays: await delaysOf(ends, single) }]
  let from = single.length
  for (const size of together(quick)) {
    const some = paths.slice(from, from + size)
    from += size
    log(`${size} fail at once`)
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
        runs: delays,
        unit: 'ms',
        aim: isAimed(work) ? { atMost: aims[label] } : undefined,
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

/** Waits for every alert. @returns the time from each first failing byte to its alert, ms */
const delaysOf = async ({ site, receiver }: Ends, paths: readonly string[]): Promise<number[]> => {
  const endMs = Date.now() + notifiedMsMax
  for (;;) {
    const delays = paths.flatMap((path) => {
      const [failedAt, alertedAt] = [site.firstFailedAt(path), receiver.alertedAt(path)]
      return failedAt === null || alertedAt === null ? [] : [alertedAt - failedAt]
    })
    if (delays.length === paths.length) return delays
    if (Date.now() > endMs) throw new Error(`${delays.length} of ${paths.length} alerts arrived`)
    await wait(50)
  }
}

/** Creates an account with one check of 30 s in all regions, and a webhook for its alerts. */
const createWatchedAccount = async (
  mesh: Pick<Processes, 'apiUrl' | 'databaseUrl'>,
  { target, webhook }: { target: string; webhook: string },
): Promise<string> => {
  const account = { apiUrl: mesh.apiUrl, apiKey: await createTestAccount(mesh.databaseUrl) }
  const client = createApiClient(account)
  const body = { name: 'webhook', type: 'json', config: { url: webhook } } as const
  const channel = await client.call('createChannel', { body })
  if (!channel.ok) throw new Error(channel.problem.message)
  const tried = await client.call('testChannel', { params: { id: channel.value.id } })
  if (!tried.ok) throw new Error(tried.problem.message)
  const [id] = await createChecks(account, [{ name: 'shop', url: target, intervalSeconds: 30 }])
  if (id === undefined) throw new Error('no check was made')
  return id
}
