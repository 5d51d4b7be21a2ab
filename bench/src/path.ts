import type { BenchContext } from './harness/run-bench.ts'
import { withStores } from './harness/stores.ts'
import { measureAgent } from './path/agent.ts'
import { measureIngest } from './path/ingest.ts'
import { measureRest } from './path/rest.ts'

/** What a reading costs on its way: the agent's scheduling, ingest, and `GET /v1/checks/:id`. */
export const measurePath = async (context: BenchContext): Promise<void> => {
  await measureAgent(context)
  await withStores(async (stores) => {
    await measureIngest(context, stores)
    await measureRest(context, stores)
  })
}
