import { beforeAll, describe, expect, test } from 'vitest'
import { isOffDiagonal, type Statuses } from './judge.ts'
import { playCorpus, type PlayedClass } from './play.ts'
import { hashOf, readRecord } from './record.ts'
import { figuresOf, type MeasuredClass } from './table.ts'
import { createAgent, type AgentAnswer } from './testing/agent.ts'

/**
 * Compares the agent's result of every case with the results of browsers and curl that record.json has.
 * browsers.test.ts checks the record; it runs only by name.
 */

const atOnce = 24
/** One attempt, because a case answers at once or never; on a busy machine a chain of redirects takes seconds. */
const times = { intervalSeconds: 20, timeoutSeconds: 16 }

const record = readRecord()
/** The recorded results of a case. */
const recorded = (name: string, index: number): Statuses => {
  const then = record.find((one) => one.class === name)?.statuses[index]
  if (then === undefined) throw new Error(`not recorded: case ${index} of ${name}`)
  return then
}
let played: PlayedClass<AgentAnswer>[]
beforeAll(async () => {
  const start = async ({ ca }: { ca: string }) => ({
    load: createAgent(ca, times),
    close: async () => undefined,
  })
  played = await playCorpus(start, { atOnce })
})

/** Each case with the recorded results of the others and the agent's current result. */
const measured = (): MeasuredClass[] =>
  played.map(({ name, cases }) => ({
    name,
    cases: cases.map(({ each, answer: { ours, cause } }, index) => ({
      ...each,
      statuses: { ...recorded(name, index), ours },
      note: `${ours ?? 'refuses'} ${cause}`,
    })),
  }))

describe('the corpus', () => {
  test('is recorded completely, without other cases', () => {
    const existing = played.map(({ name, cases }) => ({
      class: name,
      names: hashOf(cases.map(({ each }) => each.name)),
      size: cases.length,
    }))
    expect(existing).toEqual(record.map(({ statuses, ...of }) => ({ ...of, size: statuses.length })))
  })

  test('gets from the agent the status on which Chromium and curl agreed', () => {
    const off = measured().flatMap(({ name, cases }) =>
      cases.flatMap((each) =>
        isOffDiagonal(each.statuses, each) ? [`${name}, ${each.name}: ${each.note}`] : [],
      ),
    )
    expect(off).toEqual([])
  })

  test('gets from the agent the recorded result, also if the others differed', () => {
    const off = measured().flatMap(({ name, cases }) =>
      cases.flatMap((each, index) => {
        const then = recorded(name, index).ours
        return then === each.statuses.ours ? [] : [`${name}, ${each.name}: ${then} then, ${each.note}`]
      }),
    )
    expect(off).toEqual([])
  })

  test('has the documented size', () => {
    const classes = measured()
    const { classes: count, answers, refusals, published, exceptions } = figuresOf(classes)
    expect(answers + refusals).toBeGreaterThanOrEqual(300)
    expect(count).toBeGreaterThanOrEqual(20)
    expect(refusals).toBeGreaterThanOrEqual(60)
    expect(published).toBeGreaterThanOrEqual(60)
    expect(exceptions).toBeLessThanOrEqual(10)
    for (const { name, cases } of classes) {
      expect(cases.length, name).toBeLessThanOrEqual(20)
      expect(new Set(cases.map((each) => each.name)).size, name).toBe(cases.length)
    }
  })
})
