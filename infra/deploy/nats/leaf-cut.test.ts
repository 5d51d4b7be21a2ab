import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { anAssignment } from '@probe-mesh/bus/src/contract-suite/fixtures'
import { partitionOf } from '@probe-mesh/contracts/mesh/subjects'
import { Reading, ReadingsMessage, readingId } from '@probe-mesh/contracts/reading/reading'
import { useOnce } from '../../testing/use.ts'
import { afterAll, expect, test, vi } from 'vitest'
import { recordFigure } from '../../testing/figure.ts'
import { startTarget } from '../../testing/target.ts'
import { patience, startLeafMesh } from './testing/leaf-mesh.ts'

/** A real agent behind the leaf node of its region, whose connection to the mesh becomes a black hole. */
const program = fileURLToPath(new URL('../../start/processes/agent.ts', import.meta.url))
/** A watch detects lost messages by its heartbeats, one every 30 s. */
const heartbeatPatience = { timeout: 100_000, interval: 100 }
const cutMs = 10_000

let child: ChildProcess | null = null
const target = useOnce(() => startTarget())
const mesh = useOnce(() => startLeafMesh())
afterAll(async () => {
  if (child !== null && child.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit')
})

const startAgentProcess = (journal: string): ChildProcess =>
  spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program], {
    stdio: 'ignore',
    env: {
      PATH: process.env['PATH'],
      REGION: 'fra',
      AGENT: 'fra-process',
      NATS_URL: mesh.leaf.url,
      AGENT_CREDENTIALS: join(mesh.folder, 'fra-1.creds'),
      DATA_DIR: join(mesh.folder, 'agent'),
      TARGET_ALLOW: '127.0.0.0/8',
      CANARIES: 'none',
      CHROMIUM: 'off',
      JOURNAL: journal,
      PORT: '0',
    },
  })

const idsIn = (text: string): string[] =>
  ReadingsMessage.parse(JSON.parse(text)).readings.map((reading) => readingId(Reading.parse(reading)))

test(
  'delivers all readings of the outage, and receives assignments of the outage afterwards',
  { timeout: 240_000 },
  async (context) => {
    const journal = join(mesh.folder, 'journal')
    const assignment = anAssignment({ intervalSeconds: 1, url: target.url('/leaf') })
    const later = anAssignment({ intervalSeconds: 1, url: target.url('/later') })
    await mesh.control.assignments.put(assignment)
    child = startAgentProcess(journal)
    const stored = async (): Promise<Set<string>> => {
      const partitions = new Set([assignment, later].map(({ checkId }) => partitionOf(checkId)))
      const messages = await Promise.all(
        [...partitions].map((partition) => mesh.control.readings.replay(partition, 1, 1_000_000)),
      )
      return new Set(messages.flat().flatMap(({ data }) => idsIn(Buffer.from(data).toString())))
    }
    const journalled = async (): Promise<string[]> => {
      const text = await readFile(journal, 'utf8').catch(() => '')
      return text.split('\n').filter((id) => id !== '')
    }
    await vi.waitFor(async () => expect((await stored()).size).toBeGreaterThan(1), patience)

    mesh.between.blackhole()
    const cutAt = Date.now()
    await mesh.control.assignments.put(later)
    const before = await stored()
    const missing = async () => (await journalled()).filter((id) => !before.has(id))
    await vi.waitFor(async () => {
      expect((await missing()).length).toBeGreaterThan(4)
      expect(Date.now() - cutAt).toBeGreaterThan(cutMs)
    }, patience)
    const unsent = await missing()
    expect(unsent.filter((id) => before.has(id))).toEqual([])
    expect((await stored()).isDisjointFrom(new Set(unsent))).toBe(true)

    const healedAt = Date.now()
    mesh.between.pass()
    await vi.waitFor(async () => {
      const ids = await stored()
      expect(unsent.filter((id) => !ids.has(id))).toEqual([])
    }, patience)
    const deliveredMs = Date.now() - healedAt
    await vi.waitFor(async () => {
      const ids = await stored()
      expect([...ids].some((id) => id.startsWith(later.checkId))).toBe(true)
    }, heartbeatPatience)
    const knownMs = Date.now() - healedAt
    await recordFigure(
      context,
      `behind a leaf node cut off for ${Math.round((healedAt - cutAt) / 1_000)} s: ${unsent.length} readings measured meanwhile, 0 lost, all delivered after ${Math.ceil(deliveredMs / 1_000)} s; a check created meanwhile is measured after ${Math.ceil(knownMs / 1_000)} s`,
    )
  },
)
