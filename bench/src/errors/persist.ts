import type { Sql } from '@probe-mesh/control-plane/stores/postgres/connect'
import type { Stores } from '@probe-mesh/infra/start/stores/stores'
import { askOnce } from '../child.ts'
import { withClickHouseDatabase } from '../path/fresh-clickhouse.ts'
import { repeatsOf } from '../repeats.ts'
import type { BenchContext } from '../run-bench.ts'
import { median } from '../statistics.ts'
import { countedOf, createErrorAccount } from './bench-projects.ts'
import type { PersistAnswer, PersistQuestion } from './persist-process.ts'

const script = new URL('persist-process.ts', import.meta.url)

type Pair = { persist: PersistAnswer; insert: PersistAnswer }

/**
 * Events a second from the stream into ClickHouse, an issue and the counts, each exactly once. Beside
 * the client's inserts of the same rows, as many at a time.
 */
export const measurePersist = async (
  context: BenchContext & { stores: Stores; sql: Sql },
): Promise<void> => {
  const { stores, sql, quick, say } = context
  const events = quick ? 2_000 : 20_000
  const pairs: Pair[] = []
  for (let n = 1; n <= repeatsOf(quick); n++) {
    say(`persist, pair ${n}: ${events} events`)
    const { projects } = await createErrorAccount(sql, `persist ${n}`)
    const run = (kind: PersistQuestion['kind']): Promise<PersistAnswer> =>
      withClickHouseDatabase(
        stores.clickhouseUrl,
        `bench_${kind}_${n}`,
        async (clickhouseUrl, database) => {
          const question: PersistQuestion = {
            kind,
            databaseUrl: stores.databaseUrl,
            clickhouseUrl,
            projectIds: projects.map(({ id }) => id),
            events,
          }
          const answer = await askOnce<PersistAnswer>(script, question)
          const result = await database.query({
            query: 'select count() as rows, uniqExact(event_id) as ids from error_occurrences',
            format: 'JSONEachRow',
          })
          const [stored] = await result.json<{ rows: number; ids: number }>()
          if (stored?.rows !== events || stored.ids !== events) {
            throw new Error(`${kind}: stored ${JSON.stringify(stored)} of ${events}`)
          }
          return answer
        },
      )
    const pair = { persist: await run('persist'), insert: await run('insert') }
    const counted = await countedOf(sql, projects)
    if (counted['stored'] !== events) throw new Error(`counted ${JSON.stringify(counted)}`)
    pairs.push(pair)
  }
  report(context, pairs, events)
}

const report = ({ report }: BenchContext, pairs: readonly Pair[], events: number): void => {
  for (const name of ['persist', 'insert'] as const) {
    const prefix = name === 'persist' ? 'persisted' : 'raw_insert'
    const perSecond = pairs.map((pair) => events / pair[name].seconds)
    const cpu = pairs.map((pair) => (pair[name].cpuSeconds / events) * 1_000)
    const perBatch = median(pairs.map((pair) => events / pair[name].batches))
    report({
      figure: `${prefix}_events_per_second`,
      value: median(perSecond),
      unit: 'events/s',
      context: { runs: perSecond, eventsPerBatch: perBatch },
    })
    report({
      figure: `${prefix}_cpu_per_1000_events`,
      value: median(cpu),
      unit: 'CPU s',
      context: { runs: cpu },
    })
  }
  const ratios = pairs.map(({ persist, insert }) => insert.seconds / persist.seconds)
  report({
    figure: 'persisted_to_raw_insert',
    value: median(ratios),
    unit: 'ratio',
    aim: { atLeast: 0.3 },
    context: { runs: ratios },
  })
}
