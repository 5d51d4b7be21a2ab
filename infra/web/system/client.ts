import { dashboardRoutes } from '@probe-mesh/contracts/dashboard-routes'
import { Problem } from '@probe-mesh/contracts/refusal'
import { createRouteClient } from '@probe-mesh/contracts/route-client'
import { routes } from '@probe-mesh/contracts/routes'
import type { Route } from '@probe-mesh/contracts/routes'
import type { z } from 'zod'

const table = { ...routes, ...dashboardRoutes }
type Table = typeof table

/** The dashboard's API as somebody who is logged in; what it refuses is a fault of the seed. */
export type Act = <N extends keyof Table>(
  name: N,
  input: { params?: Record<string, string>; query?: Record<string, string>; body?: unknown },
) => Promise<z.output<Table[N]['output']>>

const readProblem = (answer: unknown): Problem | null => {
  const problem = Problem.safeParse(answer)
  return problem.success ? problem.data : null
}

/** Logs in and acts. @throws Error with every problem of what was refused */
export const actAs = async (
  address: string,
  { email, password }: { email: string; password: string },
): Promise<Act> => {
  const sameSite = { 'sec-fetch-site': 'same-origin', origin: address }
  const answer = await fetch(`${address}/dashboard-api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...sameSite },
    body: JSON.stringify({ email, password }),
  })
  if (!answer.ok) throw new Error(`nobody logs in: ${await answer.text()}`)
  const [cookie = ''] = (answer.headers.getSetCookie()[0] ?? '').split(';')
  const client = createRouteClient(table as Record<string, Route> as never, readProblem, {
    apiUrl: `${address}/dashboard-api`,
    headers: { cookie, ...sameSite },
  })
  return async (name, input) => {
    const answered = await client.call(name as never, input as never)
    if (answered.ok) return answered.value as never
    throw new Error(`${name}: ${JSON.stringify(answered.problem)}`)
  }
}
