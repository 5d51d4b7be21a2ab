import { expect, test } from 'vitest'
import { warningsIn } from './warnings.ts'

const line = (level: number, msg: string): string => JSON.stringify({ level, time: 1, msg })

test('warnings and errors are counted by message, and what is below them is not', () => {
  const text = [line(30, 'runs'), line(40, 'late'), line(50, 'broken'), line(40, 'late'), ''].join(
    '\n',
  )
  expect([...warningsIn(text)]).toEqual([
    ['late', 2],
    ['broken', 1],
  ])
})

test('the error of a warning is said with it', () => {
  const text = JSON.stringify({
    level: 40,
    msg: 'late',
    err: { type: 'Error', message: 'timeout' },
  })
  expect([...warningsIn(text)]).toEqual([['late (timeout)', 1]])
})

test.each(['', 'no JSON', '{"level":40,"ms', '[40]', '{"level":40}', 'null'])(
  'a line that is no entry of a log is passed over: %j',
  (text) => {
    expect(warningsIn(text).size).toBe(0)
  },
)
