import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync, appendFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { BusUnavailable } from '../port.ts'
import { openLog, type LogOptions } from './log.ts'

let directory = ''
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'probe-mesh-log-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const options = (over: Partial<LogOptions> = {}): LogOptions => ({
  directory,
  bytesMax: 10_000,
  segmentBytesMax: 200,
  whenFull: 'refuse',
  now: () => 1_000,
  ...over,
})
const all = { countMax: 1_000_000, bytesMax: 1_000_000 }
const bytes = (text: string) => Buffer.from(text)
const texts = (entries: { bytes: Uint8Array }[]) =>
  entries.map((entry) => Buffer.from(entry.bytes).toString())
const segments = () =>
  readdirSync(directory)
    .filter((name) => name.endsWith('.log'))
    .toSorted()
const segmentFile = (index: number) => join(directory, segments()[index] ?? 'absent')

/** Flips one bit of a file. */
const damage = (path: string, offset: number) => {
  const content = readFileSync(path)
  content.writeUInt8(content.readUInt8(offset) ^ 1, offset)
  writeFileSync(path, content)
}

describe('a log', () => {
  test('returns what was appended, in order, with the time of storage', () => {
    const log = openLog(options({ now: () => 42 }))
    expect([log.append(bytes('a')), log.append(bytes('')), log.append(bytes('c'))]).toEqual([1, 2, 3])
    expect(texts(log.read(1, all))).toEqual(['a', '', 'c'])
    expect(log.read(2, all)[0]).toMatchObject({ sequence: 2, storedAt: 42 })
    expect(log.read(4, all)).toEqual([])
    log.close()
  })

  test('reads within its bounds, or one entry that alone exceeds them', () => {
    const log = openLog(options())
    for (const text of ['aaaa', 'bbbb', 'cccc']) log.append(bytes(text))
    expect(texts(log.read(1, { countMax: 2, bytesMax: 100 }))).toEqual(['aaaa', 'bbbb'])
    expect(texts(log.read(1, { countMax: 9, bytesMax: 8 }))).toEqual(['aaaa', 'bbbb'])
    expect(texts(log.read(1, { countMax: 9, bytesMax: 7 }))).toEqual(['aaaa'])
    expect(texts(log.read(2, { countMax: 9, bytesMax: 1 }))).toEqual(['bbbb'])
    log.close()
  })

  test('never repeats a sequence, even when everything was released before a restart', () => {
    const first = openLog(options())
    for (let n = 0; n < 50; n++) first.append(bytes(`entry ${n}`))
    first.release(50)
    first.close()
    const second = openLog(options())
    expect(second.count).toBe(0)
    expect(second.append(bytes('next'))).toBe(51)
    second.close()
  })

  test('never repeats a released sequence, even when its segments are gone', () => {
    const first = openLog(options())
    for (let n = 0; n < 20; n++) first.append(bytes('x'.repeat(50)))
    first.release(20)
    first.append(bytes('21'))
    first.release(21)
    first.close()
    for (const name of segments()) rmSync(join(directory, name))
    const second = openLog(options())
    expect(second.append(bytes('22'))).toBe(22)
    second.release(22)
    second.close()
    writeFileSync(segmentFile(0), '')
    const third = openLog(options())
    expect([third.first, third.append(bytes('23'))]).toEqual([23, 23])
    expect(texts(third.read(1, all))).toEqual(['23'])
    third.close()
  })

  test('frees the disk space of released entries', () => {
    const log = openLog(options())
    for (let n = 0; n < 100; n++) log.append(bytes('x'.repeat(50)))
    const before = segments().length
    log.release(100)
    expect(before).toBeGreaterThan(10)
    expect(segments()).toHaveLength(1)
    expect(log.bytes).toBeLessThanOrEqual(200)
    log.close()
  })

  test('cuts a torn tail and keeps every complete entry before it', () => {
    const log = openLog(options())
    for (const text of ['a', 'b', 'c']) log.append(bytes(text))
    log.close()
    const path = segmentFile(0)
    writeFileSync(path, readFileSync(path).subarray(0, -1))
    const reopened = openLog(options())
    expect(texts(reopened.read(1, all))).toEqual(['a', 'b'])
    expect(reopened.losses()).toMatchObject({ cutBytes: 16, damaged: 0 })
    expect(reopened.append(bytes('again'))).toBe(3)
    expect(texts(reopened.read(1, all))).toEqual(['a', 'b', 'again'])
    reopened.close()
  })

  test('cuts a tail of zeroes, which a file system may leave', () => {
    const log = openLog(options())
    log.append(bytes('a'))
    log.close()
    appendFileSync(segmentFile(0), Buffer.alloc(64))
    const reopened = openLog(options())
    expect(texts(reopened.read(1, all))).toEqual(['a'])
    expect(reopened.losses().cutBytes).toBe(64)
    reopened.close()
  })

  test('skips from a damaged frame of a sealed segment to the next one and counts the loss', () => {
    const log = openLog(options())
    for (let n = 1; n <= 12; n++) log.append(bytes(`${n}`.padStart(30, '0')))
    log.close()
    damage(segmentFile(0), 46 + 20)
    const reopened = openLog(options())
    expect(texts(reopened.read(1, all)).map(Number)).toEqual([1, 5, 6, 7, 8, 9, 10, 11, 12])
    expect(reopened.losses().damaged).toBe(3)
    expect(reopened.count).toBe(9)
    reopened.close()
  })

  test('skips a frame that becomes damaged while the log is open', () => {
    const log = openLog(options())
    for (let n = 1; n <= 6; n++) log.append(bytes(`${n}`.padStart(30, '0')))
    damage(segmentFile(1), 20)
    expect(texts(log.read(1, all)).map(Number)).toEqual([1, 2, 3, 4])
    expect(log.append(bytes('7'))).toBe(7)
    expect(texts(log.read(1, all)).map(Number)).toEqual([1, 2, 3, 4, 7])
    expect(log.losses().damaged).toBe(2)
    log.close()
  })

  test('when full and refusing, accepts an entry again after a release', () => {
    const log = openLog(options({ bytesMax: 400 }))
    const append = () => log.append(bytes('x'.repeat(84)))
    for (let n = 0; n < 4; n++) append()
    expect(append).toThrow(BusUnavailable)
    expect(log.count).toBe(4)
    log.release(4)
    expect(append()).toBe(5)
    log.close()
  })

  test('when full and dropping, drops the oldest segment and counts its entries', () => {
    const log = openLog(options({ bytesMax: 400, whenFull: 'drop-oldest' }))
    for (let n = 1; n <= 5; n++) log.append(bytes(`${n}`.padStart(84, '0')))
    expect(texts(log.read(1, all)).map(Number)).toEqual([3, 4, 5])
    expect(log.losses().full).toBe(2)
    expect(log.first).toBe(3)
    log.close()
  })

  test('drops by age only segments that are old completely', () => {
    let now = 0
    const log = openLog(options({ now: () => now }))
    for (let n = 1; n <= 6; n++) {
      now = n
      log.append(bytes('x'.repeat(84)))
    }
    log.dropOlderThan(4)
    expect(log.first).toBe(3)
    log.dropOlderThan(7)
    expect([log.first, log.count, log.losses().old]).toEqual([7, 0, 6])
    log.dropOlderThan(100)
    expect(log.append(bytes('x'))).toBe(7)
    log.close()
  })

  test('reports a disk that accepts no entry, and continues when it does again', () => {
    const log = openLog(options({ segmentBytesMax: 100 }))
    log.append(bytes('x'.repeat(80)))
    rmSync(directory, { recursive: true })
    expect(() => log.append(bytes('y'.repeat(80)))).toThrow(BusUnavailable)
    expect(log.last).toBe(1)
    log.close()
  })

  test('refuses an entry larger than a segment, and accepts the largest that fits', () => {
    const log = openLog(options())
    expect(log.append(Buffer.alloc(184))).toBe(1)
    expect(() => log.append(Buffer.alloc(185))).toThrow(RangeError)
    log.close()
  })

  test('behaves like a list, through any appends, releases and restarts', () => {
    const command = fc.oneof(
      { weight: 6, arbitrary: fc.record({ append: fc.uint8Array({ maxLength: 120 }) }) },
      { weight: 2, arbitrary: fc.record({ release: fc.nat(60) }) },
      { weight: 1, arbitrary: fc.constant({ reopen: true as const }) },
    )
    forAll([fc.array(command, { maxLength: 60 })], (commands) => {
      rmSync(directory, { recursive: true, force: true })
      let log = openLog(options())
      const model: string[] = []
      let released = 0
      for (const step of commands) {
        if ('append' in step) {
          model.push(Buffer.from(step.append).toString('hex'))
          expect(log.append(step.append)).toBe(model.length)
        } else if ('release' in step) {
          log.release(step.release)
          released = Math.max(released, Math.min(step.release, model.length))
        } else {
          log.close()
          log = openLog(options())
        }
        const read = log.read(1, all)
        expect(read.map((entry) => Buffer.from(entry.bytes).toString('hex'))).toEqual(model.slice(released))
        expect([log.first, log.last, log.count]).toEqual([
          released + 1,
          model.length,
          model.length - released,
        ])
        expect(log.bytesAfter(released)).toBe(model.slice(released).join('').length / 2)
      }
      log.close()
    })
  })
})
