import { domainUnknownCauses } from '@probe-mesh/contracts/reading/certificate'
import { expect, test } from 'vitest'
import { describeUnknownDomain } from './unknown-domain.ts'

type Of = Parameters<typeof describeUnknownDomain>
const asked = (outcome: string | null): Of[0] => ({
  name: 'example.de',
  outcome,
  triedAtMs: outcome === null ? null : 1_790_000_000_000,
})
const shared = { isPrivate: false, isOff: false }

const cases: [cause: string, found: Of[0], about?: Partial<Of[1]>][] = [
  ['no_server', asked('no_server')],
  ['not_found', asked('not_found')],
  ['no_date', asked('told')],
  ['unreadable_date', asked('unreadable_date')],
  ['failed', asked('failed')],
  ['not_asked', asked(null)],
  ['not_asked', null],
  ['not_asked', asked('of a newer version')],
  ['private', asked(null), { isPrivate: true }],
  ['private', asked('failed'), { isPrivate: true, isOff: true }],
  ['no_domain', { name: '', outcome: null, triedAtMs: null }, { isPrivate: true }],
  ['off', asked(null), { isOff: true }],
  ['failed', asked('failed'), { isOff: true }],
]
test.each(cases)('a domain without a date says why: %s', (cause, found, about) => {
  const described = describeUnknownDomain(found, { ...shared, ...about })
  expect(described).toMatchObject({ cause, name: found?.name || null })
  expect(described.reason).not.toBe('')
  expect(described.askedAt === null).toBe((found?.triedAtMs ?? null) === null)
})
test('every cause has a case', () => {
  expect(new Set(cases.map(([cause]) => cause))).toEqual(new Set(domainUnknownCauses))
})
