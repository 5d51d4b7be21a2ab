import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { openLog } from './log.ts'

const program = `
import { writeSync } from 'node:fs'
import { openLog } from ${JSON.stringify(new URL('./log.ts', import.meta.url).href)}
const log = openLog({
  directory: process.argv[1],
  bytesMax: 100_000_000,
  segmentBytesMax: 20_000,
  whenFull: 'refuse',
  now: Date.now,
})
for (;;) {
  const next = log.last + 1
  writeSync(1, log.append(Buffer.from(String(next).repeat(1 + (next % 50)))) + '\\n')
}
`

/** Runs the program until it has reported some appends, kills it, and returns the last report. */
const appendUntilKilled = async (directory: string, atMs: number): Promise<number> => {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program, directory],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  // it also ends by itself if its log is full before a slow machine kills it
  const closed = once(child, 'close')
  let reported = ''
  child.stdout.on('data', (chunk: Buffer) => {
    reported = (reported + chunk.toString()).slice(-100)
  })
  await once(child.stdout, 'data')
  await delay(atMs)
  child.kill('SIGKILL')
  await closed
  return Number(reported.trimEnd().split('\n').at(-1))
}

describe('kill -9 of a process that appends', () => {
  test('loses no reported append, at any moment and over several processes', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'probe-mesh-log-kill-'))
    try {
      for (const atMs of [1, 7, 23, 60]) {
        const reported = await appendUntilKilled(directory, atMs)
        const log = openLog({
          directory,
          bytesMax: 100_000_000,
          segmentBytesMax: 20_000,
          whenFull: 'refuse',
          now: Date.now,
        })
        const entries = log.read(1, { countMax: 1_000_000, bytesMax: 100_000_000 })
        expect(reported).toBeGreaterThan(0)
        expect(entries.length).toBeGreaterThanOrEqual(reported)
        for (const { sequence, bytes } of entries) {
          expect(Buffer.from(bytes).toString()).toBe(String(sequence).repeat(1 + (sequence % 50)))
        }
        log.close()
      }
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  })
})
