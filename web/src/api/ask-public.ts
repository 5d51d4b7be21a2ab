import { publicPageRoutes } from '@probe-mesh/contracts/public-page'
import { createRouteClient } from '@probe-mesh/contracts/route-client'
import type { Exchange } from '@probe-mesh/contracts/route-client'
import type { z } from 'zod'
import { readProblem } from './ask.ts'
import type { Asked } from './ask.ts'

type Table = typeof publicPageRoutes
type SentOf<R> = (R extends { params: infer P extends z.ZodType }
  ? { params: z.input<P> }
  : unknown) &
  (R extends { query: infer Q extends z.ZodType } ? { query: z.input<Q> } : unknown)

/** What the control plane says to everybody, without a session. */
export type AskPublic = <N extends keyof Table>(
  name: N,
  input: SentOf<Table[N]>,
) => Promise<Asked<z.output<Table[N]['output']>>>

/** @param exchange carries where a request came from, and no cookie */
export const createAskPublic = (exchange: Exchange): AskPublic => {
  const client = createRouteClient(publicPageRoutes as never, readProblem, {
    apiUrl: 'http://control-plane',
    fetch: exchange,
  })
  return async (name, input) => {
    const answer = await client.call(name as never, input as never)
    return answer.ok
      ? { ok: true, value: answer.value as never }
      : { ok: false, problem: answer.problem, retryAfter: answer.headers.get('retry-after') }
  }
}
