import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { absenceSecondsMax, createAbsences } from '../dns/absences.ts'
import type { Said } from '../dns/said.ts'
import { resolveName, type AddressFamily, type Resolver } from './resolve.ts'

const name = 'www.example.org'
const ipv4 = ['192.0.2.1']
const ipv6 = ['2001:db8::1']

type Known = { values: readonly string[] } | { code: string; absentSeconds?: number }

/** A resolver with these answers, the questions that it got, and a clock. */
const setUp = (namesMax?: number) => {
  let at = 0
  const asked: string[] = []
  const answers: Record<'A' | 'AAAA', Known> = {
    A: { values: ipv4 },
    AAAA: { code: 'ENODATA', absentSeconds: 60 },
  }
  const absences = createAbsences(() => at, namesMax)
  const never = (): never => {
    throw new Error('not asked')
  }
  const resolver: Resolver = {
    resolve4: never,
    resolve6: never,
    absences,
    say: async (_, type): Promise<Said> => {
      asked.push(type)
      return { code: 'OK', values: [], absentSeconds: 0, ...answers[type] }
    },
  }
  return {
    answers,
    absences,
    pass: (seconds: number) => {
      at += seconds * 1_000
    },
    /** The addresses or the cause of a look-up, and what was asked for it. */
    lookUp: async (family?: AddressFamily, of = name) => {
      asked.length = 0
      const resolved = await resolveName(of, resolver, family)
      return [resolved.ok ? resolved.addresses.join() : resolved.failure.cause, asked.join(' ')]
    },
  }
}

describe('a family that a name does not have', () => {
  test('is not asked for as long as the zone says, and then again', async () => {
    const { lookUp, pass } = setUp()
    expect(await lookUp()).toEqual(['192.0.2.1', 'A AAAA'])
    pass(59)
    expect(await lookUp()).toEqual(['192.0.2.1', 'A'])
    pass(1)
    expect(await lookUp()).toEqual(['192.0.2.1', 'A AAAA'])
  })

  test('is noticed within five minutes, whatever the zone says', async () => {
    const { lookUp, pass, answers } = setUp()
    answers.AAAA = { code: 'ENODATA', absentSeconds: 86_400 }
    await lookUp()
    answers.AAAA = { values: ipv6 }
    pass(absenceSecondsMax - 1)
    expect(await lookUp()).toEqual(['192.0.2.1', 'A'])
    pass(1)
    expect(await lookUp()).toEqual(['192.0.2.1,2001:db8::1', 'A AAAA'])
  })

  test.each<[string, Known]>([
    ['without the word of its zone', { code: 'ENODATA' }],
    ['when the name is denied', { code: 'ENOTFOUND', absentSeconds: 0 }],
    ['when the resolver fails', { code: 'ESERVFAIL' }],
    ['when the resolver is silent', { code: 'ETIMEOUT' }],
  ])('is asked for at each look-up %s', async (_, known) => {
    const { lookUp, answers } = setUp()
    answers.AAAA = known
    for (let times = 0; times < 3; times += 1) expect(await lookUp()).toEqual(['192.0.2.1', 'A AAAA'])
  })

  test.each<[string, Known, Known, expected: string]>([
    ['with only the other left', { code: 'ENODATA' }, { values: ipv6 }, '2001:db8::1'],
    ['with none left', { code: 'ENODATA' }, { code: 'ENODATA' }, 'dns_no_address'],
    ['that is gone', { code: 'ENOTFOUND' }, { code: 'ENOTFOUND' }, 'dns_not_found'],
    ['that the resolver cannot resolve', { code: 'ESERVFAIL' }, { code: 'ESERVFAIL' }, 'dns_server_failure'],
    [
      'with one family that the resolver cannot resolve',
      { code: 'ESERVFAIL' },
      { values: ipv6 },
      '2001:db8::1',
    ],
  ])('decides nothing: a name %s is looked up as if nothing were known', async (_, a, aaaa, expected) => {
    const { lookUp, answers } = setUp()
    await lookUp()
    answers.A = a
    answers.AAAA = aaaa
    expect(await lookUp()).toEqual([expected, 'A AAAA'])
    // and the next time both at once
    answers.A = { values: ipv4 }
    expect((await lookUp())[1]).toBe('A AAAA')
  })

  test('does not make a silent resolver be waited for twice', async () => {
    const { lookUp, answers } = setUp()
    await lookUp()
    answers.A = { code: 'ETIMEOUT' }
    expect(await lookUp()).toEqual(['dns_unreachable', 'A'])
  })

  test('is always asked for by a check that requires it, and never for one that requires the other', async () => {
    const { lookUp } = setUp()
    await lookUp()
    for (let times = 0; times < 3; times += 1) expect(await lookUp('ipv6')).toEqual(['192.0.2.1', 'A AAAA'])
    expect(await lookUp('ipv4')).toEqual(['192.0.2.1', 'A'])
  })

  test('may be IPv4', async () => {
    const { lookUp, answers } = setUp()
    answers.A = { code: 'ENODATA', absentSeconds: 60 }
    answers.AAAA = { values: ipv6 }
    expect(await lookUp()).toEqual(['2001:db8::1', 'A AAAA'])
    expect(await lookUp()).toEqual(['2001:db8::1', 'AAAA'])
    expect(await lookUp('ipv6')).toEqual(['2001:db8::1', 'AAAA'])
    expect(await lookUp('ipv4')).toEqual(['2001:db8::1', 'A AAAA'])
    answers.AAAA = { code: 'ENODATA' }
    answers.A = { values: ipv4 }
    expect(await lookUp()).toEqual(['192.0.2.1', 'AAAA A'])
  })

  test('is remembered for a bounded number of names, and those dropped are counted', async () => {
    const { lookUp, absences } = setUp(10)
    for (let index = 0; index < 25; index += 1) await lookUp(undefined, `n${index}.example.org`)
    expect(absences.size).toBeLessThanOrEqual(10)
    expect(absences.size + absences.dropped).toBe(25)
  })
})

test('sockets of look-ups do not keep a process alive, and one that waits for an answer does', async () => {
  const script = fileURLToPath(new URL('testing/resolving-process.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [script], { timeout: 20_000 })
  expect(stdout).toBe('OK ETIMEOUT \n')
})
