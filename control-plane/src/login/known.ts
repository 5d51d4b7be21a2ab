import {
  knownRule,
  networkRules,
  unknownNetworkRules,
  allUnknownRule,
  type NetworkRules,
} from '@probe-mesh/contracts/account/login-rules'
import type { Transaction } from '../stores/postgres/connect.ts'
import { findLoginMarks, saveLoginMark, type LoginMark } from './login-marks-store.ts'
import type { UserRecord } from './users-store.ts'
import type { LoginContext } from './context.ts'
import type { Visitor, Known } from './visitor.ts'
import type { Subject } from './throttle.ts'

type Where = Pick<Visitor, 'network' | 'widerNetworks' | 'browser'>

/** The browser comes before its network, which other people may share. */
const namesOf = ({ browser, network }: Where): { kind: LoginMark['kind']; name: string }[] => [
  ...(browser === null ? [] : [{ kind: 'browser' as const, name: browser }]),
  { kind: 'network', name: network },
]

/** @returns null for an unknown visitor, and for an address without an account, after the same work */
export const findKnown = async (
  { sql, marks, now }: Pick<LoginContext, 'sql' | 'marks' | 'now'>,
  email: string,
  visitor: Where,
): Promise<Known | null> => {
  const names = namesOf(visitor)
  const stored = names.map(({ kind, name }) => marks.of(email, kind, name))
  const found = await findLoginMarks(sql, stored, now())
  for (const name of names) {
    const mark = found.get(name.kind)
    if (mark !== undefined) return { ...name, ...mark }
  }
  return null
}

/** Stores the browser and network of a login. */
export const rememberVisitor = async (
  tx: Transaction,
  marks: LoginContext['marks'],
  user: UserRecord,
  visitor: Where,
  nowMs: number,
): Promise<void> => {
  for (const { kind, name } of namesOf(visitor)) {
    await saveLoginMark(tx, user, marks.of(user.email, kind, name), nowMs)
  }
}

/**
 * The subjects that an attempt with a password counts for. The first is reset after a correct password.
 */
export const attemptsOf = (email: string, visitor: Where, known: Known | null): [Subject, ...Subject[]] => {
  const about = `log in as ${email.toLowerCase()}`
  if (known !== null) return [{ text: `${about} by ${known.kind} ${known.name}`, rule: knownRule }]
  const [own, ...wider] = fromNetworks(about, visitor, unknownNetworkRules)
  return [
    own,
    ...wider,
    { text: `${about} from unknown networks`, rule: allUnknownRule },
    ...fromNetworks('log in', visitor, networkRules),
  ]
}

/** A subject for each network of a visitor, each with its own rule. */
export const fromNetworks = (
  what: string,
  { network, widerNetworks }: Where,
  [own, ...wider]: NetworkRules,
): [Subject, ...Subject[]] => [
  { text: `${what} from ${network}`, rule: own },
  ...wider.flatMap((rule, at) => {
    const around = widerNetworks[at]
    return around === undefined ? [] : [{ text: `${what} from ${around}`, rule }]
  }),
]
