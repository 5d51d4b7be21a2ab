import { join } from 'node:path'
import type { AgentReport } from '@probe-mesh/contracts/agent/agent-report'
import { markOfRegionKey } from '@probe-mesh/contracts/agent/agent-seal'
import manifest from '../package.json' with { type: 'json' }
import { subscriptionOptions, type AgentOptions } from './agent-options.ts'
import { openAssignmentCache } from './assignments/assignment-cache.ts'
import type { AgentMetrics } from './run/agent-metrics.ts'
import { createAssignmentTable } from './ownership/assignment-table.ts'
import { createMembership } from './ownership/membership.ts'
import { followAssignments } from './assignments/follow-assignments.ts'
import type { Scheduler } from './schedule/scheduler.ts'
import { setTimer } from './schedule/set-timer.ts'
import { consumeAssignments } from './assignments/consume-assignments.ts'

/** Announcements are small. */
const announcedNetworksMax = 50

/** Opens the agent's part of the region: its assignments, their cache, and the membership. */
export const openShare = (
  options: AgentOptions,
  scheduler: Scheduler,
  metrics: AgentMetrics,
  onSuperseded: () => void,
  report: () => AgentReport,
) => {
  const { config, bus, now, log, random = Math.random, browser } = options
  const { agent, region } = config
  const directory = join(config.dataDirectory, 'assignments', agent)
  const table = createAssignmentTable(agent, warming(scheduler, browser), now())
  const onDropped = metrics.cacheLinesDropped
  const cache = openAssignmentCache({ directory, region, table, log, onDropped })
  const wasCached = table.size > 0
  const onRefused = metrics.assignmentRefused
  const consumer = consumeAssignments({ region, table, cache, setTimer, log, onRefused })
  const watch = followAssignments({
    bus,
    region,
    newWatch: consumer.newWatch,
    subscribing: subscriptionOptions(options, 'the assignments'),
  })
  let members: readonly string[] = []
  const decided = Promise.withResolvers<void>()
  const warnWithoutBrowser = () => {
    const checks = table.withoutBrowser
    if (checks > 0)
      log.warn({ checks }, 'no agent of the region has Chromium; these browser checks do not run')
  }
  void consumer.whenCurrent.then(warnWithoutBrowser)
  const membership = createMembership({
    presence: {
      agent,
      region,
      version: manifest.version,
      startedAt: now(),
      chromium: browser !== undefined,
      takesPhase: true,
      addresses: options.publicAddresses ?? [],
      settings: {
        regionKey: options.regionKey ? markOfRegionKey(options.regionKey) : null,
        targetAllow: config.targetAllow.slice(0, announcedNetworksMax),
      },
      ...(options.instance === undefined ? {} : { instance: options.instance }),
      ...(options.enrolledAs ? { enrolledAs: options.enrolledAs } : {}),
    },
    report,
    bus,
    path: join(directory, 'members'),
    nowMs: () => performance.now(),
    random,
    log,
    announceAfter: consumer.whenCurrent,
    onMembers: (present) => {
      members = present.members
      table.shareAmong(present.members, present.chromium)
      warnWithoutBrowser()
      decided.resolve()
    },
    onSuperseded,
  })
  return {
    table,
    decided: decided.promise,
    get members() {
      return members
    },
    get hasAssignments() {
      return wasCached || consumer.current
    },
    get isBusUnavailable() {
      return membership.isBusUnavailable
    },
    /** Transfers this share to the other agents. */
    withdraw: membership.close,
    close: async () => {
      consumer.close()
      await watch.close()
      cache.close()
    },
  }
}

/** Loads Playwright when the first browser check arrives, before its slot is due. */
const warming = (
  scheduler: Scheduler,
  browser: AgentOptions['browser'],
): Pick<Scheduler, 'put' | 'remove' | 'release'> => ({
  put: (assignment, how) => {
    if (assignment.type === 'browser') browser?.warm()
    scheduler.put(assignment, how)
  },
  remove: scheduler.remove,
  release: scheduler.release,
})
