import { Assignment } from '@probe-mesh/contracts/mesh/assignment'
import { toStep } from '@probe-mesh/contracts/check/step'
import { expect, test } from 'vitest'
import { catalogAccountId } from '../accounts/accounts-store.ts'
import { assignmentOf } from './assignment-of.ts'
import type { CheckRecord } from '../records/check/check-record.ts'
import { aCheckRecord } from './testing.ts'

const aStep = toStep({ name: 'home', method: 'GET', url: 'https://example.org/' })
const check: CheckRecord = { ...aCheckRecord, regions: ['fra'] }

test.each([
  ['an account', check.accountId, 'account'],
  ['the catalog', catalogAccountId, 'catalog'],
])('a check of %s says whose target it is, as agents understand it', (_, accountId, owner) => {
  const assignment = assignmentOf({ ...check, accountId }, 'fra')
  expect(assignment).toMatchObject({ owner, accountId, revision: 3, validFrom: 5 })
  expect(Assignment.parse(assignment)).toEqual(assignment)
})

test.each<[string, Partial<CheckRecord>, boolean | undefined]>([
  ['an http check', { config: { type: 'http' } }, undefined],
  ['an http check that is off', { config: { type: 'http', sendRegion: false } }, undefined],
  ['an http check that is on', { config: { type: 'http', sendRegion: true } }, true],
  [
    'a journey that is on',
    { type: 'multistep', config: { type: 'multistep', steps: [aStep], sendRegion: true } },
    true,
  ],
])('%s tells its target the region only where it says so', (_, change, sendRegion) => {
  const assignment = assignmentOf({ ...check, ...change }, 'fra')
  expect(assignment).not.toBeNull()
  expect(Assignment.parse(assignment)).toEqual(assignment)
  expect(assignment && 'sendRegion' in assignment ? assignment.sendRegion : undefined).toBe(sendRegion)
})

test.each<[string, Partial<CheckRecord>]>([
  ['a paused check', { paused: true }],
  ['one of another region', { regions: ['iad'] }],
  ['one that a newer version wrote', { config: { type: 'unknown' } }],
  ['one without a URL', { url: null }],
])('%s is not assigned', (_, change) => {
  expect(assignmentOf({ ...check, ...change }, 'fra')).toBeNull()
})
