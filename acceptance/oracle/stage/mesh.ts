import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { everythingAssigned } from '../../testing/everything-assigned.ts'
import { createTestOwner } from '@probe-mesh/infra/testing/processes/account'
import { createEntryPart, type EntryPart } from '@probe-mesh/infra/testing/processes/entry-part'
import { freePorts } from '@probe-mesh/infra/testing/processes/free-ports'
import { startProcesses, type Processes } from '@probe-mesh/infra/testing/processes/processes'
import { actAs } from '../../web/system/client.ts'
import type { Facts } from '../judging/facts.ts'
import type { Script } from '../judging/script.ts'
import type { World } from '../outside/start-world.ts'
import { createNamedChecks, retry } from './create.ts'

const regions = ['fra', 'iad', 'nrt']
const intervalSeconds = 10
const gatewayKey = 'the-gateway-key-of-the-oracle-of-a-mesh'
/** Few enough for single messages, which can be matched. */
const checksPerHook = 4
/** Attempts to start, because on a busy machine a mesh may not be ready in time. */
const startsMax = 3

export type OracleMesh = {
  parts: Processes
  gateway: EntryPart
  apiKey: string
  hooks: Facts['hooks']
  /** The time since which every region measures every check. */
  measuredSince: number
  close(): Promise<void>
}

/**
 * Starts a whole mesh with the checks, webhooks and rules of the script, and waits until all are measured.
 */
export const startOracleMesh = async (script: Script, world: World, folder: string): Promise<OracleMesh> => {
  const parts = await retry(
    () =>
      startProcesses({
        regions,
        tiers: {},
        budgetScale: 10_000,
        cutOff: regions,
        environment: { GATEWAY_KEY: gatewayKey, CHANNEL_ALLOW: '127.0.0.0/8' },
      }),
    startsMax,
  )
  let gateway: EntryPart | null = null
  const close = async (): Promise<void> => {
    await gateway?.close()
    await parts.close()
  }
  try {
    gateway = await startGateway(parts, folder)
    const owner = await createTestOwner(parts.databaseUrl)
    const failing = [...new Set([...script.outages, ...script.blips].map(({ check }) => check))]
    const names = [...script.steady, ...script.slow, ...failing]
    const inputs = names.map((name) => ({
      name,
      url: `${world.targetUrl}/${name}`,
      intervalSeconds,
    }))
    const idOf = await createNamedChecks({ apiUrl: parts.apiUrl, apiKey: owner.apiKey }, inputs)
    const hooks = hooksOf(failing)
    const act = await retry(() => actAs(new URL(parts.apiUrl).origin, owner))
    // a new account has a rule that notifies every channel
    const { alertRules } = await retry(() => act('listAlertRules', {}))
    for (const { id } of alertRules) {
      await retry(() => act('deleteAlertRule', { params: { id } }))
    }
    for (const [hook, checks] of hooks) {
      const channel = {
        type: 'json',
        name: hook,
        config: { url: `${world.hooksUrl}/${hook}` },
      }
      const { id } = await retry(() => act('createChannel', { body: channel }))
      await retry(() => act('testChannel', { params: { id } }))
      const checkIds = checks === null ? null : [...checks].map((name) => idOf.get(name) ?? '')
      const body = {
        name: hook,
        checkIds,
        statuses: ['down'],
        unconfirmed: false,
        channelIds: [id],
      }
      await retry(() => act('createAlertRule', { body }))
    }
    await everythingAssigned(parts, names.length * regions.length)
    const measuredSince = Date.now()
    return { parts, gateway, apiKey: owner.apiKey, hooks, measuredSince, close }
  } catch (error) {
    await close()
    throw error
  }
}

const hooksOf = (failing: readonly string[]): Map<string, ReadonlySet<string> | null> => {
  const hooks = new Map<string, ReadonlySet<string> | null>([['all', null]])
  for (let at = 0; at < failing.length; at += checksPerHook) {
    hooks.set(`hook-${at / checksPerHook}`, new Set(failing.slice(at, at + checksPerHook)))
  }
  return hooks
}

const startGateway = async (parts: Processes, folder: string): Promise<EntryPart> => {
  const [port = 0] = await freePorts(1)
  await mkdir(join(folder, 'logs'), { recursive: true })
  const gateway = createEntryPart({
    name: 'gateway',
    entry: 'mcp-gateway',
    port,
    folder,
    environment: {
      MCP_PORT: String(port),
      GATEWAY_KEY: gatewayKey,
      CONTROL_PLANE_URL: new URL(parts.apiUrl).origin,
    },
  })
  await gateway.start()
  return gateway
}
