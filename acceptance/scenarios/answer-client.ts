import {
  answerRoutes,
  type AnswerOutput,
  type AnswerRouteName,
} from '@probe-mesh/contracts/outage/answer-routes'
import { Problem, type Problem as ProblemBody } from '@probe-mesh/contracts/schema/refusal'

/** Parameters of a route's path and query. */
export type Question = { params?: Record<string, string>; query?: Record<string, string> }

/** A parsed answer, or the refusal. */
export type AnswerResult<N extends AnswerRouteName> =
  | { ok: true; answer: AnswerOutput<N> }
  | { ok: false; problem: ProblemBody }

/** Queries over HTTP without a key, each time from another address. */
export type AnswerClient = {
  query<N extends AnswerRouteName>(name: N, question?: Question): Promise<AnswerResult<N>>
  /** @param visitor number of the reporting visitor; default: a new visitor */
  report(slug: string, region: string | null, visitor?: number): Promise<AnswerResult<'reportProblem'>>
}

/** More concurrent requests would disturb the measurements in this process. */
const atOnceMax = 4
const patienceMs = 20_000

export const createAnswerClient = (answersUrl: () => string): AnswerClient => {
  const waiting: (() => void)[] = []
  let underWay = 0
  let visitors = 0

  const inTurn = async <T>(act: () => Promise<T>): Promise<T> => {
    if (underWay >= atOnceMax) await new Promise<void>((resolve) => waiting.push(resolve))
    else underWay += 1
    try {
      return await act()
    } finally {
      const next = waiting.shift()
      if (next === undefined) underWay -= 1
      else next()
    }
  }
  const send = async <N extends AnswerRouteName>(
    name: N,
    { params = {}, query = {} }: Question,
    visitor: string,
    body?: unknown,
  ): Promise<AnswerResult<N>> => {
    const { path, method, output } = answerRoutes[name]
    const url = new URL(answersUrl() + path.replace(/:(\w+)/, (_, key: string) => encoded(params[key])))
    for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value)
    const response = await fetch(url, {
      method,
      headers: { 'x-forwarded-for': visitor, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(patienceMs),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const result: unknown = await response.json()
    if (!response.ok) return { ok: false, problem: Problem.parse(result) }
    return { ok: true, answer: output.parse(result) as AnswerOutput<N> }
  }
  return {
    query: (name, question = {}) => inTurn(() => send(name, question, addressOf(10, visitors++))),
    report: (slug, region, visitor = visitors++) =>
      inTurn(() =>
        send(
          'reportProblem',
          { params: { slug } },
          addressOf(11, visitor),
          region === null ? {} : { region },
        ),
      ),
  }
}

const encoded = (value: string | undefined): string => encodeURIComponent(value ?? '')

const addressOf = (network: number, host: number): string =>
  `${network}.${(host >> 16) & 255}.${(host >> 8) & 255}.${host & 255}`
