import type { PoolBounds } from '@probe-mesh/runtime/fair-pool'
import {
  attemptRowsMax,
  estimateBounds,
  estimateCpuMsMax,
  estimateWaitMsMax,
  hashingBounds,
  hashingWaitMsMax,
  knownRule,
  mailRule,
  networkRules,
  signUpRules,
  unknownGuessesPerHour,
  allUnknownRule,
  type AttemptRule,
  type NetworkRules,
} from './login-rules.ts'
import type { SharedPool, SlowPool } from '../schema/shared-pool.ts'

const minutesOf = (ms: number): string => `${ms / 60_000} min`
const secondsOf = (ms: number): string => `${ms / 1_000} s`
const attemptsText = (rule: AttemptRule): string =>
  `${rule.freeAttempts} at once, then a wait that doubles from ${secondsOf(rule.firstWaitMs)} to ${minutesOf(rule.waitMsMax)}`
const networksText = ([own, around56, around48]: NetworkRules): string =>
  `${attemptsText(own)}; an IPv6 /56 has ${around56.freeAttempts} at once, a /48 has ${around48.freeAttempts}`
const hashingText = ({ places, waiting }: PoolBounds): string =>
  `${places} hashed at a time, ${waiting} waiting for at most ${secondsOf(hashingWaitMsMax)} each`

/** Logins, sign-ups and their mails. */
export const loginPools = {
  passwordsOfStrangers: {
    what: 'Password hashing for unknown browsers and networks (no login to the account yet)',
    bound: hashingText(hashingBounds.strangers),
    share: `${hashingBounds.strangers.waitingOfOwner} waiting of one network (IPv4 address, IPv6 /48)`,
    floor: `the next turn, by round robin over the waiting networks, while fewer than ${hashingBounds.strangers.waiting} wait`,
    refused: 'SV-9002 with Retry-After 1',
    figures: ['http_queue_waiting', 'http_queue_refused_total'],
    bounds: hashingBounds.strangers,
  },
  passwordsOfKnownVisitors: {
    what: 'Password hashing for known browsers and networks, and for password changes',
    bound: hashingText(hashingBounds.known),
    share: `${hashingBounds.known.waitingOfOwner} waiting of one account`,
    floor: `a place that unknown browsers never use; the next turn, by round robin over the waiting accounts, while fewer than ${hashingBounds.known.waiting} wait`,
    refused: 'SV-9002 with Retry-After 1',
    figures: ['http_queue_waiting', 'http_queue_refused_total'],
    bounds: hashingBounds.known,
  },
  newPasswords: {
    what: 'Strength estimates of new passwords, at sign-up and at a change',
    bound: `${estimateBounds.places} at a time in its own thread, ${estimateBounds.waiting} waiting for at most ${secondsOf(estimateWaitMsMax)} each`,
    share: `${estimateBounds.waitingOfOwner} waiting of one network (IPv4 address, IPv6 /48) or account`,
    floor: `the next turn, by round robin over the waiting networks and accounts, while fewer than ${estimateBounds.waiting} wait`,
    refused: 'SV-9002 with Retry-After 1',
    figures: ['http_queue_waiting', 'http_queue_refused_total'],
    bounds: estimateBounds,
    workMsMax: estimateCpuMsMax,
    waitMsMax: estimateWaitMsMax,
  },
  loginAttempts: {
    what: 'Login attempts by password',
    bound: `for one e-mail address from all unknown networks: ${attemptsText(allUnknownRule)}, so less than ${unknownGuessesPerHour} an hour; at most ${attemptRowsMax} counters are stored`,
    share: `one network, for all e-mail addresses: ${networksText(networkRules)}`,
    floor: `a known browser, and a known network: ${attemptsText(knownRule)}; a mailed link always works`,
    refused: 'SV-6005 with Retry-After',
    figures: ['http_requests_total'],
  },
  loginMails: {
    what: 'Mails with a login link or sign-up link to one address',
    bound: `${mailRule.freeAttempts} in ${minutesOf(mailRule.waitMsMax)} for requests of unknown networks`,
    share: `one network, for all e-mail addresses: ${networksText(networkRules)}`,
    floor: `${mailRule.freeAttempts} in ${minutesOf(mailRule.waitMsMax)} for each known browser and known network`,
    refused: 'the same response, but no mail is sent; earlier links still work',
    figures: ['http_requests_total'],
  },
  signUps: {
    what: 'Requests for an account',
    bound: 'no total limit',
    share: networksText(signUpRules),
    floor: 'other networks cannot use up the share of a network',
    refused: 'SV-6005 with Retry-After',
    figures: ['http_requests_total'],
  },
} as const satisfies Record<string, SharedPool | SlowPool>
