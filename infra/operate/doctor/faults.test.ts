import { readFile, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Finding } from './findings/finding.ts'
import { allFaults } from './testing/all-faults.ts'
import type { Fault } from './testing/fault.ts'
import { faultTable, withFaultTable, type Proved } from './testing/fault-table.ts'
import { startFaultyMesh, type FaultyMesh } from './testing/faulty-mesh.ts'

/**
 * Every fault is created in a mesh of processes, found by the doctor, and fixed as the finding says.
 * `FAULT=pattern` runs the faults whose names match; a complete run writes the table of docs/doctor.md.
 */
const document = new URL('../../../docs/doctor.md', import.meta.url)
const wanted = new RegExp(process.env['FAULT'] ?? '')
const faults = allFaults.filter(({ planted }) => wanted.test(planted))
const patience = { timeout: 90_000, interval: 500 }

let mesh: FaultyMesh
const proved: Proved[] = []

beforeAll(async () => {
  mesh = await startFaultyMesh()
  await isWell()
}, 300_000)
afterAll(async () => {
  await mesh?.close()
  console.info(faultTable(proved))
  if (proved.length === allFaults.length) {
    await writeFile(document, withFaultTable(await readFile(document, 'utf8'), proved))
  }
})

const notOk = (findings: readonly Finding[]): Finding[] => findings.filter(({ level }) => level !== 'ok')
const matching = (findings: readonly Finding[], { found }: Fault): Finding[] =>
  findings.filter(
    ({ level, topic, message }) =>
      level === found.level && topic === found.topic && found.message.test(message),
  )

/** Waits until the doctor reports no problem. */
const isWell = () => vi.waitFor(async () => expect(notOk(await mesh.doctor())).toEqual([]), patience)

test.each(faults.map((fault) => [fault.planted, fault] as const))(
  'finds that %s, and its remedy works',
  { timeout: 400_000 },
  async (_, fault) => {
    try {
      proved.push(await prove(fault))
    } catch (error) {
      // so that the next fault starts from a healthy mesh
      await fault.restore?.(mesh).catch(() => undefined)
      await mesh.heal()
      throw error
    }
  },
)

const prove = async (fault: Fault): Promise<Proved> => {
  const plantedAt = performance.now()
  await fault.plant(mesh)
  const found = await vi.waitFor(async () => {
    const findings = await mesh.doctor()
    const [first, ...others] = matching(findings, fault)
    if (first === undefined) throw new Error(JSON.stringify(notOk(findings)))
    expect(others).toEqual([])
    return first
  }, patience)
  const foundAfterMs = performance.now() - plantedAt
  const { level, topic, message, next = '' } = found
  const said = fault.remedy.exec(next)
  expect(said, next).not.toBeNull()
  const appliedAt = performance.now()
  await fault.apply(mesh, { ...said?.groups })
  await vi.waitFor(async () => expect(matching(await mesh.doctor(), fault)).toEqual([]), patience)
  const mendedAfterMs = performance.now() - appliedAt
  await fault.restore?.(mesh)
  await isWell()
  const shown = (text: string) => text.replaceAll(mesh.folder, '/srv/mesh')
  const foundAs = shown(`${level}: ${topic}: ${message}`)
  const { planted } = fault
  return { planted, foundAs, next: shown(next), foundAfterMs, mendedAfterMs }
}
