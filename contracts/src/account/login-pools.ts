import type { PoolBounds } from '@probe-mesh/runtime/fair-pool'
import {
  attemptRowsMax,
  estimateBounds,
  estimateMsMax,
  hashingBounds,
  hashingWaitMsMax,
  knownRule,
  mailRule,
  networkRules,
  signUpRules,
  strangerGuessesPerHour,
  strangersRule,
} from './login-rules.ts'
import type { AttemptRule, NetworkRules } from './login-rules.ts'
import type { SharedPool } from '../schema/shared-pool.ts'

const minutesOf = (ms: number): string => `${ms / 60_000} min`
const secondsOf = (ms: number): string => `${ms / 1_000} s`
const attemptsText = (rule: AttemptRule): string =>
  `${rule.freeAttempts} at once, then a wait that doubles from ${secondsOf(rule.firstWaitMs)} to ${minutesOf(rule.waitMsMax)}`
const networksText = ([own, around56, around48]: NetworkRules): string =>
  `${attemptsText(own)}; an IPv6 /56 has ${around56.freeAttempts} at once, a /48 ${around48.freeAttempts}`
const hashingText = ({ places, waiting }: PoolBounds): string =>
  `${places} hashed at a time, ${waiting} wait, each for at most ${secondsOf(hashingWaitMsMax)}`

/** Logins, sign-ups and the mail that they send. */
export const loginPools = {
  passwordsOfStrangers: {
    what: 'Password hashing for browsers and networks that never logged in to the account',
    bound: hashingText(hashingBounds.strangers),
    share: `${hashingBounds.strangers.waitingOfOwner} waiting of one network (IPv4 address, IPv6 /48)`,
    floor: `the next turn, by round robin over the networks that wait, while fewer than ${hashingBounds.strangers.waiting} do`,
    refused: 'SV-9002 with Retry-After 1',
    figures: ['http_queue_waiting', 'http_queue_refused_total'],
    bounds: hashingBounds.strangers,
  },
  passwordsOfKnownVisitors: {
    what: 'Password hashing for known browsers and networks, and for changes of a password',
    bound: hashingText(hashingBounds.known),
    share: `${hashingBounds.known.waitingOfOwner} waiting of one account`,
    floor: `a place that no stranger takes; the next turn, by round robin over the accounts that wait, while fewer than ${hashingBounds.known.waiting} do`,
    refused: 'SV-9002 with Retry-After 1',
    figures: ['http_queue_waiting', 'http_queue_refused_total'],
    bounds: hashingBounds.known,
  },
  newPasswords: {
    what: 'New passwords that are judged, at sign-up and at a change',
    bound: `${estimateBounds.places} at a time in a thread of its own, ${estimateBounds.waiting} wait, each for at most ${secondsOf(estimateMsMax)}`,
    share: `${estimateBounds.waitingOfOwner} waiting of one network (IPv4 address, IPv6 /48) or account`,
    floor: `the next turn, by round robin over the networks and accounts that wait, while fewer than ${estimateBounds.waiting} do`,
    refused: 'SV-9002 with Retry-After 1',
    figures: ['http_queue_waiting', 'http_queue_refused_total'],
    bounds: estimateBounds,
  },
  loginAttempts: {
    what: 'Attempts to log in by password',
    bound: `about one e-mail address from all unknown networks: ${attemptsText(strangersRule)}, so less than ${strangerGuessesPerHour} an hour; ${attemptRowsMax} counts are kept`,
    share: `one network, about any address: ${networksText(networkRules)}`,
    floor: `a known browser, and a known network: ${attemptsText(knownRule)}; a mailed link always works`,
    refused: 'SV-6005 with Retry-After',
    figures: ['http_requests_total'],
  },
  loginMails: {
    what: 'Mails with a login link, or a sign-up link, to one address',
    bound: `${mailRule.freeAttempts} in ${minutesOf(mailRule.waitMsMax)} that unknown networks ask for`,
    share: `one network, to any address: ${networksText(networkRules)}`,
    floor: `${mailRule.freeAttempts} in ${minutesOf(mailRule.waitMsMax)} for each known browser and known network`,
    refused: 'answered the same; nothing is mailed, and the links that were mailed still work',
    figures: ['http_requests_total'],
  },
  signUps: {
    what: 'Requests for an account',
    bound: 'none for all networks together',
    share: networksText(signUpRules),
    floor: 'other networks cannot use up the share of a network',
    refused: 'SV-6005 with Retry-After',
    figures: ['http_requests_total'],
  },
} as const satisfies Record<string, SharedPool>
