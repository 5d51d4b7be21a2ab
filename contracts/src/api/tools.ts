import { accountTools } from './account-tools.ts'
import { outageTools } from '../outage/outage-tools.ts'
import type { Tool } from '../outage/tool.ts'

export { argumentOf } from '../outage/tool.ts'
export type { Tool }

/** The two endpoints of the gateway: `{base_url}/public` needs no key, `{base_url}/mcp` does. */
export type Endpoint = 'public' | 'mcp'

/** 7 on `/public`, 24 on `/mcp`, always in this order (S-2501). */
export const toolsOf: Readonly<Record<Endpoint, readonly Tool[]>> = {
  public: outageTools,
  mcp: [...outageTools, ...accountTools],
}

/** Tools that need a key. On `/public` they answer SV-1006. */
export const accountToolNames: ReadonlySet<string> = new Set(accountTools.map(({ name }) => name))
