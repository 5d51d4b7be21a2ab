import { answerRoutes } from '@probe-mesh/contracts/outage/answer-routes'
import type { AnswerOutput, AnswerRouteName } from '@probe-mesh/contracts/outage/answer-routes'
import { Problem } from '@probe-mesh/contracts/schema/refusal'
import type { Problem as ProblemBody } from '@probe-mesh/contracts/schema/refusal'

/** What is put into a route's path and query. */
export type Question = { params?: Record<string, string>; query?: Record<string, string> }

/** An answer as its schema parsed it, or the refusal. */
export type Told<N extends AnswerRouteName> =
  | { ok: true; answer: AnswerOutput<N> }
  | { ok: false; problem: ProblemBody }

/** Asks over HTTP without a key, as anybody does; each time from another address. */
export type Asker = {
  ask<N extends AnswerRouteName>(name: N, question?: Question): Promise<Told<N>>
  /** @param visitor tells whose report it is; absent: another's each time */
  report(slug: string, region: string | null, visitor?: number): Promise<Told<'reportProblem'>>
}

/** More at once would be felt by what is measured in this process. */
const atOnceMax = 4
const patienceMs = 20_000

export const createAsker = (answersUrl: () => string): Asker => {
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
  ): Promise<Told<N>> => {
    const { path, method, output } = answerRoutes[name]
    const url = new URL(
      answersUrl() + path.replace(/:(\w+)/, (_, key: string) => encoded(params[key])),
    )
    for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value)
    const response = await fetch(url, {
      method,
      headers: { 'x-forwarded-for': visitor, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(patienceMs),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const told: unknown = await response.json()
    if (!response.ok) return { ok: false, problem: Problem.parse(told) }
    return { ok: true, answer: output.parse(told) as AnswerOutput<N> }
  }
  return {
    ask: (name, question = {}) => inTurn(() => send(name, question, addressOf(10, visitors++))),
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
