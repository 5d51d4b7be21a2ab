import { dashboardRoutes } from '@probe-mesh/contracts/dashboard-routes'
import { loginRoutes, ownSessionRoutes } from '@probe-mesh/contracts/login-routes'
import { Problem } from '@probe-mesh/contracts/refusal'
import { createRouteClient } from '@probe-mesh/contracts/route-client'
import type { Exchange } from '@probe-mesh/contracts/route-client'
import { routes } from '@probe-mesh/contracts/routes'
import type { InputOf } from '@probe-mesh/contracts/routes'
import type { z } from 'zod'

/** Every route that a session may use, below `/dashboard-api`. */
const table = { ...routes, ...dashboardRoutes, ...loginRoutes, ...ownSessionRoutes }
type Table = typeof table
export type AskedRoute = keyof Table

export type Asked<T> =
  | { ok: true; value: T }
  /** @param retryAfter seconds, where the API says when to come back */
  | { ok: false; problem: Problem; retryAfter: string | null }

/** The control plane's API in the name of whoever sent a request: the pages ask nothing else. */
export type Ask = <N extends AskedRoute>(
  name: N,
  input: SentOf<Table[N]>,
) => Promise<Asked<z.output<Table[N]['output']>>>

/** What a caller sends: of the body and the query, what their schemas take in. */
type SentOf<R> = Omit<InputOf<R>, 'body' | 'query'> &
  (R extends { body: infer B extends z.ZodType } ? { body: z.input<B> } : unknown) &
  (R extends { query: infer Q extends z.ZodType } ? { query: z.input<Q> } : unknown)

/** @param exchange carries the request's cookie and where it came from */
export const createAsk = (exchange: Exchange): Ask => {
  const client = createRouteClient(table as never, readProblem, {
    apiUrl: 'http://control-plane/dashboard-api',
    fetch: exchange,
  })
  return async (name, input) => {
    const answer = await client.call(name as never, input as never)
    return answer.ok
      ? { ok: true, value: answer.value as never }
      : { ok: false, problem: answer.problem, retryAfter: answer.headers.get('retry-after') }
  }
}

/** null where an answer is no problem. */
export const readProblem = (answer: unknown): Problem | null => {
  const problem = Problem.safeParse(answer)
  return problem.success ? problem.data : null
}
