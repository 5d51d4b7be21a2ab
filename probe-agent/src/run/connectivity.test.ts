import { describe, expect, test } from 'vitest'
import { createConnectivity } from './connectivity.ts'

const canaries = [
  { host: 'a', port: 1 },
  { host: 'b', port: 2 },
]
const setUp = (answers: (host: string) => boolean | Promise<boolean>) => {
  const clock = { ms: 1_000 }
  const asked: string[] = []
  const connectivity = createConnectivity({
    canaries,
    reach: async ({ host }) => {
      asked.push(host)
      return answers(host)
    },
    now: () => clock.ms,
  })
  return { connectivity, asked, clock }
}

describe('the network', () => {
  test('works when any canary answers', async () => {
    expect(await setUp((host) => host === 'b').connectivity.online()).toBe(true)
  })

  test('does not work when none answers', async () => {
    expect(await setUp(() => false).connectivity.online()).toBe(false)
  })

  test('works as soon as one answers, without waiting for the rest', async () => {
    const never = new Promise<boolean>(() => undefined)
    const { connectivity } = setUp((host) => (host === 'b' ? true : never))
    expect(await connectivity.online()).toBe(true)
  })

  test('without canaries counts as working', async () => {
    const connectivity = createConnectivity({ canaries: [], reach: async () => false })
    expect(await connectivity.online()).toBe(true)
  })
})

describe('canaries', () => {
  test('are probed once for all concurrent callers', async () => {
    const { connectivity, asked } = setUp(() => false)
    const all = await Promise.all(Array.from({ length: 100 }, () => connectivity.online()))
    expect(new Set(all)).toEqual(new Set([false]))
    expect(asked).toEqual(['a', 'b'])
  })

  test('are valid for a second when they answer', async () => {
    const { connectivity, asked, clock } = setUp(() => true)
    await connectivity.online()
    clock.ms += 999
    await connectivity.online()
    expect(asked).toHaveLength(2)
    clock.ms += 1
    await connectivity.online()
    expect(asked).toHaveLength(4)
  })

  test('are valid for five seconds when they do not', async () => {
    let reachable = false
    const { connectivity, clock } = setUp(() => reachable)
    expect(await connectivity.online()).toBe(false)
    reachable = true
    clock.ms += 4_999
    expect(await connectivity.online()).toBe(false)
    clock.ms += 1
    expect(await connectivity.online()).toBe(true)
  })
})
