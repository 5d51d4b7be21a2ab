import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { openLog } from './log.ts'

const bounds = { bytesMax: 1_000_000, segmentBytesMax: 100_000 }

/** Appends until the file cannot grow, then appends a smaller entry, and prints the results. */
const program = `
import { openLog } from ${JSON.stringify(new URL('./log.ts', import.meta.url).href)}
const log = openLog({
  directory: process.argv[1],
  ...${JSON.stringify(bounds)},
  whenFull: 'refuse',
  now: Date.now,
})
let refused
while (refused === undefined) {
  try {
    log.append(Buffer.alloc(1_000, 'x'))
  } catch (error) {
    refused = error.name
  }
}
const large = log.last
const small = log.append(Buffer.from('fits'))
process.stdout.write(JSON.stringify({ refused, large, small }))
`

describe('a disk that accepts only part of an entry', () => {
  test('the append is refused, nothing of it remains, and a smaller one succeeds', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'probe-mesh-log-full-'))
    try {
      // A limit on the file size makes write(2) fall short, as on a full disk.
      const limited = 'ulimit -f 16; exec "$0" --input-type=module -e "$1" "$2"'
      const child = spawn('sh', ['-c', limited, process.execPath, program, directory], {
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      const [said, complained] = await Promise.all([text(child.stdout), text(child.stderr)])
      expect(said, complained).not.toBe('')
      const { refused, large, small } = JSON.parse(said)
      expect(refused).toBe('BusUnavailable')
      expect(large).toBeGreaterThan(3)
      expect(small).toBe(large + 1)

      const log = openLog({ directory, ...bounds, whenFull: 'refuse', now: Date.now })
      const entries = log.read(1, { countMax: 1_000, bytesMax: 1_000_000 })
      expect(entries).toHaveLength(small)
      expect(Buffer.from(entries.at(-1)?.bytes ?? []).toString()).toBe('fits')
      expect(log.losses()).toEqual({ full: 0, old: 0, damaged: 0, cutBytes: 0 })
      log.close()
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  })
})
