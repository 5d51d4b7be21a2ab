import { Problem } from '../schema/refusal.ts'
import { hasShape } from '../schema/shape.ts'
import { createRouteClient, ForeignAnswer, type ApiAnswer, type RouteClientOptions } from './route-client.ts'
import { routes, type RouteCall, type RouteName, type RouteOutput } from './routes.ts'

export type { ApiAnswer }

export type ApiClient = {
  call<N extends RouteName>(
    name: N,
    input: RouteCall<N>,
    signal?: AbortSignal,
  ): Promise<ApiAnswer<RouteOutput<N>>>
}

/**
 * The typed client of the route table.
 * @throws when the network fails, or the response is neither JSON of the route nor a problem (`ForeignAnswer`)
 */
export const createApiClient = (options: RouteClientOptions): ApiClient => {
  const client = createRouteClient(routes, readProblem, options)
  return {
    call: async (name, input, signal) => {
      const answer = await client.call(name, input, signal === undefined ? {} : { signal })
      if (!answer.ok || hasShape(routes[name].output, answer.value)) return answer
      const { method, path } = routes[name]
      throw new ForeignAnswer(`${method} ${path} answered JSON that is not of the API`, 200)
    },
  }
}

const readProblem = (answer: unknown): Problem | null => {
  const problem = Problem.safeParse(answer)
  return problem.success ? problem.data : null
}
