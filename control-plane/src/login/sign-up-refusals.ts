import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { SignUpMode } from '@probe-mesh/contracts/account/session'

/** @returns null if this is the mode of sign-up, SV-1011 if sign-up is closed, SV-3002 for another mode */
export const refuseMode = (mode: SignUpMode, expected: SignUpMode): Refusal | null => {
  if (mode === expected) return null
  return mode === 'closed' ? refuse('SV-1011') : refuse('SV-3002', { message: otherWay[mode] })
}

const otherWay = {
  by_mail: 'Sign-up needs a link that is sent by mail. Request one.',
  by_password: 'This server sends no mail. Sign up with a password instead.',
}

/** SV-6005 with a message for sign-up. */
export const tooManySignUps = (refusal: Refusal): Refusal => ({
  ...refusal,
  message: 'Too many attempts to sign up. Retry after the seconds in Retry-After.',
})

export const refuseTaken = (email: string): Refusal => {
  const message = `has an account already; log in or request a login link as ${email}`
  return refuse('SV-3002', {
    message: 'This address has an account already. Log in instead.',
    errors: [{ path: 'email', message }],
  })
}
