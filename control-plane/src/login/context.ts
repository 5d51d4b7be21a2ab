import type { SignUpMode } from '@probe-mesh/contracts/account/session'
import { createPasswordEstimator, type PasswordEstimator } from './passwords/estimator.ts'
import type { Sql } from '../stores/postgres/connect.ts'
import { createHashing, type Hashing } from './hashing.ts'
import type { DeviceMarks } from './device-marks.ts'
import { createThrottle, type Throttle } from './throttle.ts'

/** The capabilities of the login. `sql` sees every account, because users are looked up first. */
export type LoginContext = {
  readonly sql: Sql
  readonly now: () => number
  readonly hashing: Hashing
  readonly estimator: PasswordEstimator
  readonly throttle: Throttle
  readonly marks: DeviceMarks
  /** For links, without a slash at its end. */
  readonly publicUrl: string
  readonly signUp: SignUpMode
  /** Whether this server sends mail. */
  readonly sendsMail: boolean
}

/** The caller closes the estimator. @param capabilities.sql sees every account */
export const createLogin = (
  capabilities: Pick<LoginContext, 'sql' | 'now' | 'marks' | 'publicUrl' | 'signUp' | 'sendsMail'>,
): LoginContext => ({
  ...capabilities,
  hashing: createHashing(),
  estimator: createPasswordEstimator(),
  throttle: createThrottle(capabilities),
})

/** Sign-up by mail if mail is sent, because only then the address is verified. */
export const signUpMode = (config: { signUp: 'open' | 'closed'; smtpUrl: string | null }): SignUpMode => {
  if (config.signUp === 'closed') return 'closed'
  return config.smtpUrl === null ? 'by_password' : 'by_mail'
}
