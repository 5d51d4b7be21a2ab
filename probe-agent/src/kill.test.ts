import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setTimeout as delay } from 'node:timers/promises'
import { openInProcessBus } from '@probe-mesh/bus/in-process/in-process-bus'
import type { Bus } from '@probe-mesh/bus/port'
import { silentLogger } from '@probe-mesh/bus/logger'
import type { LogEntry } from '@probe-mesh/bus/log/segment'
import { partitions } from '@probe-mesh/contracts/mesh/subjects'
import { Reading, readingId, ReadingsMessage } from '@probe-mesh/contracts/reading/reading'
import { expect, test } from 'vitest'
import { createPublisher } from './publish/publisher.ts'
import { openJournal } from './journal.ts'
import { openSpool } from './publish/spool/spool.ts'

const program = fileURLToPath(new URL('testing/journalling-agent.ts', import.meta.url))

const runUntilKilled = async (directory: string, killAfterMs: number) => {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  await delay(killAfterMs)
  child.kill('SIGKILL')
  await once(child, 'close')
}

const everything = { countMax: 1_000_000, bytesMax: 2 ** 30 }
const jsonOf = (bytes: Uint8Array): unknown => JSON.parse(Buffer.from(bytes).toString())
const idOf = (reading: unknown) => readingId(Reading.parse(reading))

const idsInStream = async (bus: Bus): Promise<string[]> => {
  const ids = []
  for (const partition of partitions) {
    for (const { data } of await bus.readings.replay(partition, 1, 1_000_000)) {
      ids.push(...ReadingsMessage.parse(jsonOf(data)).readings.map(idOf))
    }
  }
  return ids
}

const openAgentSpool = (directory: string) =>
  openSpool({
    directory: join(directory, 'spool', 'fra-1'),
    bytesMax: 64 * 1024 * 1024,
    now: Date.now,
  })

/** The ids in the stream after another process published the readings of the killed ones. */
const idsAfterAnotherLife = async (directory: string): Promise<string[]> => {
  const bus = await openInProcessBus({ directory: join(directory, 'bus') })
  const spool = openAgentSpool(directory)
  const publisher = createPublisher({
    agent: 'fra-1',
    region: 'fra',
    directory: join(directory, 'spool', 'fra-1'),
    spool,
    bus,
    now: Date.now,
    random: Math.random,
    log: silentLogger,
    onOutcome: () => undefined,
  })
  await publisher.flush()
  await publisher.close()
  spool.close()
  const ids = await idsInStream(bus)
  await bus.close()
  return ids
}

const linesOf = (path: string) =>
  existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : []

test('after kill -9 of an agent, several times, journal and spool agree and the next process publishes everything', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'probe-mesh-agent-kill-'))
  try {
    for (const killAfterMs of [150, 420, 333]) {
      await runUntilKilled(directory, killAfterMs)
      const spool = openAgentSpool(directory)
      const entries: LogEntry[] = partitions.flatMap((partition) =>
        spool.partition(partition).read(1, everything),
      )
      const spooled = new Set(entries.map(({ bytes }) => idOf(jsonOf(bytes))))
      const path = join(directory, 'journal')
      const journalled = linesOf(path)
      expect(journalled.length).toBeGreaterThan(10)
      expect(journalled.filter((id) => !spooled.has(id))).toEqual([])

      openJournal({ path, spool, log: silentLogger }).close()
      expect(new Set(linesOf(path))).toEqual(spooled)
      expect(linesOf(path)).toHaveLength(spooled.size)
      spool.close()
    }
    const journalled = new Set(linesOf(join(directory, 'journal')))
    expect(new Set(await idsAfterAnotherLife(directory))).toEqual(journalled)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})
