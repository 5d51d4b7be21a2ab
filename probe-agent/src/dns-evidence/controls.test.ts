import { describe, expect, test } from 'vitest'
import { createNameControls } from './controls.ts'

const failing = (code: string): Promise<string[]> => Promise.reject(Object.assign(new Error(code), { code }))

/** @param answer addresses, or the code of a failure */
const setUp = (hosts: string[], answer: (name: string) => string[] | string) => {
  const clock = { ms: 1_000 }
  const asked: string[] = []
  const turns: boolean[] = []
  const resolve4 = (name: string): Promise<string[]> => {
    asked.push(name)
    const said = answer(name)
    return typeof said === 'string' ? failing(said) : Promise.resolve(said)
  }
  const controls = createNameControls({
    hosts,
    resolver: { resolve4 },
    now: () => clock.ms,
    pause: async (ms) => void (clock.ms += ms),
    onTurn: (answers) => turns.push(answers),
  })
  return { controls, asked, turns, clock }
}

describe('canaries as control names', () => {
  const hosts = ['one.example.net', 'two.example.net', 'three.example.net', '192.0.2.1']

  test('are queried with a name that no cache has, two of them at most', async () => {
    const { controls, asked } = setUp(hosts, () => 'ENOTFOUND')
    expect(await controls.ask('www.example.org', false, 0)).toBe('answered')
    expect(asked).toHaveLength(2)
    for (const name of asked) {
      expect(name).toMatch(/^probe-[0-9a-f]{12}\.(?:one|two|three)\.example\.net$/)
    }
    expect(new Set(asked.map((name) => name.slice(19))).size).toBe(2)
  })

  test.each<[string | string[], string]>([
    ['ENOTFOUND', 'answered'],
    ['ENODATA', 'answered'],
    [['192.0.2.9'], 'answered'],
    ['ESERVFAIL', 'failed'],
    ['ETIMEOUT', 'failed'],
    ['EREFUSED', 'failed'],
  ])('answer with %j: %s', async (answer, expected) => {
    expect(await setUp(hosts, () => answer).controls.ask('www.example.org', false, 0)).toBe(expected)
  })

  test('suffice when one of two answers', async () => {
    let asked = 0
    const { controls } = setUp(hosts, () => (++asked === 1 ? 'ESERVFAIL' : 'ENOTFOUND'))
    expect(await controls.ask('www.example.org', false, 0)).toBe('answered')
  })

  test('are queried by their own names for a denied name, and must have addresses', async () => {
    const { controls, asked, clock } = setUp(hosts, () => ['192.0.2.9'])
    expect(await controls.ask('www.example.org', true, 0)).toBe('answered')
    expect(asked).toHaveLength(2)
    for (const name of asked) expect(hosts).toContain(name)
    clock.ms += 999
    await controls.ask('www.example.org', true, 0)
    expect(asked).toHaveLength(2)
    for (const code of ['ENOTFOUND', 'ESERVFAIL', 'ETIMEOUT']) {
      expect(await setUp(hosts, () => code).controls.ask('www.example.org', true, 0)).toBe('failed')
    }
  })

  test('by name that an inner resolver denies leave a denied name to the names of other checks', async () => {
    const answer = (name: string): string[] | string =>
      name === 'a.corp.example' ? ['192.0.2.9'] : 'ENOTFOUND'
    const { controls } = setUp(['one.example.net', '192.0.2.1'], answer)
    expect(await controls.ask('x.corp.example', true, 0)).toBe('failed')
    controls.addResolved(() => 'a.corp.example')
    expect(await controls.ask('x.corp.example', true, 0)).toBe('answered')
  })

  test('are queried once for all callers within a second', async () => {
    const { controls, asked, clock } = setUp(hosts, () => 'ENOTFOUND')
    await Promise.all(Array.from({ length: 50 }, () => controls.ask('www.example.org', false, 0)))
    clock.ms += 999
    await controls.ask('www.example.org', false, 0)
    expect(asked).toHaveLength(2)
    clock.ms += 1
    await controls.ask('www.example.org', false, 0)
    expect(asked).toHaveLength(4)
  })

  test('are queried again, a second later, for a failure after their answer', async () => {
    const { controls, asked, clock } = setUp(hosts, () => 'ENOTFOUND')
    await controls.ask('www.example.org', false, clock.ms)
    const answeredAt = clock.ms
    clock.ms += 300
    await controls.ask('www.example.org', false, clock.ms - 1)
    expect([asked.length, clock.ms - answeredAt]).toEqual([4, 1_000])
    await controls.ask('www.example.org', false, answeredAt)
    expect(asked).toHaveLength(4)
  })

  test('report once that they fail, and once that they answer again', async () => {
    let code = 'ESERVFAIL'
    const { controls, turns, clock } = setUp(hosts, () => code)
    for (code of ['ESERVFAIL', 'ESERVFAIL', 'ENOTFOUND', 'ENOTFOUND']) {
      clock.ms += 10_000
      await controls.ask('www.example.org', false, 0)
    }
    expect(turns).toEqual([false, true])
  })
})

describe('without canaries, names of other checks serve', () => {
  const known = ['a.corp.example', 'b.corp.example', 'c.other.example']
  const noted = (answer: (name: string) => string[] | string) => {
    const made = setUp(['192.0.2.1'], answer)
    for (const name of known) made.controls.addResolved(() => name)
    return made
  }

  test('two of them, those of other sites first, and never the failing one', async () => {
    const { controls, asked } = noted(() => ['192.0.2.9'])
    expect(await controls.ask('a.corp.example', false, 0)).toBe('answered')
    expect(asked).toEqual(['c.other.example', 'b.corp.example'])
  })

  test.each<[string | string[], string]>([
    [['192.0.2.9'], 'answered'],
    ['ENODATA', 'answered'],
    ['ENOTFOUND', 'failed'],
    ['ESERVFAIL', 'failed'],
  ])('answer with %j: %s', async (answer, expected) => {
    for (const denied of [true, false]) {
      expect(await noted(() => answer).controls.ask('x.corp.example', denied, 0)).toBe(expected)
    }
  })

  test('none when none was resolved within an hour', async () => {
    const { controls, clock } = noted(() => ['192.0.2.9'])
    clock.ms += 3_600_000
    expect(await controls.ask('x.corp.example', true, 0)).toBe('answered')
    clock.ms += 1_001
    for (const denied of [true, false]) {
      expect(await controls.ask('x.corp.example', denied, 0)).toBe('none')
      expect(await setUp([], () => []).controls.ask('x.corp.example', denied, 0)).toBe('none')
    }
  })

  test('or the denied name itself, for an hour after it was resolved', async () => {
    const { controls, asked, clock } = setUp([], () => 'ENOTFOUND')
    controls.addResolved(() => 'x.corp.example')
    clock.ms += 3_600_000
    expect(await controls.ask('x.corp.example', true, 0)).toBe('itself')
    expect(await controls.ask('x.corp.example', false, 0)).toBe('none')
    clock.ms += 1
    expect(await controls.ask('x.corp.example', true, 0)).toBe('none')
    expect(asked).toEqual([])
  })

  test('at most a hundred of them', async () => {
    const { controls, asked } = setUp([], () => 'ESERVFAIL')
    for (let n = 0; n < 200; n++) controls.addResolved(() => `n${n}.corp.example`)
    await controls.ask('n199.corp.example', false, 0)
    expect(asked).toEqual(['n198.corp.example', 'n197.corp.example'])
  })
})
