import { Problem } from './refusal.ts'
import { routes } from './routes.ts'
import type { Route, RouteCall, RouteName, RouteOutput } from './routes.ts'

/** An answer of the API: the value, or the problem exactly as returned. */
export type ApiAnswer<T> =
  | { ok: true; value: T; headers: Headers }
  | { ok: false; problem: Problem; headers: Headers }

export type ApiClient = {
  call<N extends RouteName>(
    name: N,
    input: RouteCall<N>,
    signal?: AbortSignal,
  ): Promise<ApiAnswer<RouteOutput<N>>>
}

type Parts = {
  params?: Record<string, unknown>
  query?: Record<string, unknown>
  body?: unknown
}

/**
 * The typed client over the route table.
 * @param options.apiUrl root of the REST API, such as `http://127.0.0.1:8080/v1`
 * @param options.fetch injected so that callers decide about timeouts and agents
 * @throws when the network fails or the answer is neither JSON of the route nor a problem
 */
export const createApiClient = (options: {
  apiUrl: string
  apiKey: string
  fetch?: typeof fetch
  headers?: Record<string, string>
}): ApiClient => {
  const send = options.fetch ?? fetch
  return {
    call: async (name, input, signal) => {
      const route: Route = routes[name]
      const parts = input as Parts
      const response = await send(routeUrl(options.apiUrl, route, parts), {
        method: route.method,
        redirect: 'error',
        headers: {
          accept: 'application/json',
          authorization: `Bearer ${options.apiKey}`,
          ...(parts.body === undefined ? {} : { 'content-type': 'application/json' }),
          ...options.headers,
        },
        ...(parts.body === undefined ? {} : { body: JSON.stringify(parts.body) }),
        ...(signal === undefined ? {} : { signal }),
      })
      const text = await response.text()
      const { headers } = response
      if (response.ok) return { ok: true, value: toJson(text, route) as never, headers }
      const problem = Problem.safeParse(toJson(text, route))
      if (problem.success) return { ok: false, problem: problem.data, headers }
      throw new Error(`${route.method} ${route.path} answered ${response.status} without a problem`)
    },
  }
}

const routeUrl = (apiUrl: string, route: Route, parts: Parts): URL => {
  const path = route.path.replace(/:(\w+)/g, (_, key: string) =>
    encodeURIComponent(String(parts.params?.[key])),
  )
  const url = new URL(apiUrl.replace(/\/$/, '') + path)
  for (const [key, value] of Object.entries(parts.query ?? {})) {
    if (value !== undefined) url.searchParams.set(key, String(value))
  }
  return url
}

const toJson = (text: string, route: Route): unknown => {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Error(`${route.method} ${route.path} answered something that is not JSON`, { cause })
  }
}
