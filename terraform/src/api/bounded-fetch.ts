import { NoAnswer } from './broken-exchange.ts'

/** The API answers within 15 s, whatever it is asked. */
const answerMsMax = 30_000

/** `fetch` of which every answer has its time; a proxy's word that the API is away is no answer. */
export const boundedFetch =
  (send: typeof fetch, msMax = answerMsMax): typeof fetch =>
  async (input, init) => {
    const timeout = AbortSignal.timeout(msMax)
    const ends = init?.signal instanceof AbortSignal ? [init.signal, timeout] : [timeout]
    const response = await send(input, { ...init, signal: AbortSignal.any(ends) })
    if (response.status < 500 || isProblem(response)) return response
    await response.body?.cancel()
    throw new NoAnswer(`it answered ${response.status} without a problem of the API`)
  }

const isProblem = ({ headers }: Response): boolean =>
  (headers.get('content-type') ?? '').startsWith('application/problem+json')
