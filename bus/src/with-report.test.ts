import { expect, test } from 'vitest'
import { withReport } from './with-report.ts'

const presence = { agent: 'fra-1', region: 'fra', version: '1', startedAt: 5 }
const report = { at: 1, spool: { readings: 2, bytes: 3 } }

test('adds a copy of the report to the announcement', () => {
  const mine = structuredClone(report)
  const announced = withReport(presence, () => mine)
  mine.spool.readings = 99
  expect(announced).toEqual({ ...presence, report })
})

test.each([
  ['tells nothing', undefined],
  [
    'fails to tell',
    () => {
      throw new Error('the spool cannot be asked')
    },
  ],
  ['tells what cannot be copied', () => ({ at: 1, spool: () => {} }) as never],
])('announces an agent that %s without a report', (_how, tell) => {
  const announced = withReport(presence, tell)
  expect(announced).toEqual(presence)
  expect(announced).not.toBe(presence)
})
