import { errors } from '@nats-io/nats-core'
import { BusUnavailable } from '../port.ts'

const isOurs = (error: unknown): boolean =>
  error instanceof BusUnavailable ||
  error instanceof TypeError ||
  error instanceof errors.InvalidArgumentError ||
  error instanceof errors.InvalidSubjectError ||
  error instanceof errors.PermissionViolationError

/**
 * What a failed call on NATS means to a caller of the port: what may be asked again becomes
 * `BusUnavailable`, while a bug or a missing permission stays what it is.
 */
export const unavailable = (error: unknown): unknown => {
  if (isOurs(error)) return error
  const message = error instanceof Error ? error.message : String(error)
  return new BusUnavailable(`nats: ${message}`, { cause: error })
}
