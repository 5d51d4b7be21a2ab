import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { SignUpMode } from '@probe-mesh/contracts/account/session'

/** @returns null where people sign up that way, SV-1011 where nobody may, SV-3002 where another way */
export const refuseMode = (mode: SignUpMode, asked: SignUpMode): Refusal | null => {
  if (mode === asked) return null
  return mode === 'closed' ? refuse('SV-1011') : refuse('SV-3002', { message: otherWay[mode] })
}

const otherWay = {
  by_mail: 'An account is opened here by a link that is mailed. Ask for one.',
  by_password: 'No mail is sent here. An account is opened with a password at once.',
}

/** SV-6005, as it is said to who signs up. */
export const tooManySignUps = (refusal: Refusal): Refusal => ({
  ...refusal,
  message: 'There were too many attempts to sign up. Wait as long as Retry-After says.',
})

export const refuseTaken = (email: string): Refusal => {
  const message = `has an account already: log in, or ask for a login link, as ${email}`
  return refuse('SV-3002', {
    message: 'This address has an account already. Log in instead.',
    errors: [{ path: 'email', message }],
  })
}
