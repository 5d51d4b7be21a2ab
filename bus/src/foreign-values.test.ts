import { expect, test } from 'vitest'
import { aReading } from './contract-suite/fixtures.ts'
import { toPresence, toRunReply } from './foreign-values.ts'

const reading = aReading({ region: 'fra' })

test('a reply is the reading, or the error that the agent names', () => {
  expect(toRunReply({ agent: 'fra-1', reading })).toEqual({ agent: 'fra-1', reading })
  expect(toRunReply({ agent: 'fra-1', error: 'busy' })).toEqual({ agent: 'fra-1', error: 'busy' })
})

test.each([null, 1, [], {}, { agent: 1 }, { agent: 'fra-1' }, { agent: 'fra-1', reading: {} }])(
  'the reply %j is not understood',
  (value) => {
    expect(toRunReply(value)).toMatchObject({ error: 'not_understood' })
  },
)

test('an announcement keeps the additional fields of a newer agent', () => {
  const announced = { agent: 'fra-1', region: 'fra', version: '1', startedAt: 1, colour: 'red' }
  expect(toPresence(announced, 'fra')).toEqual(announced)
})

test.each([null, 'x', {}, { agent: '', region: 'fra', version: '1', startedAt: 1 }])(
  '%j is no announcement',
  (value) => {
    expect(toPresence(value, 'fra')).toBeNull()
  },
)

test('an agent announces itself in its own region only', () => {
  const announced = { agent: 'fra-1', region: 'iad', version: '1', startedAt: 1 }
  expect(toPresence(announced, 'fra')).toBeNull()
})
