import type { BenchContext } from '../harness/run-bench.ts'
import { withClosers } from '../harness/scope.ts'
import { reportServed, startLoad, type Server } from '../harness/served-load.ts'
import { roundsOf, takeTurns } from '../harness/turns.ts'
import { slug, type Filled } from './fill.ts'

const connections = 8

/** What people open, the list of 10,000 checks once. */
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

/** Mixed pages and one small page over eight connections, beside an empty page over as many. */
export const measureLoad = (
  context: BenchContext,
  { app, empty, filled }: { app: Server; empty: Server; filled: Filled },
): Promise<void> =>
  withClosers(async (keep) => {
    const { quick, log } = context
    const load = keep(startLoad())
    // a session may read 600 times a minute, so that every request is another session's
    const prepare = (paths: readonly string[]) =>
      load.prepare(
        app,
        filled.cookies.flatMap((cookie) => paths.map((path) => ({ path, headers: { cookie } }))),
        connections,
      )
    const mixed = await prepare(pagesOf(filled))
    const keys = await prepare(['/dashboard/keys'])
    const nothing = await load.prepare(empty, [{ path: '/' }], connections)
    log(`load: warming up, then ${connections} connections on each in turn`)
    await mixed(2)
    await nothing(1)
    const rounds = await takeTurns(roundsOf(quick), {
      mixed: () => mixed(quick ? 3 : 5),
      keys: () => keys(quick ? 1 : 2),
      empty: () => nothing(1),
    })
    for (const name of ['mixed', 'keys', 'empty'] as const) {
      const what = { one: 'page', many: 'pages' }
      reportServed(
        context,
        `load_${name}`,
        rounds.map((round) => round[name]),
        what,
      )
    }
  })
