import { dashboardRoutes } from '@probe-mesh/contracts/api/dashboard-routes'
import { loginRoutes, ownSessionRoutes } from '@probe-mesh/contracts/account/login-routes'
import { Problem } from '@probe-mesh/contracts/schema/refusal'
import { createRouteClient, type Exchange } from '@probe-mesh/contracts/api/route-client'
import { routes, type Route } from '@probe-mesh/contracts/api/routes'
import type { Sent, SentQuery } from '@probe-mesh/contracts/schema/route'
import type { z } from 'zod'

/** Every route that a session may use, below `/dashboard-api`. */
const table = { ...routes, ...dashboardRoutes, ...loginRoutes, ...ownSessionRoutes }
type Table = typeof table

export type Asked<T> =
  | { ok: true; value: T }
  /** @param retryAfter seconds, if the API sent `Retry-After` */
  | { ok: false; problem: Problem; retryAfter: string | null }

/** The parts of a route that a request needs. */
type AskableRoute = Pick<Route, 'method' | 'path' | 'output'>

/** Requests a route of a table by its name. */
export type AskOver<T extends Record<string, AskableRoute>> = <N extends keyof T>(
  name: N,
  input: SentOf<T[N]>,
) => Promise<Asked<z.output<T[N]['output']>>>

/** What a caller sends: what the schemas of the route take in. */
type SentOf<R> = Sent<R, 'params'> & SentQuery<R> & Sent<R, 'body'>

/**
 * @param apiUrl the root of the table's paths
 * @param exchange carries the address of the request
 */
export const askOver = <T extends Record<string, AskableRoute>>(
  routes: T,
  apiUrl: string,
  exchange: Exchange,
): AskOver<T> => {
  const client = createRouteClient(routes as never, readProblem, { apiUrl, fetch: exchange })
  return async (name, input) => {
    const answer = await client.call(name as never, input as never)
    return answer.ok
      ? { ok: true, value: answer.value as never }
      : { ok: false, problem: answer.problem, retryAfter: answer.headers.get('retry-after') }
  }
}

/** null if the answer is not a problem. */
const readProblem = (answer: unknown): Problem | null => {
  const problem = Problem.safeParse(answer)
  return problem.success ? problem.data : null
}

/** The control plane's API with the session of a visitor. Pages request nothing else. */
export type Ask = AskOver<Table>

/** @param exchange carries the request's cookie and address */
export const createAsk = (exchange: Exchange): Ask =>
  askOver(table, 'http://control-plane/dashboard-api', exchange)
