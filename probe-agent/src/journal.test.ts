import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { aReading } from '@probe-mesh/bus/src/contract-suite/fixtures'
import { silentLogger } from '@probe-mesh/bus/logger'
import { readingId } from '@probe-mesh/contracts/reading/reading'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openJournal } from './journal.ts'
import { encodeReading, openSpool, type Spool } from './publish/spool/spool.ts'

let directory = ''
let spool: Spool
const path = () => join(directory, 'journal')
const lines = () => readFileSync(path(), 'utf8').trimEnd().split('\n')
const open = () => openJournal({ path: path(), spool, log: silentLogger })

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'probe-mesh-journal-'))
  spool = openSpool({ directory: join(directory, 'spool'), bytesMax: 2 ** 24, now: Date.now })
})
afterEach(() => {
  spool.close()
  rmSync(directory, { recursive: true, force: true })
})

describe('the journal', () => {
  test('writes one id a line, across restarts', () => {
    const readings = [aReading(), aReading({ kind: 'manual', number: 2 }), aReading()]
    for (const reading of readings) {
      const journal = open()
      journal.append(reading)
      journal.close()
    }
    expect(lines()).toEqual(readings.map(readingId))
  })

  test('first adds readings that were spooled but not written before a kill', () => {
    const [both, spooledOnly] = [aReading(), aReading()]
    spool.append(encodeReading(both))
    writeFileSync(path(), `${readingId(both)}\n`)
    spool.append(encodeReading(spooledOnly))
    open().close()
    open().close()
    expect(lines()).toEqual([readingId(both), readingId(spooledOnly)])
  })

  test('a line torn by a kill damages neither its neighbour nor its reading', () => {
    const [torn, next] = [aReading(), aReading()]
    spool.append(encodeReading(torn))
    appendFileSync(path(), readingId(torn).slice(0, 20))
    const journal = open()
    journal.append(next)
    journal.close()
    expect(lines().slice(1)).toEqual([readingId(torn), readingId(next)])
  })
})
