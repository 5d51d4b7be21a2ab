import { fork } from 'node:child_process'
import { on } from 'node:events'
import { fileURLToPath } from 'node:url'
import { attemptDeadlineMs } from '@probe-mesh/contracts/mesh/assignment'
import { recordFigure } from '@probe-mesh/infra/testing/figure'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startRawServer, type RawServer } from '../request/testing/raw-server.ts'
import { hostileTargets } from './testing/hostile-targets.ts'
import type { Asked, Measured } from './testing/measuring-process.ts'

/**
 * Whatever a target sends, a run ends within its deadline, with a reason that names the event, and without
 * using the memory that the target tries to fill.
 */

/** Runs that end on their own get enough time on a busy machine; the others wait for the deadline. */
const intervalSecondsOf = (untilDeadline: true | undefined): number => (untilDeadline ? 4 : 30)
const lateMsMax = 300
const grownBytesMax = 32 * 1024 * 1024
const warmUpRuns = 100

/** A small young generation, so that V8 collects early and its growth is not measured. */
const child = fork(fileURLToPath(new URL('testing/measuring-process.ts', import.meta.url)), {
  execArgv: ['--max-semi-space-size=2'],
})
const servers: RawServer[] = []

const measure = async (intervalSeconds: number, ...urls: string[]): Promise<Measured[]> => {
  const measured: Measured[] = []
  const asked: Asked = { urls, intervalSeconds }
  const answers = on(child, 'message')
  child.send(asked)
  for await (const [answer] of answers as AsyncIterable<[Measured]>) {
    if (measured.push(answer) === urls.length) break
  }
  return measured
}

afterAll(async () => {
  child.kill('SIGKILL')
  await Promise.all(servers.map((server) => server.close()))
})

describe('a hostile target', async () => {
  const trap = await startRawServer((socket) => socket.end(), '127.0.0.2')
  servers.push(trap)
  const targets = hostileTargets(`http://127.0.0.2:${trap.port}/`)
  let basePeakBytes = 0
  const worst = { grownBytes: 0, lateMs: 0 }

  beforeAll(async () => {
    const honest = await startRawServer((socket) =>
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'),
    )
    servers.push(honest)
    const url = `http://127.0.0.1:${honest.port}/`
    const measured = await measure(30, ...Array.from({ length: warmUpRuns }, () => url))
    basePeakBytes = measured.at(-1)?.peakBytes ?? 0
  })

  test.each(targets)('$name: $verdict, $cause', async ({ answer, verdict, cause, untilDeadline }) => {
    const server = await startRawServer(answer)
    servers.push(server)
    const intervalSeconds = intervalSecondsOf(untilDeadline)
    const deadlineMs = attemptDeadlineMs(intervalSeconds)
    const [measured] = await measure(intervalSeconds, `http://127.0.0.1:${server.port}/`)
    if (measured === undefined) throw new Error('nothing was measured')
    const { reading, tookMs, lagMs, peakBytes } = measured
    expect(reading).toMatchObject({ verdict, cause })
    expect(reading.reason).not.toBeNull()
    // excludes the time in which this process was blocked
    expect(tookMs).toBeLessThan(reading.attempts * (deadlineMs + lateMsMax + lagMs))
    if (untilDeadline) expect(tookMs).toBeGreaterThan(2 * deadlineMs - lateMsMax)
    const grownBytes = peakBytes - basePeakBytes
    expect(grownBytes).toBeLessThan(grownBytesMax)
    worst.grownBytes = Math.max(worst.grownBytes, grownBytes)
    if (untilDeadline) worst.lateMs = Math.max(worst.lateMs, tookMs - 2 * deadlineMs)
  })

  test('none of them made the agent connect to a forbidden address', async (context) => {
    expect(trap.requests).toEqual([])
    await recordFigure(
      context,
      `${targets.length} hostile targets: memory grew by ${(worst.grownBytes / 2 ** 20).toFixed(1)} MB at most, ` +
        `two attempts ended at most ${worst.lateMs.toFixed(0)} ms after their deadlines`,
    )
  })
})
