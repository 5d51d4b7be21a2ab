import { limits } from '@probe-mesh/contracts/schema/limits'
import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { StoreBusy } from '../stores/account-turns.ts'
import { NestedTooDeep } from '@probe-mesh/contracts/schema/foreign-json'
import { isStoreUnavailable } from '../operations/store-unavailable.ts'
import { AnswerTimeout } from '@probe-mesh/runtime/deadline'

const retryAfterSeconds = 5
const tooMany = 'Too many requests wait for the database at the moment. Try again shortly.'

/**
 * What an error says to a caller. Errors of Fastify's own parsing are the caller's; a store that is
 * away is SV-9002; anything else is our fault, of which nothing is shown.
 * @returns the refusal, and whether the error is ours and must be logged
 */
export const refusalOfError = (error: unknown): { refusal: Refusal; ours: boolean } => {
  if (error instanceof NotJson) {
    return { refusal: notJson(error.message), ours: false }
  }
  if (isHangUp(error)) {
    return { refusal: notJson('The request ended before its body did.'), ours: false }
  }
  const inputRefusal = refusalOfInput(error)
  if (inputRefusal !== null) return { refusal: inputRefusal, ours: false }
  if (error instanceof StoreBusy) {
    return { refusal: refuse('SV-9002', { message: tooMany, retryAfterSeconds }), ours: false }
  }
  if (isStoreUnavailable(error) || error instanceof AnswerTimeout) {
    return { refusal: refuse('SV-9002', { retryAfterSeconds }), ours: true }
  }
  return { refusal: refuse('SV-9001'), ours: true }
}

/**
 * Whether a client went away in the middle of its body, which only the log would hear of. Node says so with
 * the code of a lost connection, as a store's would be, and this message.
 */
const isHangUp = (error: unknown): boolean =>
  error instanceof Error &&
  error.message === 'aborted' &&
  'code' in error &&
  error.code === 'ECONNRESET'

const refusalOfInput = (error: unknown): Refusal | null => {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return refuse('SV-2001', {
        status: 413,
        message: `The body is larger than ${limits.requestBodyBytesMax} bytes.`,
      })
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return notJson('The body must be sent as application/json.')
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return notJson('The body is not as long as Content-Length says.')
    case 'FST_ERR_BAD_URL':
      return refuse('SV-2001', { status: 400, message: 'The path is not a valid URL path.' })
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return refuse('SV-3001')
    default:
      return null
  }
}

/** A body that is not JSON, or nests too deep: thrown by the body parser, which can only throw. */
export class NotJson extends Error {
  override readonly name = 'NotJson'
  /** @param why what its parser threw */
  constructor(why: unknown) {
    super(
      why instanceof NestedTooDeep
        ? `The body nests deeper than ${limits.jsonDepthMax} levels.`
        : 'The body is not valid JSON.',
    )
  }
}

/** What is not JSON is 400 (S-2407). */
const notJson = (message: string): Refusal => refuse('SV-2001', { status: 400, message })
