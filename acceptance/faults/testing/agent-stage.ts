import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openNatsBus } from '@probe-mesh/bus/nats/nats-bus'
import type { Bus } from '@probe-mesh/bus/port'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { noAssertions } from '@probe-mesh/contracts/check/assertions'
import type { HttpAssignment } from '@probe-mesh/contracts/mesh/assignment'
import { createEntryPart, type EntryPart } from '@probe-mesh/infra/testing/processes/entry-part'
import { freePorts } from '@probe-mesh/infra/testing/processes/free-ports'
import { startTestNats, type TestNats } from '@probe-mesh/infra/testing/nats'
import { startTarget, type Target } from '@probe-mesh/infra/testing/target'
import { startReadingCollector, type ReadingCollector } from './reading-collector.ts'

/** One agent process between a broker and a target, and a collector of its readings. */
export type AgentStage = {
  readonly folder: string
  readonly nats: TestNats
  readonly bus: Bus
  readonly target: Target
  journalOf(name: string): string
  /** Creates an agent of `fra`, or of the `REGION` in its environment, without starting it. */
  agent(
    name: string,
    how?: { through?: readonly string[]; environment?: Readonly<Record<string, string>> },
  ): Promise<EntryPart>
  /** Assigns a new check, by default from now on and once a second. */
  assign(over: Partial<HttpAssignment> & { url: string }): Promise<HttpAssignment>
  readonly kept: ReadingCollector['kept']
  close(): Promise<void>
}

/** @param regions whose readings are collected */
export const startAgentStage = async (regions: readonly Region[] = ['fra']): Promise<AgentStage> => {
  const folder = await mkdtemp(join(tmpdir(), 'agent-stage-'))
  await mkdir(join(folder, 'logs'))
  const [nats, target] = await Promise.all([startTestNats(), startTarget()])
  const bus = await openNatsBus({
    servers: [nats.url],
    name: 'the control plane of a test',
    topology: { regions: [...regions] },
  })
  const collector = await startReadingCollector(bus)
  const parts: EntryPart[] = []
  const journalOf = (name: string): string => join(folder, 'journal', name)
  return {
    folder,
    nats,
    bus,
    target,
    journalOf,
    agent: async (name, { through, environment } = {}) => {
      const [port] = await freePorts(1)
      if (port === undefined) throw new Error('no port is free')
      const part = createEntryPart({
        name,
        entry: 'agent',
        port,
        folder,
        ...(through === undefined ? {} : { through }),
        environment: {
          REGION: 'fra',
          AGENT: name,
          NATS_URL: nats.url,
          CANARIES: 'none',
          CHROMIUM: 'off',
          JOURNAL: journalOf(name),
          ...environment,
        },
      })
      parts.push(part)
      return part
    },
    assign: async (over) => {
      const assignment: HttpAssignment = {
        checkId: randomUUID(),
        accountId: 'account',
        region: 'fra',
        revision: 1,
        validFrom: Date.now(),
        intervalSeconds: 1,
        owner: 'account',
        type: 'http',
        assertions: noAssertions,
        ...over,
      }
      await bus.assignments.put(assignment)
      return assignment
    },
    kept: collector.kept,
    close: async () => {
      await Promise.all(parts.map((part) => part.close()))
      await collector.close()
      await bus.close()
      await nats.close()
      await target.close()
      await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    },
  }
}
