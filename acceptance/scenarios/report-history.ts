import { quarterMs, usualQuarters } from '@probe-mesh/control-plane/src/public-answers/unusual-reports'
import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import { writeReportCounts } from '@probe-mesh/control-plane/src/public-answers/reports/report-counts-store'

const writer = '00000000-0000-8000-8000-000000000001'
/** Scripts advance the clock by little more than an hour. */
const quartersAhead = 8

/** Stores eight weeks of reports about a service, with the same number in each quarter of an hour. */
export const storeReportHistory = async (
  { databaseUrl, nowMs }: { databaseUrl: string; nowMs: number },
  { slug, usualReports }: { slug: string; usualReports: number },
): Promise<void> => {
  const instants = Array.from({ length: quartersAhead + 1 }, (_, at) => nowMs + at * quarterMs)
  const quarters = [...new Set(instants.flatMap((atMs) => usualQuarters(atMs).map(({ fromMs }) => fromMs)))]
  const sql = connectPostgres(databaseUrl, { role: 'probe_mesh_system', connectionsMax: 1 })
  try {
    const counts = quarters.map((quarterMs) => ({
      slug,
      region: 'unknown' as const,
      quarterMs,
      reports: usualReports,
    }))
    await writeReportCounts(sql, writer, { sequence: 1, quarters, counts }, nowMs)
  } finally {
    await sql.end({ timeout: 5 })
  }
}
