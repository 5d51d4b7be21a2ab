// What is remembered of a check, in a process of its own: by the assessor, by ingest, and by an agent
// of its region, which has the assignments of all checks and the schedule of its share.
import { encodeText } from '@probe-mesh/bus/nats/wire'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { createAssessmentState as createAssessorBook } from '@probe-mesh/control-plane/mesh/assess/assessment-state'
import { createStoredSlots } from '@probe-mesh/control-plane/mesh/ingest/stored-slots'
import { newCheckState } from '@probe-mesh/control-plane/status/state'
import { createBook as createAgentBook } from '@probe-mesh/probe-agent/share/book'
import { createScheduler } from '@probe-mesh/probe-agent/schedule/scheduler'
import { answerParent, cpuSecondsSince } from '../child.ts'
import { createRandom } from '../statistics.ts'
import { checkIdsByPartition } from './check-ids.ts'
import { fromMs } from './mesh.ts'
import { createReadingModel } from './readings.ts'
import { agentName, anAssignment } from './region.ts'
import { createSimulatedTime } from './simulated-time.ts'

export type MemoryQuestion = {
  /** Checks of which the assessor, ingest and an agent are given theirs. */
  checks: { assessor: number; ingest: number; agent: number }
  regions: Region[]
  agents: number
}
export type MemoryAnswer = {
  assessorBytes: number
  storedSlotsBytes: number
  /** An assignment as it lies in the bucket. */
  assignmentWireBytes: number
  /** What an agent holds of all assignments, and how many of them are its own. */
  agentBookBytes: number
  ownChecks: number
  /** CPU seconds to take all assignments, and to share them anew after a member is gone. */
  takeSeconds: number
  shareSeconds: number
}

const measure = async ({ checks, regions, agents }: MemoryQuestion): Promise<MemoryAnswer> => {
  const some = (count: number) => checkIdsByPartition(count).flat()
  return {
    assessorBytes: assessorBytes(some(checks.assessor), regions),
    storedSlotsBytes: storedSlotsBytes(some(checks.ingest), regions),
    ...agentMemory(some(checks.agent), regions[0] ?? 'fra', agents),
  }
}

/** A check as it comes from Postgres, and a reading of each region as it comes from the stream. */
const assessorBytes = (checkIds: readonly string[], regions: readonly Region[]): number => {
  const model = createReadingModel(createRandom(1))
  const lease = { partition: 0, epoch: 1 }
  return bytesOf(() => {
    const book = createAssessorBook(() => fromMs)
    for (const id of checkIds) {
      const checkId = copyOf(id)
      const account = { accountId: copyOf(id), name: copyOf('www.example.com, checkout') }
      const schedule = { regions: copyOf([...regions]), intervalSeconds: 60 }
      const host = copyOf('www.example.com')
      book.load({ checkId, host, ...account, ...schedule, state: newCheckState }, lease)
    }
    for (const checkId of checkIds) {
      for (const region of regions) {
        book.observe(copyOf(model({ checkId, region, slot: fromMs, lateMs: 0, isUp: true })))
      }
    }
    for (const write of book.flips()) book.settle(write)
    while (book.takeDirty(2_000).length > 0);
    return book
  })
}

const storedSlotsBytes = (checkIds: readonly string[], regions: readonly Region[]): number => {
  const model = createReadingModel(createRandom(1))
  const slots = createStoredSlots()
  return bytesOf(() => {
    for (const checkId of checkIds) {
      for (const region of regions) {
        slots.remember(copyOf(model({ checkId, region, slot: fromMs, lateMs: 0, isUp: true })))
      }
    }
    return slots
  })
}

const agentMemory = (checkIds: readonly string[], region: Region, count: number) => {
  const members = Array.from({ length: count }, (_, n) => agentName(region, n))
  const time = createSimulatedTime(fromMs)
  const scheduler = createScheduler({
    now: time.now,
    setTimer: time.setTimer,
    onDue: () => undefined,
  })
  const book = createAgentBook(agentName(region, 0), scheduler, fromMs)
  book.shareAmong(members)
  let wireBytes = 0
  let takeSeconds = 0
  const agentBookBytes = bytesOf(() => {
    const assignments = checkIds.map((id) => copyOf(anAssignment(id, region, 60, fromMs)))
    const before = process.cpuUsage()
    for (const assignment of assignments) book.put(assignment, { catchUp: false })
    takeSeconds = cpuSecondsSince(before)
    wireBytes = Buffer.byteLength(encodeText(assignments[0]))
    return book
  })
  const ownChecks = scheduler.size
  const before = process.cpuUsage()
  book.shareAmong(members.slice(0, -1))
  const shareSeconds = cpuSecondsSince(before)
  return {
    assignmentWireBytes: wireBytes,
    agentBookBytes,
    ownChecks,
    takeSeconds,
    shareSeconds,
  }
}

/** As it comes from a bus or a database: nothing of it is shared with anything else. */
const copyOf = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value

/** What is used more once something is made and kept, bytes of the heap and beside it. */
const bytesOf = (make: () => object): number => {
  const before = bytesInUse()
  const made = make()
  const bytes = bytesInUse() - before
  kept.add(made)
  kept.delete(made)
  return bytes
}
/** Until it is counted nothing that was made may be collected. */
const kept = new Set<object>()

const bytesInUse = (): number => {
  if (globalThis.gc === undefined) throw new Error('this process needs --expose-gc')
  for (let round = 0; round < 3; round++) globalThis.gc()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

answerParent<MemoryQuestion>(measure)
