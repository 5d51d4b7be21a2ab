import { afterAll, expect, test } from 'vitest'
import { createWarmThread, ThreadEnded } from './warm-thread.ts'

const module = new URL('answering-thread.fixture.ts', import.meta.url)
const thread = createWarmThread<string | number, number>(module, { cpuMsMax: 300, megabytesMax: 64 })
afterAll(() => thread.close())

test('answers questions one at a time, in their order', async () => {
  const order: number[] = []
  const ask = async (number: number) => order.push(await thread.ask(number))
  await Promise.all([ask(1), ask(2), ask(3)])
  expect(order).toEqual([1, 2, 3])
})

test.each([
  ['spin', 'cpu'],
  ['exit', 'error'],
] as const)(
  'a question that ends the thread (%s) is refused, and those behind it are answered',
  async (way, by) => {
    const [lost, ...others] = await Promise.allSettled([thread.ask(way), thread.ask(1), thread.ask(2)])
    expect(lost).toMatchObject({ status: 'rejected', reason: { name: 'ThreadEnded', by } })
    expect(others).toEqual([
      { status: 'fulfilled', value: 1 },
      { status: 'fulfilled', value: 2 },
    ])
  },
)

test('a question that needs too much memory is refused with this reason', async () => {
  const roomy = createWarmThread<string, number>(module, { cpuMsMax: 60_000, megabytesMax: 32 })
  await expect(roomy.ask('fill')).rejects.toMatchObject({ by: 'memory' })
  await roomy.close()
})

test('what the function throws fails its question only', async () => {
  await expect(thread.ask('throw')).rejects.toThrow('thrown in the thread')
  expect(await thread.ask(4)).toBe(4)
})

test('after its close nothing waits for ever', async () => {
  const closing = createWarmThread<string | number, number>(module, { cpuMsMax: 300, megabytesMax: 64 })
  const asked = [closing.ask('spin'), closing.ask(1)]
  const settled = Promise.allSettled(asked)
  await closing.close()
  for (const each of await settled) expect(each).toMatchObject({ reason: new ThreadEnded('close') })
  await expect(closing.ask(1)).rejects.toBeInstanceOf(ThreadEnded)
})

test('an idle thread ends, and the next question starts another', async () => {
  const brief = createWarmThread<number, number>(module, { cpuMsMax: 300, megabytesMax: 64, idleMsMax: 0 })
  expect(await brief.ask(1)).toBe(1)
  expect(await brief.ask(2)).toBe(2)
  await brief.close()
})

test('a thread that does not start fails each question once', async () => {
  const missing = new URL('no-such-module.ts', import.meta.url)
  const broken = createWarmThread<number, number>(missing, { cpuMsMax: 300, megabytesMax: 64 })
  const asked = await Promise.allSettled([broken.ask(1), broken.ask(2)])
  for (const each of asked) expect(each).toMatchObject({ reason: { name: 'ThreadEnded', by: 'error' } })
  await broken.close()
})

test('neither the start of a thread nor a wait for one counts as work on an answer (F-17, F-18)', async () => {
  // its start takes twice the CPU time that an answer may take
  const slow = new URL('slow-thread.fixture.ts', import.meta.url)
  const cold = createWarmThread<string, string>(slow, { cpuMsMax: 300, megabytesMax: 64 })
  expect(await Promise.all([cold.ask('a'), cold.ask('b')])).toEqual(['a', 'b'])
  // one that ended is replaced by a cold one
  await expect(cold.ask('spin')).rejects.toMatchObject({ by: 'cpu' })
  expect(await cold.ask('c')).toBe('c')
  await cold.close()
})
