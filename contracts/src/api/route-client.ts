import type { Problem } from '../schema/refusal.ts'
import type { Route, RouteCall, RouteName, RouteOutput, Routes } from './routes.ts'

/** A response of the API: the value, or the problem unchanged. */
export type ApiAnswer<T> =
  | { ok: true; value: T; headers: AnswerHeaders }
  | { ok: false; problem: Problem; headers: AnswerHeaders }

export type AnswerHeaders = Pick<Headers, 'get'>

/** The used part of `Response`, for programs without `fetch`. */
export type ExchangeAnswer = {
  ok: boolean
  status: number
  headers: AnswerHeaders
  text(): Promise<string>
}

/** The used part of `fetch`. Rejects when the network fails. */
export type Exchange = (
  url: URL,
  request: {
    method: string
    /** A redirect is an error: the key is only for this address. */
    redirect: 'error'
    headers: Record<string, string>
    body?: string
    signal?: AbortSignal
  },
) => Promise<ExchangeAnswer>

/** Methods and paths of routes: the whole table, or a part of it without schemas. */
type RouteAddresses<N extends RouteName> = {
  readonly [K in N]: Pick<Routes[K], 'method' | 'path'>
}

type RouteClient<N extends RouteName> = {
  call<K extends N>(
    name: K,
    input: RouteCall<K>,
    options?: { signal?: AbortSignal; headers?: Readonly<Record<string, string>> },
  ): Promise<ApiAnswer<RouteOutput<K>>>
}

export type RouteClientOptions = {
  /** The root of the REST API, such as `http://127.0.0.1:8080/v1`. */
  apiUrl: string
  /** Not needed when another header identifies the caller. */
  apiKey?: string
  /** Lets callers set timeouts and agents. */
  fetch?: Exchange
  headers?: Record<string, string>
}

/** An answer that is not of the API, such as the page of a proxy. */
export class ForeignAnswer extends Error {
  override name = 'ForeignAnswer'
  readonly status: number
  constructor(message: string, status: number, options?: ErrorOptions) {
    super(message, options)
    this.status = status
  }
}

type Address = Pick<Route, 'method' | 'path'>
type Parts = {
  params?: Record<string, unknown>
  query?: Record<string, unknown>
  body?: unknown
}

/**
 * A typed client that loads no schemas.
 * @param readProblem returns null when a response is not a problem
 * @throws when the network fails, or the response is neither JSON of the route nor a problem
 */
export const createRouteClient = <N extends RouteName>(
  addresses: RouteAddresses<N>,
  readProblem: (answer: unknown) => Problem | null,
  options: RouteClientOptions,
): RouteClient<N> => {
  const send: Exchange = options.fetch ?? fetch
  return {
    call: async (name, input, { signal, headers: more } = {}) => {
      const route: Address = addresses[name]
      const parts = input as Parts
      const response = await send(routeUrl(options.apiUrl, route, parts), {
        method: route.method,
        redirect: 'error',
        headers: {
          accept: 'application/json',
          ...(options.apiKey === undefined ? {} : { authorization: `Bearer ${options.apiKey}` }),
          ...(parts.body === undefined ? {} : { 'content-type': 'application/json' }),
          ...options.headers,
          ...more,
        },
        ...(parts.body === undefined ? {} : { body: JSON.stringify(parts.body) }),
        ...(signal === undefined ? {} : { signal }),
      })
      const text = await response.text()
      const { headers } = response
      const json = toJson(text, route, response.status)
      if (response.ok) return { ok: true, value: json as never, headers }
      const problem = readProblem(json)
      if (problem !== null) return { ok: false, problem, headers }
      const message = `${route.method} ${route.path} answered ${response.status} without a problem`
      throw new ForeignAnswer(message, response.status)
    },
  }
}

const routeUrl = (apiUrl: string, route: Address, parts: Parts): URL => {
  const path = route.path.replace(/:(\w+)/g, (_, key: string) =>
    encodeURIComponent(String(parts.params?.[key])),
  )
  const url = new URL(apiUrl.replace(/\/$/, '') + path)
  for (const [key, value] of Object.entries(parts.query ?? {})) {
    if (value !== undefined) url.searchParams.set(key, String(value))
  }
  return url
}

const toJson = (text: string, route: Address, status: number): unknown => {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ForeignAnswer(`${route.method} ${route.path} answered text that is not JSON`, status, { cause })
  }
}
