import type { ApiAnswer } from '@probe-mesh/contracts/api/client'
import { Problem } from '@probe-mesh/contracts/schema/refusal'
import { answerRoutes, answersPath } from '@probe-mesh/contracts/outage/answer-routes'
import type {
  AnswerOutput,
  AnswerRoute,
  AnswerRouteName,
} from '@probe-mesh/contracts/outage/answer-routes'

/**
 * Asks a keyless answer: no key is sent, and there is none to send.
 * @param params what the route's path names, such as `slug`
 * @throws when the network fails, or the answer is neither JSON nor a problem
 */
export const getAnswer = async <N extends AnswerRouteName>(
  { apiUrl, fetch: send }: { apiUrl: string; fetch: typeof fetch },
  name: N,
  params: Readonly<Record<string, string>>,
): Promise<ApiAnswer<AnswerOutput<N>>> => {
  const { path }: AnswerRoute = answerRoutes[name]
  const filled = path.replace(/:(\w+)/g, (_, key: string) => encodeURIComponent(params[key] ?? ''))
  const response = await send(`${apiUrl}${answersPath}${filled}`, {
    headers: { accept: 'application/json' },
    redirect: 'error',
  })
  const { headers } = response
  const value = toJson(await response.text(), path)
  if (response.ok) return { ok: true, value: value as never, headers }
  const problem = Problem.safeParse(value)
  if (problem.success) return { ok: false, problem: problem.data, headers }
  throw new Error(`GET ${path} answered ${response.status} without a problem`)
}

const toJson = (text: string, path: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Error(`GET ${path} answered something that is not JSON`, { cause })
  }
}
