import Negotiator from 'negotiator'
import type { HttpAnswer } from './json-rpc.ts'

/** The media types of an answer. Revisions from 2025-03-26 on leave the choice to the server. */
type AnswerForm = 'json' | 'event'

// clients write the charset, which JSON does not have (RFC 8259 11)
const json = ['application/json', 'application/json; charset=utf-8']
const event = 'text/event-stream'

/**
 * The form that an answer has by the `Accept` of its request (RFC 9110 12.5.1): JSON where it is acceptable at all, since
 * there is nothing to stream, else one server-sent event (S-2591). @returns null: neither is acceptable, which is a 406
 */
export const answerFormOf = (accept: string | undefined): AnswerForm | null => {
  if (accept === undefined || accept.trim() === '') return 'json'
  const acceptable = new Negotiator({ headers: { accept } }).mediaTypes([...json, event])
  if (acceptable.some((type) => json.includes(type))) return 'json'
  return acceptable.includes(event) ? 'event' : null
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
