import { errors } from '@nats-io/nats-core'
import { BusUnavailable } from '../port.ts'

const isOurs = (error: unknown): boolean =>
  error instanceof BusUnavailable ||
  error instanceof TypeError ||
  error instanceof errors.InvalidArgumentError ||
  error instanceof errors.InvalidSubjectError ||
  error instanceof errors.PermissionViolationError ||
  error instanceof errors.AuthorizationError ||
  error instanceof errors.UserAuthenticationExpiredError

/** The client wraps what refused a request, at most this deep. */
const causesMax = 4

const violationIn = (error: unknown): Error | null => {
  let inner = error
  for (let depth = 0; depth < causesMax && inner instanceof Error; depth++) {
    if (inner instanceof errors.PermissionViolationError) return inner
    inner = inner.cause
  }
  return null
}

/**
 * What a failed call on NATS means to a caller of the port: what may be asked again becomes
 * `BusUnavailable`, while a bug, wrong credentials or a missing permission stays what it is.
 */
export const unavailable = (error: unknown): unknown => {
  if (isOurs(error)) return error
  const violation = violationIn(error)
  if (violation !== null) return violation
  const message = error instanceof Error ? error.message : String(error)
  return new BusUnavailable(`nats: ${message}`, { cause: error })
}
