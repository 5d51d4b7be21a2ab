import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '@probe-mesh/control-plane/app/config'
import { gatherIdentity } from '@probe-mesh/control-plane/mesh/identity/prepare-stores'
import { judgeIdentity } from '@probe-mesh/control-plane/mesh/identity/judge-identity'
import { testSecretsKey } from '@probe-mesh/control-plane/mesh/identity/prove-secrets-key'
import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import { pino } from 'pino'
import { readControlPlaneSystem } from '../../../start/processes/control-plane-bus.ts'
import type { GatewayFacts, IdentityFindingFacts } from '../findings/identity-findings.ts'
import { gatherMsMax } from './gather.ts'
import { proxyOf } from './web.ts'

/** Reads the system ids of the stores and NATS, and verifies SECRETS_KEY. */
export const gatherIdentityFacts = async (
  config: Config,
  stores: { databaseUrl: string; clickhouseUrl: string },
): Promise<IdentityFindingFacts> => {
  const sql = connectPostgres(stores.databaseUrl, { connectionsMax: 1 })
  const { natsServers } = config
  const log = pino({ level: 'silent' })
  try {
    const facts = await gatherIdentity(sql, {
      databaseUrl: stores.databaseUrl,
      clickhouse: { url: stores.clickhouseUrl, cluster: config.clickhouseCluster },
      readNatsId: natsServers === null ? null : () => readControlPlaneSystem(config, natsServers, log),
    })
    const key = config.secretsKey ?? (await ownKey(config.dataDir))
    const isMigrated = facts.postgres.id !== null
    return {
      judged: judgeIdentity(facts),
      secretsKey: key === null || !isMigrated ? null : await testSecretsKey(sql, key),
    }
  } finally {
    await sql.end({ timeout: 1 })
  }
}

const ownKey = async (dataDir: string): Promise<string | null> => {
  const text = await readFile(join(dataDir, 'secrets.key'), 'utf8').catch(() => '')
  return text.trim() === '' ? null : text.trim()
}

/**
 * Reads the control plane's state from a gateway's `/readyz`. @throws Error for no answer or another
 * program's
 */
export const gatherGateway = async (mcpUrl: string, patience: number): Promise<GatewayFacts> => {
  const signal = AbortSignal.timeout(gatherMsMax * patience)
  const answer = await fetch(`${mcpUrl}/readyz`, { signal, redirect: 'manual' })
  const json: unknown = await answer.json().catch(() => null)
  const checks: unknown = isObject(json) ? Reflect.get(json, 'checks') : null
  const controlPlane: unknown = isObject(checks) ? Reflect.get(checks, 'controlPlane') : null
  if (typeof controlPlane !== 'string') {
    throw new Error(`status ${answer.status}, which is not our answer`)
  }
  return { controlPlane, proxy: await proxyOf(mcpUrl, signal) }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
