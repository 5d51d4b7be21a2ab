import { causesOf } from '@probe-mesh/runtime/causes-of'

/** Codes of `fetch` for an exchange that broke off, or never began, and may do better in a moment. */
const passingCodes = new Set<unknown>([
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
])
/** fetch failed, its cause, and the causes of that. */
const causesMax = 5

/** An answer that is not the API's: what stands before it says that it is away. */
export class NoAnswer extends Error {
  override name = 'NoAnswer'
}

/** Whether sending the same once more makes sense. */
export const isPassing = (error: unknown): boolean =>
  causesOf(error, causesMax).some(
    (cause) =>
      cause instanceof NoAnswer ||
      cause.name === 'TimeoutError' ||
      ('code' in cause && passingCodes.has(cause.code)),
  )

/**
 * Why there was no answer, as the innermost cause has it; never what was sent, nor what came instead
 * of an answer, which a failed reading of JSON quotes.
 * @throws a bug: what is no failure of the network or of who answers
 */
export const whyUnanswered = (error: unknown): string => {
  const causes = causesOf(error, causesMax)
  const last = causes.findLast((cause) => !(cause instanceof SyntaxError))
  const isBug = error instanceof TypeError && error.cause === undefined
  if (last === undefined || isBug) throw error
  if (causes.some(({ name }) => name === 'TimeoutError')) return 'there was no answer in time'
  const code = 'code' in last ? String(last.code) : ''
  return last.message.includes(code) ? last.message : `${last.message} (${code})`
}
