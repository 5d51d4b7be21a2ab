import type { Catalog } from '@probe-mesh/contracts/outage/catalog'
import { indexCatalog } from '@probe-mesh/control-plane/catalog/catalog-index'
import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import {
  insertTestErrorIssues,
  insertTestErrorProject,
} from '@probe-mesh/control-plane/src/stores/postgres/testing'
import type { Logger } from 'pino'
import { vi } from 'vitest'
import { startTestAllInOne, type TestAllInOne } from '@probe-mesh/infra/testing/all-in-one'
import { startTarget, type Target } from '@probe-mesh/infra/testing/target'

/** A whole system that measures a catalog service and the checks of an account. */
export type System = TestAllInOne & {
  target: Target
  statusPageId: string
  errorProjectId: string
  errorIssueId: string
}

/** One service that runs on this machine, so that its readings are real. */
const catalogOf = (url: string): Catalog => ({
  services: [
    {
      slug: 'local',
      name: 'Local Service',
      aliases: ['here'],
      domains: ['local.example.com'],
      category: 'work',
      vendor: null,
      probes: [{ url, name: null, expect: {} }],
      cdn: null,
      cloud: null,
      cloudRegion: null,
      dns: null,
      statusPage: null,
    },
  ],
  stacks: [
    {
      id: '0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f70',
      slug: 'here',
      name: 'Here',
      description: 'Everything here.',
      members: ['local'],
    },
  ],
})

export const startSystem = async (
  options: { environment?: Record<string, string>; log?: Logger } = {},
): Promise<System> => {
  const target = await startTarget()
  const started = await startTestAllInOne({
    ...options,
    catalog: indexCatalog(catalogOf(target.url())),
    environment: {
      TARGET_ALLOW: '127.0.0.0/8',
      CATALOG_INTERVAL_SECONDS: '1',
      BUDGET_SCALE: '100',
      TRUST_PROXY: '127.0.0.1',
      ...options.environment,
    },
  })
  await vi.waitFor(async () => {
    const response = await fetch(`${started.apiUrl}/public/services/local/status`)
    const { status, regionsRead } = (await response.json()) as Record<string, unknown[]>
    if (String(status) !== 'up' || regionsRead?.length !== 4) throw new Error(`it is ${status}`)
  }, measured)
  return {
    ...started,
    ...(await fill(started)),
    target,
    close: async () => {
      await started.close()
      await target.close()
    },
  }
}

const measured = { timeout: 30_000, interval: 100 }

/** Finds objects that no tool creates: the status page of the account, and a reported error. */
const fill = async ({ apiUrl, databaseUrl, credentials }: TestAllInOne) => {
  const response = await fetch(`${apiUrl}/status-pages`, {
    headers: { authorization: `Bearer ${credentials.apiKey}` },
  })
  const { statusPages } = (await response.json()) as { statusPages: { id: string }[] }
  const sql = connectPostgres(databaseUrl, { role: 'probe_mesh_system', connectionsMax: 1 })
  try {
    const [account] = await sql<{ id: string }[]>`
      select account_id as id from status_pages where id = ${statusPages[0]?.id ?? ''}`
    const accountId = account?.id ?? ''
    const projectId = await insertTestErrorProject(sql, accountId)
    const [issue] = await insertTestErrorIssues(sql, { accountId, projectId }, [{}])
    return {
      statusPageId: statusPages[0]?.id ?? '',
      errorProjectId: projectId,
      errorIssueId: issue?.id ?? '',
    }
  } finally {
    await sql.end()
  }
}
