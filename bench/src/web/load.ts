import { repeatsOf } from '../repeats.ts'
import type { BenchContext } from '../run-bench.ts'
import { startChild } from '../child.ts'
import { median } from '../statistics.ts'
import { slug } from './fill.ts'
import type { Filled } from './fill.ts'
import type { LoadAnswer, LoadQuestion } from './load-process.ts'

const script = new URL('load-process.ts', import.meta.url)
const connections = 8

/** What people open in turn, the list of ten thousand checks among it once. */
const pagesOf = ({ checkId }: Filled): string[] => [
  '/dashboard/checks',
  `/dashboard/checks/${checkId}`,
  `/dashboard/checks/${checkId}/readings`,
  '/dashboard/checks/new/http',
  '/dashboard/pages',
  '/dashboard/incidents',
  '/dashboard/channels',
  '/dashboard/audit',
  '/dashboard/keys',
  `/status/${slug}`,
]

/** Mixed pages and single ones over eight connections, beside an empty page over the same. */
export const measureLoad = async (
  { quick, say, report }: BenchContext,
  { app, empty, filled }: { app: string; empty: string; filled: Filled },
): Promise<void> => {
  const child = startChild(script)
  try {
    const mixed = pagesOf(filled)
    const single = ['/dashboard/keys']
    const run = (
      origin: string,
      paths: readonly string[],
      seconds: number,
    ): Promise<LoadAnswer> => {
      const { cookies } = filled
      const question: LoadQuestion = { origin, paths, cookies, connections, seconds }
      return child.ask<LoadAnswer>(question)
    }
    say(`load: warming up, then ${connections} connections on each in turn`)
    await run(app, mixed, 2)
    await run(empty, ['/'], 1)
    const rounds: Record<'mixed' | 'keys' | 'empty', LoadAnswer>[] = []
    for (let n = 0; n < repeatsOf(quick); n++) {
      rounds.push({
        mixed: await run(app, mixed, quick ? 3 : 5),
        keys: await run(app, single, quick ? 1 : 2),
        empty: await run(empty, ['/'], 1),
      })
    }
    for (const name of ['mixed', 'keys', 'empty'] as const) {
      const of = (figure: 'p50Ms' | 'p99Ms') => rounds.map((round) => round[name][figure])
      const perSecond = rounds.map((round) => round[name].pages / round[name].seconds)
      const context = { connections, runs: of('p50Ms'), pagesPerSecond: median(perSecond) }
      report({ figure: `load_${name}_p50`, value: median(of('p50Ms')), unit: 'ms', context })
      report({
        figure: `load_${name}_p99`,
        value: median(of('p99Ms')),
        unit: 'ms',
        context: { connections, runs: of('p99Ms') },
      })
    }
  } finally {
    await child.close()
  }
}
