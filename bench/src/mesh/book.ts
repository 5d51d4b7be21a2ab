import { regionsDefault } from '@probe-mesh/contracts/reading/regions'
import { askOnce } from '../child.ts'
import type { BenchContext } from '../run-bench.ts'
import type { BookAnswer, BookQuestion } from './book-process.ts'
import { createCheckedDatabase } from './databases.ts'
import type { MeshServers } from './servers.ts'

const script = new URL('book-process.ts', import.meta.url)
const checksOf = (quick: boolean): number => (quick ? 10_000 : 50_000)

/** What the assessor remembers of a check in a region, in bytes. */
export const measureBook = async (
  context: BenchContext & { servers: MeshServers },
): Promise<void> => {
  const { servers, quick, say, report } = context
  const checks = checksOf(quick)
  const regions = regionsDefault
  say(`assessor: ${checks} checks in ${regions.length} regions`)
  const how = { count: checks, regions, intervalSeconds: 60 }
  const databaseUrl = await createCheckedDatabase(servers.postgresUrl, 'bench_mesh_book', how)
  const workload = { checks, regions, slots: 1, fromMs: Date.now() - 60_000 }
  const question = { databaseUrl, workload } satisfies BookQuestion
  const answer = await askOnce<BookAnswer>(script, question, ['--expose-gc'])
  if (answer.checks !== checks) throw new Error(`${answer.checks} of ${checks} checks in the book`)
  const bytes = answer.fullBytes - answer.emptyBytes
  report({
    figure: 'mesh_assessor_bytes_per_check_and_region',
    value: Math.round(bytes / checks / regions.length),
    unit: 'bytes',
    context: { checks, regions: regions.length, mib: bytes / 2 ** 20 },
  })
}
