import pino from 'pino'
import { expect, test } from 'vitest'
import { keepConsumers } from './keep-consumers.ts'

test('missing consumers are created at the start', async () => {
  let declared = 0
  const keeping = await keepConsumers({
    consumers: { areOursThere: async () => declared > 0, declareOurs: async () => void (declared += 1) },
    isSuperseded: () => false,
    log: pino({ level: 'silent' }),
  })
  await keeping.close()
  expect(declared).toBe(1)
})

test('does not restore consumers that a newer version removed', async () => {
  const never = () => Promise.reject(new Error('nothing is to be looked at'))
  const said: unknown[] = []
  const keeping = await keepConsumers({
    consumers: { areOursThere: never, declareOurs: never },
    isSuperseded: () => true,
    log: pino({ level: 'trace' }, { write: (line) => void said.push(line) }),
  })
  await keeping.close()
  expect(said).toEqual([])
})
