// One agent in a process of its own, on the in-process bus, with runs that take no time.
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { openInProcessBus } from '@probe-mesh/bus/in-process/in-process-bus'
import { silentLogger } from '@probe-mesh/bus/logger'
import type { Bus } from '@probe-mesh/bus/port'
import { noAssertions } from '@probe-mesh/contracts/check/assertions'
import { startAgent, type Agent } from '@probe-mesh/probe-agent/agent'
import type { Run } from '@probe-mesh/probe-agent/schedule/run'
import { Registry } from 'prom-client'
import { answerParent } from '../harness/child.ts'
import { cpuSecondsSince } from '../harness/usage.ts'
import { withFolder } from '../harness/scope.ts'
import { percentile } from '../harness/statistics.ts'
import { checkIdOf } from '../harness/bench-ids.ts'
import { instantReading } from '../harness/instant-reading.ts'
import { startStreamReader } from './stream-reader.ts'

export type AgentQuestion = {
  /** Checks of 60 s. */
  checks: number
  warmMs: number
  windowMs: number
}

/** What one window showed. Lateness in ms, CPU in seconds. */
export type AgentAnswer = {
  runs: number
  lateP50: number
  lateP99: number
  /** The agent with its half of the bus, without the stand-in for ingest. */
  agentCpu: number
  wallSeconds: number
  /** Since the start: runs, and readings that came out of the stream. */
  runsEver: number
  readingsEver: number
  /** Readings of slots that could not start in time on a busy machine, so that there was no run. */
  overloadedEver: number
  messages: number
  rssMiB: number
}

const region = 'fra'
const agentName = 'fra-bench'

/** Every process first runs this many checks of 1 s, so that all are equally warm. */
const warmChecks = 2_000
const warmIdsFrom = 10_000_000
const settleMs = 1_500
const pollMs = 20

const measure = (question: AgentQuestion): Promise<AgentAnswer> =>
  withFolder(async (folder) => {
    const bus = await openInProcessBus({ directory: join(folder, 'bus') })
    const reader = await startStreamReader(bus, { region, agent: agentName })
    const stub = createStub()
    await put(bus, { from: 0, count: question.checks, intervalSeconds: 60 })
    await put(bus, { from: warmIdsFrom, count: warmChecks, intervalSeconds: 1 })
    const agent = await startAgent({
      config: {
        region,
        agent: agentName,
        dataDirectory: folder,
        spoolBytesMax: 256 * 1024 * 1024,
        targetAllow: [],
        journalPath: null,
      },
      bus,
      run: stub.run,
      now: Date.now,
      log: silentLogger,
      registry: new Registry(),
    })
    await assigned(agent, question.checks + warmChecks)
    await wait(question.warmMs)
    for (let n = 0; n < warmChecks; n++) await bus.assignments.remove(region, checkIdOf(warmIdsFrom + n))
    await assigned(agent, question.checks)
    await wait(settleMs)

    const read = reader.totals()
    const cpu = process.cpuUsage()
    const startedAt = performance.now()
    stub.startWindow()
    await wait(question.windowMs)
    const late = stub.endWindow()
    const cpuSeconds = cpuSecondsSince(cpu)
    const wallSeconds = (performance.now() - startedAt) / 1_000
    const readNow = reader.totals()
    const readerCpu = readNow.cpuSeconds - read.cpuSeconds
    const rssMiB = process.memoryUsage.rss() / 2 ** 20

    await agent.close()
    await reader.takeAll()
    reader.close()
    await bus.close()
    return {
      runs: late.length,
      lateP50: percentile(late, 0.5),
      lateP99: percentile(late, 0.99),
      agentCpu: cpuSeconds - readerCpu,
      wallSeconds,
      runsEver: stub.runsEver(),
      readingsEver: reader.totals().readings,
      overloadedEver: reader.totals().overloaded,
      messages: readNow.messages - read.messages,
      rssMiB,
    }
  })

const put = async (
  bus: Bus,
  checks: { from: number; count: number; intervalSeconds: number },
): Promise<void> => {
  const validFrom = Date.now() - 60_000
  for (let n = 0; n < checks.count; n++) {
    await bus.assignments.put({
      checkId: checkIdOf(checks.from + n),
      accountId: 'bench',
      region,
      revision: 1,
      validFrom,
      intervalSeconds: checks.intervalSeconds,
      type: 'http',
      url: 'https://example.com/health?full=1',
      assertions: noAssertions,
      owner: 'account',
    })
  }
}

const assigned = async (agent: Agent, count: number): Promise<void> => {
  while (agent.assignments !== count) await wait(pollMs)
}

/** A run that ends at once, and records how late it started. */
const createStub = () => {
  let late: number[] | null = null
  let count = 0
  const run: Run = (assignment, context) => {
    count++
    late?.push(context.lateMs)
    const measuredAt = context.slot + context.lateMs
    return Promise.resolve(instantReading(assignment, context, 'up', measuredAt))
  }
  return {
    run,
    runsEver: () => count,
    startWindow: () => {
      late = []
    },
    endWindow: (): number[] => {
      const seen = late ?? []
      late = null
      return seen
    },
  }
}

answerParent(measure)
