import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { aReading } from '@probe-mesh/bus/src/contract-suite/fixtures'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { partitionOf } from '@probe-mesh/contracts/mesh/subjects'
import { Reading } from '@probe-mesh/contracts/reading/reading'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { encodeReading, openSpool } from './spool.ts'

let directory = ''
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'probe-mesh-spool-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

describe('the spool', () => {
  test('keeps every reading in the partition of its check, across a restart', () => {
    const first = openSpool({ directory, bytesMax: 2 ** 24, now: () => 1 })
    const readings = Array.from({ length: 100 }, () => aReading())
    for (const reading of readings) first.append(encodeReading(reading))
    first.close()
    const second = openSpool({ directory, bytesMax: 2 ** 24, now: () => 2 })
    expect(second.stats().readings).toBe(100)
    for (const reading of readings) {
      const entries = second
        .partition(partitionOf(reading.checkId))
        .read(1, { countMax: 100, bytesMax: 2 ** 20 })
      expect(entries.map(({ bytes }) => Buffer.from(bytes).toString())).toContain(JSON.stringify(reading))
    }
    second.close()
  })

  test('stays within its limit by dropping the oldest, and counts each dropped reading', () => {
    const bytesMax = 2 ** 20
    const spool = openSpool({ directory, bytesMax, now: () => 1 })
    const { checkId } = aReading()
    const count = 1_000
    for (let slot = 0; slot < count; slot++) {
      spool.append(encodeReading(aReading({ checkId, slot })))
      expect(spool.stats().bytes).toBeLessThanOrEqual(bytesMax / limits.partitions)
    }
    const { readings, losses } = spool.stats()
    expect(losses.full).toBeGreaterThan(0)
    expect(readings + losses.full).toBe(count)
    spool.close()
  })

  test('drops `up` readings first when it is full', () => {
    const bytesMax = 2 ** 20
    const spool = openSpool({ directory, bytesMax, now: () => 1 })
    const { checkId } = aReading()
    const count = 2_000
    const isDown = (slot: number) => slot % 40 === 0
    const reason = 'expected "verdict":"up"'
    for (let slot = 0; slot < count; slot++) {
      const reading = aReading({ checkId, slot, verdict: isDown(slot) ? 'down' : 'up', reason })
      spool.append(encodeReading(reading))
      expect(spool.stats().bytes).toBeLessThanOrEqual(bytesMax / limits.partitions)
    }
    const log = spool.partition(partitionOf(checkId))
    const kept = log
      .read(1, { countMax: count, bytesMax })
      .map(({ bytes }) => Reading.parse(JSON.parse(Buffer.from(bytes).toString())))
    const down = kept.filter(({ verdict }) => verdict === 'down').map(({ slot }) => slot)
    expect(down.toSorted((a, b) => a - b)).toEqual(Array.from({ length: count / 40 }, (_, n) => n * 40))
    expect(kept).toHaveLength(count - spool.stats().losses.full)
    expect(kept.length - down.length).toBeGreaterThan(50)
    spool.close()
  })

  test('loses the oldest readings of an outage beyond its capacity', () => {
    const spool = openSpool({ directory, bytesMax: 2 ** 20, now: () => 1 })
    const { checkId } = aReading()
    const count = 1_000
    for (let slot = 0; slot < count; slot++) {
      spool.append(encodeReading(aReading({ checkId, slot, verdict: 'down' })))
      expect(spool.stats().bytes).toBeLessThanOrEqual(2 ** 20 / limits.partitions)
    }
    const { readings, losses } = spool.stats()
    expect(readings + losses.full).toBe(count)
    expect(readings).toBeGreaterThan(100)
    spool.close()
  })

  test('drops readings that are too old for ingest, and keeps slightly younger ones', () => {
    let now = 1_000
    const spool = openSpool({ directory, bytesMax: 2 ** 24, now: () => now })
    for (let n = 0; n < 5; n++) spool.append(encodeReading(aReading()))
    now += limits.readingAgeMsMax
    spool.dropOld()
    expect(spool.stats().readings).toBe(5)
    now += 1
    spool.dropOld()
    expect(spool.stats()).toMatchObject({ readings: 0, losses: { old: 5, full: 0, damaged: 0 } })
    spool.close()
  })
})
