import { measureAccept } from './errors/accept.ts'
import { measureSearch } from './errors/search.ts'
import type { BenchContext } from './harness/run-bench.ts'
import { withStores } from './harness/stores.ts'

/** What an accepted error event costs. */
export const measureErrors = (context: BenchContext): Promise<void> =>
  withStores((stores) => measureAccept(context, stores))

/** How long a search of a million occurrences takes. */
export const measureErrorSearch = (context: BenchContext): Promise<void> =>
  withStores((stores) => measureSearch(context, stores))
