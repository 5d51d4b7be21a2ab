import { catalogChecksOf } from '@probe-mesh/control-plane/src/catalog/catalog-checks'
import { connectClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { expect } from 'vitest'
import { answerTo } from './expect-service.ts'
import type { Means } from './scenario.ts'
import { catalogOf, type Listed } from './services.ts'

/**
 * Compares the oldest reported outage of a service that failed once with its stored readings: it started with
 * the first failing reading, and ended with the first good one of the last region.
 */
export const expectStoredOutage = async ({ fleet, client }: Means, listed: Listed): Promise<void> => {
  const params = { slug: listed.slug }
  const { incidents } = await answerTo(client, 'listRecentIncidents', { params })
  const { startedAt, endedAt } = incidents.at(-1) ?? { startedAt: '', endedAt: null }
  const stored = await readOutage(fleet, listed)
  expect([Date.parse(startedAt), Date.parse(endedAt ?? '')]).toEqual([stored.first, stored.last])
}

const readOutage = async (
  { clickhouseUrl, target }: Means['fleet'],
  listed: Listed,
): Promise<{ first: number; last: number }> => {
  const checks = catalogChecksOf(catalogOf([listed], [], target.portOf))
  const clickhouse = connectClickHouse(clickhouseUrl)
  try {
    const result = await clickhouse.query({
      query: `
        with failing as (
          select region, min(measured_at) as from_at, max(measured_at) as to_at from readings_raw
          where check_id in {checkIds:Array(UUID)} and verdict = 'down' group by region
        )
        select toUnixTimestamp64Milli(min(from_at)) as first,
          toUnixTimestamp64Milli(max(good_at)) as last
        from (
          select region, any(from_at) as from_at, min(measured_at) as good_at
          from readings_raw join failing using (region)
          where check_id in {checkIds:Array(UUID)} and verdict = 'up' and measured_at > to_at
          group by region
        )`,
      query_params: { checkIds: checks.map(({ checkId }) => checkId) },
      format: 'JSONEachRow',
    })
    const [row] = await result.json<{ first: number; last: number }>()
    return row ?? { first: 0, last: 0 }
  } finally {
    await clickhouse.close()
  }
}
