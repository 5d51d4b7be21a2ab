import { dashboardRoutes } from '@probe-mesh/contracts/api/dashboard-routes'
import { Problem } from '@probe-mesh/contracts/schema/refusal'
import { createRouteClient } from '@probe-mesh/contracts/api/route-client'
import { routes, type Route } from '@probe-mesh/contracts/api/routes'
import type { z } from 'zod'
import { fromOwnPages, openSession } from '../../testing/open-session.ts'

const table = { ...routes, ...dashboardRoutes }
type Table = typeof table

/** The dashboard's API as a logged-in user; a refusal is a fault of the seed. */
export type Act = <N extends keyof Table>(
  name: N,
  input: { params?: Record<string, string>; query?: Record<string, string>; body?: unknown },
) => Promise<z.output<Table[N]['output']>>

const readProblem = (answer: unknown): Problem | null => {
  const problem = Problem.safeParse(answer)
  return problem.success ? problem.data : null
}

/** Logs in and returns the API. @throws Error with every problem of a refused request */
export const actAs = async (address: string, who: { email: string; password: string }): Promise<Act> => {
  const cookie = await openSession(address, who)
  const client = createRouteClient(table as Record<string, Route> as never, readProblem, {
    apiUrl: `${address}/dashboard-api`,
    headers: { cookie, ...fromOwnPages(address) },
  })
  return async (name, input) => {
    const answered = await client.call(name as never, input as never)
    if (answered.ok) return answered.value as never
    throw new Error(`${name}: ${JSON.stringify(answered.problem)}`)
  }
}
