import { setTimeout as pause } from 'node:timers/promises'
import { crc32, deflateSync } from 'node:zlib'
import { logoLimits } from '@probe-mesh/contracts/status-page/logo'
import { noErrorFilters } from '@probe-mesh/error-tracking/contracts/error-settings'
import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { createOpener } from '@probe-mesh/error-tracking/accept/open/opener'
import { defaultScrubRules } from '@probe-mesh/error-tracking/events/scrub/scrub'
import { createImportReader } from '@probe-mesh/control-plane/src/imports/import-reader'
import { createPasswordEstimator } from '@probe-mesh/control-plane/src/login/passwords/estimator'
import { createLogoEncoder } from '@probe-mesh/control-plane/src/status-pages/logo/logo-encoder'
import pino from 'pino'
import { describe, expect, onTestFinished, test } from 'vitest'
import { numbers } from './pools/case.ts'
import { slowestPassword } from './pools/logins.ts'

/**
 * The slowest work that a client can send, in the real threads: while accounts send it all the time, each at its
 * share, the small work of another one is never refused.
 */
const triesMax = 20
const attackers = [1, 2]
const minutes = 10 * 60_000
const againMs = 20

/** @returns the answers to small work, one after another */
const duringAttack = async <T>(given: {
  crowd: number
  share: number
  attack(owner: string): Promise<unknown>
  small(owner: string): Promise<T>
}): Promise<T[]> => {
  const { crowd, share, attack, small } = given
  const ending = new AbortController()
  const line = async (owner: string): Promise<void> => {
    while (!ending.signal.aborted) {
      await attack(owner).catch(() => undefined)
      await pause(againMs)
    }
  }
  const lines = numbers(crowd).flatMap((n) => numbers(share).map(() => line(`attacker ${n}`)))
  const answers: T[] = []
  try {
    await pause(againMs)
    for (const _ of numbers(triesMax)) answers.push(await small('newcomer'))
  } finally {
    ending.abort()
    await Promise.all(lines)
  }
  return answers
}
const all = <T>(value: T): T[] => numbers(triesMax).map(() => value)

describe.each([
  [
    'an OpenAPI document of 900 KB',
    { kind: 'openapi', text: `openapi: 3.0.0\ninfo: {}\nx: ${'a\n'.repeat(450_000)}` },
  ],
  [
    'an OpenAPI document of 64 KB',
    { kind: 'openapi', text: `openapi: 3.0.0\ninfo: {}\nx: ${'a\n'.repeat(32_000)}` },
  ],
] as const)('%s', (_, slow) => {
  test.each(attackers)(
    'of %i accounts lets the one-line imports of another through',
    { timeout: minutes },
    async (crowd) => {
      const reader = createImportReader()
      onTestFinished(() => reader.close())
      const answers = await duringAttack({
        crowd,
        share: 3,
        attack: (owner) => reader.read(owner, { ...slow, taken: [] }),
        small: async (owner) => {
          const line = { kind: 'curl', text: 'curl https://example.org/', taken: [] } as const
          const answer = await reader.read(owner, line)
          return isRefusal(answer) ? answer.refused : Object.keys(answer)[0]
        },
      })
      expect(answers).toEqual(all('draft'))
    },
  )
})

test.each(attackers)(
  'the slowest passwords of %i networks let the passwords of another through',
  { timeout: minutes },
  async (crowd) => {
    const estimator = createPasswordEstimator()
    onTestFinished(() => estimator.close())
    const answers = await duringAttack({
      crowd,
      share: 4,
      attack: (owner) => estimator.weaknessOf(owner, { password: slowestPassword, own: [] }),
      small: (owner) =>
        estimator.weaknessOf(owner, { password: 'correct horse battery staple', own: [] }).then(
          (answer) => (answer === 'busy' ? answer : 'estimated'),
          (error: Error) => error.message,
        ),
    })
    expect(answers).toEqual(all('estimated'))
  },
)

const bodyOf = (event: object): Uint8Array =>
  new TextEncoder().encode(
    `{"event_id":"${'0'.repeat(32)}","dsn":"https://key@example.com/7"}\n{"type":"event"}\n${JSON.stringify(event)}`,
  )
const slowTexts = ['Basic A', '4', '1.2.3.', 'a:', '"a"=', 'x@y.'].map((part) =>
  part.repeat(Math.floor(15_000 / part.length)),
)

test.each(attackers)(
  'the slowest bodies of errors of %i accounts let the events of another through',
  { timeout: minutes },
  async (crowd) => {
    const opener = createOpener({ log: pino({ level: 'silent' }) })
    onTestFinished(() => opener.close())
    const open = (owner: string, event: object) =>
      opener.open(owner, {
        body: bodyOf(event),
        encoding: undefined,
        kind: 'envelope',
        project: { projectId: uuidv7(1), scrub: defaultScrubRules, filters: noErrorFilters },
        countsOnly: false,
        receivedAt: 1_700_000_000_000,
      })
    const extra = Object.fromEntries(numbers(60).map((n) => [`k${n}`, slowTexts[n % slowTexts.length]]))
    const answers = await duringAttack({
      crowd,
      share: 24,
      attack: (owner) => open(owner, { message: 'it broke', extra }),
      small: async (owner) => ((await open(owner, { message: 'it broke' })) === 'busy' ? 'busy' : 'opened'),
    })
    expect(answers).toEqual(all('opened'))
  },
)

const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
/** A square image of 8-bit RGBA. */
const pngOf = (side: number): Buffer => {
  const chunk = (type: string, data: Buffer): Buffer[] => {
    const named = Buffer.concat([Buffer.from(type), data])
    return [number(data.length), named, number(crc32(named))]
  }
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    ...chunk('IHDR', Buffer.concat([number(side), number(side), Buffer.from([8, 6, 0, 0, 0])])),
    ...chunk('IDAT', deflateSync(Buffer.alloc((4 * side + 1) * side))),
    ...chunk('IEND', Buffer.alloc(0)),
  ])
}

test.each(attackers)(
  'the largest images of %i accounts let the logos of another through',
  { timeout: minutes },
  async (crowd) => {
    const [largest, little] = [pngOf(logoLimits.pixelsMax), pngOf(40)]
    const encoder = createLogoEncoder({})
    const answers = await duringAttack({
      crowd,
      share: 3,
      attack: (owner) => encoder.encode(owner, largest),
      small: async (owner) => {
        const answer = await encoder.encode(owner, little)
        return isRefusal(answer) ? answer.refused : answer.type
      },
    })
    expect(answers).toEqual(all('png'))
  },
)
