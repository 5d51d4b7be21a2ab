import type { KeyRecord } from '@probe-mesh/control-plane/postgres/keys'
import type { Outcome } from './command.ts'

/** What goes to stdout (data) and to stderr (what a person should know about it). Pure. */
export type Printed = { out: string; note: string }

export const printOutcome = (outcome: Outcome, json: boolean): Printed => {
  if (json) return { out: `${JSON.stringify(toJson(outcome), null, 2)}\n`, note: '' }
  switch (outcome.act) {
    case 'account create':
      return {
        out: lines([
          `account   ${outcome.account.id}`,
          `tier      ${outcome.account.tier}`,
          `email     ${outcome.email}`,
          `password  ${outcome.password}`,
        ]),
        note: 'The password is shown only now.\n',
      }
    case 'account list':
      return {
        out: table(
          ['account', 'tier', 'email', 'name'],
          outcome.accounts.map((one) => [one.id, one.tier, one.email ?? '-', one.name]),
        ),
        note: '',
      }
    case 'tier set':
      return {
        out: lines([`${outcome.account.id} is ${outcome.account.tier} now`]),
        note: 'Running control planes know it within 5 seconds.\n',
      }
    case 'key create':
      return {
        out: lines([outcome.apiKey]),
        note: `Key ${outcome.key.id}, scope ${outcome.key.scope}. It is shown only now.\n`,
      }
    case 'key list':
      return {
        out: table(
          ['key', 'scope', 'hint', 'state', 'name'],
          outcome.keys.map((key) => [key.id, key.scope, key.hint, stateOf(key), key.name]),
        ),
        note: '',
      }
    case 'key revoke':
      return {
        out: lines([`${outcome.key.id} is revoked`]),
        note: 'Running control planes refuse it within 5 seconds.\n',
      }
  }
}

const stateOf = (key: KeyRecord): string =>
  key.revokedAtMs === null ? 'open' : `revoked ${new Date(key.revokedAtMs).toISOString()}`

const lines = (texts: readonly string[]): string => texts.map((text) => `${text}\n`).join('')

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
  const widths = head.map((name, column) =>
    Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  return lines(
    [head, ...rows].map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    ),
  )
}

/** The result with times as the API says them: `createdAt`, ISO 8601. */
const toJson = (outcome: Outcome): unknown =>
  sayTimes(Object.fromEntries(Object.entries(outcome).filter(([key]) => key !== 'act')))

const sayTimes = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sayTimes)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, part]: [string, unknown]) =>
      key.endsWith('AtMs')
        ? [key.slice(0, -2), typeof part === 'number' ? new Date(part).toISOString() : null]
        : [key, sayTimes(part)],
    ),
  )
}
