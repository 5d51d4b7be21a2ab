import { codeOf } from '@probe-mesh/runtime/errors'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { StoreBusy } from '@probe-mesh/runtime/account-turns'
import { NestedTooDeep } from '@probe-mesh/contracts/schema/foreign-json'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { faultsOf } from '../stores/faults.ts'
import { isStoreRefusing, storeFaultOf, type StoreFault, type StoreState } from '../stores/store-fault.ts'
import { sendRefusal } from './send-refusal.ts'

const retryAfterSeconds = 5
const unavailable = `The database is temporarily unavailable. Retry in ${retryAfterSeconds} s.`
/** Other states say nothing that a caller could use. */
const messages: Partial<Record<StoreState, string>> = {
  read_only: `The database is read-only at the moment: everything can be read, and nothing can be changed. Retry in ${retryAfterSeconds} s.`,
  disk_full: `The disk of the database is full: everything can be read, and nothing can be changed. Retry in ${retryAfterSeconds} s.`,
}
const messageOf = ({ store, state }: StoreFault): string =>
  store === 'nats'
    ? `NATS is temporarily unavailable. Retry in ${retryAfterSeconds} s.`
    : (messages[state] ?? unavailable)

/** One slow statement, or a connection that broke, says nothing about the store. */
const isLasting = ({ state }: StoreFault): boolean => !['blocked', 'unavailable', 'refuses'].includes(state)
const tooMany = `Too many requests wait for the database. Retry in ${retryAfterSeconds} s.`

/**
 * Converts an error to a refusal: SV-2001 for input that Fastify cannot parse, SV-9002 for an unavailable
 * database, SV-9001 without details for anything else.
 * @returns the refusal, and whether the error is ours and must be logged
 */
export const refusalOfError = (error: unknown): { refusal: Refusal; ours: boolean } => {
  if (error instanceof NotJson) {
    return { refusal: notJson(error.message), ours: false }
  }
  if (isHangUp(error)) {
    return {
      refusal: notJson('The request ended before its body was complete. Send it again.'),
      ours: false,
    }
  }
  const inputRefusal = refusalOfInput(error)
  if (inputRefusal !== null) return { refusal: inputRefusal, ours: false }
  if (error instanceof StoreBusy) {
    return { refusal: refuse('SV-9002', { message: tooMany, retryAfterSeconds }), ours: false }
  }
  if (isStoreRefusing(error)) {
    const fault = storeFaultOf(error)
    const message = fault === null ? unavailable : messageOf(fault)
    return { refusal: refuse('SV-9002', { message, retryAfterSeconds }), ours: true }
  }
  return { refusal: refuse('SV-9001'), ours: true }
}

/** Answers requests that failed. A failure of ours is logged with the id of the request, which its answer has. */
export const answerFailures = (app: FastifyInstance, log: Logger): void => {
  app.setErrorHandler((error, request, reply) => {
    const { refusal, ours } = refusalOfError(error)
    const { id: requestId, method } = request
    // the route and not the URL, which may contain a token
    const { url: route } = request.routeOptions
    const fault = storeFaultOf(error)
    if (fault !== null && isLasting(fault)) faultsOf(log).refused(error)
    else if (ours) log.error({ err: error, method, route, requestId }, 'request failed')
    if (refusal.refused !== 'SV-9001') return sendRefusal(reply, refusal)
    const message = `The server failed to process this request. It logged the error as request ${requestId}. Try again.`
    return sendRefusal(reply, refuse('SV-9001', { message }))
  })
}

/**
 * Whether the client disconnected while it sent the body. Node reports the code of a lost connection, like that of
 * a lost database, and this message.
 */
const isHangUp = (error: unknown): boolean =>
  error instanceof Error && error.message === 'aborted' && codeOf(error) === 'ECONNRESET'

const refusalOfInput = (error: unknown): Refusal | null => {
  switch (codeOf(error)) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return refuse('SV-2001', {
        status: 413,
        message: `The body is larger than ${limits.requestBodyBytesMax} bytes.`,
      })
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return notJson('Send the body as application/json.')
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return notJson('The length of the body differs from Content-Length.')
    case 'FST_ERR_BAD_URL':
      return refuse('SV-2001', { status: 400, message: 'The path is not a valid URL path.' })
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return refuse('SV-3001')
    default:
      return null
  }
}

/** Thrown by the body parser for a body that is not JSON or nests too deep. */
export class NotJson extends Error {
  override readonly name = 'NotJson'
  /** @param why the error of the parser */
  constructor(why: unknown) {
    super(
      why instanceof NestedTooDeep
        ? `The body nests deeper than ${limits.jsonDepthMax} levels.`
        : 'The body is not valid JSON.',
    )
  }
}

/** Status 400 (S-2407). */
const notJson = (message: string): Refusal => refuse('SV-2001', { status: 400, message })
