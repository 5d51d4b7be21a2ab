import { acceptedBy } from '@probe-mesh/runtime/headers'
import type { HttpAnswer } from './json-rpc.ts'

/** The media types of an answer. Revisions from 2025-03-26 on leave the choice to the server. */
type AnswerForm = 'json' | 'event'

const event = 'text/event-stream'

/**
 * The form that an answer has by the `Accept` of its request (RFC 9110 12.5.1): JSON where it is acceptable at all, since
 * there is nothing to stream, else one server-sent event (S-2591). Parameters such as a charset do not matter.
 * @returns null: neither is acceptable, which is a 406
 */
export const answerFormOf = (accept: string | undefined): AnswerForm | null => {
  if (accept === undefined || accept.trim() === '') return 'json'
  const ranges = acceptedBy(accept)
  /** Whether the most specific range that has the type allows it. `*` alone is what Java sends. */
  const allows = (type: string): boolean => {
    const ofType = [[type], [`${type.split('/', 1)[0]}/*`], ['*/*', '*']]
      .map((names) => ranges.filter(({ name }) => names.includes(name)))
      .find((found) => found.length > 0)
    return ofType?.some(({ weight }) => weight > 0) ?? false
  }
  if (allows('application/json')) return 'json'
  return allows(event) ? 'event' : null
}

/** An answer as the only event of a stream. Refusals stay JSON: their status says that there is no stream. */
export const asEvent = (answer: HttpAnswer): HttpAnswer => {
  const { status, body, headers } = answer
  if (status !== 200 || body === null) return answer
  // the line breaks of a body from the API stand between tokens
  const lines = body.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`)
  return {
    status,
    body: `event: message\n${lines.join('')}\n`,
    headers: { ...headers, 'content-type': event, 'cache-control': 'no-store' },
  }
}
